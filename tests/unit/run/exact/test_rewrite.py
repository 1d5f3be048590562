import ast
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from eqtrace.formula.ball import Ball, InexactConversion, exact, precision
from eqtrace.run.exact.arithmetic import BUILTINS, divide, number, power, rounded_number
from eqtrace.run.exact.proxies import MATH, NUMPY, method
from eqtrace.run.exact.rewrite import METHOD, Exact


def run(source, **values):
    """The names that rewritten statements leave."""
    lines = source.splitlines()
    tree = ast.fix_missing_locations(Exact(lines).visit(ast.parse(source)))
    space = {"__builtins__": {**BUILTINS, METHOD: method}, "np": NUMPY, "math": MATH, **values}
    with precision(200):
        exec(compile(tree, "user.py", "exec"), space)
    return space


def equals(ball, value):
    with precision(200):
        return (ball.arb - arb(value.numerator) / value.denominator).contains(0) and ball.radius < 1e-50


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1_0.5e-3", Fraction(21, 2000)),
        ("-.1", Fraction(-1, 10)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1 / 3", Fraction(1, 3)),
        ("7 / 7 / 49", Fraction(1, 49)),
        ("3 ** -2", Fraction(1, 9)),
        ("2 ** 3 / 3", Fraction(8, 3)),
        ("float(1) / 3", Fraction(1, 3)),
        ("float('0.1')", Fraction(1, 10)),
        ("sum([0.1, 0.2]) - 0.3", Fraction(0)),
        ("np.float64(1) / 3", Fraction(1, 3)),
        ("(lambda x: x / 10)(1)", Fraction(1, 10)),
        ("[x / 10 for x in (1, 2)][1]", Fraction(1, 5)),
        ("max(0.1, 0.2)", Fraction(1, 5)),
        ("math.fsum([0.1, 0.2])", Fraction(3, 10)),
    ],
)
def test_what_is_written_is_what_is_computed(text, value):
    result = run(f"y = {text}")["y"]
    assert isinstance(result, Ball)
    assert equals(result, value)


def test_integers_stay_integers_where_nothing_divides():
    space = run("y = 7 // 2 * 3 % 4 + 2 ** 5\nz = f'{1 / 2:.1f}'\nw = abs(-3)")
    assert (space["y"], space["z"], space["w"]) == (33, "0.5", 3)


def test_in_place_operators_keep_the_array():
    space = run("a = np.array([1, 2])\nb = a\nx = np.zeros(2)\ny = x\nx += 1\nx /= 3\nn = 7\nn /= 2\nx **= 2")
    assert space["x"] is space["y"]
    assert all(equals(each, Fraction(1, 9)) for each in space["x"])
    assert equals(space["n"], Fraction(7, 2))


def test_methods_of_integer_arrays():
    source = (
        "m = k.mean()\nv = k.var(ddof=1)\ns = k.std()\nf = k.astype(float)\nt = (k > 1).mean()\n"
        "g = k.astype(np.float64)[0] / 3\ni = k.astype(int)\nw = k.astype(dtype='float64')"
    )
    space = run(source, k=np.array([1, 2, 2]))
    assert equals(space["m"], Fraction(5, 3))
    assert equals(space["v"], Fraction(1, 3))
    with precision(200):
        assert equals(space["s"] ** 2, Fraction(2, 9))
    assert equals(space["t"], Fraction(2, 3))
    assert equals(space["g"], Fraction(1, 3))
    assert space["i"].tolist() == [1, 2, 2]
    assert isinstance(space["f"][0], Ball)
    assert isinstance(space["w"][0], Ball)


def test_methods_of_the_same_name_elsewhere():
    class Data:
        def mean(self, of, *, by):
            return of, by

    assert run("y = d.mean(1, by=2)", d=Data())["y"] == (1, 2)


@pytest.mark.parametrize("text", ["int(0.5 + x)", "int(2.999)", "int('12')", "int(True)", "int()"])
def test_int_truncates_what_is_decided(text):
    value = run(f"y = {text}", x=exact(2))["y"]
    assert value == eval(text, {"x": 2.0})
    assert isinstance(value, int)


@pytest.mark.parametrize(
    "source",
    ["y = bool(x)", "y = range(x)", "y = [1, 2][x]", "y = round(x)", "y = '%d' % x", "y = float(x) if x else 0"],
)
def test_what_would_round_raises(source):
    with pytest.raises((InexactConversion, TypeError)):
        run(source, x=exact(1) / 3)


def test_types():
    space = run(
        "y = isinstance(x, float), isinstance(1, float), isinstance(1, (int, str)), isinstance(x, int)", x=exact(1)
    )
    assert space["y"] == (True, False, True, False)


def test_literals_of_full_length():
    read = rounded_number(lambda value: ("rounded", value))
    assert read("3.141592653589793") == ("rounded", 3.141592653589793)
    assert read("6.0221407623456789e23")[0] == "rounded"
    for text in ("0.1", "3.14159265358979", "1.0000000000000000", "1e-300", "1000000000000000000.0"):
        assert isinstance(read(text), Ball)
    assert number("1e999") == float("inf")


def test_quotients_and_powers_of_arrays():
    with precision(200):
        thirds = divide(np.array([1, 2]), 3)
        assert equals(thirds[1], Fraction(2, 3))
        assert equals(power(np.array([2, 4]), -1)[1], Fraction(1, 4))
        assert power(2, 3) == 8
        with pytest.raises(ArithmeticError):
            _ = divide(1, 0) + 0 if divide(1, 0).finite else (_ for _ in ()).throw(ArithmeticError)


def test_a_scalar_takes_the_subscripts_of_arrays():
    row = np.array([exact(1), exact(3)], dtype=object)
    space = run(
        "a = row.max(axis=-1)[..., None]\nb = row[0][np.newaxis]\nc = row[None]\nd = row.max().reshape(1, 1)", row=row
    )
    assert [space[name].shape for name in "abcd"] == [(1,), (1,), (1, 2), (1, 1)]
    assert [equals(space[name].flat[0], Fraction(value)) for name, value in zip("abcd", (3, 1, 1, 3), strict=True)] == [
        True
    ] * 4
