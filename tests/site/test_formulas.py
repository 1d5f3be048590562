"""The MathML of all formulas of this repository, as it was when it was last looked at in a browser.

Where a formula or the converter changed, look at the difference and at the page, and write it anew:
`EQTRACE_GOLDEN=write python -m pytest tests/site/test_formulas.py`.
"""

import json
import os
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from eqtrace.config import load
from eqtrace.report import mathml
from eqtrace.report.mathml import convert
from eqtrace.spec.load import load as specification

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("formulas.jsonl")
FONT = ROOT / "trace/eqtrace/report/static/stix-two-math.woff2"


@pytest.fixture(scope="module")
def formulas() -> dict[str, str]:
    """By equation, its LaTeX."""
    return {each.id: each.latex.value for each in specification(load(ROOT)).equations if each.latex is not None}


def test_every_formula_becomes_the_mathml_that_was_looked_at(formulas: dict[str, str]) -> None:
    made = {name: {"id": name, "latex": latex, "mathml": convert(latex).markup} for name, latex in formulas.items()}
    if os.environ.get("EQTRACE_GOLDEN") == "write":
        lines = [json.dumps(made[name], ensure_ascii=False) + "\n" for name in sorted(made)]
        GOLDEN.write_text("".join(lines), encoding="utf-8")
    kept = {each["id"]: each for each in map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())}
    assert len(made) == 166
    assert made.keys() == kept.keys()
    assert [name for name in made if made[name] != kept[name]] == []


def test_no_formula_of_this_repository_is_shown_as_source() -> None:
    assert mathml.faults(specification(load(ROOT)).equations) == ()


def test_the_font_has_every_character_of_every_formula(formulas: dict[str, str]) -> None:
    """Also the root's sign, from which the browser makes roots of any height: a subset once lost it."""
    font = TTFont(FONT)
    has = font.getBestCmap()
    markup = "".join(convert(latex).markup for latex in formulas.values())
    characters = {character for character in markup if not character.isspace()} | {"\u221a"}
    # Invisible ones are operators without a shape.
    assert {character for character in characters if ord(character) not in has and character not in "\u2061"} == set()
    assert font["MATH"].table.MathConstants is not None
    assert font["MATH"].table.MathVariants.VertGlyphConstruction
