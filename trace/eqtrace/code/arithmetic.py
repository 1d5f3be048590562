"""Arithmetic statements: those whose value comes from numeric operators or NumPy, math or scipy calls on data.

Joining strings and lists, working out an index, putting a message together, defining a constant are none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import FunctionNode, StatementNode, dotted, parts, walk

_LIBRARIES = ("numpy", "math", "cmath", "scipy")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_ARRAY_METHODS = frozenset(
    {"sum", "mean", "var", "std", "prod", "dot", "max", "min", "cumsum", "cumprod", "argmax", "argmin", "argsort"}
    | {"trace", "ptp", "clip", "round", "conj", "searchsorted", "diagonal", "nonzero"}
)
_CREATION = frozenset(  # make, convert, store or describe arrays; what they hold is not computed
    {"zeros", "ones", "empty", "full", "eye", "identity", "zeros_like", "ones_like", "empty_like", "full_like"}
    | {"arange", "ndindex", "indices", "meshgrid", "unravel_index", "ravel_multi_index"}
    | {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy", "frombuffer", "fromiter"}
    | {"load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromfile", "memmap"}
    | {"dtype", "finfo", "iinfo", "issubdtype", "result_type", "can_cast", "errstate", "seterr", "geterr"}
    | {"printoptions", "set_printoptions", "array2string", "array_repr", "shape", "ndim", "size", "ndenumerate"}
    | {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool_", "intp", "Generator"}
)
_PREDICATES = frozenset(  # ask about values without giving one
    {"isfinite", "isnan", "isinf", "isclose", "allclose", "array_equal", "any", "all", "isscalar", "iscomplexobj"}
    | {"shares_memory", "may_share_memory"}
)
_SILENT = frozenset({"print", "range", "slice", "enumerate", "len", "isinstance", "str", "repr", "format", "getattr"})
_SEQUENCE_CALLS = frozenset({"str", "repr", "list", "tuple", "set", "frozenset", "dict", "sorted", "bytes", "Path"})
_SEQUENCE_METHODS = frozenset(
    {"join", "format", "strip", "split", "lower", "upper", "replace", "encode", "decode", "keys"}
)
_CLOCKS = ("time", "datetime")
_REPORTERS = ("warnings.", "logging.", "logger.")
_RESHAPING = ("reshape", "transpose", "swapaxes")
_LAYOUT = ("axis", "shape", "size", "dtype", "keepdims")
_SEQUENCES = frozenset({"str", "bytes", "list", "tuple", "set", "frozenset", "dict", "Path", "PathLike"})


def arithmetic(file: SourceFile) -> tuple[Statement, ...]:
    """The arithmetic statements of a file, in the order of the text."""
    aliases = _aliases(file)
    found: list[Statement] = []
    constants = _constants(file, aliases)
    for function in file.definitions:
        reader = _Reader(aliases, _sequences(file, function, aliases), constants if not function else frozenset())
        found.extend(item for item in file.statements_in(function) if reader.computes(item.node))
    return tuple(sorted(found, key=lambda item: (item.span.line, item.span.column)))


def _aliases(file: SourceFile) -> dict[str, str]:
    """What imported names stand for, in dotted form, whichever scope imports them."""
    found: dict[str, str] = {}
    for statement in file.statements:
        node = statement.node
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _constants(file: SourceFile, aliases: dict[str, str]) -> frozenset[str]:
    """The module's own constants: at its top level, arithmetic on them only defines further ones."""
    found: set[str] = set()
    for statement in file.statements_in(""):
        node = statement.node
        if isinstance(node, ast.Assign) and all(
            part.id in aliases or part.id in found for part in walk(node.value) if isinstance(part, ast.Name)
        ):
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return frozenset(found)


def _sequences(file: SourceFile, function: str, aliases: dict[str, str]) -> frozenset[str]:
    """Names of a function that hold strings, lists or clock readings, as far as its text shows."""
    found: set[str] = set()
    node = file.functions.get(function)
    if isinstance(node, FunctionNode):
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if argument.annotation is not None and _names_sequence(argument.annotation):
                found.add(argument.arg)
    reader = _Reader(aliases, found, frozenset())
    for statement in file.statements_in(function):
        item = statement.node
        if isinstance(item, ast.Assign | ast.AnnAssign) and item.value is not None and reader.is_sequence(item.value):
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            found.update(target.id for target in targets if isinstance(target, ast.Name))
    return frozenset(found)


def _names_sequence(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.split("[")[0].strip() in _SEQUENCES
    base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return (dotted(base) or "").rpartition(".")[2] in _SEQUENCES


def _joined(node: ast.BinOp) -> Iterator[ast.expr]:
    """The pieces of joined strings or lists; what is formatted into a string is a message."""
    pending: list[ast.expr] = [node]
    while pending:
        piece = pending.pop()
        if isinstance(piece, ast.BinOp) and isinstance(piece.op, ast.Add):
            pending.extend((piece.left, piece.right))
        elif isinstance(piece, ast.BinOp) and isinstance(piece.op, ast.Mod):
            pending.append(piece.left)
        elif piece is node:
            yield from (node.left, node.right)
        else:
            yield piece


class _Reader:
    """Tells arithmetic from other uses of the same operators, in one scope."""

    def __init__(
        self, aliases: dict[str, str], sequences: set[str] | frozenset[str], constants: frozenset[str]
    ) -> None:
        self.aliases = aliases
        self.sequences = sequences
        self.constants = constants

    def computes(self, node: StatementNode) -> bool:
        """Whether a statement is arithmetic."""
        try:
            return self._computes(node)
        except RecursionError:  # only operators nest as deep as that
            return True

    def _computes(self, node: StatementNode) -> bool:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return False
            case ast.Raise() | ast.Delete() | ast.Global() | ast.Nonlocal() | ast.ExceptHandler():
                return False
            case ast.Assert():
                return self._any(node.test)
            case ast.AugAssign():
                if isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.value, ast.Constant):
                    return False  # a counter
                on_sequence = self.is_sequence(node.value) or self.is_sequence(node.target)
                return (isinstance(node.op, _OPERATORS) and not on_sequence) or self._any(node.value)
            case ast.AnnAssign():
                return node.value is not None and self._any(node.value)
        return self._any(node)

    def is_sequence(self, node: ast.expr) -> bool:
        """Whether a value is a string, a list, a set or a clock reading, so that its operators are not arithmetic."""
        match node:
            case ast.Constant():
                return isinstance(node.value, str | bytes)
            case ast.JoinedStr() | ast.List() | ast.Tuple() | ast.ListComp() | ast.Set() | ast.Dict() | ast.SetComp():
                return True
            case ast.Name():
                return node.id in self.sequences
            case ast.BinOp():
                return self.is_sequence(node.left) or (
                    not isinstance(node.op, ast.Mod) and self.is_sequence(node.right)
                )
            case ast.Call(func=ast.Name(id=name)):
                return name in _SEQUENCE_CALLS or self._dotted(node.func).split(".")[0] in _CLOCKS
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in _SEQUENCE_METHODS or self._dotted(node.func).split(".")[0] in _CLOCKS
            case ast.IfExp():
                return self.is_sequence(node.body) or self.is_sequence(node.orelse)
            case ast.Subscript():
                return self.is_sequence(node.value) and isinstance(node.slice, ast.Slice)
        return False

    def _any(self, root: ast.AST) -> bool:
        return any(self._is_arithmetic(node) for node in self._reading(root))

    def _reading(self, root: ast.AST) -> Iterator[ast.AST]:
        """The nodes of a statement but for indices, messages and the arguments of calls that compute nothing."""
        pending = [root]
        while pending:
            node = pending.pop()
            yield node
            if isinstance(node, ast.JoinedStr):
                continue
            if isinstance(node, ast.Subscript):
                pending.append(node.value)
            elif isinstance(node, ast.BinOp) and self.is_sequence(node):
                pending.extend(_joined(node))
            elif isinstance(node, ast.Call | ast.keyword) and self._is_silent(node):
                continue
            elif isinstance(node, ast.AnnAssign):
                pending.append(node.value or node.target)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RESHAPING:
                pending.append(node.func.value)
            elif isinstance(node, ast.Compare) and any(map(self._is_length, (node.left, *node.comparators))):
                continue  # an index held against a length
            else:
                pending.extend(parts(node))

    def _is_length(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._dotted(node.func) == "len"

    def _is_silent(self, node: ast.Call | ast.keyword) -> bool:
        """Whether a call only counts, shows or reports, and whether an argument only says how arrays are laid out."""
        if isinstance(node, ast.keyword):
            return node.arg in _LAYOUT
        name = self._dotted(node.func)
        last = name.rpartition(".")[2]
        reports = last.endswith(("Error", "Exception", "Warning")) or name.startswith(_REPORTERS)
        return name in _SILENT or reports

    def _is_arithmetic(self, node: ast.AST) -> bool:
        match node:
            case ast.BinOp(op=op) if isinstance(op, _OPERATORS):
                joined = self.is_sequence(node.left) or self.is_sequence(node.right)
                return not joined and self._on_data(node)
            case ast.UnaryOp(op=ast.USub()):
                return self._on_data(node.operand)
            case ast.Call():
                return self._is_numeric_call(node)
        return False

    def _is_numeric_call(self, node: ast.Call) -> bool:
        name = self._dotted(node.func)
        last = name.rpartition(".")[2]
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if name.split(".")[0] in _LIBRARIES:
            excluded = last in _CREATION or last in _PREDICATES or ".random." in name or ".testing." in name
            return not excluded and any(self._on_data(argument) for argument in given)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _ARRAY_METHODS:
            return not self.is_sequence(node.func.value) and self._on_data(node.func.value)
        return False

    def _on_data(self, root: ast.AST) -> bool:
        """Whether anything but constants goes in: a name that is no import, and at top level no other constant."""
        for node in self._reading(root):
            name = node.id if isinstance(node, ast.Name) else None
            if name is not None and name not in self.aliases and name not in self.constants:
                return True
        return False

    def _dotted(self, func: ast.expr) -> str:
        """A called name in full: `np.exp` becomes `numpy.exp`."""
        name = dotted(func) or (f"?.{func.attr}" if isinstance(func, ast.Attribute) else "?")
        first, dot, rest = name.partition(".")
        return self.aliases.get(first, first) + dot + rest
