"""Method `constraint`: it holds in every captured run, and the code rejects its violation with a clear error."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.evaluate import EvaluationError, Float64, truth
from eqtrace.formula.families import laid_out
from eqtrace.formula.form import Form
from eqtrace.formula.shape import solve
from eqtrace.formula.term import ArrayShape, Name, walk
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.capture import Target
from eqtrace.run.executions import Executions
from eqtrace.run.failed import Failed
from eqtrace.run.sample import Draw, random_sizes, size_names, value_of, values_of

if TYPE_CHECKING:
    from eqtrace.run.session import Session

VIOLATIONS = 12
_TRIES = 400


def verify(equation: Equation, session: Session) -> MethodResult:
    """Checks every captured execution, then calls the code with inputs that break the constraint."""
    form = session.work.forms[equation.id]
    executions = session.captures.of(equation, partial(satisfies, form))
    faults = [replace(fault, equation=equation.id, method="constraint") for fault in executions.faults]
    holding, broken = 0, False
    for anchor, site in session.work.sites_of(equation):
        place = Related(Span(site.path, site.line, site.column), "seen here")
        for each in executions.by_anchor.get(anchor.id, []):
            values = {**each.event.inputs, **each.event.outputs}
            problem = _broken(form, anchor.part, values)
            if problem:
                message = f"the constraint does not hold: {problem}; {_shown(values)} ({each.origin})"
                faults.append(
                    Fault("constraint-violated", message, anchor.span, "", (place,), equation.id, "constraint")
                )
                broken = True
                break
            holding += 1
    rejected, accepted = _reject(equation, form, session)
    faults += accepted
    detail = f"holds in {holding} executions; {rejected} violations were rejected with {equation.rejects}"
    evidence = Evidence(holding + rejected, seed=session.work.seed, detail=detail)
    refuted = broken or any(fault.kind == "violation-accepted" for fault in faults)
    checked = holding > 0 and rejected > 0 and not faults
    verdict = Verdict.REFUTED if refuted else Verdict.TESTED if checked else Verdict.NOT_CHECKED
    return MethodResult(equation.id, "constraint", verdict, evidence, tuple(faults), executions.counts)


def satisfies(form: Form, draw: Draw) -> bool:
    """Whether drawn inputs keep the constraint, as far as it speaks of them alone."""
    for part in range(len(form.parts)):
        with contextlib.suppress(EvaluationError):  # it speaks of what the code computes
            if not is_true(form, part, draw.values, draw.sizes):
                return False
    return True


def _broken(form: Form, only: int | None, values: Mapping[str, Any]) -> str:
    """What does not hold at a line, of the statement that it shows or of all."""
    values = laid_out(form.shapes, values)
    solved = solve(form.shapes, values)
    if solved.mismatches:
        return "; ".join(map(str, solved.mismatches))
    for part in range(len(form.parts)) if only is None else (only,):
        if not is_true(form, part, values, solved.sizes):
            return form.parts[part].text.value
    return ""


def is_true(form: Form, part: int, values: Mapping[str, Any], sizes: Mapping[str, int]) -> bool:
    """Whether every claim of a statement holds for these values."""
    return all(claim.holds for claim in truth(form, part, values, sizes, Float64()))


def _reject(equation: Equation, form: Form, session: Session) -> tuple[int, list[Fault]]:
    """How many violations were rejected, and a fault for the first that was not."""
    targets = list(session.captures.targets(equation, Executions()))
    if equation.rejects is None or not targets:
        what = "`rejects` must name the exception that a violation raises" if targets else "no function can be called"
        return 0, [Fault("method-not-run", what, equation.span, "", (), equation.id, "constraint")]
    rng = session.rng(equation.id, "violations")
    rejected = 0
    for draw in _violations(equation, form, targets[0], rng):
        problem = _accepted(equation, targets[0], draw, rng, session)
        if problem:
            places = tuple(
                Related(Span(site.path, site.line, site.column), "accepted here")
                for _, site in session.work.sites_of(equation)
                if site.function == targets[0].function
            )
            fault = Fault("violation-accepted", problem, equation.span, "", places, equation.id, "constraint")
            return rejected, [fault]
        rejected += 1
    if not rejected:
        what = "no input that breaks the constraint was found"
        return 0, [Fault("value-undecided", what, equation.span, "", (), equation.id, "constraint")]
    return rejected, []


def _accepted(equation: Equation, target: Target, draw: Draw, rng: np.random.Generator, session: Session) -> str:
    """Why a violation was not rejected as it should be; '' if it was."""
    shown = f"{draw.origin} ({_shown(draw.values)})"
    try:
        session.captures.record(equation, target, draw, rng)
    except Failed as failed:
        error = failed.__cause__
        names = [kind.__name__ for kind in type(error).__mro__]
        if equation.rejects not in names:
            return f"{target.name} raised {names[0]} for {shown}, not {equation.rejects}"
        if len(str(error).split()) < 2:
            return f"{target.name} raised {names[0]} without a message for {shown}"
        return ""
    return f"{target.name} accepted {shown}"


def _shown(values: Mapping[str, Any]) -> str:
    """Inputs in words: numbers as they are, arrays by their shapes."""
    return ", ".join(
        f"{name} of shape {np.shape(value)}" if np.shape(value) else f"{name} = {value}"
        for name, value in values.items()
    )


def _violations(equation: Equation, form: Form, target: Target, rng: np.random.Generator) -> Iterator[Draw]:
    shaped = [node for part in form.parts for node in walk(part.statement) if isinstance(node, ArrayShape)]
    shaped = [node for node in shaped if node.symbol in target.symbols]
    if shaped:
        yield from _shape_violations(equation, form, shaped, target, rng)
    else:
        yield from _value_violations(equation, form, target, rng)


def _shape_violations(
    equation: Equation, form: Form, shaped: list[ArrayShape], target: Target, rng: np.random.Generator
) -> Iterator[Draw]:
    """Each size that two arrays share, made different in one of them (and never 1, which would broadcast)."""
    owners: dict[str, list[str]] = {}
    for node in shaped:
        for size in node.sizes:
            if isinstance(size, Name):
                owners.setdefault(size.name, []).append(node.symbol)
    shared = [(name, symbols) for name, symbols in owners.items() if len(symbols) > 1]
    for number in range(VIOLATIONS if shared else 0):
        name, symbols = shared[number % len(shared)]
        sizes = _distinct(form, target, rng)
        changed = symbols[number // len(shared) % len(symbols)]
        values = {}
        for symbol in target.symbols:
            taken = {**sizes, name: sizes[name] + max(sizes.values())} if symbol == changed else sizes
            values[symbol] = value_of(form, equation.symbols[symbol], taken, rng, _normal)
        yield Draw(values, sizes, f"{changed} with another {name}")


def _distinct(form: Form, target: Target, rng: np.random.Generator) -> dict[str, int]:
    while True:
        sizes = random_sizes(form, target.symbols, rng)
        if sizes is not None and min(sizes.values(), default=2) > 1:
            return sizes


def _value_violations(equation: Equation, form: Form, target: Target, rng: np.random.Generator) -> Iterator[Draw]:
    """Random sizes and values, those that make the constraint false as far as it speaks of them."""
    made = 0
    names = sorted(form.sizes)
    known = {*target.symbols, *size_names(form, target.symbols)}
    parts = [part for part in range(len(form.parts)) if known.issuperset((*form.left(part), *form.needed(part)))]
    for _ in range(_TRIES):
        sizes = {name: int(rng.integers(1, 12)) for name in names}
        values = values_of(form, equation.symbols, target.symbols, sizes, rng, _normal)
        if not all(is_true(form, part, values, sizes) for part in parts):
            yield Draw(values, sizes, "a violation")
            made += 1
            if made == VIOLATIONS:
                return


def _normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_normal(shape)
