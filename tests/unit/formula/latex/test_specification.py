"""Every formula of the specification that is read agrees with its form; errors planted into it are found."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from eqtrace.config import load
from eqtrace.formula.form import Form
from eqtrace.formula.latex.compare import read_back
from eqtrace.formula.latex.settle import settle
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack, Readback
from eqtrace.project import read_project

ROOT = Path(__file__).parents[4]
UNREAD = 19  # of the whole catalogue, at most
# Planted, and yet the same: sums of (X - mean) that any constant leaves as they are, a Kronecker delta's two subscripts
# exchanged, cases that overlap where the first one holds, w at t where nothing changes w.
SAME = {
    ("layer_norm_derivation.variance_derivative", "a flipped sign"),
    ("layer_norm_derivation.variance_derivative", "a dropped term"),
    ("layer_norm_derivation.variance_derivative", "a swapped index"),
    ("layer_norm_derivation.normalised_jacobian", "a swapped index"),
    ("softmax_backward.jacobian", "a swapped index"),
    ("causal_mask.causal_mask", "a bound"),
    ("adamw.decoupled_decay", "a dropped term"),
}


@cache
def project() -> dict[str, tuple[Equation, Form]]:
    found = read_project(load(ROOT), None, cache=False)
    return {
        each.id: (each, found.forms[each.id])
        for each in found.specification.equations
        if each.id in found.forms and each.latex is not None and found.forms[each.id].parts
    }


def compared(equation: Equation, form: Form) -> Readback:
    found, comparison = read_back(equation, form)
    return found if comparison is None else settle(equation, form, found, comparison)


@cache
def found(name: str) -> Readback:
    return compared(*project()[name])


def _planter() -> ModuleType:
    spec = importlib.util.spec_from_file_location("planted_errors", Path(__file__).with_name("planted.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PLANTED: Callable[[str], Iterator[tuple[str, str]]] = _planter().planted


def test_nearly_all_are_read_and_all_of_these_agree() -> None:
    counted = Counter(found(name).status for name in project())
    assert set(counted) <= {ReadBack.AGREES, ReadBack.NOT_READ}, {
        name: found(name).detail for name in project() if found(name).status is ReadBack.DIFFERS
    }
    assert counted[ReadBack.NOT_READ] <= UNREAD


@pytest.mark.parametrize("name", sorted(project()))
def test_planted_errors_are_found(name: str) -> None:
    if found(name).status is not ReadBack.AGREES:
        return
    equation, form = project()[name]
    assert equation.latex is not None
    outcomes: Counter[ReadBack] = Counter()
    for what, latex in PLANTED(equation.latex.value):
        result = compared(replace(equation, latex=replace(equation.latex, value=latex)), form)
        assert result.status is not ReadBack.AGREES or (name, what) in SAME, (what, latex, result.how)
        assert result.status is not ReadBack.AGREES or result.how == "proof"
        outcomes[result.status] += 1


def test_most_planted_errors_differ_and_few_are_no_longer_read() -> None:
    outcomes: Counter[ReadBack] = Counter()
    for name in sorted(project())[::4]:
        equation, form = project()[name]
        if found(name).status is ReadBack.AGREES and equation.latex is not None:
            for _, latex in PLANTED(equation.latex.value):
                outcomes[compared(replace(equation, latex=replace(equation.latex, value=latex)), form).status] += 1
    assert outcomes[ReadBack.DIFFERS] >= 8 * outcomes[ReadBack.NOT_READ]
