import numpy as np
import pytest

from eqtrace.formula.evaluate import Balls, Float64, sides
from eqtrace.formula.families import laid_out
from eqtrace.formula.form import read
from eqtrace.formula.shape import solve, written

MEMBERS = {"a": np.array([[-3.0, -1.0], [-2.0, -5.0]]), "b": np.array([-4.0]), "c": np.zeros((0, 2))}
SYMBOLS = {"g": "K n[k]", "n": "K", "s": "", "m": "K"}
INDICES = {"k": "K", "i": "n[k]"}


def form_of(equation, statement):
    form, faults = read(equation(statement, symbols=SYMBOLS, indices=INDICES))
    assert not faults, faults
    return form


def evaluated(form, members, arithmetic):
    values = laid_out(form.shapes, {"g": members})
    solved = solve(form.shapes, values)
    assert not solved.mismatches
    return sides(form, 0, {**values, "s": 0.0, "m": np.zeros(len(members))}, solved.sizes, arithmetic)[1]


@pytest.mark.parametrize("members", [MEMBERS, [*MEMBERS.values()], (*MEMBERS.values(),)])
@pytest.mark.parametrize("arithmetic", [Float64(), Balls(128)])
def test_a_family_is_summed_over_its_own_entries(equation, members, arithmetic):
    assert float(evaluated(form_of(equation, "Eq(s, Sum(Sum(g[k, i]**2, i), k))"), members, arithmetic)) == 55.0


@pytest.mark.parametrize("arithmetic", [Float64(), Balls(128)])
def test_no_padding_is_an_entry(equation, arithmetic):
    found = evaluated(form_of(equation, "Eq(m[k], MaxOver(g[k, i], i))"), [MEMBERS["a"], MEMBERS["b"]], arithmetic)
    assert [float(each) for each in found] == [-1.0, -4.0]


def test_lengths_are_those_of_the_members(equation):
    form = form_of(equation, "Eq(m[k], n[k])")
    assert laid_out(form.shapes, {"Old(g)": MEMBERS})["n"].tolist() == [4, 1, 0]
    assert form.sizes == {"K"}
    assert solve(form.shapes, laid_out(form.shapes, {"g": MEMBERS})).sizes == {"K": 3}


def test_lengths_of_another_family_do_not_fit(equation):
    form = form_of(equation, "Eq(m[k], n[k])")
    values = laid_out(form.shapes, {"g": MEMBERS, "m": np.zeros(2)})
    assert [str(each) for each in solve(form.shapes, values).mismatches] == [
        "axis 0 of m has length 2, declared is K = 3"
    ]


def test_other_values_stay_as_they_are(equation):
    form = form_of(equation, "Eq(m[k], n[k])")
    values = {"s": [1.0, 2.0], "g": np.zeros((2, 3)), "other": MEMBERS}
    assert laid_out(form.shapes, values) is values
    shape = form.shapes["g"]
    assert written(shape.dims[1]) == "n[k]"
