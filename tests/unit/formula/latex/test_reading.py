"""What the reader accepts, and what it then says; what it takes for another claim; what it refuses."""

from __future__ import annotations

import re
import time

import pytest

from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.tokens import LIMIT_CHARACTERS, tokens
from eqtrace.model.readback import ReadBack

LINEAR = "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])"
MEAN = "Eq(mu[t, 0], Sum(X[t, k], k)/a)"
GRAM = "Eq(S[t, s], Sum(X[t, k]*X[s, k], k))"
MASK = "Eq(S[t, s], Piecewise((Old(S[t, s]), s <= t), (-oo, True)))"
HEADS = "Eq(A[h, t, s], Sum(Qh[h, t, i]*Kh[h, s, i], i)/sqrt(dh))"

NORMALISED = "Eq(Xhat[t, k], (X[t, k] - mu[t, 0])/sqrt(var[t, 0] + eps))"
SOFTMAX = "Eq(S[t, s], exp(Sum(X[t, k]*X[s, k], k))/Sum(exp(Sum(X[t, k]*X[v_, k], k)), v_))"

AGREES = [
    ("Y = XW + b", LINEAR),
    ("Y = b + X W", LINEAR),
    (r"Y = XW + \mathbf{1} b^\top", LINEAR),
    (r"Y_{tj} = \sum_{k} X_{tk} W_{kj} + b_j", LINEAR),
    (r"Y_{t,j} = b_j + \sum_k W_{k j} X_{t k}", LINEAR),
    (r"Y_{tj} = \sum_{k=0}^{a-1} X_{tk} W_{kj} + b_j", LINEAR),
    (r"Y_{tj} = \left(X W\right)_{tj} + b_j", LINEAR),
    (r"Y_t = X_t W + b", LINEAR),
    (r"\mu_t = \frac{1}{a} \sum_{k} X_{tk}", MEAN),
    (r"\mu_t = \frac{\sum_k X_{tk}}{a}", MEAN),
    (r"\mu_t = \operatorname{mean}_k\!\left(X_{tk}\right)", MEAN),
    (r"\mu_t = \sum_k X_{tk} / a", MEAN),
    (r"\sigma_t^2 = \frac1a \sum_k \big(X_{tk} - \mu_t\big)^2", "Eq(var[t, 0], Sum((X[t, k] - mu[t, 0])**2, k)/a)"),
    (r"\hat X_{tk} = \frac{X_{tk} - \mu_t}{\sqrt{\sigma^2_t + \epsilon}}", NORMALISED),
    (r"S = X X^\top", GRAM),
    (r"S_{ts} = \sum_k X_{tk} X_{sk}", GRAM),
    (r"S_{ts} \leftarrow \begin{cases} S_{ts} & s \le t \\ -\infty & s > t \end{cases}", MASK),
    (r"S_{ts} \leftarrow \begin{cases} S_{ts} & \text{if } s \leq t \\ -\infty & \text{otherwise} \end{cases}", MASK),
    (r"S_{ts} \leftarrow \begin{dcases} S_{ts} & s \le t \\ -\infty & s > t \end{dcases}", MASK),
    (r"S_{ts} \leftarrow \left\{ \begin{array}{ll} S_{ts} & s \le t \\ -\infty & s > t \end{array} \right.", MASK),
    (r"A = \frac{Q_h K_h^\top}{\sqrt{d_h}}", HEADS),
    (r"A_{ts} = \frac{1}{\sqrt{d_h}} \left(Q_h K_h^\top\right)_{ts}", HEADS),
    (r"S = \operatorname{softmax}(X X^\top)", SOFTMAX),
    (r"X_t = E_{i_t}", "Eq(X[t, k], E[ids[t], k])"),
    (r"X = E[\text{ids}]", "Eq(X[t, k], E[ids[t], k])"),
    (r"r = e^{-\epsilon}", "Eq(r, exp(-eps))"),
    (r"r = \max(0, \epsilon) + |\epsilon - 1|", "Eq(r, Max(0, eps) + Abs(eps - 1))"),
    (r"r = \left\lceil \frac{n}{2} \right\rceil - \lfloor n / 2 \rfloor", "Eq(r, ceiling(n/2) - floor(n/2))"),
    (r"r = \cos(\pi \epsilon)\, n", "Eq(r, n*cos(pi*eps))"),
    (r"r = |\{ t : \text{ids}_t = 0 \}|", "Eq(r, Sum(Piecewise((1, Eq(ids[t], 0)), (0, True)), t))"),
    (r"\hat X = X \odot \mathbf{1}[X > 0]", "Eq(Xhat[t, k], Max(0, X[t, k]))"),
    (r"r = n * \left[ \epsilon + \{ n - 1 \} \right]", "Eq(r, n*(eps + n - 1))"),
    (r"r = \exp\bigl[ -\epsilon \bigr] + \cos\{ n \}", "Eq(r, exp(-eps) + cos(n))"),
    (r"r = \Gamma(n + 1) / B(n, 2) + \psi(n)", "Eq(r, gamma(n + 1)/beta(n, 2) + digamma(n))"),
    (r"r = \left| n \left| \epsilon \right| - \lvert n \rvert \right|", "Eq(r, Abs(n*Abs(eps) - Abs(n)))"),
    (r"r = {2n}!", "Eq(r, 2*factorial(n))"),
    (r"r = \ln 2 / \epsilon", "Eq(r, log(2)/eps)"),
    (r"r = \frac12 n + \tfrac12\epsilon - \dfrac{n}2", "Eq(r, n/2 + eps/2 - n/2)"),
    (r"r = \frac1n + \frac 1{12} + \frac{12}5 + \frac{1}{2}34", "Eq(r, 1/n + 1/12 + 12/5 + 17)"),
    (r"r = n^{\frac12} + \sqrt2\epsilon + \frac{\frac12}3", "Eq(r, n**(1/2) + sqrt(2)*eps + 1/6)"),
    (r"r = {2\epsilon}^2 + {\left(n + 1\right)}^2", "Eq(r, 2*eps**2 + (n + 1)**2)"),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "sympy"), AGREES)
def test_what_says_the_same_agrees(compared, latex, sympy) -> None:
    indices = {"t": "T", "s": "T", "v_": "T", "k": "a", "j": "c", "h": "H", "v": "V_", "i": "dh"}
    found = compared(latex, sympy, indices=indices)
    assert found.status is ReadBack.AGREES, found.detail


DIFFERS = [
    (r"r = {2\epsilon}^2", "Eq(r, (2*eps)**2)", None),
    (r"r = \Gamma(n)", "Eq(r, gamma(n + 1))", None),
    ("Y = Y", LINEAR, "Y"),
    ("Y = XW + b = Y", LINEAR, "Y"),
    ("Y = XW - b", LINEAR, "- b"),
    ("Y = XW", LINEAR, "XW"),
    ("Y = W X + b", LINEAR, "W X"),
    (r"Y = X^\top W + b", LINEAR, r"X^\top W"),
    (r"Y_{tj} = \sum_{k} X_{kt} W_{kj} + b_j", LINEAR, "X_{kt}"),
    (r"Y_{tj} = \sum_{k} X_{tk} W_{kj} + b_k", LINEAR, "b_k"),
    (r"Y_{tj} = \sum_{k=0}^{a-2} X_{tk} W_{kj} + b_j", LINEAR, None),
    (r"\mu_t = \sum_{k} X_{tk}", MEAN, r"\sum_{k} X_{tk}"),
    (r"\mu = \frac{1}{T} \sum_{k} X_{tk}", MEAN, None),
    (r"S = X^\top X", GRAM, None),
    (r"S_{ts} \leftarrow \begin{cases} S_{ts} & s < t \\ -\infty & s > t \end{cases}", MASK, None),
    (r"S_{ts} \leftarrow \begin{cases} S_{ts} & s < t \\ -\infty & s \ge t \end{cases}", MASK, None),
    (r"S_{ts} = \begin{cases} S_{ts} & s \le t \\ -\infty & s > t \end{cases}", MASK, None),
    (r"A = \frac{Q_h K_h^\top}{d_h}", HEADS, None),
    (r"A = \frac{K_h Q_h^\top}{\sqrt{d_h}}", HEADS, None),
    (r"\hat X = X \odot \mathbf{1}[X > \mu]", "Eq(Xhat[t, k], Max(0, X[t, k]))", None),
    (r"r = \epsilon, \qquad n > 2", "Eq(r, eps)", "n > 2"),
]


@pytest.mark.parametrize(("latex", "sympy", "part"), DIFFERS)
def test_what_says_something_else_differs(compared, latex, sympy, part) -> None:
    more = {"where": "n < 2"} if "n > 2" in latex else {}
    indices = {"t": "T", "s": "T", "k": "a", "j": "c", "h": "H", "i": "dh"}
    found = compared(latex, sympy, indices=indices, **more)
    assert found.status is ReadBack.DIFFERS, found.detail
    assert part is None or latex[found.offset : found.offset + found.length].strip() == part


REFUSED = [
    ("Y = X * W + b", "of entries, or of matrices"),
    (r"r = \Gamma(n, 2)", "2 arguments"),
    (r"r = {n^2}^3", "same height|left over|missing"),
    (r"X = dX + d W^\top", "not declared|a gradient"),
    (r"Y_{tj} = \sum_{k=1}^{a-1} X_{tk} W_{kj} + b_j", "counts from 1"),
    (r"Y = XW + \beta", "not declared"),
    ("Y = XW + b b", "vectors"),
    ("Y = XW + (b", "not closed"),
    ("Y = XW + b)", "left over"),
    (r"Y = XW + b, \ldots", "not declared|missing|left over|\\."),
    ("Y = XW + b % a comment", "character"),
    ("Y = XW + \\text{the bias } b", "not declared"),
    (r"\def\x{b} Y = XW + \x", "not declared"),
    (r"\newcommand{\x}{b} Y = XW", "not declared"),
    (r"Y = XW + b \begin{matrix} 1 \end{matrix}", "environment"),
    (r"r = \left\{ \begin{array}{ll} n & n > 1 \\ 1 & n \le 1 \end{array} \right\}", "left over"),
    (r"r = \left\{ \begin{cases} n & n > 1 \\ 1 & n \le 1 \end{cases} \right.", "environment"),
    (r"S_{ts} = \begin{cases} 1 & s \le t \\ 0 & s > t \end{case}", "ends"),
    (r"Y = \left< XW \right>", "bracket|missing|starts"),
    (r"r = \epsilon^12", "of 12, a superscript takes the first digit alone"),
    (r"r = \tfrac123", "of 123, a fraction takes the first digit alone"),
    (r"r = \frac1.5", "of 1.5, a fraction takes the first digit alone"),
    (r"r = \frac{n}12", "of 12, a fraction takes the first digit alone"),
    (r"r = \frac\epsilon{\frac n10}", "of 10, a fraction takes the first digit alone"),
    (r"r = \sqrt12", "of 12, a root takes the first digit alone"),
    (r"r = \frac1", "missing"),
    (r"r = n / \epsilon n", "bar takes in"),
    (r"r = \log n \epsilon", "takes in"),
    (r"r = n \bmod 2 \epsilon", "takes in"),
    (r"S = X^T X", r"\^T"),
    (r"r = u u", "vectors"),
    (r"r = S^2", "power of a matrix|axes"),
    (r"Y = XW + b'", "prime|height|declared"),
    (r"r = \epsilon < n", "one chain"),
    (r"r = 10\,000 n", "two numbers side by side"),
    (r"r = \log n/\epsilon", "takes in is open"),
    (r"r \equiv n \bmod 3", "a congruence"),
    (r"r &= n \\ & (\epsilon + 1)", "a row that"),
    (r"r = \log^{-1} n", "its inverse, or one by it"),
    (r"r = \cot^{-1} n", "its inverse, or one by it"),
    (r"r = \sin^{(2)} n", "a script of"),
    (r"r = \sin' n", "a script of"),
    (r"r = \ln_2 n", "a script of"),
    (r"r = \sin_2 n", "a script of"),
    (r"r = \sin n \epsilon", "takes in"),
    (r"r = n!!", "every other number"),
    (r"r = n^2!", "behind a power"),
    (r"r = \|X\|", "a norm"),
    (r"r = \|X\|_2", "a norm"),
    (r"r = \|u\|_F", "a norm"),
    (r"r = \|u", "not closed"),
    (r"r \approx n", "no equation"),
    (r"r \propto n", "no equation"),
    (r"r = \begin{array} n \end{array}", "environment"),
    (r"\begin{align} r &= n \end{split}", "environment"),
    ("", "nothing"),
    (r"\qquad", "nothing"),
    ("Y =", "empty|missing"),
    (r"Y = \sum X", "which index"),
    (r"r = \sum_{z} \epsilon", "not declared"),
    ("Y = XW + b\x00", "character"),
    ("Y = XW + b\u202e", "character"),
]


@pytest.mark.parametrize(("latex", "why"), REFUSED)
def test_what_is_not_read_says_why_and_where(compared, latex, why) -> None:
    found = compared(latex, LINEAR)
    assert found.status is ReadBack.NOT_READ, (found.status, found.detail)
    assert re.search(why, found.detail), found.detail
    assert 0 <= found.offset <= len(latex)


@pytest.mark.parametrize(
    "latex",
    [
        "(" * 300 + "b" + ")" * 300,
        "{" * 3000 + "b" + "}" * 3000,
        "Y = " + "-" * 3000 + "b",
        "Y = " + r"\frac{1}{" * 120 + "b" + "}" * 120,
        "Y = b" + "^{b" * 200 + "}" * 200,
        r"Y = \sqrt{" * 100,
        "Y = " + "b + " * 900 + "b",
        "x" * (LIMIT_CHARACTERS + 1),
        "Y = XW + b " * 100_000,
        r"\left" * 500,
        "Y = " + r"\sum_k " * 300 + "X",
        "Y = |" * 500,
        r"Y = \begin{cases}" * 200,
    ],
)
def test_hostile_texts_are_refused_in_no_time(compared, latex) -> None:
    started = time.process_time()
    assert compared(latex, LINEAR).status in (ReadBack.NOT_READ, ReadBack.DIFFERS)
    assert time.process_time() - started < 3


def test_tokens_cover_all_but_space() -> None:
    text = r"\hat{X}_{ti}\, = \left( X_{ti} - \mu_t \right) \cdot 1.5^{-3/2}, \qquad \text{fan\_in} \le p''_i"
    found = tokens(text)
    held = set()
    for each in found:
        held |= set(range(each.offset, each.end))
    assert not [text[place] for place in range(len(text)) if place not in held and text[place] not in " \\,leftrigh"]
    assert [each.key for each in found if each.key.startswith('"')] == ['"fan_in"']


@pytest.mark.parametrize("text", ["é", "x # y", '"', "\x07", r"\text{a{b}c}", r"\left x"])
def test_tokens_refuse(text) -> None:
    with pytest.raises(Unread):
        tokens(text)


def test_two_readings_are_none(compared) -> None:
    symbols = {
        "r": {"meaning": "r", "code": None, "shape": ["T"]},
        "g": {"meaning": "g", "code": None, "shape": ["T"]},
        "q": {"meaning": "q", "code": None, "shape": ["T"], "latex": "g"},
    }
    found = compared("r_t = g_t", "Eq(r[t], g[t] + q[t])", symbols=symbols)
    assert found.status is ReadBack.NOT_READ
    assert "either fits" in found.detail


NUMBERS = {name: {"meaning": name, "code": None, "shape": []} for name in ("Nu", "Re", "Pr", "Re_D", "T_in")}


@pytest.mark.parametrize(
    "latex",
    [
        r"Nu = Re^2 Pr + Re_D T_{in}",
        r"Nu = Re^2Pr + Re_{D}T_{in}",
        r"\mathrm{Nu} = \mathrm{Re}^2 Pr + Re_D T_\text{in}",
    ],
)
def test_a_word_may_stand_without_being_marked_as_one(compared, latex) -> None:
    assert compared(latex, "Eq(Nu, Re**2*Pr + Re_D*T_in)", symbols=NUMBERS).status is ReadBack.AGREES


def numbers(*names: str, **spelt: str) -> dict[str, object]:
    plain = {name: {"meaning": name, "code": None, "shape": []} for name in (*names, *spelt)}
    return {name: each | ({"latex": spelt[name]} if name in spelt else {}) for name, each in plain.items()}


CUSTOMARY = [
    (r"\sin^2 p", "sin(p)**2", "sin(p**2)"),
    (r"\sin^{n}(p)", "sin(p)**n", "sin(n*p)"),
    (r"2\sin p \cos p", "2*sin(p)*cos(p)", "2*sin(p*cos(p))"),
    (r"\sin^{-1} p", "asin(p)", "1/sin(p)"),
    (r"\tanh^{-1}(p)", "atanh(p)", "1/tanh(p)"),
    (r"\operatorname{arsinh}(p)", "asinh(p)", "sinh(p)"),
    (r"\operatorname{sech}^2 p", "1/cosh(p)**2", "1/cosh(p)"),
    (r"\cot p", "1/tan(p)", "tan(p)"),
    (r"\mathrm{exp}(-p)", "exp(-p)", "exp(p)"),
    (r"\log_{10} a", "log10(a)", "log(a)"),
    (r"\log_2^2 a", "log2(a)**2", "log2(a**2)"),
    (r"\log_a n", "log(n, a)", "log(a, n)"),
    (r"\log_e a", "log(a)", "log10(a)"),
    (r"\ln^2 a", "log(a)**2", "log(a**2)"),
    (r"\frac{p^n}{n!}", "p**n/factorial(n)", "p**n/n"),
    (r"2(n + 1)!", "2*factorial(n + 1)", "factorial(2*(n + 1))"),
    (r"\sqrt[3]{p}", "cbrt(p)", "sqrt(p)"),
    (r"\sqrt[n]{a}", "a**(1/n)", "a**n"),
    (r"\|f - w\|", "sqrt(Sum((f[i] - w[i])**2, i))", "Sum((f[i] - w[i])**2, i)"),
    (r"\lVert f \rVert_2^2", "Sum(f[i]**2, i)", "sqrt(Sum(f[i]**2, i))"),
    (r"\left\| f \right\|_1", "Sum(Abs(f[i]), i)", "Sum(f[i], i)"),
    (r"\Vert f \Vert_\infty", "MaxOver(Abs(f[i]), i)", "MaxOver(f[i], i)"),
    (r"\|M\|_F \|p\|", "sqrt(Sum(M[i, j]**2, i, j))*Abs(p)", "sqrt(Sum(M[i, j]**2, i, j))*p"),
    (r"\epsilon + \varepsilon", "2*eps", "eps"),
    (r"\lambda \nu_0 \varphi", "lam*nu0*phi", "lam + nu0*phi"),
    (r"\dot p - \ddot{p}", "p_dot - pddot", "pddot - p_dot"),
    (r"\overline{p} + \widehat p + \bar{p}", "2*pbar + p_hat", "pbar + p_hat"),
    (r"p' + p^*", "pprime + pstar", "pprime - pstar"),
]


@pytest.mark.parametrize(("latex", "form", "other"), CUSTOMARY)
def test_what_is_customary_is_read(compared, latex, form, other) -> None:
    symbols = numbers("r", "p", "a", "eps", "lam", "nu0", "phi", "p_dot", "pddot", "pbar", "p_hat", "pprime", "pstar")
    symbols["a"]["domain"] = symbols["eps"]["domain"] = {"min": 0, "open": ["min"]}
    symbols["n"] = {"meaning": "n", "code": None, "shape": [], "domain": {"integer": True, "min": 2, "max": 6}}
    symbols |= {name: {"meaning": name, "code": None, "shape": ["N"]} for name in ("f", "w")}
    symbols["M"] = {"meaning": "M", "code": None, "shape": ["N", "J"]}
    more = {"symbols": symbols, "indices": {"i": "N", "j": "J"}}
    found = compared(f"r = {latex}", f"Eq(r, {form})", **more)
    assert found.status is ReadBack.AGREES, found.detail
    assert compared(f"r = {latex}", f"Eq(r, {other})", **more).status is ReadBack.DIFFERS


DISPLAYS = [
    r"\begin{align} r &= p x \\ &= x p \end{align}",
    r"\begin{align*} r &= p x \nonumber \\ &\quad + 0 \tag{1} \end{align*}",
    r"\begin{equation}\label{eq:r} \begin{split} r &= x p \end{split} \end{equation}",
    r"r &= p x \\ &= x p",
    r"\begin{eqnarray} r &=& p x \\ y &=& p \end{eqnarray}",
    r"\begin{aligned}[t] r &= p x \\[2pt] &= x p \end{aligned}",
    r"\begin{align} r &= p x \\* y &= p \label{eq:r_12} \end{align}",
    r"r \equiv p x",
    r"r := p x",
    r"r \triangleq p x",
]


def test_the_longest_spelling_is_meant_whatever_the_form_holds(compared) -> None:
    symbols = numbers("r", "m", "d", "x", "dx", "x0")
    for latex, right, other in ((r"m \, dx", "m*dx", "m*d*x"), ("2 x_0", "2*x0", "2*x")):
        assert compared(f"r = {latex}", f"Eq(r, {right})", symbols=symbols).status is ReadBack.AGREES
        assert compared(f"r = {latex}", f"Eq(r, {other})", symbols=symbols).status is ReadBack.DIFFERS


@pytest.mark.parametrize("latex", DISPLAYS)
def test_a_display_is_read_as_one_line(compared, latex) -> None:
    symbols = numbers("r", "p", "x", "y")
    forms = ["Eq(r, p*x)", "Eq(y, p)"] if "y" in latex else ["Eq(r, p*x)"]
    found = compared(latex, forms, symbols=symbols)
    assert found.status is ReadBack.AGREES, found.detail
    assert compared(latex, ["Eq(r, p + x)", *forms[1:]], symbols=symbols).status is ReadBack.DIFFERS


def test_a_letter_that_is_declared_is_no_variant_of_another(compared) -> None:
    symbols = numbers("r", "epsilon", "varepsilon", "lam", spelt_="\\lambda")
    assert compared(r"r = \varepsilon", "Eq(r, varepsilon)", symbols=symbols).status is ReadBack.AGREES
    assert compared(r"r = \varepsilon", "Eq(r, epsilon)", symbols=symbols).status is ReadBack.DIFFERS
    assert compared(r"r = \lambda", "Eq(r, spelt_)", symbols=symbols).status is ReadBack.AGREES


def test_a_spelling_that_follows_from_a_name_gives_way_to_what_is_declared(compared) -> None:
    numbers_ = numbers("r", "dx", "x", "mui", D="\\Delta")
    assert compared(r"r = \Delta x", "Eq(r, D*x)", symbols=numbers_).status is ReadBack.AGREES
    assert compared(r"r = \Delta x", "Eq(r, dx)", symbols=numbers_).status is ReadBack.DIFFERS
    arrays = numbers_ | {name: {"meaning": name, "code": None, "shape": ["N"]} for name in ("mu", "y")}
    more = {"symbols": arrays, "indices": {"i": "N"}}
    assert compared(r"y_i = \mu_i", "Eq(y[i], mu[i])", **more).status is ReadBack.AGREES
    assert compared(r"r = \mu_i", "Eq(r, mui)", **more).status is not ReadBack.AGREES


@pytest.mark.parametrize(
    ("latex", "form", "other", "symbols"),
    [
        ("r = Re x", "R*e*x", "Re*x", numbers("r", "R", "e", "Re", "x")),
        ("r = R e^{-x}", "R0*exp(-x)", "Re**(-x)", numbers("r", "Re", "x", R0="R")),
        ("r = p x", "power*x", "px", numbers("r", "px", "x", power="p")),
        ("r = p q_c", "p*q_c", "pq_c", numbers("r", "p", "q_c", "pq_c")),
        ("r = x dy", "x*dy", "xd*y", numbers("r", "x", "y", "dy", "xd")),
        ("r = c dT", "c*dT", "cd*T", numbers("r", "c", "dT", "cd", "T")),
        ("r = p q^2", "p*q2**2", "pq**2", numbers("r", "p", "pq", q2="q")),
    ],
)
def test_what_is_read_letter_by_letter_is_no_word(compared, latex, form, other, symbols) -> None:
    assert compared(latex, f"Eq(r, {form})", symbols=symbols).status is ReadBack.AGREES
    assert compared(latex, f"Eq(r, {other})", symbols=symbols).status is ReadBack.DIFFERS


@pytest.mark.parametrize(
    ("latex", "names"),
    [
        (r"r = R\,e^{x}", ("Re", "x")),  # letters apart are no word
        ("r = R e^{-x}", ("Re", "x")),
        ("r = Q R^{-1}", ("QR",)),
        ("r = ReL", ("Re", "L", "ReL")),  # a word and a letter, or one word
    ],
)
def test_what_may_be_meant_otherwise_is_not_read(compared, latex, names) -> None:
    symbols = numbers("r", *names)
    for form in names:
        assert compared(latex, f"Eq(r, {form})", symbols=symbols).status is ReadBack.NOT_READ


def test_a_long_row_of_letters_takes_no_time(compared) -> None:
    symbols = numbers("r", "a", "aa", "aaa")
    assert compared(f"r = {'a' * 900}z", "Eq(r, aa)", symbols=symbols).status is ReadBack.NOT_READ


def test_a_derivative_is_not_worked_out(compared) -> None:
    claim = "Eq(Derivative(Y[t, j], b[j]), 1)"
    assert compared(r"\frac{\partial Y_{tj}}{\partial b_j} = 1", claim).status is ReadBack.AGREES
    assert compared(r"\frac{\partial X_{tk}}{\partial b_j} = 1", claim).status is ReadBack.DIFFERS
    assert compared(r"\frac{\partial Y_{tj}}{\partial b_j} = 2", claim).status is ReadBack.DIFFERS


def test_a_premise_is_compared(compared) -> None:
    claim = "Implies(s > t, Eq(S[t, s], 0))"
    assert compared(r"S_{ts} = 0 \text{ for } s > t", claim).status is ReadBack.AGREES
    assert compared(r"s > t \;\Rightarrow\; S_{ts} = 0", claim).status is ReadBack.AGREES
    for other in (r"S_{ts} = 0 \text{ for } s \ge t", r"S_{ts} = 0 \text{ for } t > s", "S_{ts} = 0"):
        assert compared(other, claim).status is ReadBack.DIFFERS


def test_what_the_form_says_beside_is_told(compared) -> None:
    found = compared("Y = XW + b", [LINEAR, "Eq(r, eps)"])
    assert found.status is ReadBack.AGREES
    assert found.more == ("Eq(r, eps)",)


def test_ties_are_looked_at_and_make_no_difference_where_there_is_none(compared) -> None:
    above = "Eq(r, Sum(Piecewise((1, u[k] > eps), (0, True)), k))"
    assert compared(r"r = |\{ k : u_k > \epsilon \}|", above).status is ReadBack.AGREES
    assert compared(r"r = |\{ k : u_k \ge \epsilon \}|", above).status is ReadBack.DIFFERS
    assert compared(r"r = |\{ k : \epsilon - u_k < 0 \}|", above).status is ReadBack.AGREES
    rest = "Eq(u[k], Piecewise((u[k] + Sum(m[l], l), m[k] > eps), (Sum(m[l], l), True)))"
    more = {"indices": {"k": "a", "l": "a"}}
    same = r"u_k = \begin{cases} u_k + \sum_l m_l & m_k > \epsilon \\ \sum_l m_l & \text{otherwise} \end{cases}"
    assert compared(same, rest, **more).status is ReadBack.AGREES
    parts = r"u_k = \sum_l m_l + u_k \mathbf{1}[m_k > \epsilon]"
    assert compared(parts, rest, **more).status is ReadBack.AGREES
    assert compared(parts.replace(">", r"\ge"), rest, **more).status is ReadBack.DIFFERS


def test_steps_are_values_before_and_after(compared) -> None:
    symbols = {
        "m": {"meaning": "m", "code": None, "shape": ["a"]},
        "w": {"meaning": "w", "code": None, "shape": ["a"]},
        "t": {"meaning": "step", "code": None, "shape": [], "domain": {"integer": True, "min": 1}},
    }
    more = {"symbols": symbols, "own_indices": {"k": "a"}}
    form = "Eq(m[k], 2*Old(m[k]) + w[k])"
    assert compared("m_t = 2 m_{t-1} + w_t", form, **more).status is ReadBack.AGREES
    assert compared("m_t = 2 m_{t-1} + w_{t-1}", form, **more).status is ReadBack.AGREES  # nothing here changes w
    assert compared("m_t = 2 m_t + w_t", form, **more).status is ReadBack.DIFFERS
    assert compared("m_t = 2 m_{t+1} + w_t", form, **more).status is ReadBack.NOT_READ


def test_a_claim_is_no_claim_twice(compared) -> None:
    assert compared("Y = XW + b, \\quad Y = XW + b", LINEAR).status is ReadBack.NOT_READ
    two = [LINEAR, "Eq(r, 0)"]
    assert compared("r = 0, \\quad Y = XW + b", two).status is ReadBack.AGREES
    assert compared("Y = 0, \\quad Y = XW + b", two).status is ReadBack.DIFFERS
