"""Functions read as formulas: what is read, what it needs, and what is refused with its reason."""

import ast

import pytest

from eqtrace.code.lift.function import NotLifted, lifted
from eqtrace.code.lift.project import find
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
        ("return x if x == a else 1/a", "Piecewise((x, Eq(x, a)), (1 / a, True))", ()),
        ("return x/max(1e-15, a)", "x / Max(1e-15, a)", ()),
        ("return max(x, 0)", "Max(x, 0)", ()),
        ("return g(x, a)\n\n\ndef g(u, v=3):\n    return u % v", "Mod(x, a)", ("Ne(a, 0)",)),
        ("return g(x) + a\n\n\ndef g(u, v=3):\n    return u * v", "x * 3 + a", ()),
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


def test_parameters_may_be_called_like_indices_that_are_not_used():
    assert lift("def f(k, i):\n    return k * i\n").form == "k * i"
    assert lift("def f(x, i):\n    return np.sum(x) * i\n", x=("n",)).form == "Sum(x[k], k) * i"
    for code in ("def f(x, k):\n    return np.sum(x) * k\n", "def f(x, i):\n    return x * i\n"):
        with pytest.raises(NotLifted, match="called like the indices"):
            lift(code, x=("n",))
