"""The whitelist: which syntax a step may hold, and the tree that it becomes. Nothing is evaluated or compiled."""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Sequence
from typing import TypedDict

from eqtrace.formula.steps.functions import (
    ALIASES,
    BUILTINS,
    CONSTANTS,
    FUNCTIONS,
    OWN,
    TYPES,
    Form,
    Function,
    Kind,
    Operand,
)
from eqtrace.formula.steps.tree import (
    Attribute,
    Binary,
    Call,
    Constant,
    Index,
    Literal,
    Name,
    NewAxis,
    Node,
    Rest,
    Slice,
    Unary,
)
from eqtrace.formula.steps.tree import Sequence as Items
from eqtrace.formula.syntax import FormError, Tree, read_tree

LONGEST = 2_000  # characters
DEEPEST = 60
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_ATTRIBUTES = ("T", "shape", "size", "ndim")
_METHODS = tuple(sorted(name for name, function in FUNCTIONS.items() if function.method))
_PLAIN = tuple(name for name in FUNCTIONS if name not in OWN)
_NOTHING = Constant(0.0)


class Place(TypedDict):
    """Where a node stands."""

    offset: int
    length: int


def read_step(text: str) -> tuple[Node | None, tuple[FormError, ...]]:
    """A step's tree, or everything that is wrong with its text."""
    if len(text) > LONGEST:
        return None, (FormError(0, 1, f"a step of {len(text)} characters; {LONGEST} are allowed"),)
    tree = read_tree(text, "step")
    if isinstance(tree, FormError):
        return None, (tree,)
    reader = _Reader(tree)
    found = reader.read(tree.root)
    return (None, tuple(dict.fromkeys(reader.errors))) if reader.errors else (found, ())


class _Reader:
    """Reads one syntax tree; errors collect, so that one text shows all of its own."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._depth = 0
        self.errors: list[FormError] = []

    def read(self, node: ast.expr) -> Node:
        """An expression."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._depth -= 1
            return self._error(node, f"nested deeper than {DEEPEST}")
        try:
            return self._read(node)
        finally:
            self._depth -= 1

    def _read(self, node: ast.expr) -> Node:
        place = self._place(node)
        match node:
            case ast.Constant(value=value):
                return self._constant(node, value)
            case ast.Name(id=name):
                if name.startswith("__") or name == "np":
                    return self._error(node, f"`{name}` is no value", "np stands before a function: np.exp(x)")
                return Name(name, **place)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return Unary(_UNARY[type(op)], self.read(operand), **place)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return Binary(_BINARY[type(op)], self.read(left), self.read(right), **place)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                return Binary(_COMPARE[type(op)], self.read(left), self.read(right), **place)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return Items(tuple(self.read(item) for item in items), **place)
            case ast.Subscript(value=value, slice=index):
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                return Index(self.read(value), tuple(self._part(part) for part in parts), **place)
            case ast.Attribute(value=ast.Name(id="np"), attr=name):
                if name in CONSTANTS:
                    return Constant(CONSTANTS[name], **place)
                if name == "newaxis":
                    return self._error(node, "`np.newaxis` stands among indices only")
                return self._error(node, f"`np.{name}` is no number", "np.pi, np.e and np.inf are")
            case ast.Attribute(value=value, attr=name):
                if name not in _ATTRIBUTES:
                    hint = f"call it: `.{name}(...)`" if name in _METHODS else "known are .T, .shape, .size and .ndim"
                    return self._error(node, f"the attribute `.{name}` is not in the language of steps", hint)
                return Attribute(name, self.read(value), **place)
            case ast.Call():
                return self._call(node)
        return self._error(node, f"`{self._short(node)}` is not in the language of steps", _hint(node))

    def _constant(self, node: ast.expr, value: object) -> Node:
        if isinstance(value, bool | str):
            return Constant(value, **self._place(node))
        if isinstance(value, int | float):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return Constant(number, **self._place(node))
            return self._error(node, "the number is too large for float64", "write np.inf for infinity")
        return self._error(node, f"`{self._short(node)}` is no number")

    def _part(self, node: ast.expr) -> Node:
        """One of the parts within square brackets."""
        place = self._place(node)
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                return Slice(*(None if each is None else self.read(each) for each in (lower, upper, step)), **place)
            case ast.Constant(value=None) | ast.Attribute(value=ast.Name(id="np"), attr="newaxis"):
                return NewAxis(**place)
            case ast.Constant(value=value) if value is ...:
                return Rest(**place)
        return self.read(node)

    # Calls

    def _call(self, node: ast.Call) -> Node:
        if any(isinstance(each, ast.Starred) for each in node.args) or not all(each.arg for each in node.keywords):
            return self._error(node, "`*` and `**` cannot stand in a call of a step")
        match node.func:
            case ast.Attribute(value=ast.Name(id="np"), attr=name):
                return self._plain(node, name)
            case ast.Attribute(value=value, attr="astype") if len(node.args) == 1 and not node.keywords:
                kind = node.args[0]
                if isinstance(kind, ast.Name) and kind.id in TYPES:
                    return Call(TYPES[kind.id], (self.read(value),), **self._place(node))
                return self._error(kind, "a type is float, int or bool")
            case ast.Attribute(value=value, attr="copy") if not node.args and not node.keywords:
                return self.read(value)
            case ast.Attribute(value=value, attr=attribute):
                method = ALIASES.get(attribute, attribute)
                if method not in _METHODS:
                    hint = _nearest(attribute, _METHODS)
                    return self._error(node, f"the method `.{attribute}()` is not in the language of steps", hint)
                return self._arguments(node, FUNCTIONS[method], [value, *node.args])
            case ast.Name(id=name):
                known = BUILTINS.get((name, len(node.args)))
                if known is not None and not node.keywords:
                    return self._arguments(node, FUNCTIONS[known], node.args)
                if name in TYPES and len(node.args) == 1 and not node.keywords:
                    return Call(TYPES[name], (self.read(node.args[0]),), **self._place(node))
                hint = f"np.{name}" if name in _PLAIN else "NumPy's functions are written with np: np.exp(x)"
                return self._error(node, f"`{name}` cannot be called in a step", hint)
        return self._error(node, f"`{self._short(node.func)}` cannot be called in a step")

    def _plain(self, node: ast.Call, name: str) -> Node:
        function = FUNCTIONS.get(ALIASES.get(name, name))
        if function is None or function.name in OWN:
            hint = _nearest(name, _PLAIN)
            return self._error(node, f"`np.{name}` is not in the language of steps", hint)
        return self._arguments(node, function, node.args)

    def _arguments(self, node: ast.Call, function: Function, given: Sequence[ast.expr]) -> Node:
        """Arguments by position and by name, sorted into operands and options."""
        given = self._gathered(node, function, given)
        slots = [*(each.name for each in function.operands), *(name for name, _ in function.options)]
        # What NumPy calls first among its optional arguments is the axis: `np.sum(a, 0)`, `x.cumsum(1)`.
        order = [each.name for each in function.operands if each.required or not function.options]
        order += [name for name, _ in function.options[:1]]
        if len(given) > len(order):
            return self._error(node, f"`{function.name}` takes at most {len(order)} arguments by position here")
        found: dict[str, ast.expr] = dict(zip(order, given, strict=False))
        for keyword in node.keywords:
            name = str(keyword.arg)
            if name not in slots:
                hint = f"known are {', '.join(slots)}" if slots else ""
                self._error(keyword.value, f"`{function.name}` takes no `{name}` in a step", hint)
            elif name in found:
                self._error(keyword.value, f"`{name}` is given twice")
            else:
                found[name] = keyword.value
        for each in function.operands:
            if each.required and each.name not in found:
                self._error(node, f"`{function.name}` needs `{each.name}`")
        operands = [self._operand(each, found.get(each.name)) for each in function.operands]
        options = [(name, self._option(kind, found[name])) for name, kind in function.options if name in found]
        return Call(function.name, tuple(operands), tuple(options), **self._place(node))

    def _gathered(self, node: ast.Call, function: Function, given: Sequence[ast.expr]) -> list[ast.expr]:
        """`x.reshape(2, 3)` as `x.reshape((2, 3))`."""
        shaped = len(function.operands) == 2 and function.operands[1].form is Form.SHAPE
        if shaped and len(given) > 2 and isinstance(node.func, ast.Attribute) and given[0] is node.func.value:
            rest = ast.Tuple(list(given[1:]), ast.Load())
            first, last = given[1], given[-1]
            rest.lineno, rest.col_offset = first.lineno, first.col_offset
            rest.end_lineno, rest.end_col_offset = last.end_lineno, last.end_col_offset
            return [given[0], rest]
        return list(given)

    def _operand(self, operand: Operand, node: ast.expr | None) -> Node | None:
        if node is None or (not operand.required and isinstance(node, ast.Constant) and node.value is None):
            return None
        if operand.form is Form.ARRAYS and not isinstance(node, ast.List | ast.Tuple):
            return self._error(node, f"`{operand.name}` is a list of arrays, written out: [x, y]")
        return self.read(node)

    def _option(self, kind: Kind, node: ast.expr) -> Literal:
        """An option's value."""
        wanted = {
            Kind.FLAG: "True or False",
            Kind.AXIS: "a whole number",
            Kind.AXES: "a whole number, several, or None",
        }
        try:
            value = _literal(node)
        except _Computed:
            value = None if kind is Kind.FLAG else False
        good = {Kind.FLAG: isinstance(value, bool), Kind.AXIS: type(value) is int, Kind.AXES: type(value) is not bool}
        if not good[kind]:
            self._error(node, f"`{self._short(node)}`: {wanted[kind]} is wanted, written out")
        return value

    # Errors

    def _place(self, node: ast.AST) -> Place:
        offset, length = self._tree.at(node)
        return {"offset": offset, "length": length}

    def _short(self, node: ast.AST) -> str:
        text = " ".join(self._tree.source(node).split())
        return text if len(text) <= 60 else f"{text[:57]}..."

    def _error(self, node: ast.AST, message: str, hint: str = "") -> Constant:
        """Notes an error at a node, and goes on with nothing."""
        self.errors.append(FormError(*self._tree.at(node), message, hint))
        return _NOTHING


class _Computed(Exception):
    """What is to be written out is an expression."""


def _literal(node: ast.expr) -> Literal:
    """A written number, truth, None, or a tuple of numbers.

    Raises:
        _Computed: it is anything else.
    """
    match node:
        case ast.Constant(value=bool() | None as value):
            return value
        case ast.Constant(value=int() as value) if value < 100:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if value < 100:
            return -value
        case ast.Tuple(elts=items):
            found = [_literal(item) for item in items]
            if all(type(each) is int for each in found):
                return tuple(each for each in found if isinstance(each, int))
    raise _Computed


def _hint(node: ast.expr) -> str:
    if isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return "conditions on arrays are joined with & and |, and turned with ~"
    if isinstance(node, ast.Compare):
        return "write one comparison at a time, joined with &"
    if isinstance(node, ast.IfExp):
        return "write np.where(condition, x, y)"
    return "steps are arithmetic, comparisons, indices and calls of NumPy's functions"


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1) if len(name) < 100 else []
    return f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
