"""The mutation operators. Each yields what an expression or a statement could have been by a slip."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field

from eqtrace.code.mutation.kinds import Kinds

Operator = Callable[[ast.AST, "Surroundings"], Iterator[ast.AST]]

_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}
_COUNTING = frozenset({"range", "arange", "zeros", "ones", "empty", "eye", "triu", "tril", "islice"})
_PLAIN = frozenset(  # built-in functions whose argument alone is no slip that runs
    {"range", "len", "enumerate", "zip", "isinstance", "print", "str", "list", "dict", "set", "tuple", "open", "repr"}
)


@dataclass(frozen=True)
class Surroundings:
    """What an operator may know of the file and the statement around a node."""

    modules: frozenset[str] = frozenset()  # names that imports bind in the file
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by subscripted name: the string keys used with it
    spans: frozenset[int] = frozenset()  # ids of constants that another operator looks after (axes and the like)
    kinds: Kinds | None = None  # of the expressions in the statement's function

    def alike(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether one may stand where the other does; if not, the code could only fail, and would say nothing."""
        return self.kinds is None or not self.kinds.unlike(one, other)


def arithmetic(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """Another arithmetic operator; the operands of a matrix product swapped."""
    if not isinstance(node, ast.BinOp | ast.AugAssign):
        return
    other = _BINARY.get(type(node.op))
    if isinstance(node, ast.AugAssign):
        if other is not None and not _is_text(node.value):
            yield ast.AugAssign(node.target, other(), node.value)
    elif isinstance(node.op, ast.MatMult):
        yield ast.BinOp(node.right, node.op, node.left)
    elif other is not None and not (_is_text(node.left) or _is_text(node.right)):
        yield ast.BinOp(node.left, other(), node.right)


def comparison(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A bound taken in or left out; the other direction."""
    if isinstance(node, ast.Compare):
        for number, op in enumerate(node.ops):
            for other in _COMPARISONS.get(type(op), ()):
                yield ast.Compare(node.left, [*node.ops[:number], other(), *node.ops[number + 1 :]], node.comparators)


def constant(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A number one more or one less; a float also a thousandth larger; True for False."""
    if not isinstance(node, ast.Constant) or id(node) in around.spans:
        return
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        yield _number(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(value + 1.0)
        if value:
            yield ast.Constant(value * 1.001)


def axis(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """Another axis; no axis at all."""
    if not isinstance(node, ast.Call):
        return
    for number, keyword in enumerate(node.keywords):
        if keyword.arg == "axis":
            others = [*node.keywords[:number], *node.keywords[number + 1 :]]
            first = isinstance(keyword.value, ast.Constant) and keyword.value.value == 0
            swapped = ast.keyword("axis", _number(-1 if first else 0))
            yield ast.Call(node.func, node.args, [*node.keywords[:number], swapped, *node.keywords[number + 1 :]])
            yield ast.Call(node.func, node.args, others)


def keepdims(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """The reduced axis dropped instead of kept, and the other way round."""
    if not isinstance(node, ast.Call):
        return
    for number, keyword in enumerate(node.keywords):
        if keyword.arg == "keepdims" and isinstance(keyword.value, ast.Constant):
            other = ast.keyword("keepdims", ast.Constant(not keyword.value.value))
            yield ast.Call(node.func, node.args, [*node.keywords[:number], other, *node.keywords[number + 1 :]])


def transpose(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A transpose lost; a factor of a matrix product transposed."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        if not _is_transposed(node.left):
            yield ast.BinOp(_transposed(node.left), node.op, node.right)
        if not _is_transposed(node.right):
            yield ast.BinOp(node.left, node.op, _transposed(node.right))


def sign(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A minus lost; the value of an assignment or a return negated."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if id(node) not in around.spans:
            yield node.operand
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return):
        value = node.value
        signed = around.kinds is None or value is None or not around.kinds.without_sign(value)
        if isinstance(value, ast.BinOp | ast.Call | ast.Subscript) and not _is_text(value) and signed:
            yield _with_value(node, ast.UnaryOp(ast.USub(), value))


def dropped(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A term or a factor left out."""
    if isinstance(node, ast.BinOp) and not (_is_text(node.left) or _is_text(node.right)):
        if isinstance(node.op, ast.Add | ast.Mult):
            yield node.left
            yield node.right
        elif isinstance(node.op, ast.Sub):
            yield node.left
            yield ast.UnaryOp(ast.USub(), node.right)
        elif isinstance(node.op, ast.Div | ast.Pow | ast.FloorDiv | ast.Mod):
            yield node.left


def swapped_arguments(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """Two neighbouring arguments of a call the wrong way round."""
    if isinstance(node, ast.Call):
        for number, (one, other) in enumerate(zip(node.args, node.args[1:], strict=False)):
            starred = isinstance(one, ast.Starred) or isinstance(other, ast.Starred)
            if not starred and around.alike(one, other):
                swapped = [*node.args[:number], other, one, *node.args[number + 2 :]]
                yield ast.Call(node.func, swapped, node.keywords)


def swapped_names(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """Two names of a statement's value the wrong way round."""
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return) or value is None:
        return
    left = {id(each.func) for each in ast.walk(value) if isinstance(each, ast.Call)}
    left |= {id(part) for each in ast.walk(value) if isinstance(each, ast.JoinedStr) for part in ast.walk(each)}
    left |= {id(each) for each in ast.walk(value) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    names = [
        each.id
        for each in ast.walk(value)
        if isinstance(each, ast.Name) and id(each) not in left and each.id not in around.modules
    ]
    distinct = list(dict.fromkeys(names))
    for number, one in enumerate(distinct):
        for other in distinct[number + 1 :]:
            if not around.alike(ast.Name(one, ast.Load()), ast.Name(other, ast.Load())):
                continue
            yield _with_value(node, _renamed(value, {one: other, other: one}, left))


def bounds(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A bound of a slice, or a count, one more or one less; a bound left out."""
    if isinstance(node, ast.Slice):
        for name in ("lower", "upper"):
            bound = getattr(node, name)
            if bound is None:
                continue
            yield _with_bound(node, name, None)
            if not isinstance(bound, ast.Constant):
                yield _with_bound(node, name, ast.BinOp(bound, ast.Add(), ast.Constant(1)))
                yield _with_bound(node, name, ast.BinOp(bound, ast.Sub(), ast.Constant(1)))
    elif isinstance(node, ast.Call) and _called(node) in _COUNTING:
        for number, argument in enumerate(node.args):
            if isinstance(argument, ast.Name | ast.Attribute | ast.BinOp | ast.Call) and not _is_text(argument):
                for op in (ast.Add(), ast.Sub()):
                    moved = ast.BinOp(argument, op, ast.Constant(1))
                    yield ast.Call(node.func, [*node.args[:number], moved, *node.args[number + 1 :]], node.keywords)


def augmented(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """An augmented assignment that only assigns, or that is left out; a call for its effect left out."""
    if isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value)
        yield ast.Pass()
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()


def key(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """Another key of the same mapping."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute):
        keys = around.keys.get(ast.unparse(node.value), ())
        for each in ast.walk(node.slice):
            if isinstance(each, ast.Constant) and each.value in keys:
                place = keys.index(each.value)
                for step in (1, -1):
                    other = keys[(place + step) % len(keys)]
                    if other != each.value:
                        yield ast.Subscript(node.value, _replaced(node.slice, each, ast.Constant(other)), node.ctx)


def branch(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A condition negated; and for or."""
    if isinstance(node, ast.If | ast.While):
        changed = ast.UnaryOp(ast.Not(), node.test)
        yield type(node)(changed, node.body, node.orelse)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def argument(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A call replaced by its argument, or a method's by what it is called on."""
    if not isinstance(node, ast.Call):
        return
    function = node.func
    if isinstance(function, ast.Attribute) and not _is_module(function.value, around):
        if _root(function.value) not in around.modules:
            yield function.value
    elif node.args and not isinstance(node.args[0], ast.Starred) and _called(node) not in _PLAIN:
        yield node.args[0]


def in_place(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    """A result written over an operand instead of into a new array."""
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) or not isinstance(value, ast.BinOp):
        return
    function = _IN_PLACE.get(type(value.op))
    for operand in (value.left, value.right):
        if function and isinstance(operand, ast.Name) and "np" in around.modules:
            call = ast.Call(
                ast.Attribute(ast.Name("np", ast.Load()), function, ast.Load()),
                [value.left, value.right],
                [ast.keyword("out", operand)],
            )
            yield _with_value(node, call)


OPERATORS: tuple[tuple[str, Operator], ...] = (
    ("arithmetic", arithmetic),
    ("comparison", comparison),
    ("constant", constant),
    ("axis", axis),
    ("keepdims", keepdims),
    ("transpose", transpose),
    ("sign", sign),
    ("dropped", dropped),
    ("swapped-arguments", swapped_arguments),
    ("swapped-names", swapped_names),
    ("bounds", bounds),
    ("augmented", augmented),
    ("key", key),
    ("branch", branch),
    ("argument", argument),
    ("in-place", in_place),
)


def looked_after(statement: ast.AST) -> frozenset[int]:
    """Ids of the numbers in a statement that stand for an axis: `axis` changes them, `constant` and `sign` do not."""
    return frozenset(
        id(each)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in ("axis", "keepdims")
        for each in ast.walk(keyword.value)
    )


def _number(value: int) -> ast.expr:
    """A number as the parser gives it: below zero it is a minus and a number."""
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _is_text(node: ast.AST) -> bool:
    """Whether an expression is surely of strings (or lists), which `+` joins."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)


def _is_transposed(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "T"


def _transposed(node: ast.expr) -> ast.expr:
    return ast.Attribute(node, "T", ast.Load())


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_module(node: ast.expr, around: Surroundings) -> bool:
    return isinstance(node, ast.Name) and node.id in around.modules


def _with_value(node: ast.AST, value: ast.expr) -> ast.AST:
    match node:
        case ast.Assign():
            return ast.Assign(node.targets, value)
        case ast.AnnAssign():
            return ast.AnnAssign(node.target, node.annotation, value, node.simple)
        case ast.AugAssign():
            return ast.AugAssign(node.target, node.op, value)
    return ast.Return(value)


def _with_bound(node: ast.Slice, name: str, bound: ast.expr | None) -> ast.Slice:
    lower, upper = (bound, node.upper) if name == "lower" else (node.lower, bound)
    return ast.Slice(lower, upper, node.step)


def _renamed(value: ast.expr, names: dict[str, str], left: Container[int]) -> ast.expr:
    memo: dict[int, ast.AST] = {
        id(each): ast.Name(names[each.id], each.ctx)
        for each in ast.walk(value)
        if isinstance(each, ast.Name) and each.id in names and id(each) not in left
    }
    return _copied(value, memo)


def _replaced(root: ast.expr, old: ast.AST, new: ast.AST) -> ast.expr:
    return _copied(root, {id(old): new})


def _copied(root: ast.expr, memo: dict[int, ast.AST]) -> ast.expr:
    import copy

    copied: ast.expr = copy.deepcopy(root, memo)
    return copied
