"""Forms written as LaTeX say what they said: they are read back."""

import pytest

from eqtrace.formula.parse import parse_statement
from eqtrace.formula.typeset import Unwritten, Writer
from eqtrace.model.readback import ReadBack
from eqtrace.report.words import latex_of

FORMS = {
    "0.5*p*q**2": r"r = 0.5\,p\,q^{2}",
    "p - (q - a)": r"r = p - \left(q - a\right)",
    "-p*q": r"r = -p\,q",
    "-(p + q)": r"r = -\left(p + q\right)",
    "(p + q)*a/(2*a)": r"r = \frac{\left(p + q\right)\,a}{2\,a}",
    "p/2*3": r"r = \frac{p}{2}\cdot 3",
    "(p/q)**2": r"r = \left(\frac{p}{q}\right)^{2}",
    "(-p)**2 + a**(-p)": r"r = \left(-p\right)^{2} + a^{-p}",
    "a**p**2": r"r = a^{p^{2}}",
    "(a**p)**2": r"r = \left(a^{p}\right)^{2}",
    "sin(p)**2": r"r = \left(\sin\left(p\right)\right)^{2}",
    "exp(-p**2/(2*a))": r"r = \exp\left(\frac{-p^{2}}{2\,a}\right)",
    "sqrt(a)*cbrt(p)": r"r = \sqrt{a}\,\sqrt[3]{p}",
    "log(a) + log10(a) + log(a, n)": (r"r = \log\left(a\right) + \log_{10}\left(a\right) + \log_{n}\left(a\right)"),
    "Abs(p - q) + floor(p) - ceiling(q)": (
        r"r = \left| p - q \right| + \left\lfloor p \right\rfloor - \left\lceil q \right\rceil"
    ),
    "Max(p, 0) + Min(q, 1)": r"r = \max\left(p, 0\right) + \min\left(q, 1\right)",
    "factorial(n + 1)/gamma(n)": r"r = \frac{\left(n + 1\right)!}{\Gamma\left(n\right)}",
    "asin(p/10) + asinh(q)": r"r = \arcsin\left(\frac{p}{10}\right) + \operatorname{asinh}\left(q\right)",
    "Piecewise((p, p > q), (-q, True))": (
        r"r = \begin{cases} p & \text{if } p > q \\ -q & \text{otherwise} \end{cases}"
    ),
    "Sum(f[i]**2, i)/N": r"r = \frac{\sum_{i} f_{i}^{2}}{N}",
    "Sum(f[i] + 1, i)*p": r"r = \left(\sum_{i} \left(f_{i} + 1\right)\right)\,p",
    "p*Sum(f[i], i) + 1": r"r = p\,\left(\sum_{i} f_{i}\right) + 1",
    "Sum(f[i + 1], (i, 0, N - 2))": r"r = \sum_{i=0}^{N - 2} f_{i + 1}",
    "Product(f[i], i)*p": r"r = \left(\prod_{i} f_{i}\right)\,p",
    "Product(f[i], i)": r"r = \prod_{i} f_{i}",
    "MaxOver(f[i], i) - MinOver(f[i], i)": r"r = \max_{i} f_{i} - \min_{i} f_{i}",
    "g_0*pi + nu0": r"r = g_{0}\,\pi + \nu_{0}",
    "1e-7*p": r"r = 1 \times 10^{-7}\,p",
    "6.62607e-34*p + 299792458.5": r"r = 6.62607 \times 10^{-34}\,p + 2.997924585 \times 10^{8}",
    "0.00125*p + 1500": r"r = 0.00125\,p + 1500",
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_back(compared, form):
    numbers = ("r", "p", "q", "a", "g_0", "nu0")
    symbols = {name: {"meaning": name, "code": None, "shape": []} for name in numbers}
    symbols["a"]["domain"] = {"min": 0, "open": ["min"]}
    symbols["n"] = {"meaning": "n", "code": None, "shape": [], "domain": {"integer": True, "min": 2, "max": 6}}
    symbols["f"] = {"meaning": "f", "code": None, "shape": ["N"]}
    statement, errors = parse_statement(form)
    assert statement is not None, errors
    latex = Writer(latex_of).statement(statement, "r")
    found = compared(latex, f"Eq(r, {form})", symbols=symbols, indices={"i": "N"})
    assert found.status is ReadBack.AGREES, (latex, found.detail)
    assert latex == FORMS[form]


def test_conditions_keep_their_brackets_and_powers_their_scripts():
    statement, _ = parse_statement("Piecewise((p, And(Or(p > 0, q > 0), a > 0)), (q, True))")
    assert statement is not None
    latex = Writer(latex_of).statement(statement, "r")
    assert r"\left(p > 0 \text{ or } q > 0\right) \text{ and } a > 0" in latex
    statement, _ = parse_statement("p**2 + q*a")
    assert statement is not None
    spelt = {"p": "p^{(0)}", "q": "u + v"}
    latex = Writer(lambda name: spelt.get(name, name)).statement(statement, "r")
    assert latex == r"r = \left(p^{(0)}\right)^{2} + \left(u + v\right)\,a"


@pytest.mark.parametrize("form", ["Old(p) + 1", "Derivative(p, q)", "Dim(f, 0)", "Implies(p > 1, Eq(q, 1))"])
def test_what_has_no_latex_here_says_so(form):
    statement, _ = parse_statement(form)
    assert statement is not None
    with pytest.raises(Unwritten):
        Writer(latex_of).statement(statement, "r")
