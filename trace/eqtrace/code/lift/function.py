"""One function's return value as a form over its parameters.

Read are assignments to names, also of several at once, `if`, guards that raise, and returns. A value is its dimensions
and how an entry of it is written; without dimensions it is a number, and the form holds for arrays entry by entry. A
parameter whose default is no number (a flag, a unit, None) is taken at its default, which verification keeps.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from eqtrace.code.lift.conditions import Conditions
from eqtrace.code.lift.flags import bound_to_flag, flags_of, parameters
from eqtrace.code.lift.module import Module
from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.lift.terms import (
    Named,
    Put,
    brief,
    entry_of,
    names_in,
    negated,
    number_of,
    of_word,
)
from eqtrace.code.lift.value import Value, cases, dot, negation, no_number, number_at, over, reduced
from eqtrace.code.lift.words import (
    ARGUMENTS,
    CONSTANTS,
    DEFINED,
    LIBRARIES,
    PASSING,
    REDUCTIONS,
    WORDS,
    WRITTEN,
)
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

T = TypeVar("T")
_DEPTH = 3  # calls of functions of the same file that are followed
_LONGEST = 600  # characters of a form; no reader confirms a longer one
_LONG = 80  # characters of a form in which parts are named
_PART = 12  # characters of a part that is named
_BRANCHES = 24  # ways through a body that are followed
_COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


@dataclass(frozen=True, slots=True)
class Lifted:
    """A form as written, what it needs to be defined, and the shapes and indices that it uses."""

    form: str
    where: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    indices: Mapping[str, str] = field(default_factory=dict)
    let: Mapping[str, str] = field(default_factory=dict)


def lifted(
    source: SourceFile,
    function: FunctionNode,
    shapes: Mapping[str, tuple[str, ...]],
    named: bool = True,
    attributes: Mapping[str, str] | None = None,
) -> Lifted:
    """A function as a form; `shapes` are those of parameters that are known to be arrays.

    Parts of a long form are `named` as the function names them. Of a method `attributes` are given: what it may read of
    its object (`self.x`), and the names that stand for it.

    Raises:
        NotLifted: it is none, or none that forms can write.
    """
    if isinstance(function, ast.AsyncFunctionDef):
        raise NotLifted("is asynchronous", function)
    if function.args.vararg or function.args.kwarg:
        raise NotLifted("takes any number of arguments", function)
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(function)):
        raise NotLifted("yields", function)
    flags = flags_of(function, source.tree)
    if (last := bound_to_flag(function, flags)) is not None:
        raise NotLifted(f"has a parameter `{last}` that can't be given without the ones before it", function)
    own = parameters(function)[0 if attributes is None else 1 :]
    names = [each.arg for each in own if each.arg not in flags]
    if not names and not attributes:
        raise NotLifted("has no parameters", function)
    held = attributes or {}
    taken = {*names, *flags, *held.values(), *(dim for dims in shapes.values() for dim in dims)}
    lift = _Lift(source, shapes, taken, held, ast.get_docstring(function) or "")
    values = {name: lift.parameter(name) for name in names}
    values |= {name: no_number(name, value) for name, value in flags.items()}
    value = lift.body(function.body, values, function)
    indices = lift.conditions.letters[: len(value.dims)]
    if len(value.dims) > len(indices):
        raise NotLifted("returns an array of too many axes", function)
    text = ast.unparse(value.at(indices))
    if value.dims:
        text = f"Eq(result[{', '.join(indices)}], {text})"
    if len(text) > _LONGEST:
        raise NotLifted(f"has a form of {len(text)} characters, too long to be confirmed by reading", function)
    ranges = {**dict(zip(indices, value.dims, strict=False)), **lift.conditions.indices}
    used = {name: dims for name, dims in shapes.items() if name in values and dims}
    found = Lifted(text, tuple(dict.fromkeys(lift.conditions.where)), used, ranges)
    return _shortened(found, lift.helpers) if named and len(text) > _LONG else found


def _shortened(found: Lifted, helpers: Mapping[str, str]) -> Lifted:
    """The same with the names that the function itself gives to parts of a long form, the last ones first."""
    let: dict[str, str] = {}
    texts = [found.form, *found.where]
    for name, text in reversed(list(helpers.items())):
        if len(text) >= _PART:
            named = Named(text, name)
            texts = [named.within(each) for each in texts]
            let = {each: named.within(said) for each, said in let.items()}
            let = {name: text, **let} if named.count else let
    return replace(found, form=texts[0], where=tuple(texts[1:]), let=let)


class _Lift:
    def __init__(
        self,
        source: SourceFile,
        shapes: Mapping[str, tuple[str, ...]],
        taken: Collection[str],
        attributes: Mapping[str, str],
        docstring: str,
    ) -> None:
        self.source = source
        self.attributes = attributes
        self.shapes = shapes
        self.taken = taken
        self.ways = 0
        self.lent: Collection[str] = ()  # names by which a function gets those of a library
        self.helpers: dict[str, str] = {}  # names of the function itself for numbers, each given once
        self.depth = 0
        self.module = Module(source)
        self.conditions = Conditions(taken, docstring)

    def parameter(self, name: str) -> Value:
        dims = tuple(self.shapes.get(name, ()))

        def at(indices: tuple[str, ...]) -> ast.expr:
            return entry_of(name, indices) if dims else ast.Name(name)

        return Value(dims, at)

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self, body: Sequence[ast.stmt], known: dict[str, Value], owner: ast.AST) -> Value:
        values = dict(known)
        for number, each in enumerate(body):
            match each:
                case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Import() | ast.ImportFrom():
                    continue
                case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if name in self.source.functions:
                    self.guarded(call, values)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    values[name] = self.value(value, values)
                    self.note(name, values[name])
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    values[name] = self.value(value, values)
                case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)], value=value) if all(
                    isinstance(target, ast.Name) for target in targets
                ):
                    names = [target.id for target in targets if isinstance(target, ast.Name)]
                    values |= dict(zip(names, self.several(value, len(names), values), strict=True))
                    for name in names:
                        self.note(name, values[name])
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name not in known:
                    node = ast.copy_location(ast.BinOp(ast.Name(name), op, value), each)
                    values[name] = self.value(node, values)
                case ast.Return(value=ast.expr() as value):
                    return self.value(value, values)
                case ast.If(test=test, body=[ast.Raise()], orelse=[]) if self.decided(test, values) is None:
                    self.guard(test, values)
                case ast.If(test=test, body=inner, orelse=other):
                    rest = body[number + 1 :]
                    decided = self.decided(test, values)
                    if decided is not None:
                        return self.body([*(inner if decided else other), *rest], values, owner)
                    condition = self.condition(test, values)
                    self.ways += 1
                    if self.ways > _BRANCHES:
                        raise NotLifted(f"has more than {_BRANCHES} ways through it", each)
                    with self.conditions.where_not(negation(condition)):
                        yes = self.body([*inner, *rest], values, each)
                    with self.conditions.where_not(condition):
                        no = self.body([*other, *rest], values, each)
                    return cases(condition, yes, no, each)
                case _:
                    raise NotLifted(f"has a statement that no form writes: `{brief(each)}`", each)
        raise NotLifted("returns nothing on some way", owner)

    def note(self, name: str, value: Value) -> None:
        """Notes what the function itself calls a number, on every way through it."""
        if not (self.conditions.branch or value.dims or value.fixed or name in self.taken or name in self.helpers):
            self.helpers[name] = ast.unparse(value.at(()))

    def guarded(self, node: ast.Call, values: Mapping[str, Value]) -> None:
        """A call of a function that only refuses what the formula does not hold for."""
        function, given = self.given(node, values)

        def read() -> None:
            for each in function.body:
                match each:
                    case ast.Expr(value=ast.Constant()) | ast.Pass():
                        continue
                    case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                        decided = self.decided(test, given)
                        if decided is None:
                            self.guard(test, given)
                    case _:
                        raise NotLifted(f"calls `{ast.unparse(node.func)}`, which does more than refuse", node)

        self.followed(read, node)

    def several(self, node: ast.expr, count: int, values: Mapping[str, Value]) -> list[Value]:
        """The values of a tuple: written out, one function of each of several, or the entries of an array."""
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) == count:
                return [self.value(each, values) for each in parts]
            case ast.Call(func=ast.Name(id="map"), args=[function, ast.Tuple(elts=parts) | ast.List(elts=parts)]) if (
                len(parts) == count
            ):
                return [self.value(ast.copy_location(ast.Call(function, [each], []), node), values) for each in parts]
            case ast.ListComp(elt=elt, generators=[each]) | ast.GeneratorExp(elt=elt, generators=[each]) if (
                isinstance(each.target, ast.Name) and not each.ifs and not each.is_async
            ):
                name = each.target.id
                return [self.value(elt, {**values, name: one}) for one in self.several(each.iter, count, values)]
            case ast.Name(id=name) if name in values and values[name].dims == (str(count),):
                return [number_at(values[name], place) for place in range(count)]
        raise NotLifted(f"unpacks what a draft doesn't read: `{brief(node)}`", node)

    def decided(self, test: ast.expr, values: Mapping[str, Value]) -> bool | None:
        """Whether a condition on parameters that are taken at their default holds; None where it is on others."""
        match test:
            case ast.Name(id=name) if name in values and isinstance(fixed := values[name].fixed, ast.Constant):
                return bool(fixed.value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                found = self.decided(operand, values)
                return None if found is None else not found
            case ast.BoolOp(op=op, values=parts):
                told = [self.decided(each, values) for each in parts]
                ends = isinstance(op, ast.Or)
                return ends if ends in told else None if None in told else not ends
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]) if name in values and isinstance(
                op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot
            ):
                fixed = values[name].fixed
                none = isinstance(other, ast.Constant) and other.value is None
                if fixed is None:  # a number, which is not None
                    return isinstance(op, ast.IsNot | ast.NotEq) if none else None
                if ast.dump(fixed) == ast.dump(other):
                    return isinstance(op, ast.Eq | ast.Is)
                if none or (isinstance(fixed, ast.Constant) and isinstance(other, ast.Constant)):
                    return isinstance(op, ast.IsNot | ast.NotEq)
        return None

    def guard(self, test: ast.expr, values: Mapping[str, Value]) -> None:
        condition = self.condition(test, values)
        if any(each.dims for each in (condition, *self.conditions.branch)):
            raise NotLifted("refuses arrays by their entries", test)
        for each in negated(condition.at(())):
            self.conditions.needed(each)

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, values: Mapping[str, Value]) -> Value:
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                return Value((), lambda _: ast.Constant(value))
            case ast.Name(id=name) if name in values:
                return values[name]
            case ast.Name(id=name) if len(self.module.bound.get(name, ())) == 1:
                return self.followed(lambda: self.value(self.module.bound[name][0], {}), node)
            case ast.Attribute() | ast.Name() if self.module.named(node, self.lent) in CONSTANTS:
                constant = CONSTANTS[self.module.named(node, self.lent) or ""]
                return Value((), lambda _: ast.parse(constant, mode="eval").body)
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Name(id=name)) if (
                name in values
                and (key := values[name].fixed) is not None
                and (chosen := self.module.chosen(table, key)) is not None
            ):
                return self.followed(lambda: self.value(chosen, {}), node)
            case ast.Subscript(value=inner, slice=ast.Constant(value=int() as place)) if place >= 0:
                found = self.value(inner, values)
                if len(found.dims) == 1:
                    return number_at(found, place)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return over([self.value(operand, values)], lambda terms: ast.UnaryOp(node.op, terms[0]), node)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return dot(self.value(left, values), self.value(right, values), self.conditions.letter, node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(self.value(left, values), op, self.value(right, values), node)
            case ast.IfExp(test=test, body=body, orelse=other) if self.decided(test, values) is not None:
                return self.value(body if self.decided(test, values) else other, values)
            case ast.IfExp(test=test, body=body, orelse=other):
                condition = self.condition(test, values)
                with self.conditions.where_not(negation(condition)):
                    yes = self.value(body, values)
                with self.conditions.where_not(condition):
                    no = self.value(other, values)
                return cases(condition, yes, no, node)
            case ast.Call():
                return self.call(node, values)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.attributes and not self.depth:
                return self.parameter(self.attributes[name])
            case ast.Attribute(value=ast.Name(id="self")):
                raise NotLifted(f"reads `{ast.unparse(node)}`: an entry with `call` can say how it is made", node)
        raise NotLifted(f"has an expression that no form writes: `{brief(node)}`", node)

    def binary(self, left: Value, op: ast.operator, right: Value, node: ast.expr) -> Value:
        if isinstance(op, ast.Div):
            self.conditions.needs(right, "Ne({}, 0)")
        elif isinstance(op, ast.Pow):
            self.power(left, right)
        elif isinstance(op, ast.FloorDiv | ast.Mod):
            self.conditions.needs(right, "Ne({}, 0)")
            if isinstance(op, ast.Mod):
                return over([left, right], lambda terms: of_word("Mod", *terms), node)
            return over([left, right], lambda t: of_word("floor", ast.BinOp(t[0], ast.Div(), t[1])), node)
        elif not isinstance(op, _OPERATORS):
            raise NotLifted(f"works on bits: `{brief(node)}`", node)
        return over([left, right], lambda terms: ast.BinOp(terms[0], op, terms[1]), node)

    def power(self, left: Value, right: Value) -> None:
        exponent = right.at(()) if not right.dims else None
        number = number_of(exponent)
        if number is None or number != int(number):
            self.conditions.needs(left, "{} > 0")
        elif number < 0:
            self.conditions.needs(left, "Ne({}, 0)")

    def call(self, node: ast.Call, values: Mapping[str, Value]) -> Value:
        name = self.module.named(node.func, self.lent)
        if node.keywords and name is not None:
            raise NotLifted(f"gives `{node.keywords[0].arg}` to {name}, which a draft doesn't read", node)
        given = [each for each in node.args if not isinstance(each, ast.Starred)]
        if name in REDUCTIONS and len(given) == (2 if name == "dot" else 1):
            found = [self.value(each, values) for each in given]
            letter = self.conditions.letter
            return (
                dot(found[0], found[1], letter, node) if name == "dot" else reduced(str(name), found[0], letter, node)
            )
        if name in PASSING and len(given) == 1:
            return self.value(given[0], values)
        if name in WRITTEN:
            return self.written(WRITTEN[name], [self.value(each, values) for each in given], node)
        if name in ("power", "float_power", "pow") and len(given) == 2:
            return self.binary(self.value(given[0], values), ast.Pow(), self.value(given[1], values), node)
        if name == "where" and len(given) == 3:
            condition = self.condition(given[0], values)
            return cases(condition, self.value(given[1], values), self.value(given[2], values), node)
        if name == "clip" and len(given) == 3:
            found = [self.value(each, values) for each in given]
            return over(found, lambda t: of_word("Min", of_word("Max", t[0], t[1]), t[2]), node)
        word = WORDS.get(name or "")
        if word is not None:
            least, most = ARGUMENTS.get(word, (1, 1))
            if not least <= len(given) <= most:
                raise NotLifted(f"calls {name} with {len(given)} arguments", node)
            found = [self.value(each, values) for each in given]
            if word in DEFINED:
                self.conditions.needs(found[0], DEFINED[word])
            return over(found, lambda terms: of_word(word, *terms), node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean") and not node.args:
            return reduced(node.func.attr, self.value(node.func.value, values), self.conditions.letter, node)
        if isinstance(node.func, ast.Name) and node.func.id in self.source.functions:
            return self.inlined(node, values)
        if isinstance(node.func, ast.Name) and (made := self.module.made(node.func.id)) is not None:
            factory, inner = made
            return self.followed(lambda: self.from_factory(factory, inner, node, values), node)
        raise NotLifted(f"calls `{ast.unparse(node.func)}`, which forms don't know", node)

    def written(self, text: str, given: Sequence[Value], node: ast.Call) -> Value:
        """What stands for a function that forms have no word for, its arguments put in."""
        form, _, needed = (part.strip() for part in text.partition("|"))
        names = [name for name in ("x", "y") if name in {each.id for each in names_in(ast.parse(form))}]
        if len(names) != len(given):
            raise NotLifted(f"calls {ast.unparse(node.func)} with {len(given)} arguments", node)
        if needed:
            self.conditions.needs(given[-1], "Ne({}, 0)")

        def build(terms: list[ast.expr]) -> ast.expr:
            put: ast.expr = Put(dict(zip(names, terms, strict=True))).visit(ast.parse(form, mode="eval").body)
            return put

        return over(given, build, node)

    def inlined(self, node: ast.Call, values: Mapping[str, Value]) -> Value:
        """A call of a function of the same file, its arguments put in."""
        function, given = self.given(node, values)
        return self.followed(lambda: self.body(function.body, given, function), node)

    def from_factory(
        self, factory: ast.Call, inner: ast.FunctionDef, node: ast.Call, values: Mapping[str, Value]
    ) -> Value:
        """A call of a function that another one makes: from numbers, or for a library whose functions it is lent."""
        assert isinstance(factory.func, ast.Name)
        outer, lent = self.source.functions[factory.func.id], self.lent
        assert isinstance(outer, ast.FunctionDef)
        body = [each for each in outer.body[:-1] if each is not inner]
        match factory.args:
            case [ast.Name(id=library)] if (
                self.module.imported.get(library, ("", ""))[0] in LIBRARIES and outer.decorator_list
            ):
                targets = [each.targets[0] for each in body if isinstance(each, ast.Assign)]
                named = {each.id for each in targets if isinstance(each, ast.Name)}
                self.lent = {*lent, *named, *(each.arg for each in parameters(outer))}
                around: dict[str, Value] = {}
            case _:
                if outer.decorator_list:
                    raise NotLifted(f"calls `{ast.unparse(node.func)}`, which a decorated function makes", node)
                _, around = self.given(factory, {})
                for each in body:
                    match each:
                        case ast.Assign(targets=[ast.Name(id=name)], value=value):
                            around[name] = self.value(value, around)
                        case ast.Expr(value=ast.Constant()):
                            continue
                        case _:
                            raise NotLifted(f"has a statement that no form writes: `{brief(each)}`", each)
        try:
            return self.body(inner.body, {**around, **self.arguments(inner, node, values)}, inner)
        finally:
            self.lent = lent

    def given(self, node: ast.Call, values: Mapping[str, Value]) -> tuple[ast.FunctionDef, dict[str, Value]]:
        """The function of the same file that is called, and what its parameters are."""
        assert isinstance(node.func, ast.Name)
        function = self.source.functions[node.func.id]
        if not isinstance(function, ast.FunctionDef):
            raise NotLifted(f"calls `{node.func.id}`, which is asynchronous", node)
        return function, self.arguments(function, node, values)

    def arguments(self, function: ast.FunctionDef, node: ast.Call, values: Mapping[str, Value]) -> dict[str, Value]:
        """What a function's parameters are in a call."""
        if function.args.vararg or function.args.kwarg:
            raise NotLifted(f"calls `{ast.unparse(node.func)}`, which takes any number of arguments", node)
        names = [each.arg for each in parameters(function)]
        given = dict(zip(names, (self.argument(each, values) for each in node.args), strict=False))
        given |= {each.arg: self.argument(each.value, values) for each in node.keywords if each.arg}
        positional = [*function.args.posonlyargs, *function.args.args]
        defaults = zip(reversed(positional), reversed(function.args.defaults), strict=False)
        given = {each.arg: self.argument(value, {}) for each, value in defaults if each.arg not in given} | given
        if {*given} != {*names}:
            raise NotLifted(f"calls `{ast.unparse(node.func)}` in a way that a draft doesn't read", node)
        return given

    def argument(self, node: ast.expr, values: Mapping[str, Value]) -> Value:
        """What is handed on: a number, or a flag as it is written."""
        if isinstance(node, ast.Constant) and type(node.value) in (bool, str, type(None)):
            return no_number(ast.unparse(node), node)
        return self.value(node, values)

    def followed(self, read: Callable[[], T], node: ast.AST) -> T:
        if self.depth >= _DEPTH:
            raise NotLifted(f"leads through more than {_DEPTH} functions", node)
        self.depth += 1
        try:
            return read()
        finally:
            self.depth -= 1

    def condition(self, node: ast.expr, values: Mapping[str, Value]) -> Value:
        match node:
            case ast.Compare(left=left, ops=[ast.cmpop() as sign], comparators=[right]) if isinstance(sign, _COMPARED):
                pair = [self.value(left, values), self.value(right, values)]
                return over(pair, lambda terms: ast.Compare(terms[0], [sign], [terms[1]]), node)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
                pair = [self.value(left, values), self.value(right, values)]
                return over(pair, lambda t: of_word("Eq" if isinstance(op, ast.Eq) else "Ne", *t), node)
            case ast.BoolOp(op=op, values=parts):
                word = "And" if isinstance(op, ast.And) else "Or"
                open_parts = [each for each in parts if self.decided(each, values) is None]
                found = [self.condition(each, values) for each in open_parts]
                return found[0] if len(found) == 1 else over(found, lambda t: of_word(word, *t), node)
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as op, right=right):
                word = "And" if isinstance(op, ast.BitAnd) else "Or"
                pair = [self.condition(left, values), self.condition(right, values)]
                return over(pair, lambda t: of_word(word, *t), node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return over([self.condition(operand, values)], lambda t: of_word("Not", *t), node)
        raise NotLifted(f"has a condition that a draft doesn't read: `{brief(node)}`", node)
