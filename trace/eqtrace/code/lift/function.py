"""One function's return value as a form over its parameters.

Read are assignments to names, `if` that returns or raises, and one return. A value is its dimensions and how an entry
of it is written; without dimensions it is a number, and the form holds for arrays entry by entry.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eqtrace.code.lift.words import ARGUMENTS, LIBRARIES, PASSING, PLAIN, REDUCTIONS, WORDS
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

_DEPTH = 3  # calls of functions of the same file that are followed
_LONGEST = 600  # characters of a form; no reader confirms a longer one
_LETTERS = ("i", "j", "k", "l")
_COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


class NotLifted(Exception):
    """Why a function is no formula, in words that follow its name."""

    def __init__(self, reason: str, node: ast.AST | None = None) -> None:
        super().__init__(reason)
        self.line = getattr(node, "lineno", 0)


@dataclass(frozen=True, slots=True)
class Lifted:
    """A form as written, what it needs to be defined, and the shapes and indices that it uses."""

    form: str
    where: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    indices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Value:
    """Dimensions, and the entry at given indices."""

    dims: tuple[str, ...]
    at: Callable[[tuple[str, ...]], ast.expr]


def parameters(function: FunctionNode) -> list[ast.arg]:
    """All parameters by position or name."""
    found = function.args
    return [*found.posonlyargs, *found.args, *found.kwonlyargs]


def lifted(
    source: SourceFile,
    function: FunctionNode,
    shapes: Mapping[str, tuple[str, ...]],
    attributes: Mapping[str, str] | None = None,
) -> Lifted:
    """A function as a form; `shapes` are those of parameters that are known to be arrays.

    Of a method `attributes` are given: what it may read of its object (`self.x`), and the names that stand for it.

    Raises:
        NotLifted: it is none, or none that forms can write.
    """
    if isinstance(function, ast.AsyncFunctionDef):
        raise NotLifted("is asynchronous", function)
    if function.args.vararg or function.args.kwarg:
        raise NotLifted("takes any number of arguments", function)
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(function)):
        raise NotLifted("yields", function)
    lift = _Lift(source, shapes, attributes or {})
    own = parameters(function)[0 if attributes is None else 1 :]
    values = {each.arg: lift.parameter(each.arg) for each in own}
    if not values and not attributes:
        raise NotLifted("has no parameters", function)
    value = lift.body(function.body, values, function)
    indices = _LETTERS[: len(value.dims)]
    if len(value.dims) > len(indices) or {*indices, *lift.indices} & {*values, *lift.attributes.values()}:
        raise NotLifted("has parameters that are called like the indices of a draft", function)
    text = ast.unparse(value.at(indices))
    if value.dims:
        text = f"Eq(result[{', '.join(indices)}], {text})"
    if len(text) > _LONGEST:
        raise NotLifted(f"has a form of {len(text)} characters, too long to be confirmed by reading", function)
    ranges = {**dict(zip(indices, value.dims, strict=False)), **lift.indices}
    used = {name: dims for name, dims in shapes.items() if name in values and dims}
    return Lifted(text, tuple(dict.fromkeys(lift.where)), used, ranges)


class _Lift:
    def __init__(
        self, source: SourceFile, shapes: Mapping[str, tuple[str, ...]], attributes: Mapping[str, str]
    ) -> None:
        self.source = source
        self.attributes = attributes
        self.shapes = shapes
        self.where: list[str] = []
        self.indices: dict[str, str] = {}
        self.depth = 0
        self.branch = 0
        self.modules = dict(_imports(source.tree))
        self.bound = _assigned(source.tree)

    def parameter(self, name: str) -> _Value:
        dims = tuple(self.shapes.get(name, ()))

        def at(indices: tuple[str, ...]) -> ast.expr:
            return _entry(name, indices) if dims else ast.Name(name)

        return _Value(dims, at)

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self, body: Sequence[ast.stmt], known: dict[str, _Value], owner: ast.AST) -> _Value:
        values = dict(known)
        for number, each in enumerate(body):
            match each:
                case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Import() | ast.ImportFrom():
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    values[name] = self.value(value, values)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    values[name] = self.value(value, values)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name not in known:
                    node = ast.copy_location(ast.BinOp(ast.Name(name), op, value), each)
                    values[name] = self.value(node, values)
                case ast.Return(value=ast.expr() as value):
                    return self.value(value, values)
                case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                    self.guard(test, values)
                case ast.If(test=test, body=inner, orelse=other):
                    rest = other or body[number + 1 :]
                    condition = self.condition(test, values)
                    self.branch += 1  # what a branch needs to be defined it needs only there
                    yes, no = self.body(inner, values, each), self.body(rest, values, each)
                    self.branch -= 1
                    return self.cases(condition, yes, no, each)
                case _:
                    raise NotLifted(f"has a statement that no form writes: `{_shown(each)}`", each)
        raise NotLifted("returns nothing on some way", owner)

    def guard(self, test: ast.expr, values: Mapping[str, _Value]) -> None:
        condition = self.condition(test, values)
        if condition.dims or self.branch:
            raise NotLifted("refuses arrays by their entries", test)
        self.where.append(_negated(condition.at(())))

    def cases(self, condition: _Value, yes: _Value, no: _Value, node: ast.AST) -> _Value:
        dims = self.joined([condition, yes, no], node)

        def at(indices: tuple[str, ...]) -> ast.expr:
            pairs = [(yes, condition.at(indices[: len(condition.dims)])), (no, ast.Constant(True))]
            tuples = [ast.Tuple([value.at(indices if value.dims else ()), test]) for value, test in pairs]
            return _call("Piecewise", *tuples)

        return _Value(dims, at)

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, values: Mapping[str, _Value]) -> _Value:
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                return _Value((), lambda _: ast.Constant(value))
            case ast.Name(id=name) if name in values:
                return values[name]
            case ast.Name(id=name) if len(self.bound.get(name, ())) == 1:
                return self.followed(lambda: self.value(self.bound[name][0], {}), node)
            case ast.Attribute() | ast.Name() if self.named(node) == "pi":
                return _Value((), lambda _: ast.Name("pi"))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return self.over([self.value(operand, values)], lambda terms: ast.UnaryOp(node.op, terms[0]), node)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self.dot(self.value(left, values), self.value(right, values), node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(self.value(left, values), op, self.value(right, values), node)
            case ast.IfExp(test=test, body=body, orelse=other):
                condition = self.condition(test, values)
                self.branch += 1
                yes, no = self.value(body, values), self.value(other, values)
                self.branch -= 1
                return self.cases(condition, yes, no, node)
            case ast.Call():
                return self.call(node, values)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.attributes and not self.depth:
                return self.parameter(self.attributes[name])
            case ast.Attribute(value=ast.Name(id="self")):
                raise NotLifted(f"reads `{ast.unparse(node)}`: an entry with `call` can say how it is made", node)
        raise NotLifted(f"has an expression that no form writes: `{_shown(node)}`", node)

    def binary(self, left: _Value, op: ast.operator, right: _Value, node: ast.expr) -> _Value:
        if isinstance(op, ast.Div):
            self.needs(right, "Ne({}, 0)")
        elif isinstance(op, ast.Pow):
            self.power(left, right)
        elif isinstance(op, ast.FloorDiv | ast.Mod):
            self.needs(right, "Ne({}, 0)")
            if isinstance(op, ast.Mod):
                return self.over([left, right], lambda terms: _call("Mod", *terms), node)
            return self.over([left, right], lambda t: _call("floor", ast.BinOp(t[0], ast.Div(), t[1])), node)
        elif not isinstance(op, _OPERATORS):
            raise NotLifted(f"works on bits: `{_shown(node)}`", node)
        return self.over([left, right], lambda terms: ast.BinOp(terms[0], op, terms[1]), node)

    def power(self, left: _Value, right: _Value) -> None:
        exponent = right.at(()) if not right.dims else None
        number = _number(exponent)
        if number is None or number != int(number):
            self.needs(left, "{} > 0")
        elif number < 0:
            self.needs(left, "Ne({}, 0)")

    def call(self, node: ast.Call, values: Mapping[str, _Value]) -> _Value:
        name = self.named(node.func)
        if node.keywords and name is not None:
            raise NotLifted(f"gives `{node.keywords[0].arg}` to {name}, which a draft doesn't read", node)
        given = [each for each in node.args if not isinstance(each, ast.Starred)]
        if name in REDUCTIONS and len(given) == (2 if name == "dot" else 1):
            found = [self.value(each, values) for each in given]
            return self.dot(found[0], found[1], node) if name == "dot" else self.reduced(str(name), found[0], node)
        if name in PASSING and len(given) == 1:
            return self.value(given[0], values)
        if name == "square" and len(given) == 1:
            return self.over(
                [self.value(given[0], values)], lambda t: ast.BinOp(t[0], ast.Pow(), ast.Constant(2)), node
            )
        if name == "power" and len(given) == 2:
            return self.binary(self.value(given[0], values), ast.Pow(), self.value(given[1], values), node)
        if name == "where" and len(given) == 3:
            condition = self.condition(given[0], values)
            return self.cases(condition, self.value(given[1], values), self.value(given[2], values), node)
        if name == "clip" and len(given) == 3:
            found = [self.value(each, values) for each in given]
            return self.over(found, lambda t: _call("Min", _call("Max", t[0], t[1]), t[2]), node)
        word = WORDS.get(name or "")
        if word is not None:
            least, most = ARGUMENTS.get(word, (1, 1))
            if not least <= len(given) <= most:
                raise NotLifted(f"calls {name} with {len(given)} arguments", node)
            found = [self.value(each, values) for each in given]
            if word in ("log", "log2", "log10", "loggamma", "gamma", "digamma"):
                self.needs(found[0], "{} > 0")
            elif word == "sqrt":
                self.needs(found[0], "{} >= 0")
            return self.over(found, lambda terms: _call(word, *terms), node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean") and not node.args:
            return self.reduced(node.func.attr, self.value(node.func.value, values), node)
        if isinstance(node.func, ast.Name) and node.func.id in self.source.functions:
            return self.inlined(node, values)
        raise NotLifted(f"calls `{ast.unparse(node.func)}`, which forms don't know", node)

    def inlined(self, node: ast.Call, values: Mapping[str, _Value]) -> _Value:
        """A call of a function of the same file, its arguments put in."""
        assert isinstance(node.func, ast.Name)
        function = self.source.functions[node.func.id]
        if not isinstance(function, ast.FunctionDef) or function.args.vararg or function.args.kwarg:
            raise NotLifted(f"calls `{node.func.id}`, which takes any number of arguments", node)
        names = [each.arg for each in parameters(function)]
        given = dict(zip(names, (self.value(each, values) for each in node.args), strict=False))
        given |= {each.arg: self.value(each.value, values) for each in node.keywords if each.arg}
        positional = [*function.args.posonlyargs, *function.args.args]
        defaults = zip(reversed(positional), reversed(function.args.defaults), strict=False)
        given = {each.arg: self.value(value, {}) for each, value in defaults if each.arg not in given} | given
        if {*given} != {*names}:
            raise NotLifted(f"calls `{node.func.id}` in a way that a draft doesn't read", node)
        return self.followed(lambda: self.body(function.body, given, function), node)

    def followed(self, read: Callable[[], _Value], node: ast.AST) -> _Value:
        if self.depth >= _DEPTH:
            raise NotLifted(f"leads through more than {_DEPTH} functions", node)
        self.depth += 1
        try:
            return read()
        finally:
            self.depth -= 1

    def condition(self, node: ast.expr, values: Mapping[str, _Value]) -> _Value:
        match node:
            case ast.Compare(left=left, ops=[ast.cmpop() as sign], comparators=[right]) if isinstance(sign, _COMPARED):
                pair = [self.value(left, values), self.value(right, values)]
                return self.over(pair, lambda terms: ast.Compare(terms[0], [sign], [terms[1]]), node)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
                pair = [self.value(left, values), self.value(right, values)]
                return self.over(pair, lambda t: _call("Eq" if isinstance(op, ast.Eq) else "Ne", *t), node)
            case ast.BoolOp(op=op, values=parts):
                word = "And" if isinstance(op, ast.And) else "Or"
                return self.over([self.condition(each, values) for each in parts], lambda t: _call(word, *t), node)
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as op, right=right):
                word = "And" if isinstance(op, ast.BitAnd) else "Or"
                pair = [self.condition(left, values), self.condition(right, values)]
                return self.over(pair, lambda t: _call(word, *t), node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.over([self.condition(operand, values)], lambda t: _call("Not", *t), node)
        raise NotLifted(f"has a condition that a draft doesn't read: `{_shown(node)}`", node)

    # --- arrays -------------------------------------------------------------------------------------------------------

    def joined(self, parts: Sequence[_Value], node: ast.AST) -> tuple[str, ...]:
        found = {each.dims for each in parts if each.dims}
        if len(found) > 1:
            raise NotLifted(f"joins arrays of different shapes: `{_shown(node)}`", node)
        return found.pop() if found else ()

    def over(self, parts: Sequence[_Value], build: Callable[[list[ast.expr]], ast.expr], node: ast.AST) -> _Value:
        """Something worked out entry by entry."""
        return _Value(self.joined(parts, node), lambda at: build([each.at(at if each.dims else ()) for each in parts]))

    def reduced(self, name: str, value: _Value, node: ast.AST) -> _Value:
        if len(value.dims) != 1:
            raise NotLifted("adds up an array whose shape nothing says: annotate it, or write `shapes`", node)
        index = self.letter(value.dims[0])
        total = _call("Sum", value.at((index,)), ast.Name(index))
        size = value.dims[0]
        return _Value((), lambda _: ast.BinOp(total, ast.Div(), ast.Name(size)) if name == "mean" else total)

    def dot(self, left: _Value, right: _Value, node: ast.AST) -> _Value:
        if not left.dims or not right.dims or len(left.dims) > 2 or len(right.dims) > 2:
            raise NotLifted("multiplies matrices whose shapes nothing says: annotate them, or write `shapes`", node)
        before, after = left.dims[:-1], right.dims[1:]
        if left.dims[-1] != right.dims[0]:
            raise NotLifted(f"multiplies {list(left.dims)} by {list(right.dims)}", node)
        index = self.letter(right.dims[0])

        def at(indices: tuple[str, ...]) -> ast.expr:
            lead, tail = indices[: len(before)], indices[len(before) :]
            return _call(
                "Sum", ast.BinOp(left.at((*lead, index)), ast.Mult(), right.at((index, *tail))), ast.Name(index)
            )

        return _Value((*before, *after), at)

    def letter(self, size: str) -> str:
        name = f"k{len(self.indices) or ''}"
        self.indices[name] = size
        return name

    def needs(self, value: _Value, condition: str) -> None:
        """What a form needs to be defined; conditions within cases can't be said for all values."""
        if self.branch or (value.dims and len(value.dims) > 1):
            return
        term = value.at(_LETTERS[: len(value.dims)])
        if any(isinstance(each, ast.Name) and each.id in self.indices for each in ast.walk(term)) or not _open(term):
            return
        for each in _factors(term) if condition.startswith("Ne") else [term]:
            if _open(each) and not _is_positive(each):
                self.where.append(condition.format(ast.unparse(each)))

    def named(self, node: ast.expr) -> str | None:
        """The name of a function of a numerical library, or of Python's own."""
        if isinstance(node, ast.Name):
            module, name = self.modules.get(node.id, ("", node.id))
            if module in LIBRARIES:
                return name
            plain = node.id in PLAIN | {"float"} and node.id not in self.modules and node.id not in self.bound
            return node.id if plain and node.id not in self.source.functions else None
        if isinstance(node, ast.Attribute):
            module, name = self.modules.get(ast.unparse(node.value), ("", ""))
            whole = f"{module}.{name}".strip(".")
            if whole in LIBRARIES:
                return node.attr
        return None


def _imports(tree: ast.AST) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield each.asname or each.name, (each.name, "")
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                yield each.asname or each.name, (node.module, each.name)


def _assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """The values of a module's names."""
    found: dict[str, list[ast.expr]] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                found.setdefault(target.id, []).append(node.value)
    return found


def _entry(name: str, indices: tuple[str, ...]) -> ast.expr:
    names: list[ast.expr] = [ast.Name(each) for each in indices]
    return ast.Subscript(ast.Name(name), names[0] if len(names) == 1 else ast.Tuple(names))


def _call(word: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(word), list(arguments), [])


def _open(node: ast.expr) -> bool:
    """Whether a term has names, so that it may be 0 or negative."""
    called = {id(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name) and id(each) not in called]
    return any(each.id != "pi" for each in names)


def _is_positive(node: ast.expr) -> bool:
    """Whether a term is a largest of which one is a number above 0."""
    match node:
        case ast.Call(func=ast.Name(id="Max"), args=args):
            return any((_number(each) or 0) > 0 for each in args)
    return False


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from _factors(left)
            yield from _factors(right)
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if (_number(right) or 0) > 0:
            yield from _factors(left)
        case _:
            yield node


def _number(node: ast.expr | None) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
    return None


def _negated(node: ast.expr) -> str:
    opposite: dict[type[ast.cmpop], ast.cmpop] = {
        ast.Lt: ast.GtE(), ast.LtE: ast.Gt(), ast.Gt: ast.LtE(), ast.GtE: ast.Lt()
    }  # fmt: skip
    if isinstance(node, ast.Compare):
        return ast.unparse(ast.Compare(node.left, [opposite[type(node.ops[0])]], node.comparators))
    return ast.unparse(_call("Not", node))


def _shown(node: ast.AST) -> str:
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= 60 else f"{text[:57]}..."
