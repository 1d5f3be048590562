"""Where to start when one wrong line refutes many equations: at the function that the others run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqtrace.code.calls import CallGraph, meets
from eqtrace.code.entity import FunctionRef
from eqtrace.model.anchor import Match
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault

# What refutes a line by the values that it read, and what refutes a gradient by whole functions.
_OF_LINES = frozenset({"value-mismatch", "ulps-exceeded", "shape-mismatch", "discrete-mismatch", "argument-changed"})
_OF_GRADIENTS = frozenset({"adjoint-mismatch", "central-difference-mismatch", "unrepeatable-gradient"})
_MOST = 3  # functions that are named
_SEVERAL = 3  # functions with refuted lines, from which on one that all reach is worth a look


@dataclass(frozen=True, slots=True)
class _Refuted:
    """The equations that are refuted at one line, the function that it stands in, and those that run at it."""

    home: FunctionRef
    line: int
    equations: frozenset[str]
    runs: frozenset[FunctionRef]
    uses: frozenset[str]  # the equations that theirs are made of

    def rests_on(self, other: _Refuted) -> bool:
        """Whether the other line's function runs at this one. Two gradients of one backward come neither first."""
        return self._needs(other) and not other._needs(self)

    def _needs(self, other: _Refuted) -> bool:
        return not self.uses.isdisjoint(other.equations) or any(meets(each, other.home) for each in self.runs)


def start_with(
    faults: Iterable[Fault], equations: Mapping[str, Equation], matches: Mapping[str, Match], graph: CallGraph
) -> str:
    """Which lines to look at first, as others that are refuted run them; '' where there are none."""
    refuted = [*_refuted(faults, equations, matches, graph)]
    first: dict[FunctionRef, list[_Refuted]] = {}
    for each in refuted:
        if not any(each.rests_on(other) for other in refuted):
            first.setdefault(each.home, []).append(each)
    resting = {home: _resting(found, refuted) for home, found in first.items()}
    named = sorted((home for home in first if resting[home]), key=lambda home: -len(resting[home]))
    told = [_told(home, first[home], resting[home], refuted) for home in named[:_MOST]]
    every = _names(refuted)
    explained = any(resting[home] | _names(first[home]) == every for home in first)
    if (
        len({each.home for each in refuted}) >= _SEVERAL
        and not explained
        and (shared := _shared(refuted, matches, graph))
    ):
        told = [f"{shared} (all {len(every)} refuted reach it, and no equation is of it)"]
    return f"start with {', then '.join(told)}" if told else ""


def _names(refuted: Iterable[_Refuted]) -> set[str]:
    return {name for each in refuted for name in each.equations}


def _shared(refuted: Sequence[_Refuted], matches: Mapping[str, Match], graph: CallGraph) -> str:
    """A function of the sources without an equation that every refuted line reaches, and that reaches no other such."""
    cited = {FunctionRef(each.span.path, each.function) for each in matches.values() if each.span is not None}
    common = frozenset.intersection(*(each.runs for each in refuted)) - cited
    sources = set(graph.index.sources())
    last = [each for each in common if each.path in sources and not graph.reached(each) & common]
    return f"{last[0].path}::{last[0].qualname}" if len(last) == 1 else ""


def _resting(found: Sequence[_Refuted], refuted: Sequence[_Refuted]) -> set[str]:
    """The equations that are refuted elsewhere, where one of these lines runs."""
    others = (each for each in refuted if any(each.rests_on(one) for one in found))
    return _names(others) - _names(found)


def _told(home: FunctionRef, found: Sequence[_Refuted], resting: set[str], refuted: Sequence[_Refuted]) -> str:
    lines = ", ".join(map(str, sorted(each.line for each in found)))
    others = len(_names(refuted) - _names(found))
    run = f"{len(resting)} of the other {others} refuted reach" if others > 1 else "the other refuted equation reaches"
    return f"{home.path}:{lines} ({run} {home.qualname})"


def _refuted(
    faults: Iterable[Fault], equations: Mapping[str, Equation], matches: Mapping[str, Match], graph: CallGraph
) -> Iterator[_Refuted]:
    """The lines at which equations are refuted."""
    kinds: dict[tuple[str, int], dict[str, set[str]]] = {}
    for fault in faults:
        if fault.equation in equations and fault.related and fault.kind in _OF_LINES | _OF_GRADIENTS:
            span = fault.related[0].span
            kinds.setdefault((span.path, span.line), {}).setdefault(str(fault.equation), set()).add(fault.kind)
    at = {(held.span.path, held.span.line): held for held in matches.values() if held.span is not None}
    for (path, line), found in kinds.items():
        held = at.get((path, line))
        if held is not None:
            by_values = any(each & _OF_LINES for each in found.values())
            starts = _called(held, graph) if by_values else _differentiated(found, equations, graph)
            runs = {ref for start in starts for ref in (start, *graph.reached(start))}
            home = FunctionRef(path, held.function)
            yield _Refuted(home, line, frozenset(found), frozenset(runs), _used(found, equations))


def _used(names: Iterable[str], equations: Mapping[str, Equation]) -> frozenset[str]:
    """The equations that stand in others as functions, and those in them."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        held = equations.get(waiting.pop())
        for use in held.functions.values() if held is not None else ():
            if use.equation.value not in found:
                found.add(use.equation.value)
                waiting.append(use.equation.value)
    return frozenset(found)


def _called(held: Match, graph: CallGraph) -> Iterable[FunctionRef]:
    """What a line calls; where the whole function is cited, what that calls."""
    assert held.span is not None
    if held.anchor.target is not None:
        return graph.reached(FunctionRef(held.span.path, held.function))
    file = graph.index.file(held.span.path)
    statement = file.statement_at(held.span.line, held.span.column) if file is not None else None
    return graph.calls_of(statement) if statement is not None else ()


def _differentiated(names: Iterable[str], equations: Mapping[str, Equation], graph: CallGraph) -> Iterator[FunctionRef]:
    """The forwards and backwards of gradients."""
    for gradient in (equations[name].gradient for name in names):
        if gradient is not None:
            yield from filter(None, (graph.function(each.value) for each in (gradient.forward, gradient.backward)))
