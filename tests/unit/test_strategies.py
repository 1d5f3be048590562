"""Strategies for an equation's inputs, and its form as a function."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from eqtrace import strategies
from eqtrace.errors import EqtraceError

ROOT = Path(__file__).resolve().parents[2]
SHOP = ROOT / "tests" / "functional" / "projects" / "shop"
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)


@QUICK
@given(strategies.inputs("sums.product", root=SHOP))
def test_sizes_are_distinct_and_shared(values):
    assert set(values) == {"A", "v"}
    assert values["A"].shape[1:] == values["v"].shape
    assert values["A"].shape[0] != values["A"].shape[1]
    assert np.all(np.isfinite(values["A"]))


@QUICK
@given(strategies.inputs("cross_entropy.mean_loss", root=ROOT))
def test_domains_are_kept(values):
    y, logp = values["y"], values["logp"]
    assert y.dtype.kind == "i"
    assert y.min() >= 0
    assert y.max() < logp.shape[1]


@QUICK
@given(strategies.inputs("softmax_backward.grad_input", root=ROOT))
def test_axes_that_are_left_open_are_alike(values):
    assert values["y"].shape == values["dY"].shape


def test_a_form_is_a_function_of_its_symbols():
    product = strategies.equation("sums.product", root=SHOP)
    A, v = np.arange(6.0).reshape(2, 3), np.ones(3)
    assert (product.inputs, product.outputs) == (("A", "v"), ("w",))
    assert product(A=A, v=v).tolist() == (A @ v).tolist()
    assert "sums.product: A, v to w" in repr(product)


def test_scalars_give_a_number_and_arrays_an_array():
    doubled = strategies.equation("prices.doubled", root=SHOP)
    assert doubled(x=1.5) == 3.0
    assert isinstance(doubled(x=1.5), float)
    assert doubled(x=np.array([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_a_left_side_may_have_an_axis_of_length_1():
    mean = strategies.equation("layer_norm.row_mean", root=ROOT)
    X = np.arange(6.0).reshape(2, 3)
    assert mean(**dict.fromkeys(mean.inputs, X)).tolist() == X.mean(axis=1, keepdims=True).tolist()


def test_a_value_of_another_shape_is_refused():
    product = strategies.equation("sums.product", root=SHOP)
    with pytest.raises(ValueError, match="axis"):
        product(A=np.ones((2, 3)), v=np.ones(4))
    with pytest.raises(ValueError, match="has no value"):
        product(A=np.ones((2, 3)))


def test_unknown_equations_and_forms_without_a_left_side_are_refused():
    with pytest.raises(EqtraceError, match=r"no equation is called 'sums\.prodct'") as refused:
        strategies.inputs("sums.prodct", root=SHOP)
    assert "sums.product" in refused.value.hint
    with pytest.raises(EqtraceError, match="can't be computed"):
        strategies.equation("slopes.slope", root=SHOP)


def test_the_current_folder_is_where_the_project_is_looked_for(monkeypatch):
    monkeypatch.chdir(SHOP / "lab")
    assert strategies.equation("prices.relu")(x=-1.0) == 0.0
