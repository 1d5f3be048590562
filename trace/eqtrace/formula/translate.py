"""Terms into closures over a Run: the tree is walked once for a form, the closures run for every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from eqtrace.formula.arithmetic import Mask, Value, anywhere, both, choose, is_array, note
from eqtrace.formula.failures import EvaluationError, MissingValue, Unsupported
from eqtrace.formula.form import Form
from eqtrace.formula.grid import Carried, Place, Run, gather, view
from eqtrace.formula.reductions import REDUCE, Evaluator, sum_of_products
from eqtrace.formula.term import (
    Add,
    Apply,
    ArgMax,
    ArgMin,
    Call,
    Constant,
    Dim,
    Div,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Old,
    Piecewise,
    Pow,
    Rank,
    Reduction,
    Statement,
    String,
    Sum,
    Term,
    children,
)

Scope: TypeAlias = Mapping[str, Place]


def depth(node: Node) -> int:
    """How many bound indices nest at most."""
    return max((depth(child) for child in children(node)), default=0) + isinstance(node, Reduction)


@dataclass
class Translator:
    """Translates the terms of one form for a grid of `rank` axes."""

    form: Form
    rank: int
    slots: int = 0
    conditions: Any = field(default=None)

    def __post_init__(self) -> None:
        from eqtrace.formula.decide import Decisions

        self.conditions = Decisions(self)

    def place(self, position: int) -> Place:
        """A new index on an axis."""
        self.slots += 1
        return Place(self.slots, position)

    def entering(self, index: str, start: Term | None, stop: Term | None, scope: Scope, place: Place) -> Evaluator:
        """What lays an index out over its range; its value is the mask of a range that depends on other indices."""
        if start is None or stop is None:
            own = self.form.indices.get(index)
            if own is None:
                raise EvaluationError(f"index {index} has no range")
            start, stop = own.start, own.stop
        first, last = self.term(start, scope), self.term(stop, scope)

        def enter(run: Run, mask: Mask) -> Mask:
            return run.enter(place.slot, place.position, first(run.plain, mask), last(run.plain, mask))

        return enter

    def condition(self, node: Statement, scope: Scope) -> Evaluator:
        """A condition: where it holds."""
        evaluator: Evaluator = self.conditions.condition(node, scope)
        return evaluator

    def value(self, node: Node, scope: Scope) -> Evaluator:
        """A term, or a condition as 1 and 0."""
        if not isinstance(node, Statement):
            return self.term(node, scope)
        holds = self.condition(node, scope)

        def number(run: Run, mask: Mask) -> Value:
            condition = holds(run, mask)
            if run.operations.ways is not None:
                note(run.operations.ways, node, both(mask, condition), both(mask, np.logical_not(condition)))
            return choose(condition, 1, 0)

        return number

    def term(self, node: Node, scope: Scope) -> Evaluator:
        """A term."""
        match node:
            case Number(value=value):
                if value.denominator == 1:
                    whole = int(value)
                    return lambda run, mask: whole
                return lambda run, mask: run.operations.number(value)
            case Constant(name=name):
                return lambda run, mask: run.operations.constant(name)
            case String(value=text):
                quoted = repr(text)  # where strings are numbered, its number is among the values
                return lambda run, mask: run.values.get(quoted, text)
            case Name(name=name):
                return self._name(name, scope)
            case Indexed(base=base, subscripts=subscripts):
                return self._indexed(base, subscripts, scope)
            case Apply():
                return self._apply(node, scope)
            case Old(target=target):
                if isinstance(target, Name):
                    return self._symbol(f"Old({target.name})")
                return self._indexed(f"Old({target.base})", target.subscripts, scope)
            case Add() | Mul() | Div() | Pow() | Neg():
                return self._arithmetic(node, scope)
            case Call(function=function, args=args):
                return self._call(function, args, scope)
            case Piecewise():
                return self._piecewise(node, scope)
            case Reduction():
                return self._reduction(node, scope)
            case Dim(symbol=symbol, axis=axis):
                return lambda run, mask: _axis(run, symbol, axis)
            case Rank(symbol=symbol):
                return lambda run, mask: len(run.shape(symbol))
        raise Unsupported(f"{type(node).__name__} is not evaluated yet")

    def _name(self, name: str, scope: Scope) -> Evaluator:
        place = scope.get(name)
        if place is not None:
            slot = place.slot
            return lambda run, mask: run.grids[slot]
        if name in self.form.indices and name not in self.form.shapes and name not in self.form.sizes:
            raise EvaluationError(f"index {name} is not in scope here")
        return self._symbol(name)

    def _apply(self, node: Apply, scope: Scope) -> Evaluator:
        """A function symbol: the array that its equation gives for these arguments, or an entry of it."""
        function = self.form.functions.get(node.function)
        if function is None and node.function in self.form.shapes:
            return self._opaque(node, scope)
        if function is None:
            raise Unsupported(f"{node.function} has no equation")
        arguments = [self._argument(argument, scope) for argument in node.args]
        subscripts = [self.term(subscript, scope) for subscript in node.subscripts]
        name = node.function

        def applied(run: Run, mask: Mask) -> Value:
            given = [argument(run, mask) for argument in arguments]
            spread = any(on_axes for _, on_axes in given)
            values = [value if on_axes or not spread else _on_axes(run, value) for value, on_axes in given]
            if spread and any(shape is None or shape.dims for shape in function.shapes()):
                raise EvaluationError(f"an argument of {name} depends on an index, and it takes whole arrays")
            value = function.value(run, values)
            if subscripts:
                return gather(run, name, value, [subscript(run.plain, mask) for subscript in subscripts], mask)
            if spread or not is_array(value):
                return value
            return value.reshape(value.shape + (1,) * run.rank)

        return applied

    def _opaque(self, node: Apply, scope: Scope) -> Evaluator:
        """A function of the code: what it gives for whole arrays, worked out exactly and rounded."""
        arguments = [self.term(argument, scope) for argument in node.args]
        name = node.function

        def applied(run: Run, mask: Mask) -> Value:
            called = run.values.get(name)
            if not callable(called):
                raise MissingValue(f"{name} is no function here")
            given = [run.operations.rounded(lambda each=each: each(run.plain, mask)) for each in arguments]  # type: ignore[misc]
            value = run.operations.lift(called(*(_off_grid(run, name, each) for each in given)), widen=run.widen)
            return value.reshape(value.shape + (1,) * run.rank) if is_array(value) else value

        return applied

    def _argument(self, node: Term, scope: Scope) -> Callable[[Run, Mask], tuple[Carried, bool]]:
        """An argument, and whether it stands on the axes of indices; arrays are taken as a whole."""
        name = ""
        if isinstance(node, Name) and node.name not in scope:
            name = node.name
        elif isinstance(node, Old) and isinstance(node.target, Name):
            name = f"Old({node.target.name})"
        if name:
            return lambda run, mask: (_carried(run, lambda run: run.symbol(name)), False)
        evaluator = self.term(node, scope)

        def argument(run: Run, mask: Mask) -> tuple[Carried, bool]:
            found = _carried(run, lambda run: evaluator(run, mask))
            lead = len(found.shape) - run.rank
            if not run.rank or lead < 0:
                return found, False
            if any(length != 1 for length in found.shape[lead:]):
                return found, True
            return found.reshaped(found.shape[:lead]), False

        return argument

    def _symbol(self, name: str) -> Evaluator:
        return lambda run, mask: run.whole(name)

    def _indexed(self, base: str, subscripts: tuple[Term, ...], scope: Scope) -> Evaluator:
        computed = [self.term(subscript, scope) for subscript in subscripts]

        def gathered(run: Run, mask: Mask) -> Value:
            return gather(run, base, run.symbol(base), [subscript(run.plain, mask) for subscript in computed], mask)

        found = [scope.get(subscript.name) for subscript in subscripts if isinstance(subscript, Name)]
        places = tuple((place.slot, place.position) for place in found if place is not None)
        if len(places) < len(subscripts) or len(set(places)) < len(places):
            return gathered
        count = len(subscripts)

        def viewed(run: Run, mask: Mask) -> Value:
            value = run.symbol(base)
            if not isinstance(value, np.ndarray):
                raise EvaluationError(f"{base} is a scalar and takes no subscripts")
            found = view(run, base, value, places, count, mask)
            return gathered(run, mask) if found is None else found

        return viewed

    def _arithmetic(self, node: Add | Mul | Div | Pow | Neg, scope: Scope) -> Evaluator:
        if isinstance(node, Neg):
            operand = self.term(node.operand, scope)
            return lambda run, mask: run.operations.negate(operand(run, mask))
        if isinstance(node, Pow):
            base, exponent = self.term(node.base, scope), self.term(node.exponent, scope)
            return lambda run, mask: run.operations.power(base(run, mask), exponent(run, mask))
        left = self.term(node.left, scope)
        if isinstance(node, Add) and isinstance(node.right, Neg):
            taken = self.term(node.right.operand, scope)
            return lambda run, mask: run.operations.subtract(left(run, mask), taken(run, mask))
        right = self.term(node.right, scope)
        if isinstance(node, Add):
            return lambda run, mask: run.operations.add(left(run, mask), right(run, mask))
        if isinstance(node, Mul):
            return lambda run, mask: run.operations.multiply(left(run, mask), right(run, mask))
        return lambda run, mask: run.operations.divide(left(run, mask), right(run, mask))

    def _call(self, function: str, args: tuple[Term, ...], scope: Scope) -> Evaluator:
        if function in ("floor", "ceiling"):
            return self._floor(args[0], scope, up=function == "ceiling")
        values = [self.term(argument, scope) for argument in args]
        if function in ("Max", "Min"):

            def extreme(run: Run, mask: Mask) -> Value:
                result = values[0](run, mask)
                for value in values[1:]:
                    result = run.operations.extreme(function, result, value(run, mask))
                return result

            return extreme
        if function == "Mod":
            return _modulo(*values)
        if function == "KroneckerDelta":
            first, second = values
            return lambda run, mask: choose(
                run.operations.compare("==", first(run.plain, mask), second(run.plain, mask), mask), 1, 0
            )
        if function == "sign":
            (operand,) = values
            return lambda run, mask: _sign(run, operand(run.plain, mask), mask)
        return lambda run, mask: run.operations.function(function, [value(run, mask) for value in values])

    def _floor(self, argument: Term, scope: Scope, *, up: bool) -> Evaluator:
        """A floor, or a ceiling as the negative floor of the negative; of a quotient exact for integers."""
        top = argument.left if isinstance(argument, Div) else argument
        value = self.term(top, scope)
        under = self.term(argument.right, scope) if isinstance(argument, Div) else None

        def floor(run: Run, mask: Mask) -> Value:
            operations, plain = run.operations, run.plain
            number = operations.negate(value(plain, mask)) if up else value(plain, mask)
            if under is None:
                low = operations.floor(number, mask)
            else:
                low = operations.floor_quotient(number, under(plain, mask), mask)
            return operations.negate(low) if up else low

        return floor

    def _piecewise(self, node: Piecewise, scope: Scope) -> Evaluator:
        branches = [
            (one.condition, self.condition(one.condition, scope), self.term(one.value, scope)) for one in node.branches
        ]

        def pick(run: Run, mask: Mask) -> Value:
            taken: list[tuple[Mask, Value]] = []
            rest = mask
            for stated, holds, value in branches:
                condition = holds(run, rest)
                active = both(rest, condition)
                if run.operations.ways is not None:
                    note(run.operations.ways, stated, active, both(rest, np.logical_not(condition)))
                if not anywhere(active):
                    continue
                taken.append((condition, value(run, active)))
                if condition is True:
                    break
                rest = both(rest, np.logical_not(condition))
                if not anywhere(rest):
                    break
            else:
                # Where nothing is wanted an integer does no harm: NaN would make reals of the integers beside it.
                taken.append((True, run.operations.constant("nan") if anywhere(rest) else 0))
            result = taken[-1][1]
            for condition, value in reversed(taken[:-1]):
                result = run.operations.choose(condition, value, result)
            return result

        return pick

    def _reduction(self, node: Reduction, scope: Scope) -> Evaluator:
        # Axes of bound indices lie behind all in scope; sibling sums share them.
        place = self.place(1 + max((entry.position for entry in scope.values()), default=-1))
        inner = {**scope, node.index: place}
        enter = self.entering(node.index, node.start, node.stop, scope, place)
        reduce = REDUCE[type(node)]
        if isinstance(node, Sum) and isinstance(node.body, Mul):
            factors = (self.term(node.body.left, inner), self.term(node.body.right, inner))
            return sum_of_products(enter, factors, place)
        body = self.term(node.body, inner)
        on_plain = isinstance(node, ArgMax | ArgMin)

        def reduced(run: Run, mask: Mask) -> Value:
            within = enter(run, mask)
            length = run.extents[place.slot][1]
            value = body(run.plain if on_plain else run, both(mask, within)) if length else None
            return reduce(run, value, place, within, mask)

        return reduced


def _off_grid(run: Run, name: str, value: Any) -> Any:
    """An argument of a function of the code, which takes whole arrays: no axis of it belongs to an index."""
    if not is_array(value) or not run.rank:
        return value
    if value.ndim < run.rank or any(length != 1 for length in value.shape[value.ndim - run.rank :]):
        raise EvaluationError(f"an argument of {name} depends on an index, and it takes whole arrays")
    return value.reshape(value.shape[: value.ndim - run.rank])


def _carried(run: Run, work: Callable[[Run], Value]) -> Carried:
    return Carried(work(run), (lambda: work(run.plain)) if run.widen else None)


def _on_axes(run: Run, value: Carried) -> Carried:
    """A whole value, all of whose axes are batch, among values on the axes of indices."""
    return value.reshaped(value.shape + (1,) * run.rank) if value.shape else value


def _axis(run: Run, symbol: str, axis: int) -> int:
    shape = run.shape(symbol)
    if axis >= len(shape):
        raise EvaluationError(f"{symbol} has no axis {axis}")
    return shape[axis]


def _modulo(first: Evaluator, second: Evaluator) -> Evaluator:
    def modulo(run: Run, mask: Mask) -> Value:
        operations = run.operations
        left, right = first(run, mask), second(run, mask)
        quotient = operations.floor_quotient(first(run.plain, mask), second(run.plain, mask), mask)
        return operations.subtract(left, operations.multiply(right, quotient))

    return modulo


def _sign(run: Run, value: Value, mask: Mask) -> Value:
    above = run.operations.compare(">", value, 0, mask)
    below = run.operations.compare("<", value, 0, mask)
    return choose(above, 1, choose(below, -1, 0))
