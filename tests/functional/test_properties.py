"""Formulas of the specification, property-tested against the functions that compute them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from eqtrace import equation, strategies
from impl import ops

ROOT = Path(__file__).resolve().parents[2]
QUICK = settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))

# An equation, the function, and how its result gives the equation's left side.
PAIRS: list[tuple[str, Any]] = [
    ("linear.linear", lambda X, W, b: ops.linear_forward(X, W, b)),
    ("relu.relu", lambda Z: ops.relu_forward(Z)),
    ("linear_backward.grad_weight", lambda X, dY: ops.linear_backward(X, np.zeros((X.shape[1], dY.shape[1])), dY)[1]),
    ("linear_backward.grad_bias", lambda dY: ops.linear_backward(dY, np.zeros((dY.shape[1],) * 2), dY)[2]),
    ("relu_backward.masked_gradient", lambda Z, dA: ops.relu_backward(Z, dA)),
    ("softmax_backward.grad_input", lambda y, dY: ops.softmax_backward(y, dY)),
]


@pytest.mark.parametrize(("name", "function"), PAIRS, ids=[name for name, _ in PAIRS])
def test_the_function_computes_the_formula(name: str, function: Any) -> None:
    formula = equation(name, root=ROOT)

    @QUICK
    @given(strategies.inputs(name, root=ROOT))
    def holds(values: dict[str, Any]) -> None:
        expected = formula(**values)
        scale = max([1.0, *(float(np.abs(value).max(initial=0)) for value in values.values())])
        np.testing.assert_allclose(function(**values), expected, rtol=1e-9, atol=1e-12 * scale**2)

    holds()


def test_a_wrong_function_is_found() -> None:
    formula = equation("linear.linear", root=ROOT)

    @settings(QUICK, phases=(Phase.generate,))
    @given(strategies.inputs("linear.linear", root=ROOT))
    def holds(values: dict[str, Any]) -> None:
        wrong = ops.linear_forward(**values) * (1 + 1e-3)
        np.testing.assert_allclose(wrong, formula(**values), rtol=1e-9, atol=1e-6)

    with pytest.raises(AssertionError):
        holds()


@QUICK
@given(st.data())
def test_two_formulas_together_are_one_function(data: st.DataObject) -> None:
    """Softmax is its two equations, one after the other."""
    x = data.draw(strategies.inputs("softmax.shifted_exp", root=ROOT))["x"]
    e = equation("softmax.shifted_exp", root=ROOT)(x=x)
    np.testing.assert_allclose(ops.softmax_forward(x), equation("softmax.normalise", root=ROOT)(e=e), rtol=1e-12)
