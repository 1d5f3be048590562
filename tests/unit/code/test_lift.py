"""Functions read as formulas: what is read, what it needs, and what is refused with its reason."""

import ast

import pytest

from eqtrace.code.lift.flags import flags_of
from eqtrace.code.lift.function import lifted
from eqtrace.code.lift.project import find
from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.lift.shapes import annotated, assumed, documented
from eqtrace.code.source import parse

HEAD = "import math\nimport numpy as np\nfrom numpy import exp\nTWO = 2.0\n"


def lift(code, **shapes):
    file = parse("m.py", (HEAD + code).encode())
    return lifted(file, file.functions["f"], shapes)


@pytest.mark.parametrize(
    ("body", "form", "where"),
    [
        ("return a*x + 1", "a * x + 1", ()),
        ("return exp(-x)/a", "exp(-x) / a", ("Ne(a, 0)",)),
        ("y = math.sqrt(x)\n    return TWO*y", "2.0 * sqrt(x)", ("x >= 0",)),
        ("if x <= 0: raise ValueError('no')\n    return np.log(x)", "log(x)", ("x > 0",)),
        ("if x > a:\n        return x\n    return -a", "Piecewise((x, x > a), (-a, True))", ()),
        ("return np.where(x > 0, x, a*x)", "Piecewise((x, x > 0), (a * x, True))", ()),
        ("return x if x == a else 1/a", "Piecewise((x, Eq(x, a)), (1 / a, True))", ("Or(Eq(x, a), Ne(a, 0))",)),
        (
            "if x > a:\n        if a < 0: raise ValueError\n        return x/a\n    return 1/x",
            "Piecewise((x / a, x > a), (1 / x, True))",
            ("Or(x <= a, a >= 0)", "Or(x <= a, Ne(a, 0))", "Or(x > a, Ne(x, 0))"),
        ),
        ("return x/max(1e-15, a)", "x / Max(1e-15, a)", ()),
        ("return max(x, 0)", "Max(x, 0)", ()),
        ("return g(x, a)\n\n\ndef g(u, v=3):\n    return u % v", "Mod(x, a)", ("Ne(a, 0)",)),
        ("return g(x) + a\n\n\ndef g(u, v=3):\n    return u * v", "x * 3 + a", ()),
        ("u, v = x + 1, x * 2\n    return u * v", "(x + 1) * (x * 2)", ()),
        ("u, v = map(np.radians, (x, a))\n    return u - v", "x * pi / 180 - a * pi / 180", ()),
        ("u, v = [math.exp(b) for b in (x, a)]\n    return u * v", "exp(x) * exp(a)", ()),
        ("y = x\n    if y > a:\n        y = a\n    return y * 2", "Piecewise((a * 2, x > a), (x * 2, True))", ()),
        (
            "if x > a:\n        s = 1\n    else:\n        s = -1\n    return s * x",
            "Piecewise((1 * x, x > a), (-1 * x, True))",
            (),
        ),
        ("return math.hypot(x, a)", "sqrt(x ** 2 + a ** 2)", ()),
        ("return np.degrees(math.atan2(x, a)) / math.tau", "atan2(x, a) * 180 / pi / (2 * pi)", ("Ne(x, 0)",)),
        ("return math.asin(x)", "asin(x)", ("Abs(x) <= 1",)),
        ("return math.e ** x", "exp(1) ** x", ()),
        ("return np.reciprocal(a) + np.exp2(x)", "1 / a + 2 ** x", ("Ne(a, 0)",)),
    ],
)
def test_scalars(body, form, where):
    found = lift(f"def f(x, a):\n    {body}\n")
    assert (found.form, found.where) == (form, where)


def test_arrays():
    found = lift("def f(A, v):\n    return A @ v\n", A=("m", "n"), v=("n",))
    assert found.form == "Eq(result[i], Sum(A[i, k] * v[k], k))"
    assert found.indices == {"i": "m", "k": "n"}
    assert lift("def f(v):\n    return (v**2).mean()\n", v=("n",)).form == "Sum(v[k] ** 2, k) / n"


@pytest.mark.parametrize(
    ("printed", "form"),
    [
        (r"\sum_{i=1}^n x_i^2", "Sum(x[i] ** 2, i)"),
        (r"\sum_j x_j^2", "Sum(x[j] ** 2, j)"),
        (r"\sum\limits_{ c } x_c^2", "Sum(x[c] ** 2, c)"),
        (r"\sum_n x_n^2", "Sum(x[k] ** 2, k)"),  # the size
        (r"\sum_{ij} x_{ij}^2", "Sum(x[k] ** 2, k)"),
        (r"\sum_e x_e^2", "Sum(x[k] ** 2, k)"),
        ("sum(x**2)", "Sum(x[k] ** 2, k)"),
    ],
)
def test_a_sum_has_the_letter_that_the_docstring_prints(printed, form):
    assert lift(f'def f(x):\n    r"""`{printed}`."""\n    return np.sum(x**2)\n', x=("n",)).form == form


def test_a_letter_that_the_docstring_sums_over_is_no_other_index():
    found = lift('def f(A, x):\n    r"""$\\sum_i A_{ji} x_i$"""\n    return A @ x\n', A=("m", "n"), x=("n",))
    assert (found.form, found.indices) == ("Eq(result[j], Sum(A[j, i] * x[i], i))", {"j": "m", "i": "n"})


def test_parameters_may_be_called_like_indices():
    assert lift("def f(i, j, k):\n    return i + j*k\n").form == "i + j * k"
    assert lift("def f(k, v):\n    return k*np.sum(v)\n", v=("n",)).form == "k * Sum(v[h], h)"
    assert lift("def f(i, v):\n    return i*v + np.sum(v)\n", v=("n",)).form == "Eq(result[j], i * v[j] + Sum(v[k], k))"


def test_points_are_unpacked():
    code = "def f(p, q):\n    x, y = p\n    return (q[0] - x)**2 + (q[1] - y)**2\n"
    file = parse("m.py", (HEAD + code).encode())
    shapes = assumed(file.functions["f"], {})
    assert shapes == {"p": ("2",), "q": ("2",)}
    assert lifted(file, file.functions["f"], shapes).form == "(q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2"


FLAGS = """
def f(x, check=True, unit="km", scale=None, a=1.0, *, raw=False):
    if check and x < 0:
        raise ValueError("negative")
    if unit == "mi":
        x = x * 0.6
    elif not raw and scale is None:
        x = x * 2
    return a * x if raw is False else x
"""


def test_flags_are_taken_at_their_defaults():
    found = lift(FLAGS)
    assert (found.form, found.where) == ("a * (x * 2)", ("x >= 0",))


DEFAULTS = """
import math
import numpy as np
from lab import helper, RATE
SCALE = 2.5
TWICE = 2 * SCALE
UNIT = "m"
MISSING = object()
def rule(x): return x
"""
FLAGS_BY_DEFAULT = (
    *("None", "False", "'mean'", "b'x'", "...", "np.float64", "float", "(0, 1)", "[]", "{}", "lambda v: v", "rule"),
    *("helper", "abs", "np.linalg.norm", "np.dtype('f8')", "np.array([1.0])", "tuple()", "list", "MISSING", "UNIT"),
    *("modes.FAST", "'a' + 'b'", "not True", "__debug__", "np.random.default_rng(0)"),
)
NUMBERS_BY_DEFAULT = (
    *("1.0", "2", "-1", "1e-3", "-np.pi", "2 * 3", "math.pi", "np.inf", "-np.inf", "1 / 3", "float('inf')", "2j"),
    *("SCALE", "TWICE", "RATE", "UNKNOWN"),
)


@pytest.mark.parametrize("default", [*FLAGS_BY_DEFAULT, *NUMBERS_BY_DEFAULT])
def test_which_defaults_make_a_flag(default):
    """What is a number, or may be one, is a parameter of the formula."""
    module = ast.parse(f"{DEFAULTS}def f(x, a={default}, *, b={default}): return x")
    assert list(flags_of(module.body[-1], module)) == ["a", "b"] * (default in FLAGS_BY_DEFAULT)


def test_parameters_that_choose_axes_are_flags():
    module = ast.parse("def f(x, /, axis=-1, *, ddof=0, n=2, must): return x")
    assert {name: ast.unparse(value) for name, value in flags_of(module.body[0], module).items()} == {
        "axis": "-1",
        "ddof": "0",
    }


UNITS = """
import enum
KM, RATE = 6371.0, {"km": 1.0, "mi": 0.6}

class Unit(enum.Enum):
    KM = "km"

TABLE = {Unit.KM: 2.0}

def refuse(x):
    if x < -1 or x > 1:
        raise ValueError("far")

def scale(unit):
    return TABLE[unit]

def f(x, unit=Unit.KM):
    refuse(x)
    return scale(unit) * x
"""


def test_tables_and_refusals_are_followed():
    found = lift(UNITS)
    assert (found.form, found.where) == ("2.0 * x", ("x >= -1", "x <= 1"))


def test_functions_that_functions_make_are_followed():
    made = "def make(a):\n    b = a + 1\n    def g(x):\n        return b*x\n    return g\n\ng = make(2.0)\n"
    assert lift(made + "def f(x):\n    return g(x)**2\n").form == "((2.0 + 1) * x) ** 2"
    lent = "@spread\ndef make(*, sin, **_):\n    def g(x):\n        return sin(x)\n    return g\n\ng = make(math)\n"
    assert lift(lent + "def f(x):\n    return 2*g(x)\n").form == "2 * sin(x)"
    with pytest.raises(NotLifted, match="a decorated function makes"):
        lift(made.replace("def make", "@spread\ndef make") + "def f(x):\n    return g(x)\n")


LONG = """
def f(lat1, lon1, lat2, lon2):
    dlat, dlon = (lat2 - lat1) * 0.5, (lon2 - lon1) * 0.5
    a = math.sin(dlat)**2 + math.cos(lat1) * math.cos(lat2) * math.sin(dlon)**2
    return 2 * math.asin(math.sqrt(a))
"""


def test_parts_of_a_long_form_are_named_as_the_function_names_them():
    found = lift(LONG)
    assert found.form == "2 * asin(sqrt(a))"
    assert found.where == ("a >= 0", "Abs(sqrt(a)) <= 1")
    assert list(found.let.items()) == [
        ("dlat", "(lat2 - lat1) * 0.5"),
        ("dlon", "(lon2 - lon1) * 0.5"),
        ("a", "sin(dlat) ** 2 + cos(lat1) * cos(lat2) * sin(dlon) ** 2"),
    ]
    file = parse("m.py", (HEAD + LONG).encode())
    assert lifted(file, file.functions["f"], {}, named=False).let == {}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f(x):\n    for i in x:\n        pass\n", "no form writes: `for i in x:`"),
        ("def f(x):\n    return np.sum(x)\n", "whose shape nothing says"),
        ("def f(x):\n    return open(x)\n", "`open`, which forms don't know"),
        ("def f(x):\n    return f(x)\n", "more than 3 functions"),
        ("def f(*x):\n    return 1\n", "any number of arguments"),
        ("def f():\n    return 1\n", "no parameters"),
        ("def f(x):\n    x += 1\n    return x\n", "`x \\+= 1`"),
        ("def f(x):\n    yield x\n", "yields"),
        ("def f(self):\n    return self.a\n", "reads `self.a`"),
        ("def f(x):\n    if x > 0:\n        return x\n", "returns nothing on some way"),
        ("def f(x):\n    return np.sum(x, axis=0)\n", "gives `axis` to sum"),
        ("def f(x, y):\n    return x + y\n", "different shapes"),
        ("def f(x):\n    a, b = divmod(x, 2)\n    return a\n", "unpacks what a draft doesn't read"),
        ("def f(a, b=None, c=1.0, /):\n    return a*c\n", "before it"),
        ("def f(a):\n" + "    if a > 1: a = a + 1\n" * 6 + "    return a\n", "more than 24 ways"),
    ],
)
def test_what_is_no_formula_has_a_reason(code, reason):
    shapes = {"x": ("n",), "y": ("m",)} if "y" in code.partition(":")[0] else {}
    with pytest.raises(NotLifted, match=reason):
        lift(code, **shapes)


def test_shapes_of_annotations():
    function = ast.parse(
        'def f(x: Float[Array, "n d"], y: Annotated[NDArray, "n"], z: Float[Array, "*b n"], s: float): pass'
    ).body[0]
    assert annotated(function) == {"x": ("n", "d"), "y": ("n",)}


def test_shapes_that_sums_need():
    function = ast.parse("def f(x, y, a=1):\n    e = x - y\n    return a*np.sum(e)").body[0]
    assert assumed(function, {}) == {"x": ("n",), "y": ("n",)}


def test_projects(tmp_path):
    for name in ("src/pkg/__init__.py", "tests/test_a.py", "docs/conf.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert (find(tmp_path).sources, find(tmp_path).tests) == (("src",), ("tests",))
    (tmp_path / "flat" / "one").mkdir(parents=True)
    (tmp_path / "flat" / "one" / "__init__.py").write_text("")
    assert find(tmp_path / "flat").sources == ("one",)
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "m.py").write_text("")
    (tmp_path / "bare" / "setup.py").write_text("")
    assert find(tmp_path / "bare").sources == ("m.py",)


def documented_shapes(*entries):
    said = "\n".join(f"    {each}" for each in entries)
    doc = (
        f'"""Something.\n\n    Parameters\n    ----------\n{said}\n\n    Returns\n    -------\n    y : ndarray\n    """'
    )
    file = parse("m.py", f"def f(X, w, b, k):\n    {doc}\n    return X\n".encode())
    return documented(file.functions["f"])


@pytest.mark.parametrize(
    ("entry", "shapes"),
    [
        ("X : ndarray of shape (n_samples, n_features)", {"X": ("n_samples", "n_features")}),
        ("X : array-like, shape (n, d)", {"X": ("n", "d")}),
        ("X : array-like, shape = [n, d]", {"X": ("n", "d")}),
        ("X : (N, M) array_like", {"X": ("N", "M")}),
        ("w : (N,) ndarray", {"w": ("N",)}),
        ("w : NDArray\n        The weights, of shape (n,).", {"w": ("n",)}),
        ("w : numpy.ndarray\n        Weights (real, positive).", {}),
        ("X, w : ndarray of shape (n,)", {"X": ("n",), "w": ("n",)}),
        ("X : ndarray of shape (n, 3)", {}),
        ("X : ndarray of shape (k, d)", {}),  # k is a parameter
        ("X : ndarray of shape (..., d)", {}),
        ("X : {'a', 'b'}", {}),
        ("X : callable (x, y)", {}),
        ("other : ndarray of shape (n,)", {}),
    ],
)
def test_shapes_that_documentation_says(entry, shapes):
    assert documented_shapes(entry) == shapes
