"""The six edits of `tests/benchmarks/six_edits.py`: every verdict right, with where the line went."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

PLACE = Path(__file__).parents[2] / "benchmarks" / "six_edits.py"


@pytest.fixture(scope="module")
def said(tmp_path_factory: Any) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("six_edits", PLACE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return {name: (anchors, prose) for name, anchors, prose in module.results(tmp_path_factory.mktemp("edits"))}


SPAN, SHIFT = "scales.span", "scales.shift"
SCALE_LINE, SHIFT_LINE, STATEMENT = "src/scales.py:6", "src/scales.py:12", "src/scales.py:13"


@pytest.mark.parametrize(
    ("edit", "span", "shift", "hint"),
    [
        ("10 lines added above", "moved (EQ201)", "moved (EQ201)", "`eqtrace fix` writes src/scales.py:23"),
        ("comment in the body", "moved (EQ201)", "moved (EQ201)", "`eqtrace fix` writes src/scales.py:14"),
        ("function renamed", "ok", "moved (EQ201)", "`eqtrace fix` writes src/scales.py:13 and in: displace"),
        ("a constant changed", "ok", "changed (EQ202)", "+ moved = x + 3 * by"),
        ("moved to another file", "ok", "moved (EQ201)", "`eqtrace fix` writes src/other.py:9"),
        ("file deleted", "missing (EQ206)", "missing", ""),
    ],
)
def test_anchors(said: dict[str, Any], edit: str, span: str, shift: str, hint: str) -> None:
    anchors, _ = said[edit]
    assert (anchors[SPAN].verdict, anchors[SHIFT].verdict) == (span, shift)
    assert hint in anchors[SHIFT].words


@pytest.mark.parametrize(
    ("edit", "verdicts", "now", "hint"),
    [
        ("10 lines added above", ("moved", "moved", "moved"), "src/scales.py:22", "which is at 22 now"),
        ("comment in the body", ("ok", "moved", "moved"), "src/scales.py:13", "which is at 13 now"),
        ("function renamed", ("ok", "changed", "ok"), "", "in its place, line 12 is `def displace(x, by):`"),
        ("a constant changed", ("ok", "ok", "changed"), "", ""),
        ("moved to another file", ("ok", "past-end", "past-end"), "", "`shift` is defined at src/other.py:8"),
        ("file deleted", ("missing", "missing", "missing"), "", "src/scales.py was deleted in "),
    ],
)
def test_prose(said: dict[str, Any], edit: str, verdicts: tuple[str, ...], now: str, hint: str) -> None:
    _, prose = said[edit]
    assert tuple(prose[text].verdict for text in (SCALE_LINE, SHIFT_LINE, STATEMENT)) == verdicts
    assert prose[SHIFT_LINE].now == now
    assert hint in prose[SHIFT_LINE].words
    if edit == "a constant changed":
        assert "of `moved = x + 2 * by`, which is `moved = x + 3 * by` now" in prose[STATEMENT].words
    if edit == "moved to another file":
        assert "what was cited stands at src/other.py:9 now" in prose[STATEMENT].words
