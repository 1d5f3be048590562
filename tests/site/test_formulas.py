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
from tests.site import make_font

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


def test_the_font_is_what_its_script_makes_of_the_upstream_one() -> None:
    """Its characters and forms; the shapes themselves are those of the version that it names."""
    font = TTFont(FONT)
    assert set(font.getBestCmap()) <= make_font.characters()
    assert {ord(each) for each in "aZ0+=\u221a\u2211\u2208\u03b1\U0001d400"} <= set(font.getBestCmap())
    assert font["name"].getDebugName(5) == make_font.VERSION
    features = {each.FeatureTag for each in font["GSUB"].table.FeatureList.FeatureRecord}
    assert features == set(make_font.FEATURES)
    assert "SIL Open Font License" in font["name"].getDebugName(13)


def test_a_font_of_another_version_is_refused(tmp_path: Path) -> None:
    other = TTFont(FONT)
    other["name"].setName("Version 1", 5, 3, 1, 0x409)
    other.flavor = None
    other.save(tmp_path / "other.ttf")
    with pytest.raises(SystemExit, match=r"is Version 1, not Version 2\.11"):
        make_font.make(tmp_path / "other.ttf", tmp_path / "made.woff2")


def test_the_script_keeps_what_is_asked_for(tmp_path: Path) -> None:
    """Run on the site's own font, it changes nothing but drops nothing either."""
    whole = TTFont(FONT)
    whole.flavor = None
    whole.save(tmp_path / "whole.ttf")
    make_font.make(tmp_path / "whole.ttf", tmp_path / "made.woff2")
    made = TTFont(tmp_path / "made.woff2")
    assert made.getBestCmap() == whole.getBestCmap()
    assert made.getGlyphOrder() == whole.getGlyphOrder()
    assert made.getTableData("MATH") == whole.getTableData("MATH")
