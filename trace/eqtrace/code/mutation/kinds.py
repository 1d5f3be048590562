"""What an expression's value surely is, from annotations and from what a function assigns; nothing is run.

Only what is known counts: of a name without annotation, every assignment in the function must say the same. That a
value is what its annotation says is taken for granted.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from eqtrace.code.mutation import library
from eqtrace.code.mutation.bound import assigned, binds, bound_in, holds, named
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

FLOAT, INT, NUMBER = "float", "int", "number"  # floats, or arrays of float64; integers; any number, or array of them
MAPPING = "mapping"  # the name of containers that are looked up by keys
_REAL = frozenset({FLOAT, INT})
_NUMERIC = frozenset({FLOAT, INT, NUMBER})


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: a word, and for containers and instances what is in them."""

    word: str  # FLOAT, INT, NUMBER, 'items', 'tuple', 'instance', or '' where nothing is known
    items: tuple[Kind, ...] = ()
    path: str = ""
    name: str = ""


UNKNOWN = Kind("")
_ANY = Kind("any")  # of a name whose assignments are just being looked at

Find = Callable[[str], SourceFile | None]
"""The file of a module, by its dotted name."""


class Kinds:
    """What the expressions in one function are.

    Args:
        file: the file.
        function: the function's qualified name; '' is the module.
        find: gives the user's modules, from which annotations may be imported.
        numbers: expressions, as Python prints them, that are known to be numbers or arrays of numbers.
    """

    def __init__(
        self, file: SourceFile, function: str, find: Find = lambda module: None, numbers: frozenset[str] = frozenset()
    ) -> None:
        self._file = file
        self._node = file.functions.get(function)
        self._function = function
        self._find = find
        self._numbers = numbers
        self._known: dict[str, Kind] = {}
        self._active: set[str] = set()

    def real(self, node: ast.expr) -> bool:
        """Whether an expression surely is a float, an array of floats, or an integer."""
        return self.of(node).word in _REAL

    def unlike(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether one surely is what the other surely is not: a number, an object of a class, a mapping."""
        first, second = self._sort(one), self._sort(other)
        return bool(first and second) and first != second

    def _sort(self, node: ast.expr) -> str:
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return "text"
        found = self.of(node)
        if found.word in _NUMERIC:
            return NUMBER
        return f"{found.path}:{found.name}" if found.name else ""

    def without_sign(self, node: ast.expr) -> bool:
        """Whether an expression surely has no negative: containers and objects have none."""
        return self.of(node).word in ("items", "tuple", "instance")

    def number(self, node: ast.expr) -> bool:
        """Whether an expression surely is a number or an array of numbers."""
        return self.of(node).word in _NUMERIC

    def integer(self, node: ast.expr) -> bool:
        """Whether an expression surely is one integer, of Python or of NumPy."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in ("argmax", "argmin") and self.known(node.func):
                return len(node.args) == 1 and not node.keywords
            if name == "choice":  # of a generator: one of range(n)
                drawn = self.of(node.func.value)
                return drawn.name == "Generator" and len(node.args) == 1 and self.of(node.args[0]).word == INT and all(
                    each.arg == "p" for each in node.keywords
                )  # fmt: skip
        return self.of(node).word == INT

    def known(self, function: ast.expr) -> str:
        """The name of a function of NumPy or math; '' where it is none."""
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr if function.value.id in self._libraries else ""
        return ""

    def builtin(self, function: ast.expr) -> str:
        """The name of a built-in function that the file does not bind itself."""
        if isinstance(function, ast.Name) and function.id in library.BUILTINS and function.id not in self._bound:
            return function.id
        return ""

    def pure(self, node: ast.AST) -> bool:
        """Whether working an expression out changes nothing, so that its place in the order does not matter."""
        for each in ast.walk(node):
            if isinstance(each, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
                return False
            if isinstance(each, ast.Call) and not self._pure_call(each):
                return False
        return True

    def _pure_call(self, node: ast.Call) -> bool:
        if any(each.arg in ("out", None) for each in node.keywords):
            return False
        if any(isinstance(each, ast.Starred) for each in node.args):
            return False
        if self.builtin(node.func):
            return not node.keywords  # a `key` is a function
        name = self.known(node.func)
        if name:
            return len(node.args) <= library.MOST.get(name, 0)
        function = node.func
        if not isinstance(function, ast.Attribute) or not self.number(function.value):
            return False
        return function.attr in ("reshape", "transpose") or (function.attr in library.METHODS and len(node.args) < 2)

    # --- expressions -------------------------------------------------------------------------------------------------

    def of(self, node: ast.expr) -> Kind:
        """What an expression is."""
        found = self._of(node)
        return Kind(NUMBER) if found is UNKNOWN and self._numbers and ast.unparse(node) in self._numbers else found

    def _of(self, node: ast.expr) -> Kind:
        match node:
            case ast.Constant(value=bool()):
                return Kind(NUMBER)
            case ast.Constant(value=int()):
                return Kind(INT)
            case ast.Constant(value=float()):
                return Kind(FLOAT)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                found = self.of(operand)
                return found if found.word in _REAL else UNKNOWN
            case ast.BinOp():
                return self._operation(node)
            case ast.Compare(left=left, ops=[_], comparators=[right]):
                return Kind(NUMBER) if self.number(left) and self.number(right) else UNKNOWN
            case ast.Subscript(value=value):
                return self._item(self.of(value), node.slice)
            case ast.Attribute(value=value, attr=name):
                return self._attribute(value, name)
            case ast.Call():
                return self._call(node)
        return UNKNOWN

    def _operation(self, node: ast.BinOp) -> Kind:
        words = {self.of(node.left).word, self.of(node.right).word} - {"any"}
        if not words <= _NUMERIC:
            return UNKNOWN
        if not words:
            return _ANY
        match node.op:
            case ast.Div():
                return Kind(NUMBER if NUMBER in words else FLOAT)
            case ast.MatMult():
                return Kind(FLOAT if words == {FLOAT} else NUMBER)
            case ast.Add() | ast.Sub() | ast.Mult():  # a float and an array of float32 give the latter
                return Kind(NUMBER if NUMBER in words else FLOAT if FLOAT in words else INT)
            case ast.Pow():
                return Kind(FLOAT if FLOAT in words <= _REAL else NUMBER)
            case ast.FloorDiv() | ast.Mod() if words == {INT}:
                return Kind(INT)
        return UNKNOWN

    def _item(self, held: Kind, index: ast.expr) -> Kind:
        if held.word in (FLOAT, NUMBER) or held is _ANY:
            return held
        if held.word == "items":
            return held if isinstance(index, ast.Slice) else held.items[0]
        if held.word == "tuple" and isinstance(index, ast.Constant) and isinstance(index.value, int):
            return held.items[index.value] if -len(held.items) <= index.value < len(held.items) else UNKNOWN
        return UNKNOWN

    def _attribute(self, value: ast.expr, name: str) -> Kind:
        if isinstance(value, ast.Name) and value.id in self._libraries:
            return Kind(FLOAT) if name in ("pi", "e", "inf") else UNKNOWN
        held = self.of(value)
        if held.word in (FLOAT, NUMBER):
            if name == "T":
                return held
            return {"size": Kind(INT), "ndim": Kind(INT), "shape": Kind("items", (Kind(INT),))}.get(name, UNKNOWN)
        return self._field(held, name) if held.word == "instance" else UNKNOWN

    def _call(self, node: ast.Call) -> Kind:
        name = self.known(node.func)
        if not name and self.builtin(node.func):
            return self._built_in(node)
        arguments = [self.of(each) for each in node.args]
        if not name and isinstance(node.func, ast.Attribute) and node.func.attr in library.METHODS:
            arguments, name = [self.of(node.func.value)], node.func.attr
            if arguments[0].word not in (FLOAT, NUMBER):
                return arguments[0] if arguments[0] is _ANY else UNKNOWN
        if name not in library.MOST:
            return UNKNOWN if name else self._returned(node.func)
        if any(each.arg in ("dtype", "out", "where") for each in node.keywords) or len(node.args) > library.MOST[name]:
            return UNKNOWN
        words = {each.word for each in arguments} - {"any"}
        if name in ("zeros", "ones"):
            return Kind(FLOAT)
        if name in library.COUNTING | library.TESTING | {"arange"}:
            return Kind(NUMBER)
        if name in library.UNARY or name in library.SPREADING:
            return Kind(FLOAT if words <= _REAL else NUMBER) if len(arguments) == 1 and words <= _NUMERIC else UNKNOWN
        if name in library.SAME or name in library.REDUCING or name in ("zeros_like", "ones_like"):
            return arguments[0] if arguments and arguments[0].word in (FLOAT, NUMBER, _ANY.word) else UNKNOWN
        if name in library.CHOOSING and len(arguments) == 2 and words <= _NUMERIC:
            return Kind(FLOAT if words == {FLOAT} else NUMBER)
        if name == "where" and len(arguments) == 3 and {each.word for each in arguments[1:]} <= {FLOAT, _ANY.word}:
            return Kind(FLOAT)
        return UNKNOWN

    def _built_in(self, node: ast.Call) -> Kind:
        match self.builtin(node.func):
            case "len" | "int":
                return Kind(INT)
            case "float":
                return Kind(FLOAT)
            case "abs" if len(node.args) == 1 and self.real(node.args[0]):
                return self.of(node.args[0])
            case "min" | "max" if len(node.args) > 1 and {self.of(each).word for each in node.args} == {INT}:
                return Kind(INT)
        return UNKNOWN

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, name: str) -> Kind:
        if name in self._known:
            return self._known[name]
        if name in self._active:
            return _ANY  # what a name's other bindings say decides
        self._active.add(name)
        kinds = set(self._bindings(name))
        self._active.remove(name)
        only = kinds - {_ANY} or kinds
        found = only.pop() if len(only) == 1 else UNKNOWN
        if not self._active:  # else it may rest on a name that is only being looked at
            self._known[name] = found
        return found

    def _bindings(self, name: str) -> Iterator[Kind]:
        """What each binding of a name in the function says of it."""
        if not isinstance(self._node, FunctionNode):
            yield UNKNOWN
            return
        arguments = self._node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        own = [each for each in every if each is not None]
        for each in own:
            if each.arg == name:
                plain = each not in (arguments.vararg, arguments.kwarg)
                is_self = plain and each is own[0] and self._own_class is not UNKNOWN
                yield self._own_class if is_self else self.annotated(each.annotation if plain else None, self._file)
        bound = sum(name in binds(node) for node in ast.walk(self._node) if node is not self._node)
        for node in ast.walk(self._node):
            for target, value in assigned(node):
                bound -= sum(name in binds(each) for each in ast.walk(target))
                if value is None and isinstance(node, ast.AnnAssign) and named(target, name):
                    yield self.annotated(node.annotation, self._file)
                elif value is None:
                    yield from [UNKNOWN] * holds(target, name)
                else:
                    yield from self._target(target, value, name)
        if bound != sum(each.arg == name for each in own):
            yield UNKNOWN  # by something else: an import, a definition, `with`, a nested function's parameter

    @property
    def _own_class(self) -> Kind:
        outer = self._function.rpartition(".")[0]
        return Kind("instance", (), self._file.path, outer) if outer in self._file.classes else UNKNOWN

    def _target(self, target: ast.expr, value: ast.expr, name: str) -> Iterator[Kind]:
        if named(target, name):
            yield self.of(value)
        elif isinstance(target, ast.Tuple | ast.List):
            for position, each in enumerate(target.elts):
                if not holds(each, name):
                    continue
                if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                    yield from self._target(each, value.elts[position], name)
                elif named(each, name) and not any(isinstance(other, ast.Starred) for other in target.elts):
                    held = self.of(value)
                    yield self._item(held, ast.Constant(position)) if held.word in ("tuple", "items") else UNKNOWN
                else:
                    yield UNKNOWN
        elif isinstance(target, ast.Starred) and holds(target, name):
            yield UNKNOWN

    def called(self, function: ast.expr) -> tuple[SourceFile, str] | None:
        """The file and the name of a function of the user's that a call names."""
        if isinstance(function, ast.Name) and function.id not in self._local:
            return self._imported(function.id, self._file) or (self._file, function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            module = self._module(function.value.id) if function.value.id not in self._local else None
            return (module, function.attr) if module else None
        return None

    def _returned(self, function: ast.expr) -> Kind:
        """What the annotation of a function of the user's says that it returns."""
        found = self.called(function)
        if found is None:
            return UNKNOWN
        file, name = found
        nodes = file.definitions.get(name, [])
        if len(nodes) != 1 or not isinstance(nodes[0], ast.FunctionDef) or nodes[0].decorator_list:
            return UNKNOWN
        return self.annotated(nodes[0].returns, file)

    # --- annotations -------------------------------------------------------------------------------------------------

    def annotated(self, node: ast.expr | None, file: SourceFile, depth: int = 0) -> Kind:
        """What an annotation says."""
        if depth > 20:
            return UNKNOWN
        match node:
            case ast.Constant(value=str() as text):
                try:
                    return self.annotated(ast.parse(text, mode="eval").body, file, depth + 1)
                except SyntaxError:
                    return UNKNOWN
            case ast.Name(id="float" | "int" as word) if word not in file.definitions:
                return Kind(word)
            case ast.Name(id=name):
                return self._named(name, file, depth)
            case ast.Attribute(attr="Generator"):
                return Kind("instance", (), "", "Generator")
            case ast.Subscript(value=ast.Attribute(attr="NDArray") | ast.Name(id="NDArray"), slice=entry):
                name = entry.attr if isinstance(entry, ast.Attribute) else getattr(entry, "id", "")
                return Kind(FLOAT if name in ("float64", "float") else NUMBER if name in library.DTYPES else "")
            case ast.Subscript(value=ast.Name(id="dict" | "Mapping"), slice=ast.Tuple(elts=[_, item])):
                return Kind("items", (self.annotated(item, file, depth + 1),), name=MAPPING)
            case ast.Subscript(value=ast.Name(id="list" | "Sequence"), slice=item):
                return Kind("items", (self.annotated(item, file, depth + 1),))
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, ast.Constant(value=dots)])) if (
                dots is ...
            ):
                return Kind("items", (self.annotated(item, file, depth + 1),))
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=items)):
                return Kind("tuple", tuple(self.annotated(each, file, depth + 1) for each in items))
        return UNKNOWN

    def _named(self, name: str, file: SourceFile, depth: int) -> Kind:
        """What a name in an annotation stands for: an alias or a class, here or in the module it comes from."""
        imported = self._imported(name, file)
        if imported is not None:
            return self._named(imported[1], imported[0], depth + 1) if depth < 20 else UNKNOWN
        if name in file.classes:
            return Kind("instance", (), file.path, name)
        values = [
            each.value
            for each in file.tree.body
            if isinstance(each, ast.Assign | ast.AnnAssign)
            for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
            if named(target, name)
        ]
        return self.annotated(values[0], file, depth + 1) if len(values) == 1 else UNKNOWN

    def _imported(self, name: str, file: SourceFile) -> tuple[SourceFile, str] | None:
        for each in file.tree.body:
            if isinstance(each, ast.ImportFrom) and not each.level and each.module:
                for alias in each.names:
                    if (alias.asname or alias.name) == name and (found := self._find(each.module)) is not None:
                        return found, alias.name
        return None

    def _module(self, name: str) -> SourceFile | None:
        """The user's module that a name stands for in this file."""
        for each in self._file.tree.body:
            for alias in each.names if isinstance(each, ast.Import | ast.ImportFrom) else ():
                if isinstance(each, ast.Import):
                    if alias.asname == name or (alias.asname is None and alias.name == name):
                        return self._find(alias.name)
                elif isinstance(each, ast.ImportFrom) and not each.level and (alias.asname or alias.name) == name:
                    return self._find(f"{each.module}.{alias.name}")
        return None

    def _field(self, held: Kind, name: str) -> Kind:
        """What an attribute of an instance is: as its class declares it, or as all of its methods assign it."""
        file = self._file if held.path == self._file.path else self._by_path(held.path)
        node = file.classes.get(held.name) if file is not None else None
        if file is None or node is None or node.bases:
            return UNKNOWN
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and named(each.target, name):
                return self.annotated(each.annotation, file)
        found = {
            self._assigned_field(place, file, held.name)
            for place in ast.walk(file.tree)
            if isinstance(place, ast.Attribute) and place.attr == name and isinstance(place.ctx, ast.Store)
        }
        return found.pop() if len(found) == 1 else UNKNOWN

    def _assigned_field(self, place: ast.Attribute, file: SourceFile, owner: str) -> Kind:
        """What is assigned to an attribute at one place: a parameter, in the constructor."""
        start = file.functions.get(f"{owner}.__init__")
        for each in ast.walk(start) if isinstance(start, FunctionNode) else ():
            if isinstance(each, ast.Assign) and each.targets == [place] and isinstance(each.value, ast.Name):
                return Kinds(file, f"{owner}.__init__", self._find).of(each.value)
        return UNKNOWN

    def _by_path(self, path: str) -> SourceFile | None:
        return next((each for each in self._seen if each.path == path), None)

    @property
    def _seen(self) -> Iterator[SourceFile]:
        """The files of the modules that this one names."""
        for each in self._file.tree.body:
            if isinstance(each, ast.ImportFrom) and each.module and not each.level:
                found = self._find(each.module)
                if found is not None:
                    yield found

    # --- names that the file binds -----------------------------------------------------------------------------------

    @cached_property
    def _libraries(self) -> frozenset[str]:
        """The names under which the file imports NumPy and math, where nothing else is ever bound to them."""
        names = Counter(
            alias.asname or alias.name
            for each in self._file.tree.body
            if isinstance(each, ast.Import)
            for alias in each.names
            if alias.name in ("numpy", "math")
        )
        return frozenset(name for name, count in names.items() if self._bound[name] == count)

    @cached_property
    def _bound(self) -> Counter[str]:
        """How often anything in the file binds a name."""
        return bound_in(self._file.tree)

    @cached_property
    def _local(self) -> Counter[str]:
        return bound_in(self._node) if isinstance(self._node, FunctionNode) else Counter()


@lru_cache(maxsize=512)
def kinds_in(file: SourceFile, function: str, find: Find, numbers: frozenset[str] = frozenset()) -> Kinds:
    """What the expressions in one function are; what was found out for one statement serves the others."""
    return Kinds(file, function, find, numbers)
