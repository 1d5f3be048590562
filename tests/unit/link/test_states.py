"""Documentation held against forms: what rests on what, and that nothing of it stops a run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from eqtrace.config import load
from eqtrace.formula.documented import adopt, compare
from eqtrace.model.readback import ReadBack
from eqtrace.project import read_project
from eqtrace.runner import verify

CODE = '''\
class Line:
    """A line.

    .. math:: f(x; m, b) = m x + b

    for :math:`m > 0`, with `slope` for :math:`m` and ``offset`` (:math:`b`).
    """

    def at(self, x, slope, offset):
        return slope * x + offset


def line(x, slope, offset):
    """See `Line`, and docs/line.rst."""
    return slope * x + offset
'''
PAGE = """\
Lines
=====

.. math:: y = s x + o

where ``s = slope`` and ``o = offset``.

Other lines
====


They are :math:`y = x`, where ``s = 2*slope``.
"""
ANCHOR = "anchors: [{role: states, at: 'docs/line.rst:4'}], symbols: {y: {code: result}}"


@pytest.fixture
def project(tmp_path: Path):
    def make(spec: str, code: str = CODE, page: str = PAGE) -> Path:
        (tmp_path / "docs").mkdir(exist_ok=True)
        files = {
            "pyproject.toml": '[tool.eqtrace]\nspec = ["spec.yaml"]\nsources = ["."]\ncoverage = "off"\n',
            "spec.yaml": spec,
        }
        for path, text in {**files, "lines.py": code, "docs/line.rst": page}.items():
            (tmp_path / path).write_text(text)
        return tmp_path

    return make


def stated(root: Path):
    project = read_project(load(root), None, cache=False)
    return project, {name: each.found for name, each in project.states.found.items()}


def test_the_docstring_of_what_the_entry_names(project) -> None:
    root = project("lines.py:\n  line: {states: 'lines:Line'}\n")
    _, found = stated(root)
    (back,) = found.values()
    assert (back.status, back.detail) == (ReadBack.IS_FORM, "Eq(result, slope*x + offset), where slope > 0")
    assert verify(load(root), None, cache=False).verdict("lines.py::line") == "certified"


def test_a_method_whose_class_has_the_docstring(project) -> None:
    _, found = stated(project("lines.py:\n  Line.at: {states: docstring}\n"))
    assert {each.status for each in found.values()} == {ReadBack.IS_FORM}


def test_a_passage_of_a_page_with_what_its_own_section_defines(project) -> None:
    spec = f"lines.py:\n  line: {{sympy: 'slope*x + offset', {ANCHOR}}}\n"
    _, found = stated(project(spec))
    assert found["lines.py::line/states/0"].status is ReadBack.AGREES
    _, found = stated(project(spec, page=PAGE.replace("where ``s = slope``", "where ``s = 2*slope``")))
    assert found["lines.py::line/states/0"].status is ReadBack.NOT_COMPARED
    results = verify(load(project(spec, page=PAGE.replace("s x + o", "s x - o"))), None, cache=False)
    assert [each.name for each in results.findings] == ["documentation-differs"]


def test_a_passage_of_a_docstring_by_its_text(project) -> None:
    anchor = "{role: states, at: 'lines.py:99', in: Line, code: '.. math:: f(x; m, b) = m x + b'}"
    entry = f"line: {{sympy: 'slope*x + offset', anchors: [{anchor}]}}"
    project_, found = stated(project(f"lines.py:\n  {entry}\n"))
    assert {each.status for each in found.values()} == {ReadBack.AGREES}
    assert [each.kind for each in project_.faults] == ["line-moved"]


def test_a_passage_that_is_not_where_it_is_cited_is_told_once(project) -> None:
    spec = f"lines.py:\n  line: {{sympy: 'slope*x + offset', {ANCHOR.replace('rst:4', 'rst:400')}}}\n"
    results = verify(load(project(spec)), None, cache=False)
    assert [each.name for each in results.findings] == ["anchor-missing"]
    assert {each.found.status for each in results.states.values()} == {ReadBack.NOT_READ}


def test_what_it_holds_under_is_said_behind_it(project) -> None:
    code = CODE.replace(
        "See `Line`, and docs/line.rst.", "It is\n\n    .. math:: f(x) = x\n\n    for :math:`x > 0`.\n    "
    )
    code = code.replace("    return slope * x + offset\n", "    return abs(x)\n")
    entry = "lines.py:\n  line: {sympy: 'Abs(x)', states: docstring}\n"
    assert verify(load(project(entry, code)), None, cache=False).findings == ()
    results = verify(load(project(entry, code.replace("x > 0", "x > -9"))), None, cache=False)
    assert [each.name for each in results.findings] == ["documentation-differs"]


def test_a_page_that_has_no_text_stops_nothing(project) -> None:
    root = project(f"lines.py:\n  line: {{sympy: 'slope*x + offset', {ANCHOR}}}\n")
    (root / "docs/line.rst").write_bytes(b"\xff\xfe\x00")
    assert [each.name for each in verify(load(root), None, cache=False).findings] == ["source-unreadable"]


def test_another_documentation_is_verified_anew(project) -> None:
    spec = "lines.py:\n  line: {states: 'lines:Line'}\n"
    assert verify(load(project(spec)), None).exit == 0
    assert verify(load(project(spec)), None).from_cache == 1
    changed = verify(load(project(spec, CODE.replace("= m x + b", "= m x - b"))), None)
    assert (changed.exit, changed.from_cache) == (1, 0)
    assert [each.name for each in changed.findings] == ["value-mismatch"]
    assert str(changed.findings[0].related[-1].span) == "lines.py:4:15"


@pytest.mark.parametrize("module", [adopt, compare])
def test_a_fault_of_the_reader_is_no_pass_and_no_crash(project, monkeypatch: pytest.MonkeyPatch, module) -> None:
    def broken(*_: object) -> None:
        raise IndexError("here")

    monkeypatch.setattr(module, "Documented", broken)
    sympy = "sympy: 'slope*x + offset', " if module is compare else ""
    _, found = stated(project(f"lines.py:\n  line: {{{sympy}states: 'lines:Line'}}\n"))
    (back,) = found.values()
    assert back.status is ReadBack.NOT_READ
    assert "IndexError here" in back.detail


def test_the_entry_has_another_fault(project) -> None:
    project_, found = stated(project("lines.py:\n  line: {states: 'lines:Line', where: 'x >'}\n"))
    assert {each.status for each in found.values()} == {ReadBack.NOT_READ}
    assert "form-syntax" in {each.kind for each in project_.faults}


def test_which_formula_is_meant_can_be_said(project) -> None:
    code = CODE.replace("See `Line`, and docs/line.rst.", "Either :math:`f(x) = x`, or :math:`f(x) = 2 x`.")
    entry = "lines.py:\n  line: {states: {holds: '%s'}}\n"
    for holds, expected in (("2 x", "Eq(result, 2*x)"), ("3 x", "no formula there holds 3 x"), ("f(x)", "2 formulas")):
        _, found = stated(project(entry % holds, code))
        (back,) = found.values()
        assert back.detail.startswith(expected)


def test_a_docstring_of_a_thousand_formulas_takes_no_time(project) -> None:
    many = "".join(f"with ``a{number} = a{number + 1} + x`` " for number in range(1_000))
    code = f'def f(x, A):\n    """Line.\n\n    .. math:: f(x; A) = A x\n\n    {many}\n    """\n    return A*x\n'
    root = project("lines:\n  f: {states: docstring}\n", code)
    started = time.process_time()
    read_project(load(root), None, cache=False, static=True)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Half of it, since ``whole(x) = 2*x`` is given.", ReadBack.NOT_READ),  # of something else, in passing
        ("Half of it: ``half(x) = x/2``.", ReadBack.IS_FORM),
        ("Half of it: ``h(x) = x/2``.", ReadBack.IS_FORM),
        ("Half of it.\n\n    .. math:: whole(x) = x/2\n    ", ReadBack.IS_FORM),  # what stands alone is what is meant
    ],
)
def test_what_is_said_in_passing_is_of_what_it_names(project, said: str, status: ReadBack) -> None:
    code = f'def half(x):\n    """{said}"""\n    return x / 2\n'
    _, found = stated(project("lines.py:\n  half: {states: docstring}\n", code))
    assert found["lines.py::half"].status is status


@pytest.mark.parametrize(
    ("latex", "status"),
    [
        ("f = 2De^{-a}", ReadBack.NOT_READ),  # `De` of the code, and no product with the number e
        ("f = 2D e^{-a}", ReadBack.IS_FORM),
        ("f = 2ab", ReadBack.IS_FORM),  # both letters are parameters
    ],
)
def test_a_word_that_is_a_name_in_the_code_is_no_product(project, latex: str, status: ReadBack) -> None:
    code = f'def f(a, b, D):\n    r"""Line.\n\n    .. math:: {latex}\n    """\n    De = ab = a\n    return De + ab\n'
    _, found = stated(project("lines.py:\n  f: {states: docstring}\n", code))
    assert found["lines.py::f"].status is status
