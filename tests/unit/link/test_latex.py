"""What is kept of comparisons, what is told of them, and that a fault of the reader stops nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.cache import Cache
from eqtrace.config import load
from eqtrace.formula.latex import compare, settle
from eqtrace.link import latex
from eqtrace.model.readback import ReadBack, Readback
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import Waiver
from eqtrace.project import Project, read_project

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def project() -> Project:
    wanted = frozenset({"linear.linear", "softmax.normalise", "relu_backward.relu_derivative"})
    return read_project(load(ROOT), wanted, cache=False)


def chosen(project: Project):
    return [project.equations[name] for name in project.selected]


def test_decisions_are_kept_and_taken_from_the_cache(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path)
    first = latex.settled(latex.read(chosen(project), project.forms, cache), project.equations, project.forms, cache)
    assert {each.status for each in first.found.values()} == {ReadBack.AGREES}
    monkeypatch.setattr(compare, "read_back", lambda *_: pytest.fail("it is read again"))
    again = latex.read(chosen(project), project.forms, Cache(tmp_path))
    assert again.found == first.found
    assert again.kept == frozenset(project.selected)
    assert latex.settled(again, project.equations, project.forms, Cache(tmp_path)).found == first.found


def test_another_form_or_spelling_is_compared_anew(project: Project, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    latex.settled(latex.read(chosen(project), project.forms, cache), project.equations, project.forms, cache)
    equation = project.equations["linear.linear"]
    assert equation.latex is not None
    other = replace(equation, latex=replace(equation.latex, value="Y = XW - b"))
    found = latex.settled(
        latex.read([other], project.forms, Cache(tmp_path)), {other.id: other}, project.forms, Cache(tmp_path)
    )
    assert found.found[other.id].status is ReadBack.DIFFERS


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"found": 3}', b'{"found": {"x": ["a", "agrees"]}}'])
def test_a_damaged_entry_is_none(project: Project, tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path)
    latex.settled(latex.read(chosen(project), project.forms, cache), project.equations, project.forms, cache)
    for path in (tmp_path / ".eqtrace/cache").glob("*.json"):
        path.write_bytes(damage)
    found = latex.read(chosen(project), project.forms, Cache(tmp_path))
    assert not found.kept


def test_a_fault_of_the_reader_is_no_pass_and_no_crash(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise IndexError("here")

    monkeypatch.setattr(compare, "read_back", broken)
    found = latex.read(chosen(project), project.forms)
    assert {each.status for each in found.found.values()} == {ReadBack.NOT_READ}
    assert "fault of eqtrace" in found.found["linear.linear"].detail
    monkeypatch.undo()
    monkeypatch.setattr(settle, "settle", broken)
    held = latex.read(chosen(project), project.forms)
    held = replace(held, open={"linear.linear": compare.Comparison()})
    done = latex.settled(held, project.equations, project.forms)
    assert done.found["linear.linear"].status is ReadBack.NOT_READ


def test_what_is_told_and_what_a_waiver_excuses(project: Project) -> None:
    span = Span("w.yaml", 1)
    waiver = Waiver("prose", span, Text("linear.linear", span), "latex")
    found = latex.Latex(
        {
            "linear.linear": Readback("linear.linear", ReadBack.NOT_READ, "", "prose", 4, 2),
            "softmax.normalise": Readback("softmax.normalise", ReadBack.DIFFERS, "values", "so", 6, 3),
        }
    )
    told = list(latex.faults(found, project.equations, [waiver]))
    assert [(each.kind, each.equation) for each in told] == [("latex-differs", "softmax.normalise")]
    assert [each.kind for each in latex.faults(found, project.equations, [])] == ["latex-not-read", "latex-differs"]
    assert found.unsure() == {"linear.linear"}
