"""Property tests of documented equations: Hypothesis strategies for their inputs, and their forms as functions.

    @given(strategies.inputs("linear.linear"))
    def test_linear(values):
        assert_allclose(linear_forward(**values), equation("linear.linear")(**values))

Values keep to the declared domains and to `where`; axis sizes are small and pairwise distinct, so that no two axes can
be taken for each other. The specification is the one that governs the current folder, or that of `root`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from eqtrace.code.index import Index
from eqtrace.config import load as load_config
from eqtrace.errors import EqtraceError
from eqtrace.formula import form as forms
from eqtrace.formula.claims import claims
from eqtrace.formula.evaluate import EvaluationError, Float64, value_of
from eqtrace.formula.form import Form, Shape
from eqtrace.formula.shape import solve
from eqtrace.formula.term import Eq, Indexed, Name, Number
from eqtrace.link.infer import complete
from eqtrace.model.equation import Equation
from eqtrace.model.topic import Specification
from eqtrace.run import inputs as run_inputs
from eqtrace.run.work import is_scalar, used_symbols
from eqtrace.spec import sizes as declared_sizes
from eqtrace.spec.load import load


def inputs(equation: str, *, root: Path | None = None) -> SearchStrategy[dict[str, Any]]:
    """Values for all symbols that an equation's right sides need, by symbol: arrays, or Python numbers for scalars.

    Args:
        equation: its id.
        root: a folder of the project; the current one if it is not given.

    Raises:
        EqtraceError: there is no such equation, or it has no form that can be read.
    """
    known = _Known(equation, root)
    draws = run_inputs.inputs(known.form, known.equation.symbols, known.inputs, distinct=True)
    return draws.map(lambda draw: dict(draw.values))


def equation(equation: str, *, root: Path | None = None) -> EquationFunction:
    """An equation's form as a function, evaluated in float64.

    Raises:
        EqtraceError: there is no such equation, or its left sides are no entries of symbols.
    """
    return EquationFunction(_Known(equation, root))


class EquationFunction:
    """A form as a function of its symbols, by name; an updated symbol's value before is given under its own name."""

    def __init__(self, known: _Known) -> None:
        self._known = known
        self.id = known.equation.id
        self.inputs = known.inputs
        self.outputs = known.outputs
        if not self.outputs:
            raise EqtraceError(f"{self.id}: the left sides are no entries of symbols, so they can't be computed")

    def __call__(self, **values: Any) -> Any:
        """The left side's value: an array over its indices, or a number; of several left sides, a dict by symbol.

        Raises:
            ValueError: the values' shapes don't fit the declared ones, or a symbol is missing.
        """
        form = self._known.form
        found = dict(values) | {f"Old({name})": value for name, value in values.items() if name in self.outputs}
        for name in self.outputs:
            found.pop(name, None)
        results: dict[str, Any] = {}
        for part in range(len(form.parts)):
            for claim, _ in claims(form.statement(part)):
                if isinstance(claim, Eq):
                    self._compute(claim, {**found, **results}, results)
        return results[self.outputs[0]] if len(self.outputs) == 1 else results

    def __repr__(self) -> str:
        return f"<equation {self.id}: {', '.join(self.inputs)} to {', '.join(self.outputs)}>"

    def _compute(self, claim: Eq, values: Mapping[str, Any], results: dict[str, Any]) -> None:
        form, left = self._known.form, claim.sides[0]
        name = _defined(left, form)
        if name is None:
            raise EqtraceError(f"{self.id}: a left side is no entry of a symbol, so it can't be computed")
        solved = solve(_shapes(form), values)
        if solved.mismatches:
            raise ValueError("; ".join(map(str, solved.mismatches)))
        indices = [each.name for each in left.subscripts if isinstance(each, Name)] if isinstance(left, Indexed) else []
        try:
            value = value_of(form, [claim.sides[1]], values, solved.sizes, Float64(), indices)
        except EvaluationError as error:
            raise ValueError(f"{self.id}: {error}") from error
        side = value.sides[0]
        if value.mask is not None:
            side = np.where(value.mask, side, np.nan)
        lead = side.ndim - len(indices)
        for axis, each in enumerate(left.subscripts if isinstance(left, Indexed) else ()):
            if isinstance(each, Number):
                side = np.expand_dims(side, lead + axis)
        results[name] = side if side.ndim else side.item()


class _Known:
    """An equation, its form, and which of its symbols are given and computed."""

    def __init__(self, name: str, root: Path | None) -> None:
        folder = (Path.cwd() if root is None else root).resolve()
        specification, sizes = _specification(folder)
        found = {each.id: each for each in specification.equations}
        if name not in found:
            from difflib import get_close_matches

            near = get_close_matches(name, found, n=3, cutoff=0.4)
            raise EqtraceError(f"no equation is called '{name}'", f"nearest: {', '.join(near)}" if near else "")
        self.equation = found[name]
        form, faults = _form(self.equation, sizes)
        if form is None:
            raise EqtraceError(f"{name} has no form that can be read" + "".join(f"\n{each.message}" for each in faults))
        self.form = form
        parts = range(len(form.parts))
        self.outputs = tuple(dict.fromkeys(filter(None, (_defined(side, form) for side in _lefts(form)))))
        needed = dict.fromkeys(name for part in parts for name in form.needed(part))
        plain = dict.fromkeys(_current(name) for name in needed if name not in self.outputs)
        self.inputs = tuple(name for name in self.equation.symbols if name in plain)


@lru_cache(maxsize=8)
def _specification(folder: Path) -> tuple[Specification, frozenset[str]]:
    config = load_config(folder)
    names = frozenset(name for draw in declared_sizes.draws(config) for name in draw)
    return complete(load(config), Index(config)), names


def _form(equation: Equation, sizes: frozenset[str]) -> tuple[Form | None, Any]:
    return forms.read(equation, parameters=tuple(equation.symbols) if equation.whole else None, sizes=sizes)


def _lefts(form: Form) -> list[Any]:
    statements = [form.statement(part) for part in range(len(form.parts))]
    return [claim.sides[0] for each in statements for claim, _ in claims(each) if isinstance(claim, Eq)]


def _defined(left: Any, form: Form) -> str | None:
    """The symbol that a left side defines entry by entry; None of any other left side."""
    if isinstance(left, Name):
        return left.name
    if not isinstance(left, Indexed):
        return None
    shape = form.shapes.get(left.base)
    dims = shape.dims if shape is not None else ()
    single = [n for n, each in enumerate(left.subscripts) if isinstance(each, Number)]
    named = {each.name for each in left.subscripts if isinstance(each, Name)}
    fits = all(left.subscripts[n] == Number(Fraction(0)) and dims[n : n + 1] == (Number(Fraction(1)),) for n in single)
    return left.base if fits and len(named) + len(single) == len(left.subscripts) else None


def _shapes(form: Form) -> Mapping[str, Shape | None]:
    """The declared shapes; of a form of scalars alone, arrays of any shape may stand for its symbols."""
    if not is_scalar(form):
        return form.shapes
    return {**form.shapes, **{name: Shape(True, ()) for name in used_symbols(form)}}


def _current(name: str) -> str:
    return name.removeprefix("Old(").removesuffix(")")
