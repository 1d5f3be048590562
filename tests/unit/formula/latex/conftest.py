"""A topic with a matrix product, heads, an update and a step, and the reading of any LaTeX against any form of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from eqtrace.config import Config
from eqtrace.formula.compose import link
from eqtrace.formula.form import Form, read
from eqtrace.formula.latex.compare import read_back
from eqtrace.formula.latex.settle import settle
from eqtrace.model.equation import Equation
from eqtrace.model.readback import Readback
from eqtrace.spec.load import load

Compared = Callable[..., Readback]

SYMBOLS = {
    "X": {"shape": ["T", "a"]},
    "W": {"shape": ["a", "c"]},
    "V": {"shape": ["c", "a"]},
    "b": {"shape": ["c"]},
    "Y": {"shape": ["T", "c"]},
    "S": {"shape": ["T", "T"]},
    "mu": {"shape": ["T", 1], "latex": "\\mu"},
    "var": {"shape": ["T", 1], "latex": "\\sigma^2"},
    "eps": {"shape": [], "latex": "\\epsilon", "domain": {"min": 0, "open": ["min"]}},
    "Xhat": {"shape": ["T", "a"], "latex": "\\hat{X}"},
    "ids": {"shape": ["T"], "latex": ["\\text{ids}", "i"], "domain": {"integer": True, "min": 0, "max": "V_ - 1"}},
    "E": {"shape": ["V_", "a"]},
    "Qh": {"shape": ["H", "T", "dh"], "latex": "Q_h"},
    "Kh": {"shape": ["H", "T", "dh"], "latex": "K_h"},
    "A": {"shape": ["H", "T", "T"]},
    "dY": {"shape": ["T", "c"]},
    "dX": {"shape": ["T", "a"]},
    "u": {"shape": ["a"]},
    "m": {"shape": ["a"]},
    "r": {"shape": []},
    "n": {"shape": [], "domain": {"integer": True, "min": 1}},
}


def _topic(latex: str, sympy: str | list[str], more: dict[str, object]) -> dict[str, object]:
    symbols = {
        name: {
            "meaning": name,
            "code": None,
            **{k: [str(d) for d in v] if k == "shape" else v for k, v in each.items()},
        }
        for name, each in SYMBOLS.items()
    }
    indices = more.pop("own_indices", {"t": "T", "s": "T", "k": "a", "j": "c", "h": "H", "v": "V_"})
    equation = {"id": "t.e", "label": "e", "latex": latex, "sympy": sympy, "anchors": [], **more}
    return {
        "topic": "t",
        "title": "t",
        "page": "p",
        "status": "implemented",
        "direction": "neither",
        "functions": [],
        "what": "w",
        "why": "w",
        "symbols": symbols,
        "indices": indices,
        "equations": [equation],
    }


@pytest.fixture
def compared(tmp_path: Path) -> Compared:
    """Reads LaTeX back against a form."""

    def compare(latex: str, sympy: str | list[str], **more: object) -> Readback:
        equation, form = made(tmp_path, latex, sympy, more)
        found, comparison = read_back(equation, form)
        return found if comparison is None else settle(equation, form, found, comparison)

    return compare


def made(root: Path, latex: str, sympy: str | list[str], more: dict[str, object]) -> tuple[Equation, Form]:
    (root / "t.yaml").write_text(yaml.safe_dump(_topic("x", sympy, dict(more))), "utf-8")
    specification = load(Config(root=root, spec=("t.yaml",)))
    (equation,) = specification.equations
    assert equation.latex is not None
    equation = replace(equation, latex=replace(equation.latex, value=latex))
    form, faults = read(equation, sizes=frozenset())
    assert form is not None, faults
    link({equation.id: form}, [equation])
    return equation, form
