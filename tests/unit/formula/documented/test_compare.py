"""Errors planted in documentation are found, and rewritings are none."""

from dataclasses import replace

import pytest

from eqtrace.code.documentation.printed import Notation, Printed
from eqtrace.formula.documented.compare import compared
from eqtrace.formula.documented.formula import taken_apart
from eqtrace.formula.form import read
from eqtrace.formula.latex.settle import settle
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol

PLACE = Span("a.yaml", 1)
NAMES = ("x", "a", "b", "sigma")
POSITIVE = Domain(minimum=Text("0", PLACE), open=frozenset({"min"}))
FORM = "a*exp(-(x - b)**2/(2*sigma**2))/(sigma*sqrt(2*pi))"


def result(text: str, notation: str) -> ReadBack:
    symbols = {name: Symbol(name, PLACE, shape=()) for name in NAMES}
    symbols["sigma"] = replace(symbols["sigma"], domain=POSITIVE)
    equation = Equation("m:f", "m", PLACE, statements=(Text(FORM, PLACE),), symbols=symbols, whole=True)
    form, _ = read(equation, parameters=NAMES)
    assert form is not None
    formula = taken_apart(Printed(Notation(notation), text, 0, True))
    found, open_ = compared("m:f", formula, (), (), equation, form)
    return found.status if open_ is None else settle(equation, form, found, open_).status


SAME = [
    ("plain", "f(x; a, b) = a*exp(-(x - b)^2/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "a/(σ*sqrt(2 pi)) * exp[-((b - x)/σ)**2/2]"),
    ("plain", "y = (a/sigma) * (2*pi)**(-1/2) * e^(-0.5*((x - b)/sigma)^2)"),
    ("latex", r"f(x; a, b) = \frac{a}{\sigma\sqrt{2\pi}} e^{-{(x - b)^2}/{{2\sigma}^2}}"),
    (
        "latex",
        r"f(x) = \frac{a \exp\left[-\frac{1}{2}\left(\frac{x - b}{\sigma}\right)^2\right]}{\sqrt{2 \pi \sigma^2}}",
    ),
]
PLANTED = [
    ("plain", "f(x) = a*exp((x - b)^2/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-(x - b)^2/2*sigma^2)/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-(x - b)^2/(2*sigma))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-(x - b)^2/sigma^2)/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-(x + b)^2/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-(x - b^2)/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = exp(-(x - b)^2/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-(x - b)^2/(2*sigma^2))/(sigma*sqrt(2)*pi)"),
    ("plain", "f(x) = a*exp(-(x - b)^2/(2*sigma^2))/sigma*sqrt(2*pi)"),
    ("plain", "f(x) = b*exp(-(x - a)^2/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = a*exp(-|x - b|/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("plain", "f(x) = 1.0001*a*exp(-(x - b)^2/(2*sigma^2))/(sigma*sqrt(2*pi))"),
    ("latex", r"f(x) = \frac{a}{\sigma\sqrt{2\pi}} e^{{(x - b)^2}/{2\sigma^2}}"),
    ("latex", r"f(x) = \frac{a}{\sigma\sqrt{2}\pi} e^{-\frac{(x - b)^2}{2\sigma^2}}"),
    ("latex", r"f(x) = \frac{a}{\sigma\sqrt{2\pi}} e^{-\frac{(x - b)^2}{(2\sigma)^2}}"),
    ("latex", r"f(x) = \frac{1}{\sigma\sqrt{2\pi}} e^{-\frac{(x - b)^2}{2\sigma^2}}"),
]


@pytest.mark.parametrize(("notation", "text"), SAME)
def test_a_rewriting_agrees(notation, text):
    assert result(text, notation) is ReadBack.AGREES


@pytest.mark.parametrize(("notation", "text"), PLANTED)
def test_a_planted_error_is_found(notation, text):
    assert result(text, notation) is ReadBack.DIFFERS
