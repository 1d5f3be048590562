# ruff: noqa: E501 - a source a line
"""The verdict logic: what must be refuted, what must stay silent, and what is neither and says so."""

import textwrap

import pytest

from eqtrace import config
from eqtrace.model.verdict import Verdict
from eqtrace.project import read_project
from eqtrace.run.session import Session
from eqtrace.working import work_of

# --- correct code is certified, or says why it is not -----------------------------------------------------------------

CORRECT = {
    "a square of equal numbers": ("def f(x, y):\n    return (x - y)**2", "sympy: '(x - y)**2'", "certified"),
    "a sum that cancels": ("def f(x, y):\n    return (x + y) - x", "sympy: x + y - x", "certified"),
    "an exact form of zeros": ("import math\ndef f(x):\n    return math.cos(0 * x) * 0.1 * 10", "sympy: '1'", "certified"),
    "integers past 2**53": ("def f(n):\n    return 3**n", "sympy: '3**n', domain: {n: {integer: true, min: 30, max: 90}}", "certified"),
    "integers from a real form": (
        "import math\ndef f(n):\n    return math.factorial(n)",
        "sympy: 'factorial(n)', domain: {n: {integer: true, min: 0, max: 20}}",
        "certified",
    ),
    "a rounded literal in the function": ("def f(r):\n    return 3.141592653589793 * r**2", "sympy: 'pi*r**2'", "certified-to-constants"),
    "a literal of two roundings": ("def f(r):\n    return 1.772453850905516 * r", "sympy: 'sqrt(pi)*r'", "certified-to-constants"),
    "a module constant": ("PI = 3.141592653589793\ndef f(r):\n    return PI * r**2", "sympy: 'pi*r**2'", "certified-to-constants"),
    "a computed module constant": ("import math\nROOT = math.sqrt(2.0)\ndef f(r):\n    return ROOT * r", "sympy: 'sqrt(2)*r'", "certified"),
    "a mean of truth values": (
        "import numpy as np\ndef f(x):\n    return (x > 0).mean()",
        "sympy: 'Sum(Piecewise((1, x[i] > 0), (0, True)), i)/n', shapes: {x: [n]}",
        "certified",
    ),
    "a mean of integers": (
        "import numpy as np\ndef f(k):\n    return k.mean() + k.astype(float).sum() / len(k) - np.mean(k)",
        "sympy: 'Sum(k[i], i)/n', shapes: {k: [n]}, domain: {k: {integer: true}}",
        "certified",
    ),
    "a literal pattern in a function of the same file": (
        "def other(x):\n    match x:\n        case 2.5:\n            return 1\n    return 2\ndef f(x):\n    return x / 3",
        "sympy: x/3",
        "certified",
    ),
    "a match of integers": (
        "def f(n):\n    match n:\n        case 0 | 1:\n            return 1\n        case 2:\n            return 2\n    return n",
        "sympy: 'Piecewise((1, n <= 1), (n, True))', domain: {n: {integer: true, min: 0}}",
        "certified",
    ),
    "a division in place": ("def f(x):\n    x = x * 2\n    x /= 6\n    return x", "sympy: x/3", "certified"),
    "a class attribute": (
        "class Model:\n    rate = 0.1\n    def grow(self, x):\n        return self.rate * x\nMODEL = Model()\ndef f(x):\n    return MODEL.grow(x)",
        "sympy: '0.1*x'",
        "certified-to-constants",
    ),
    "a partial function": (
        "import functools\ndef scaled(a, x):\n    return a * x / 3\nf3 = functools.partial(scaled, 0.5)\ndef f(x):\n    return f3(x)",
        "sympy: 'x/6'",
        "certified-to-constants",
    ),
    "a vectorised function": (
        "import numpy as np\n@np.vectorize\ndef third(x):\n    return x / 3.0\ndef f(x):\n    return third(x) * 1.0",
        "sympy: x/3",
        "certified",
    ),
    "positional arguments": ("def f(x, /, y):\n    return x - y", "sympy: x - y", "certified"),
    "a wrapped function": (
        "import functools\ndef same(g):\n    @functools.wraps(g)\n    def wrapper(*a):\n        return g(*a)\n    return wrapper\n"
        "@same\ndef f(x, y):\n    return x / y",
        "sympy: x/y, domain: {y: {min: 0.5}}",
        "certified",
    ),
    "floor by int": ("def f(x):\n    return int(x // 1)", "sympy: 'floor(x)'", "certified"),
    "an entry of linspace": ("import numpy as np\ndef f(x):\n    return x * np.linspace(0, 1, 4)[1]", "sympy: x/3", "certified"),
    "a float from logspace": ("import numpy as np\ndef f(x):\n    return x * np.logspace(0, 2, 3)[1]", "sympy: 10*x", "sampled"),
    "a float from the standard library": ("import statistics\ndef f(x):\n    return x * statistics.mean([1, 2]) / 3", "sympy: x/2", "sampled"),
    "a quotient by operator": ("import operator\ndef f(x):\n    return x * operator.truediv(1, 3)", "sympy: x/3", "sampled"),
    "within a tolerance": (
        "def f(x):\n    return x - x**3 / 6",
        "sympy: 'sin(x)', domain: {x: {min: -0.01, max: 0.01}}, tolerance: {atol: 1.0e-9, reason: series}",
        "sampled",
    ),
    "arrays and scalars": ("import numpy as np\ndef f(x, y):\n    return np.hypot(x, y)", "sympy: 'sqrt(x**2 + y**2)'", "certified"),
    "a softmax that does not overflow": (
        "import numpy as np\ndef f(x):\n    z = np.exp(x - x.max())\n    return z / z.sum()",
        "sympy: 'exp(x[i])/Sum(exp(x[j]), j)', shapes: {x: [n]}, indices: {j: n}",
        "certified",
    ),
    "a float equal to a float": ("def f(x):\n    return float(x)", "sympy: x", "certified"),
    "an infinite limit": ("import numpy as np\ndef f(x):\n    return np.log(x)", "sympy: 'log(x)', domain: {x: {min: 0}}", "certified"),
    "a branch on a tie": ("def f(x):\n    return x if x > 1 else 1.0", "sympy: 'Max(x, 1)'", "certified"),
}  # fmt: skip


@pytest.mark.parametrize("case", CORRECT)
def test_correct_code(value, case):
    source, entry, verdict = CORRECT[case]
    result = value(source, entry)
    assert [fault.message for fault in result.faults] == []
    assert (result.verdict, result.evidence.detail) == (verdict, result.evidence.detail)
    if verdict != "certified":
        assert ";" in result.evidence.detail  # the reason


# --- wrong code is refuted --------------------------------------------------------------------------------------------

WRONG = {
    "a relative error of 1e-18": ("def f(x):\n    return x * (1 + 1e-18)", "sympy: x"),
    "a leak of 1e-25": ("def f(x):\n    return x + 1e-25", "sympy: x"),
    "a literal one digit short": ("def f(r):\n    return 3.14159265358979 * r", "sympy: pi*r"),
    "a module constant ten ulps off": ("PI = 3.141592653589797\ndef f(r):\n    return PI * r", "sympy: pi*r"),
    "a tie taken the other way": ("def f(x):\n    return 1.0 if x >= 1 else 0.0", "sympy: 'Piecewise((1, x > 1), (0, True))'"),
    "a sign of zero that matters": ("import math\ndef f(x):\n    return 1.0 if math.copysign(1, x) > 0 else 0.0", "sympy: 'Piecewise((1, x >= 0), (0, True))'"),
    "an integer past 2**53 by one": (
        "def f(n):\n    return 3**n + 1",
        "sympy: '3**n', domain: {n: {integer: true, min: 40, max: 90}}",
    ),
    "an integer by one": ("def f(n):\n    return n * (n + 1) // 2 + 1", "sympy: 'n*(n + 1)/2', domain: {n: {integer: true, min: 0}}"),
    "an overflow": ("import numpy as np\ndef f(x):\n    return np.exp(x) / (1 + np.exp(x))", "sympy: '1/(1 + exp(-x))'"),
    "a NaN": ("import numpy as np\ndef f(x):\n    return x * np.inf / np.inf", "sympy: x"),
    "an infinity for a number": ("import numpy as np\ndef f(x):\n    return np.float64(x) / 0.0", "sympy: x + 5"),
    "a mean over the other axis": (
        "def f(X):\n    return X - X.mean(axis=0)",
        "sympy: 'X[i, j] - Sum(X[i, k], k)/m', shapes: {X: [n, m]}, indices: {k: m}",
    ),
    "only an array": ("import numpy as np\ndef f(x):\n    return x if np.ndim(x) == 0 else np.abs(x)", "sympy: x"),
    "only some sizes": ("def f(x):\n    return x.sum() / max(len(x), 2)", "sympy: 'Sum(x[i], i)/n', shapes: {x: [n]}"),
    "one wrong entry": (
        "import numpy as np\ndef f(x):\n    y = 2.0 * x\n    y[-1] *= 1.00001\n    return y",
        "sympy: '2*x[i]', shapes: {x: [n]}",
    ),
    "more than the tolerance": (
        "def f(x):\n    return x - x**3 / 5",
        "sympy: 'sin(x)', domain: {x: {min: -0.1, max: 0.1}}, tolerance: {atol: 1.0e-7, reason: series}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_code(value, case):
    result = value(*WRONG[case])
    assert result.verdict is Verdict.REFUTED, result.evidence
    (fault,) = result.faults
    assert fault.kind in ("value-mismatch", "shape-mismatch")
    assert "subject.py" in fault.message


# --- neither: nothing may pass because nothing was compared ----------------------------------------------------------


def test_a_premise_that_never_holds_shows_nothing(verified):
    made = verified(
        "def f(x):\n    y = -x\n    return y\n",
        """
        topic: t
        title: T
        page: p
        status: implemented
        direction: neither
        functions: ['subject.py::f']
        what: w
        why: w
        symbols: {x: {shape: [], domain: {min: 0}}, y: {shape: []}}
        equations:
          - id: t.e
            sympy: 'Implies(x < 0, Eq(y, x))'
            anchors: [{role: computes, at: 'subject.py:2', in: f, code: 'y = -x'}]
        """,
    )
    result = made.result("t.e")
    assert result.verdict is Verdict.NOT_CHECKED
    assert [fault.kind for fault in result.faults] == ["value-undecided"]


TOPIC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::f']
what: w
why: w
symbols: {{x: {{shape: []}}, y: {{shape: []}}, z: {{shape: []}}, c: {{shape: []}}, v: {{shape: [n]}}}}
indices: {{i: n}}
equations:
  - id: t.e
    sympy: {form}
    anchors: [{anchors}]
"""


def topic(verified, source, form, anchors, **more):
    return verified(source, TOPIC.format(form=form, anchors=anchors), **more).result("t.e")


def test_a_statement_that_no_line_captures_is_told(verified):
    result = topic(
        verified,
        "def f(x):\n    y = x + 1\n    z = x + 3\n    return y, z\n",
        "['Eq(y, x + 1)', 'Eq(z, x + 2)']",
        "{role: computes, at: 'subject.py:2', in: f, code: 'y = x + 1'}",
    )
    assert result.verdict is Verdict.NOT_CHECKED
    assert [fault.kind for fault in result.faults] == ["unbound-left-side"]
    assert "Eq(z, x + 2)" in result.faults[0].message


def test_a_claim_that_is_no_equation_is_not_passed_over(verified):
    result = topic(
        verified,
        "def f(x):\n    y = x + 1\n    return y\n",
        "'And(Eq(y, x + 1), y > 100)'",
        "{role: computes, at: 'subject.py:2', in: f, code: 'y = x + 1'}",
    )
    assert result.verdict is Verdict.NOT_CHECKED
    assert "method-not-run" in [fault.kind for fault in result.faults]


def test_a_line_whose_value_is_never_reached_is_told(verified):
    result = topic(
        verified,
        "def f(x):\n    try:\n        y = {}[x]\n    except (KeyError, TypeError):\n        y = 0\n    return y\n",
        "'Eq(y, x)'",
        "{role: computes, at: 'subject.py:3', in: f, code: 'y = {}[x]'}",
    )
    assert result.verdict is Verdict.NOT_CHECKED
    (fault,) = result.faults
    assert fault.kind == "value-undecided"
    assert "none of its" in fault.message


@pytest.mark.parametrize(("where", "verdict"), [("x > 0", "certified"), ("x > 100", "not-checked")])
def test_runs_outside_of_where_are_counted_and_none_inside_is_no_pass(verified, where, verdict):
    source = "def g(number):\n    x = float(number)\n    y = x + 1\n    return y\n"
    scenario = "from subject import g\ndef run(rng, sizes):\n    g(rng.integers(-3, 4))\n"
    anchor = "{role: computes, at: 'subject.py:3', in: g, code: 'y = x + 1'}"
    spec = TOPIC.format(form="'Eq(y, x + 1)'", anchors=anchor).replace("subject.py::f", "subject.py::g")
    result = verified(source, f"{spec}    where: '{where}'\n", scenario).result("t.e")
    assert result.verdict == verdict
    assert any("outside of `where`" in limit for limit in result.evidence.limits)
    assert [fault.kind for fault in result.faults] == ["value-undecided"] * (verdict != "certified")


FLAG = "import numpy as np\ndef f(x, flag=None):\n    return 3 * x if flag else 2 * x\n"
OTHER = "from subject import f\ndef run(rng, sizes):\n    f(rng.normal(), flag=True)\n    f(rng.normal())\n"


def test_a_flag_that_the_formula_does_not_name_keeps_its_default(verified):
    """Drawn values would be another claim than the formula's; what runs with others is left out, and said."""
    result = verified(FLAG, "subject: {f: {sympy: '2*x'}}\n", OTHER).result()
    assert (result.verdict, result.faults) == (Verdict.CERTIFIED, ())
    left_out, kept = result.evidence.limits
    assert "executions with other values than defaults were not compared" in left_out
    assert kept == "nothing is claimed but of the default flag = None, which the formula does not name"


HIDES = "def plain(f):\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n    return inner\n"


@pytest.mark.parametrize(
    ("source", "entry", "other"),
    [
        ("import numpy as np\ndef f(x, g=np.exp):\n    return g(x)\n", "sympy: exp(x)", "abs"),
        ("import numpy as np\ndef f(x, g=float):\n    return np.asarray(x, dtype=g) / 3\n", "sympy: x/3", "np.float32"),
        ("def f(x, g=[0, 1]):\n    return x + g[0] + g[1]\n", "sympy: x + 1", "[0, 2]"),
        ("def f(x, g='a'):\n    return x * len(g)\n", "sympy: x", "'ab'"),
        (HIDES + "@plain\ndef f(x, g=None):\n    return 3 * x if g else 2 * x\n", "sympy: 2*x", "True"),
        ("def help(t):\n    return 2 * t\ndef f(x, g=help):\n    return g(x)\n", "sympy: 2*x", "abs"),
        ("NAME = 'm'\ndef f(x, g=NAME):\n    return x if g == 'm' else 1000 * x\n", "sympy: x", "'km'"),
        ("NONE = object()\ndef f(x, g=NONE):\n    return x if g is NONE else g\n", "sympy: x", "3.0"),
    ],
)
def test_runs_with_another_value_than_the_default_are_left_out(verified, source, entry, other):
    scenario = f"import numpy as np\nfrom subject import f\ndef run(rng, sizes):\n    f(rng.normal(), g={other})\n    f(rng.normal())\n"
    result = verified(source, f"subject: {{f: {{{entry}}}}}\n", scenario).result()
    assert result.faults == ()
    assert result.verdict in (Verdict.CERTIFIED, Verdict.SAMPLED)
    assert any("with other values than defaults" in each for each in result.evidence.limits)


def test_where_no_run_has_the_defaults_that_is_said(verified):
    source = HIDES + "@plain\ndef f(x, g=None):\n    return 3 * x if g else 2 * x\n"
    scenario = "from subject import f\ndef run(rng, sizes):\n    f(rng.normal(), g=True)\n"
    result = verified(source, "subject: {f: {sympy: 2*x}}\n", scenario).result()
    assert result.verdict is Verdict.NOT_CHECKED
    assert "came to its end with the defaults of g" in result.faults[0].message


def test_the_default_by_another_type_is_the_default(verified):
    source = "def f(x, axis=0, flag=False, name='a'):\n    return 2 * x + axis if not flag else 3 * x\n"
    run = "import numpy as np\nfrom subject import f\ndef run(rng, sizes):\n"
    scenario = run + "    f(rng.normal(), np.int64(0), np.bool_(False), np.str_('a'))\n"
    result = verified(source, "subject: {f: {sympy: '2*x'}}\n", scenario).result()
    assert result.verdict is Verdict.CERTIFIED
    assert not any("other values" in each for each in result.evidence.limits)


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("def f(x, log=False):\n    return np.log(np.log(x)) if log else np.log(x)\n", "sympy: log(x), where: 'x > 0'"),
        ("def f(x, k=None):\n    return np.sum(x)\n", "sympy: 'Sum(x[k], k)', shapes: {x: [n]}, indices: {k: n}"),
    ],
)
def test_a_flag_that_is_called_like_a_word_of_the_form_or_an_index(value, code, entry):
    result = value("import numpy as np\n" + code, entry)
    assert (result.verdict, result.faults) == (Verdict.CERTIFIED, ())


@pytest.mark.parametrize(
    ("default", "remembers"),
    [("{}", "    memo['last'] = x\n"), ("[]", "    memo.append(1)\n"), ("(0, 1)", ""), ("float", ""), ("'a'", "")],
)
def test_every_run_is_compared_where_a_default_only_remembers(value, default, remembers):
    result = value(f"def f(x, memo={default}):\n{remembers}    return 2 * x\n", "sympy: '2*x', domain: {x: {min: 1}}")
    assert result.verdict is Verdict.CERTIFIED
    assert result.evidence.points >= 32


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (FLAG.replace("2 * x", "4 * x"), "and flag = None, which the formula does not name"),
        ("def f(x, by=0.5):\n    return 2 * x + by\n", "and by = "),  # a number is a parameter of the formula
    ],
)
def test_what_is_wrong_says_what_the_formula_leaves_out(value, source, says):
    result = value(source, "sympy: '2*x'")
    assert result.verdict is Verdict.REFUTED
    assert says in result.faults[0].hint


def test_axes_of_numpy_keep_their_defaults(value):
    source = "def f(x, axis=-1, ddof=0):\n    return x.var(axis=axis, ddof=ddof)\n"
    form = "sympy: 'Sum((x[i] - Sum(x[j], j)/n)**2, i)/n', indices: {i: n, j: n}, shapes: {x: [n]}"
    result = value(source, form)
    assert result.verdict in (Verdict.CERTIFIED, Verdict.SAMPLED), result.faults
    assert not result.faults


def test_a_scalar_formula_in_a_topic_with_arrays_is_tried_with_arrays(verified):
    result = topic(
        verified,
        "def f(x):\n    y = x + 1\n    return y\n",
        "'Eq(y, x + 1)'",
        "{role: computes, at: 'subject.py:2', in: f, code: 'y = x + 1'}",
    )
    assert (result.verdict, result.evidence.limits) == (Verdict.CERTIFIED, ())


def test_a_formula_with_an_array_is_not_tried_with_arrays_of_scalars(verified):
    source = "import numpy as np\ndef f(x):\n    v = np.arange(3.0)\n    y = x * v.sum()\n    return y\n"
    anchor = "{role: computes, at: 'subject.py:4', in: f, code: 'y = x * v.sum()'}"
    result = topic(verified, source, "'Eq(y, x*Sum(v[i], i))'", anchor)
    assert result.verdict is Verdict.CERTIFIED


def test_a_sum_on_the_left_has_a_radius(verified):
    source = "import numpy as np\ndef f(x):\n    v = 2 + np.cos(x * np.arange(7))\n    v = v / v.sum()\n    return v\n"
    anchor = "{role: computes, at: 'subject.py:4', in: f, code: 'v = v / v.sum()', bind: {v: v}}"
    result = topic(verified, source, "'Eq(Sum(v[i], i), 1)'", anchor)
    assert [fault.message for fault in result.faults] == []
    assert result.verdict in (Verdict.CERTIFIED, Verdict.SAMPLED)


ROUNDED = "{role: computes, at: 'subject.py:3', in: f, code: 'y = 3 * c'}"
BEFORE = ["c = x / 3", "c: float = x / 3", "(c, _), z = (x / 3, 0), x", "b = x / 9; a = b; c = 3 * a", "c = third(x)"]


def rounded_before(verified, first):
    source = f"def f(x):\n    {first}\n    y = 3 * c\n    return y\ndef third(x):\n    return x / 3\n"
    return verified(source, TOPIC.format(form="'Eq(y, x)'", anchors=ROUNDED)).result("t.e")


IN_PLACE = ["c = 0.0; c += x / 3", "c = [x / 3]; c[0] *= 1; c = c[0]", "c = [x / 3]; c.sort(); c = c[0]"]


@pytest.mark.parametrize("first", IN_PLACE)
def test_floats_rounded_before_the_line_are_no_refutation(verified, first):
    result = rounded_before(verified, first)
    assert result.verdict is Verdict.SAMPLED
    assert "reads c, rounded before it" in result.evidence.detail


@pytest.mark.parametrize("first", BEFORE)
def test_statements_before_the_line_are_replayed_with_it(verified, first):
    result = rounded_before(verified, first)
    assert result.verdict is Verdict.CERTIFIED, result.evidence.detail


@pytest.mark.parametrize("first", BEFORE)
def test_faults_before_the_line_are_found_at_it(verified, first):
    wrong = first.replace("3", "3.001").replace("9", "9.001") if "third" not in first else "c = third(x + x / 1000)"
    assert rounded_before(verified, wrong).verdict is Verdict.REFUTED


@pytest.mark.parametrize("seed", range(5))
def test_what_is_correct_stays_silent_with_every_seed(value, seed):
    source = """
    import math
    import numpy as np
    def f(x, y, s):
        z = np.asarray(x) - y
        return np.exp(-z**2 / (2 * s**2)) / (s * math.sqrt(2 * math.pi)) + np.log1p(np.abs(z))
    """
    result = value(
        textwrap.dedent(source), "sympy: 'exp(-(x - y)**2/(2*s**2))/(s*sqrt(2*pi)) + log(1 + Abs(x - y))', where: 's > 0'", seed
    )  # fmt: skip
    assert [fault.message for fault in result.faults] == []
    assert result.verdict is Verdict.CERTIFIED


def test_the_counter_example_is_shrunk(value):
    source = "import numpy as np\ndef f(X, w):\n    return X @ w * 1.001"
    result = value(source, "sympy: 'Sum(X[i, j]*w[j], j)', shapes: {X: [n, m], w: [m]}")
    (fault,) = result.faults
    assert "w = [1.0]" in fault.hint
    assert "X = [[1.0]]" in fault.hint


def test_an_argument_changed_in_place_refutes(value):
    result = value(
        "import numpy as np\ndef f(x):\n    return np.multiply(x, 2, out=x)", "sympy: '2*x[i]', shapes: {x: [n]}"
    )
    assert result.verdict is Verdict.REFUTED
    assert {fault.kind for fault in result.faults} == {"argument-changed"}


IN_PLACE = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::count']
what: w
why: w
call: 'count({"a": a, "b": b}, x)'
symbols:
  x: {shape: [n]}
  a: {shape: [n], code: 'sums["a"]'}
  b: {shape: [n], code: 'sums["b"]'}
indices: {i: n}
equations:
  - id: t.a
    sympy: 'Eq(a[i], Old(a[i]) + x[i])'
    anchors: [{role: computes, at: 'subject.py:2', in: count, code: 'sums["a"] += x'}]
"""
SECOND = """
  - id: t.b
    sympy: 'Eq(b[i], Old(b[i]) - x[i])'
    anchors: [{role: computes, at: 'subject.py:3', in: count, code: 'sums["b"] -= x'}]
"""


def test_what_another_equation_of_the_function_gives_may_change(verified):
    source = "def count(sums, x):\n    sums['a'] += x\n    sums['b'] -= x\n"
    both = verified(source, IN_PLACE + SECOND.lstrip("\n"))
    for equation in ("t.a", "t.b"):
        result = both.result(equation)
        assert [fault.message for fault in result.faults] == []
        assert result.verdict is Verdict.CERTIFIED


def test_what_no_equation_of_the_function_gives_may_not_change(verified):
    source = "def count(sums, x):\n    sums['a'] += x\n    sums['b'] -= x\n"
    (fault,) = verified(source, IN_PLACE).result("t.a").faults
    assert fault.kind == "argument-changed"
    assert "changes its argument `b` in place" in fault.message


def of_rows(verified, source, form, anchors):
    spec = TOPIC.replace("v: {{shape: [n]}}", "v: {{shape: [n]}}, m: {{shape: [n]}}, X: {{shape: [n, k]}}")
    spec = spec.replace("{{i: n}}", "{{i: n, j: k}}")
    return verified(source, spec.format(form=form, anchors=anchors)).result("t.e")


def test_a_result_of_another_shape_refutes(verified):
    source = "import numpy as np\ndef f(X):\n    m = X.mean(axis=0)\n    return m"
    anchor = "{role: computes, at: 'subject.py:3', in: f, code: 'm = X.mean(axis=0)'}"
    result = of_rows(verified, source, "'Eq(m[i], Sum(X[i, j], j)/k)'", anchor)
    assert result.verdict is Verdict.REFUTED
    assert {fault.kind for fault in result.faults} == {"shape-mismatch"}


def test_a_call_that_raises_for_some_inputs_hides_nothing_else(value):
    source = "def f(x):\n    if x == 0:\n        raise ArithmeticError('nothing')\n    return x * 1.5"
    result = value(source, "sympy: '2*x'")
    assert result.verdict is Verdict.REFUTED
    assert {fault.kind for fault in result.faults} == {"user-code-failed", "value-mismatch"}
    (failed,) = (fault for fault in result.faults if fault.kind == "user-code-failed")
    assert failed.hint.startswith("with zeros: x 0.0\nif the formula is not meant for such inputs")


def test_a_symbol_that_the_statement_does_not_read_is_no_refutation(verified):
    source = "import numpy as np\ndef f(X):\n    m = X.mean(axis=1)\n    v = X.var(axis=1)\n    return v"
    anchor = "{role: computes, at: 'subject.py:4', in: f, code: 'v = X.var(axis=1)'}"
    result = of_rows(verified, source, "'Eq(v[i], Sum((X[i, j] - m[i])**2, j)/k)'", anchor)
    assert (result.verdict, result.faults) == (Verdict.SAMPLED, ())
    assert "the form uses m (`m`), rounded before the statement, which does not read it" in result.evidence.limits[0]


def test_an_equation_that_rounded_values_obey_may_be_relied_on(verified):
    source = "import numpy as np\ndef f(X):\n    m = X.mean(axis=1)\n    v = (X - m[:, None]).var(axis=1)\n    return v"
    anchor = "{role: computes, at: 'subject.py:4', in: f, code: 'v = (X - m[:, None]).var(axis=1)'}"
    result = of_rows(verified, source, "'Eq(v[i], Sum((X[i, j] - m[i])**2, j)/k)'", anchor)
    assert (result.verdict, result.faults) == (Verdict.SAMPLED, ())
    assert "as far as the values that it reads are not rounded" in result.evidence.limits[0]


@pytest.mark.parametrize("fault", ["* (1 + 1e-17)", "+ 1e-25", "- 1e-20 * m[:, None]"])
def test_a_fault_below_rounding_is_still_refuted(verified, fault):
    source = f"import numpy as np\ndef f(X):\n    m = X.mean(axis=1)\n    X = X - m[:, None] {fault}\n    return X"
    shapes = "m: {{shape: [n]}}, X: {{shape: [n, k]}}, Y: {{shape: [n, k], code: null}}"
    spec = TOPIC.replace("v: {{shape: [n]}}", shapes).replace("{{i: n}}", "{{i: n, j: k}}")
    anchor = f"{{role: computes, at: 'subject.py:4', in: f, code: 'X = X - m[:, None] {fault}', bind: {{Y: result}}}}"
    made = verified(source, spec.format(form="'Eq(Y[i, j], X[i, j] - m[i])'", anchors=anchor))
    assert made.result("t.e").verdict is Verdict.REFUTED


@pytest.mark.parametrize("kind", ["fractions.Fraction", "decimal.Decimal"])
@pytest.mark.parametrize("take", ["{}", "np.array([{}])"])
def test_numbers_of_other_kinds_are_told(value, kind, take):
    third = take.format("kind(1) / kind(3)")
    found = value(
        f"import decimal, fractions\nimport numpy as np\nkind = {kind}\ndef f(x):\n    return {third} if x.ndim else kind(1)",
        "sympy: '1/3', shapes: {x: [n]}",
    )
    assert found.verdict is Verdict.NOT_CHECKED
    assert f"values of {kind.split('.')[1]} have no exact balls" in found.faults[0].message


def test_a_statement_that_is_nested_too_deeply_is_sampled(verified):
    line = "y = " + " + ".join(["0.0 * x"] * 1000) + " + 2 * x"
    spec = f"""
    topic: t
    title: T
    page: p
    status: implemented
    direction: neither
    functions: ['subject.py::f']
    what: w
    why: y
    symbols: {{x: {{meaning: m, shape: [n]}}, y: {{meaning: m, shape: [n]}}}}
    indices: {{i: n}}
    equations:
      - id: t.e
        label: L
        latex: 'y = 2 x'
        sympy: 'Eq(y[i], 2*x[i])'
        anchors: [{{role: computes, at: 'subject.py:2', in: f, code: '{line}'}}]
    """
    found = verified(f"def f(x):\n    {line}\n    return y\n", spec).result("t.e")
    assert (found.verdict, found.faults) == (Verdict.SAMPLED, ())
    assert "nested too deeply" in found.evidence.detail


def test_a_bind_that_cannot_be_read_is_told(verified):
    spec = """
    topic: t
    title: T
    page: p
    status: implemented
    direction: neither
    functions: ['subject.py::f']
    what: w
    why: y
    symbols: {x: {meaning: m, shape: [n]}, y: {meaning: m, shape: [n]}}
    indices: {i: n}
    equations:
      - id: t.e
        label: L
        latex: 'y = x + 1'
        sympy: 'Eq(y[i], x[i] + 1)'
        anchors: [{role: computes, at: 'subject.py:2', in: f, code: 'y = 2 * x + 1', bind: {x: '2 * x'}}]
    """
    made = verified("def f(x):\n    y = 2 * x + 1\n    return y\n", spec)
    made.project = read_project(config.load(made.root), None)
    assert [fault.kind for fault in made.project.faults if fault.kind != "missing-test"] == ["bind-not-in-statement"]
    made.session = Session(work_of(made.project, 0), lambda name: None, {})
    found = made.result("t.e")
    assert found.verdict is Verdict.NOT_CHECKED
    assert "its values can't be captured: not allowed here (BinOp)" in found.faults[0].message
