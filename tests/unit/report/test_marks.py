import re

import pytest

from eqtrace.model.span import Span
from eqtrace.model.symbol import Symbol
from eqtrace.report.marks import mark
from eqtrace.report.mathml import convert


def marked(latex: str, **symbols: tuple[str, ...]) -> list[tuple[str, str]]:
    """(symbol, its text) of each element that is marked."""
    named = {name: Symbol(name, Span("s", 1), latex=spellings) for name, spellings in symbols.items()}
    markup = mark(convert(latex, display=False).markup, named)
    found = re.findall(r'<(\w+)[^>]* data-s="(\w+)"[^>]*>(.*?)</\1>', markup)
    return [(symbol, re.sub("<.*?>", "", text)) for _, symbol, text in found]


@pytest.mark.parametrize(
    ("latex", "symbols", "found"),
    [
        ("Y = XW", {"X": (), "Y": ()}, [("Y", "Y"), ("X", "X")]),
        (r"\gamma x", {"gamma": ()}, [("gamma", "γ")]),
        ("X_{tk}", {"X": ()}, [("X", "X")]),
        ("dX_{tk} X", {"dX": (), "X": ()}, [("dX", "d"), ("dX", "X"), ("X", "X")]),
        ("W_q W", {"Wq": ("W_q",), "W": ()}, [("Wq", "Wq"), ("W", "W")]),
        (r"W_{q}^{\top}", {"Wq": ("W_q",)}, [("Wq", "W"), ("Wq", "q")]),
        (r"\sigma_t^2", {"var": (r"\sigma^2",)}, [("var", "σ"), ("var", "2")]),
        (r"\frac{\hat{x}}{x}", {"hat": (r"\hat{x}",), "x": ()}, [("hat", "xˆ"), ("x", "x")]),
        (r"\mathrm{ids}_t", {"ids": (r"\mathrm{ids}",)}, [("ids", "ids")]),
        ("x_i", {"i": ()}, [("i", "i")]),
        (r"\sum_{k} Y_k", {"X": ()}, []),
        ("x", {"x": (r"\frac{",)}, []),
    ],
)
def test_symbols_are_marked_by_their_spelling(
    latex: str, symbols: dict[str, tuple[str, ...]], found: list[tuple[str, str]]
) -> None:
    assert marked(latex, **symbols) == found


def test_a_mark_cannot_break_out_of_its_attribute() -> None:
    name = '"><b>'
    markup = mark(convert("x").markup, {name: Symbol(name, Span("s", 1), latex=("x",))})
    assert "<b>" not in markup
    assert 'data-s="&quot;&gt;&lt;b&gt;"' in markup
