"""Evaluation of forms on values: the sides of equations, and the truth of everything else, over index grids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from eqtrace.formula.arithmetic import Arithmetic, Balls, Float64, Mask, Operations, both
from eqtrace.formula.claims import claims, free_names, quantifiers
from eqtrace.formula.failures import EvaluationError, MissingValue, OutOfRange, Undecided, Unsupported
from eqtrace.formula.float_operations import FloatOperations
from eqtrace.formula.form import Form
from eqtrace.formula.grid import Place, Run, on_grid
from eqtrace.formula.reductions import Evaluator
from eqtrace.formula.term import Condition, Eq, ForAll, Indexed, Name, Node, Statement
from eqtrace.formula.translate import Translator, depth

__all__ = [
    "Arithmetic",
    "Balls",
    "Evaluation",
    "EvaluationError",
    "Float64",
    "MissingValue",
    "OutOfRange",
    "Undecided",
    "Unsupported",
    "evaluate",
    "holds",
    "sides",
    "truth",
    "value_of",
]

Array: TypeAlias = np.ndarray[Any, Any]
Values: TypeAlias = Mapping[str, object]
_FLOAT64 = Float64()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Nodes evaluated on a common grid: arrays with the axes (batch..., *indices).

    Reals are float64, or objects of raw `arb`; where all entries are integers, int64. Only entries under `mask` mean
    anything (None: all of them). `kinks` counts the decisions that rounding left open.
    """

    sides: tuple[Array, ...]
    indices: tuple[str, ...]
    mask: Array | None
    kinks: int

    @property
    def holds(self) -> bool:
        """Of conditions: whether all are true wherever they mean anything."""
        return all(bool((side if self.mask is None else side[self.mask]).all()) for side in self.sides)


@dataclass(frozen=True, slots=True)
class _Program:
    """Translated nodes on one grid, ready to run."""

    indices: tuple[str, ...]
    rank: int
    places: tuple[Place, ...]
    enter: tuple[Evaluator, ...]
    masks: tuple[Evaluator, ...]
    nodes: tuple[tuple[Evaluator, bool], ...]  # with whether inputs are taken as they are

    def run(self, values: Values, sizes: Mapping[str, int], arithmetic: Arithmetic) -> Evaluation:
        operations = operations_of(arithmetic)
        run = Run(values, sizes, operations, self.rank, isinstance(arithmetic, Balls) and arithmetic.widen)
        with working(arithmetic):
            mask: Mask = None
            for enter in self.enter:
                mask = both(mask, enter(run, mask))
            lengths = tuple(run.extents[place.slot][1] for place in self.places)
            for narrow in self.masks:
                mask = both(mask, narrow(run, mask))
            found = [node(run.plain if plain else run, mask) for node, plain in self.nodes]
        free = len(self.indices)
        arrays = [on_grid(run, value, free, lengths) for value in found]
        wanted = None if mask is None else on_grid(run, mask, free, lengths)
        shape = np.broadcast_shapes(*(array.shape for array in arrays), () if wanted is None else wanted.shape)
        spread = tuple(array if array.shape == shape else np.broadcast_to(array, shape) for array in arrays)
        if wanted is not None:
            wanted = None if wanted.all() else np.broadcast_to(wanted, shape)
        return Evaluation(spread, self.indices, wanted, operations.kinks)

    def entries(self, values: Values, sizes: Mapping[str, int], operations: Operations, *, widen: bool) -> Array:
        """The first node as an array over the indices, within an evaluation whose arithmetic is at work.

        Raises:
            EvaluationError: it means something for a part of the entries only.
        """
        run = Run(values, sizes, operations, self.rank, widen)
        mask: Mask = None
        for enter in self.enter:
            mask = both(mask, enter(run, mask))
        extents = [run.extents[place.slot] for place in self.places]
        for narrow in self.masks:
            mask = both(mask, narrow(run, mask))
        if any(start for start, _ in extents) or (mask is not None and not np.all(mask)):
            raise EvaluationError("it gives a part of its left side's entries only")
        value = self.nodes[0][0](run, mask)
        return on_grid(run, value, len(self.indices), tuple(length for _, length in extents))


def definition(form: Form, part: int, node: Node, indices: Sequence[str]) -> _Program:
    """A term on the grid of these indices, ready to be worked out within other evaluations."""
    key = ("definition", part, tuple(indices))
    program: _Program = _kept(
        form, key, lambda: _program(form, [(node, False)], indices, _narrowing(form, list(indices)))
    )
    return program


def operations_of(arithmetic: Arithmetic) -> Operations:
    """The operations of an arithmetic. Balls are imported only here, where they are wanted."""
    if isinstance(arithmetic, Float64):
        return FloatOperations()
    from eqtrace.formula.ball_operations import BallOperations

    return BallOperations(arithmetic)


def working(arithmetic: Arithmetic) -> AbstractContextManager[object]:
    """The context that an arithmetic works in: its precision, or float warnings off."""
    if isinstance(arithmetic, Float64):
        return np.errstate(all="ignore")
    from eqtrace.formula.ball import precision

    stack = ExitStack()
    stack.enter_context(precision(arithmetic.bits))
    return stack


def _program(
    form: Form,
    nodes: Sequence[tuple[Node, bool]],
    indices: Sequence[str],
    premises: Sequence[Condition],
    quantified: Sequence[ForAll] = (),
) -> _Program:
    """Translate nodes for a grid of these indices; a range is entered after those that it depends on."""
    ends = {node.index: (node.start, node.stop) for node in quantified}
    depths = [depth(node) for node in (*(node for node, _ in nodes), *premises, *quantified)]
    ranges = [depth(end) for entry in form.indices.values() for end in (entry.start, entry.stop)]
    translator = Translator(form, len(indices) + max(depths, default=0) + max(ranges, default=0))
    places = {name: translator.place(position) for position, name in enumerate(indices)}
    # Bound indices take the axes behind those of all free ones, also while only some of these are in scope.
    scope: dict[str, Place] = {"": Place(0, len(indices) - 1)}
    enter: list[Evaluator] = []
    for name in _ordered(form, indices, ends):
        start, stop = ends.get(name, (None, None))
        enter.append(translator.entering(name, start, stop, scope, places[name]))
        scope[name] = places[name]
    masks = [translator.condition(premise, scope) for premise in premises]
    translated = tuple((translator.value(node, scope), plain) for node, plain in nodes)
    return _Program(tuple(indices), translator.rank, tuple(places.values()), tuple(enter), tuple(masks), translated)


def _ordered(form: Form, indices: Sequence[str], ends: Mapping[str, tuple[Node | None, Node | None]]) -> list[str]:
    """Indices, each after those that its range depends on."""
    waiting = list(indices)
    ordered: list[str] = []
    while waiting:
        for name in waiting:
            own = form.indices.get(name)
            start, stop = ends.get(name) or (None, None)
            if stop is None and own is not None:
                start, stop = own.start, own.stop
            needs = {used for end in (start, stop) if end is not None for used in free_names(end, form.indices)}
            if needs <= set(ordered):
                break
        else:
            raise EvaluationError(f"the range of index {waiting[0]} depends on an index that is not in scope")
        waiting.remove(name)
        ordered.append(name)
    return ordered


def _kept(form: Form, key: object, make: Callable[[], Any]) -> Any:
    found = form.kept(key)
    if found is None:
        found = make()
        form.keep(key, found)
    return found


def _claim_indices(
    form: Form, claim: Statement, premises: Sequence[Condition] = (), quantified: Sequence[ForAll] = ()
) -> list[str]:
    """The free indices of a claim, those of its left side first."""
    names = {*form.indices, *(node.index for node in quantified)}
    found: dict[str, None] = {}
    for node in (claim, *premises):
        found.update(dict.fromkeys(free_names(node, names)))
    # A range may depend on an index that nothing else names.
    queue = list(found)
    while queue:
        own = form.indices.get(queue.pop())
        for end in (own.start, own.stop) if own else ():
            for name in free_names(end, names):
                if name not in found:
                    found[name] = None
                    queue.append(name)
    return list(found)


def _narrowing(form: Form, indices: Sequence[str]) -> list[Condition]:
    """The conditions of `where` on these indices alone."""
    return [one for one in form.narrows() if set(free_names(one, form.indices)) <= set(indices)]


def _equations(form: Form, part: int) -> list[_Program]:
    programs = []
    statement = form.statement(part)
    for claim, premises in claims(statement):
        if not isinstance(claim, Eq):
            continue
        quantified = quantifiers(statement, claim)
        indices = _claim_indices(form, claim, premises, quantified)
        left = claim.sides[0]
        nodes = [(side, side is left and isinstance(left, Name | Indexed)) for side in claim.sides]
        programs.append(_program(form, nodes, indices, [*_narrowing(form, indices), *premises], quantified))
    return programs


def evaluate(
    form: Form, part: int, values: Values, sizes: Mapping[str, int], arithmetic: Arithmetic
) -> tuple[Evaluation, ...]:
    """The sides of every equation of a statement, each on the grid of its free indices.

    `values` holds arrays, numbers, or objects of Ball by symbol; a value before an update by `Old(x)`. A left side that
    is a symbol's entry is never widened.

    Raises:
        MissingValue, OutOfRange, Unsupported, EvaluationError: the form cannot be evaluated on these values.
        Undecided: balls leave a condition open.
    """
    programs = _kept(form, ("equations", part), lambda: _equations(form, part))
    return tuple(program.run(values, sizes, arithmetic) for program in programs)


def sides(form: Form, part: int, values: Values, sizes: Mapping[str, int], arithmetic: Arithmetic) -> list[Array]:
    """The sides of a statement that is one equation."""
    count = len(form.equations(part))
    if count != 1:
        raise EvaluationError(f"{form.equation} holds {count} equations in this statement")
    return list(evaluate(form, part, values, sizes, arithmetic)[0].sides)


def truth(
    form: Form, part: int, values: Values, sizes: Mapping[str, int], arithmetic: Arithmetic
) -> tuple[Evaluation, ...]:
    """Whether each claim of a statement holds: for each an Evaluation whose one side is an array of 0 and 1."""
    programs = _kept(form, ("truth", part), lambda: _truths(form, part))
    return tuple(program.run(values, sizes, arithmetic) for program in programs)


def _truths(form: Form, part: int) -> list[_Program]:
    programs = []
    statement = form.statement(part)
    for claim, premises in claims(statement):
        quantified = quantifiers(statement, claim)
        indices = _claim_indices(form, claim, premises, quantified)
        programs.append(_program(form, [(claim, True)], indices, [*_narrowing(form, indices), *premises], quantified))
    return programs


def holds(form: Form, values: Values, sizes: Mapping[str, int], arithmetic: Arithmetic = _FLOAT64) -> bool | None:
    """Whether values meet what `where` requires of them, for all indices; None where that cannot be told."""
    for condition in form.requirements():
        try:
            indices = _claim_indices(form, condition)
            found = value_of(form, [condition], values, sizes, arithmetic, indices)
        except (MissingValue, Undecided):
            return None
        if not found.holds:
            return False
    return True


def value_of(
    form: Form,
    nodes: Sequence[Node],
    values: Values,
    sizes: Mapping[str, int],
    arithmetic: Arithmetic,
    indices: Sequence[str] = (),
) -> Evaluation:
    """Any terms or conditions with a form's names, on the grid of `indices` (narrowed as `where` says)."""
    key = ("value", tuple(nodes), tuple(indices))
    program = _kept(
        form, key, lambda: _program(form, [(node, False) for node in nodes], indices, _narrowing(form, indices))
    )
    found: Evaluation = program.run(values, sizes, arithmetic)
    return found
