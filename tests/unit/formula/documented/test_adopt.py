"""Printed formulas made forms: what is read, as what, and what is not read and why."""

import pytest

from eqtrace.code.documentation.passage import page
from eqtrace.code.documentation.printed import Notation, Printed, printed
from eqtrace.formula.documented.adopt import adopted
from eqtrace.formula.documented.formula import taken_apart
from eqtrace.formula.form import read
from eqtrace.formula.latex.errors import Unread
from eqtrace.model.equation import Equation, IndexRange
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol

PLACE = Span("a.yaml", 1)
VECTORS = {"u": ("n",), "v": ("n",), "M": ("n", "m")}


def adopt(text: str, notation: str = "plain", beside: str = "", conditions: str = "", id: str = "m:f", **indices: str):
    names = ("x", "a", "b", "sigma", "gamma", "mu", "u", "v", "M")
    symbols = {
        name: Symbol(name, PLACE, shape=tuple(Text(dim, PLACE) for dim in VECTORS.get(name, ()))) for name in names
    }
    ranges = {name: IndexRange(None, Text(stop, PLACE)) for name, stop in indices.items()}
    equation = Equation(id, "m", PLACE, statements=(Text("0", PLACE),), symbols=symbols, indices=ranges, whole=True)
    form, faults = read(equation, parameters=names)
    assert form is not None, faults
    formula = taken_apart(Printed(Notation(notation), text, 0, True))
    others, held = (tuple(map(taken_apart, printed(page("a.md", each)))) for each in (beside, conditions))
    return adopted(formula, (*others, *held), held, equation, form)


PLAIN = {
    "f(x; a, b) = a*x + b": "Eq(result, a*x + b)",
    "f(x, a=1.0, b=0) = a*x^2": "Eq(result, a*x**2)",
    "-x**2": "Eq(result, -x**2)",
    "2**-x": "Eq(result, 2**(-x))",
    "2**3**x": "Eq(result, 2**(3**x))",
    "a - b - x": "Eq(result, a - b - x)",
    "a - (b - x)": "Eq(result, a - (b - x))",
    "a/b/x": "Eq(result, a/b/x)",
    "a/(b*x)": "Eq(result, a/(b*x))",
    "np.exp[-{x}] * abs(a) + |b|": "Eq(result, exp(-x)*Abs(a) + Abs(b))",
    "ln(x) + arctan(a) + max(x, 0)": "Eq(result, log(x) + atan(a) + Max(x, 0))",
    "e^(-x) + 1.5e-3": "Eq(result, exp(-x) + 0.0015)",
    "σ*x + √(a)": "Eq(result, sigma*x + sqrt(a))",
    "2(x + 1)(x - 1)": "Eq(result, 2*(x + 1)*(x - 1))",
    "x! + (x < a)*b": "Eq(result, factorial(x) + Piecewise((1, x < a), (0, True))*b)",
    "y = a/b = 1/b*a": "Eq(result, a/b, 1/b*a)",
    "y = a/b ~= 1.2": "Eq(result, a/b)",
    "sum(u*v)": "Eq(result, Sum(u[i]*v[i], (i, 0, n - 1)))",
    "sum((u[1:] - u[:-1])**2)": "Eq(result, Sum((u[i + 1] - u[i])**2, (i, 0, n - 1 - 1)))",
    "y = a*u + v": "Eq(result[i], a*u[i] + v[i])",
    "M[0, 1] + M[-1, 0]": "Eq(result, M[0, 1] + M[n - 1, 0])",
    "M[:, 0]*u": "Eq(result[i], M[i, 0]*u[i])",
    "mean(u)": "Eq(result, Sum(u[i], (i, 0, n - 1))/n)",
    """
         a + b
      ----------- * x
      (x + a)(b)
    """: "Eq(result, (a + b)/((x + a)*b)*x)",
}  # fmt: skip
UNREAD = {
    "a*x + c": "c is not declared",
    "a(x + 1)": "a product, or a function",
    "gamma(x)": "a product, or a function",
    "a x": "x is left over",
    "a/2x": "bar takes in is open",
    "(a + b": "( is never closed",
    "a + b)": ") closes nothing",
    "[a + b)": "stands where [ is to be closed",
    "a +": "something is missing",
    "exp(a, b)": "2 arguments",
    "wofz(x)": "the function wofz is not known",
    "a # b": "is not read",
    "3j*x": "is not",
    "u*M[0]": "the shapes don't go together",
    "u[1:2:3]": "a slice with a step",
    "f(2) = a": "is not known",
    "ln(y) = a*x": "y is not declared",
    "1/y = a*x": "y is not declared",
    "a; b": "is left over",
    "9**9**9": "too large",
    "x**(10^6)": "too large",
    "x**5000": "too large",
    "x" * 4001: "characters",
    "(" * 200: "nested too deep",
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text(text):
    assert adopt(text).statement == PLAIN[text]


@pytest.mark.parametrize("text", UNREAD, ids=lambda text: text[:20])
def test_plain_text_that_is_not_read(text):
    with pytest.raises(Unread) as error:
        adopt(text)
    assert UNREAD[text] in error.value.message


LATEX = {
    r"f(x; a, \mu) = \frac{a}{\sigma\sqrt{2\pi}} e^{-{(x-\mu)^2}/{{2\sigma}^2}}.":
        "Eq(result, a/(sigma*sqrt(2*pi))*exp(-((x - mu)**2/(2*sigma**2))))",
    r"f(x) = \frac{\Gamma(a + b)}{B(a, b)} \exp\left[-x\right]": "Eq(result, gamma(a + b)/beta(a, b)*exp(-x))",
    r"y = a * \{x + b\}": "Eq(result, a*(x + b))",
    r"y = a \approx 3.2": "Eq(result, a)",
    r"\operatorname{pdf}(x) = {\operatorname{erf}}\Bigl(\frac{x}{a}\Bigr)": "Eq(result, erf(x/a))",
    r"sinc(x) = \frac{\sin(\pi x)}{\pi x}": "Eq(result, sin(pi*x)/(pi*x))",
}  # fmt: skip


@pytest.mark.parametrize("text", LATEX)
def test_latex(text):
    assert adopt(text, "latex").statement == LATEX[text]


@pytest.mark.parametrize(
    "text", ["f'(x) = a", r"f^2(x) = a", r"\ln f(x) = a", r"\sqrt{f}(x) = a", "f(x) + 1 = a", "2 f(x) = a", "-f(x) = a"]
)
def test_a_left_side_that_is_no_name_alone_is_not_read(text):
    with pytest.raises(Unread):
        adopt(text, "latex")


@pytest.mark.parametrize(
    "left",
    [
        *[r"\beta", r"\Gamma", r"\psi", r"\beta(x)", r"\gamma_g", r"\gamma(x; a)", r"\gamma_{max}(x)", "B"],
        *[r"\Gamma(x)", r"\psi(a)", "B(x, a)", r"\beta(a, x)", r"B(\mu, x)"],  # of the function's own parameters
    ],
)
def test_a_left_side_that_is_a_letter_is_a_name_also_where_a_function_of_forms_is_called_so(left):
    assert adopt(rf"{left} = \frac{{x}}{{a}}", "latex").statement == "Eq(result, x/a)"


def test_a_word_of_forms_alone_on_the_left_side_names_the_formula():
    assert adopt("beta = x/a").statement == "Eq(result, x/a)"
    assert adopt(r"z + x", "latex", beside=r"$z = a \beta$, where $\beta = b^2$").statement == "Eq(result, a*b**2 + x)"


@pytest.mark.parametrize("left", [r"\Gamma(y)", r"\psi(y)", r"\beta(y, z)", r"\exp(y)", r"\log y"])
def test_a_left_side_that_is_a_function_of_something_names_nothing(left):
    with pytest.raises(Unread):
        adopt(rf"{left} = \frac{{x}}{{a}}", "latex")


def test_a_function_of_forms_may_be_documented_itself():
    assert adopt("exp(x) = e^x", id="m:exp").statement == "Eq(result, exp(x))"


def test_an_index_of_which_the_formula_tells_the_range():
    found = adopt(r"w(k) = \cos(k/a) \qquad 0 \leq k \leq a - 1", "latex")
    assert (found.statement, found.conditions, found.indices) == ("Eq(result[k], cos(k/a))", (), {"k": ("0", "a")})


def test_an_index_that_is_declared():
    assert adopt(r"w(k) = \cos(k/a)", "latex", k="a").statement == "Eq(result[k], cos(k/a))"


OVER = {
    r"\sum_i u_i": "Eq(result, Sum(u[i], i))",
    r"t = a + \max_i (u_i - v_i)": "Eq(result, a + MaxOver(u[i] - v[i], i))",
    r"\prod_i u_i v_i": "Eq(result, Product(u[i]*v[i], i))",
    r"\arg\min_i u_i": "Eq(result, ArgMin(u[i], i))",
    r"\sum_i \min_j M_{ij}": "Eq(result, Sum(MinOver(M[i, j], j), i))",
    r"y_i = \sum_j M_{ij}": "Eq(result[i], Sum(M[i, j], j))",
    r"y_i = \frac{u_i}{\sum_i u_i}": "Eq(result[i], u[i]/Sum(u[i], i))",
    r"\sum_{i:\, u_i > 0} u_i": "Eq(result, Sum(Piecewise((u[i], u[i] > 0), (0, True)), i))",
    r"\sum_{i=1}^n u_i": "Eq(result, Sum(u[i], (i, 0, n - 1)))",
}


@pytest.mark.parametrize("text", OVER)
def test_a_sum_over_an_index_that_is_declared_has_its_range(text):
    assert adopt(text, "latex", i="n", j="m").statement == OVER[text]


def test_an_index_that_is_declared_of_another_length_runs_over_its_axis():
    assert adopt(r"\sum_i u_i", "latex", i="m").statement == "Eq(result, Sum(u[i], (i, 0, n - 1)))"


def test_a_sum_that_tells_no_index_is_not_read():
    with pytest.raises(Unread, match="over which index"):
        adopt(r"\sum u_i", "latex", i="n")


@pytest.mark.parametrize(
    ("text", "why", "part"),
    [
        (r"\sum_{k=1}^n u_k", "the index k is not declared: write `indices: {k: LENGTH}`", "k"),
        (r"\max_k u_k", "the index k is not declared: write `indices: {k: LENGTH}`", "k"),
        (r"\sum_\nu u_\nu", "the index nu is not declared: write `indices: {nu: LENGTH}`", r"\nu"),
        (r"\sum_x u_x", "x is declared, but as no index", "x"),
        (r"\sum_{ij} M_{ij}", "ij is no index by itself: several stand between commas", "ij"),
        (r"\sum_1 u_1", "1 is no index", "1"),
        (r"\sum_{i,} u_i", "an index is missing", ""),
    ],
)
def test_what_is_no_index_is_named(text, why, part):
    with pytest.raises(Unread) as error:
        adopt(text, "latex", i="n", j="m")
    assert error.value.message == why
    assert text[error.value.offset :].startswith(part)


def test_an_argument_that_nothing_tells_is_not_read():
    with pytest.raises(Unread, match="neither a parameter nor an index"):
        adopt(r"w(k) = \cos(k/a)", "latex")


def test_names_that_are_defined_beside_it():
    found = adopt("f(x) = lm*z", beside="where `z = w/a`, ``lm(x, a) = 1/(x + a)`` and `w = x - b`")
    assert found.statement == "Eq(result, 1/(x + a)*((x - b)/a))"


def test_a_definition_with_its_arguments():
    assert adopt("f(x) = g(x, a)", beside="`g(x, a) = x + a`").statement == "Eq(result, x + a)"
    with pytest.raises(Unread, match="of other arguments"):
        adopt("f(x) = g(a, x)", beside="`g(x, a) = x + a`")


def test_a_name_that_is_defined_twice_or_not_readably():
    with pytest.raises(Unread, match="more than once"):
        adopt("f(x) = z", beside="`z = x + 1`, `z = x + 2`")
    with pytest.raises(Unread, match="z is defined beside it, which is not read: the function h is not known"):
        adopt("f(x) = z", beside="`z = h(x)`")


def test_a_definition_does_not_change_what_the_left_side_is():
    assert adopt("f(x) = f2", beside="`f = 3*x`, `f2 = x + 1`").statement == "Eq(result, x + 1)"


def test_a_definition_in_latex_serves_plain_text_and_the_other_way_round():
    assert adopt("f(x) = z_g", beside=r"$z_g = x^2$").statement == "Eq(result, x**2)"
    assert adopt(r"f(x) = \frac{z}{2}", "latex", beside="`z = x + 1`").statement == "Eq(result, (x + 1)/2)"


def test_conditions_of_the_sentence_behind_it():
    found = adopt("f(x) = a*x", conditions=r"$0 \le x < 1$, $a, b > 0$ and ``sigma > 0``")
    assert found.conditions == ("0 <= x", "x < 1", "a > 0", "b > 0", "sigma > 0")


def test_conditions_that_are_not_read_are_left_out():
    assert adopt("f(x) = a*x", conditions=r"$x \in \mathbb{Q}$ and $k > 0$").conditions == ()


def test_what_is_said_of_a_parameter_does_not_define_it():
    text, beside = r"y = a\,sigma^2", r"It holds up to $sigma = 65\sqrt{a}$."
    with pytest.raises(Unread):  # to LaTeX, `sigma` is five letters
        adopt(text, "latex", beside)
    assert adopt(r"y = a\,Q^2", "latex", r"where $Q = 65\sqrt{a}$.").statement == "Eq(result, a*(65*sqrt(a))**2)"
