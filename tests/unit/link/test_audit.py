from __future__ import annotations

import gc

import pytest

from eqtrace.model.anchor import Status
from eqtrace.model.span import Span

CODE = "def f(x, w):\n    y = x @ w\n    return y + 1\n"
TEST = "from impl.a import f\n\n\ndef test_f():\n    assert f(1, 2)\n"


@pytest.fixture
def ready(bench):
    bench.write("impl/a.py", CODE)
    bench.write("tests/test_a.py", TEST)
    return bench


def whole(bench, *more, **settings):
    """An equation without a fault: both statements computed, a test."""
    anchors = (
        bench.anchor("y = x @ w", 2, name="0"),
        bench.anchor("return y + 1", 3, role="inline"),
        bench.anchor("assert f(1, 2)", 5, "test_f", "tests", path="tests/test_a.py"),
    )
    return bench.equation(*anchors, *more, **settings)


def kinds(audit) -> list[str]:
    return [fault.kind for fault in audit.faults]


def test_nothing_to_say(ready) -> None:
    audit = ready.audit(whole(ready), functions=("impl/a.py::f",))
    assert audit.faults == ()
    assert {item.status for item in audit.matches.values()} == {Status.OK}
    assert (audit.coverage.equations.covered, audit.coverage.equations.total) == (1, 1)
    assert (audit.coverage.statements.covered, audit.coverage.statements.total) == (2, 2)
    assert gc.isenabled()


def test_moved_says_where_to_and_nothing_else(ready) -> None:
    ready.write("impl/a.py", "\n" * 5 + CODE)
    audit = ready.audit(whole(ready), functions=("impl/a.py::f",))
    assert kinds(audit) == ["line-moved"] * 2
    fault = audit.faults[0]
    assert "line 7" in fault.message
    assert "impl/a.py:7" in fault.hint
    assert (fault.related[0].span.line, fault.equation) == (7, "e")


def test_changed_shows_both(ready) -> None:
    ready.write("impl/a.py", CODE.replace("x @ w", "w @ x"))
    (fault,) = ready.audit(whole(ready)).faults
    assert fault.kind == "statement-changed"
    assert "- y = x @ w\n+ y = w @ x" in fault.message


def test_missing_and_ambiguous(ready) -> None:
    ready.write("impl/a.py", CODE + "\n\ndef g(x, w):\n    z = x; z = x\n    return z\n")
    gone = ready.anchor("return np.tanh(x)", 9, "h", name="1")
    twice = ready.anchor("z = x", 9, "g", name="2")
    weak = ready.anchor("else:", 2, name="3")
    audit = ready.audit(whole(ready, gone, twice, weak))
    assert kinds(audit) == ["anchor-missing", "anchor-ambiguous", "weak-anchor"]


def test_a_file_that_cannot_be_read_is_one_fault(ready) -> None:
    ready.write("impl/a.py", "def f(x, w):\n    y = x @@ w\n")
    audit = ready.audit(whole(ready))
    assert kinds(audit) == ["source-unreadable"]
    assert "2 anchors" in audit.faults[0].message
    assert audit.faults[0].related[0].span == Span("impl/a.py", 2, 12)
    ready.write("impl/b.py", b"\xff")
    assert kinds(ready.audit(whole(ready))) == ["source-unreadable", "source-unreadable"]
    outside = ready.anchor("x = 1", 1, "", path="../x.py", name="9")
    page = ready.anchor("y", 1, "", "states", path="docs/none.md")
    ready.write("impl/a.py", CODE)
    ready.write("impl/b.py", "")
    assert kinds(ready.audit(whole(ready, outside, page))) == ["source-unreadable", "source-unreadable"]


def test_lacks_are_faults_or_waived(ready) -> None:
    untested = ready.equation(ready.anchor("y = x @ w", 2), id="e")
    uncoded = ready.equation(ready.anchor("assert f(1, 2)", 5, "test_f", "tests", path="tests/test_a.py"), id="g")
    ready.write("impl/a.py", "def f(x, w):\n    y = x @ w\n    return y\n")
    audit = ready.audit(untested, uncoded)
    assert [(fault.kind, fault.equation) for fault in audit.faults] == [("missing-test", "e"), ("missing-code", "g")]
    waivers = (ready.waiver(equation="e", lacks="test"), ready.waiver(equation="g", lacks="code"))
    audit = ready.audit(untested, uncoded, waivers=waivers)
    assert audit.faults == ()
    assert (audit.coverage.equations.waived, audit.coverage.equations.total) == (2, 2)
    ready.settings["coverage"] = "off"
    assert kinds(ready.audit(untested, uncoded)) == ["missing-code"]


def test_unused_waivers(ready) -> None:
    waivers = (
        ready.waiver(equation="e", lacks="test"),
        ready.waiver(path="impl/a.py", line=2, function="f", code="y = x @ w"),
        ready.waiver(path="impl/a.py", line=2, function="f", code="y = x @ v @ u"),
        ready.waiver(equation="e", lacks="latex"),
        ready.waiver(equation="unknown", lacks="test"),
    )
    audit = ready.audit(whole(ready), waivers=waivers)
    assert kinds(audit) == ["unused-waiver"] * 3


def test_unclaimed_statements(ready) -> None:
    equation = ready.equation(
        ready.anchor("return y + 1", 3), ready.anchor("assert f(1, 2)", 5, "test_f", "tests", path="tests/test_a.py")
    )
    audit = ready.audit(equation)
    assert [(fault.kind, fault.span.line) for fault in audit.faults] == [("unclaimed-statement", 2)]
    assert [item.source for item in audit.coverage.unclaimed] == ["y = x @ w"]
    waiver = ready.waiver(path="impl/a.py", line=9, function="f", code="y = x@w")
    audit = ready.audit(equation, waivers=(waiver,))
    assert kinds(audit) == ["line-moved"]
    assert audit.coverage.statements.waived == 1
    assert kinds(ready.audit(equation, selected=frozenset({"e"}))) == []
    ready.settings["coverage"] = "off"
    assert kinds(ready.audit(equation)) == []


def test_short_form_claims_what_its_value_depends_on(ready) -> None:
    ready.write(
        "impl/a.py",
        """\
        def f(x, w):
            n = x * 2
            while n > 3 - w:
                n = n / 2
            log = x * 3
            def g(a):
                return a + 1
            z = [0]
            z.append(g(n))
            return z
        """,
    )
    anchor = ready.anchor("", 0, "", target="impl.a:f", path="impl/a.py")
    audit = ready.audit(ready.equation(anchor, whole=True))
    assert [fault.span.line for fault in audit.faults] == [5]
    ready.write("tests/test_a.py", "def test_f():\n    assert True\n")
    assert kinds(ready.audit(ready.equation(anchor, whole=True))) == ["missing-test", "unclaimed-statement"]
    missing = ready.anchor("", 0, "", target="impl.none:f", path="")
    assert kinds(ready.audit(ready.equation(missing, whole=True)))[0] == "anchor-missing"


@pytest.mark.parametrize(
    ("tests", "test", "known", "told"),
    [
        (("tests",), TEST, 1, []),
        (("tests",), "def test_f():\n    assert True\n", 0, ["missing-test"]),
        ((), TEST, 0, []),
    ],
)
def test_short_form_has_a_test_only_where_one_is_known(bench, tests, test, known, told) -> None:
    bench.write("impl/a.py", CODE)
    bench.write("tests/test_a.py", test)
    bench.settings["tests"] = tests
    anchor = bench.anchor("", 0, "", target="impl.a:f", path="impl/a.py")
    audit = bench.audit(bench.equation(anchor, whole=True))
    assert (audit.coverage.equations.covered, audit.coverage.equations.total) == (known, 1)
    assert kinds(audit) == told


def test_selected_equations_only(ready) -> None:
    other = ready.equation(ready.anchor("nothing = 1", 2, name="7"), id="o")
    audit = ready.audit(whole(ready), other, selected=frozenset({"e"}))
    assert audit.faults == ()
    assert audit.coverage.equations.total == 1
    assert len(audit.matches) == 3


def test_user_code_is_never_run(ready) -> None:
    ready.write("impl/a.py", "raise SystemExit(3)\nimport impl.b\n" + CODE)
    ready.write("impl/__init__.py", "raise SystemExit(3)\n")
    ready.write("tests/conftest.py", "raise SystemExit(3)\n")
    assert kinds(ready.audit(whole(ready), functions=("impl/a.py::f",))) == ["line-moved"] * 2


def test_an_occurrence_of_which_nothing_tells_which_it_is(bench):
    bench.write("impl/a.py", "\n\ndef f(x):\n    x = x + 1\n    return x\n")
    (fault,) = (
        each
        for each in bench.audit(bench.equation(bench.anchor("x = x + 1", 2, occurrence=0))).faults
        if each.kind == "anchor-ambiguous"
    )
    assert fault.message == (
        "`x = x + 1` stands once in `f` of impl/a.py, "
        "and nothing tells for certain which is occurrence 0 of what was cited"
    )
    assert fault.hint == "write the line and the `occurrence` (from 0) of the one that is meant"
    still = bench.audit(bench.equation(bench.anchor("x = x + 1", 4, occurrence=0))).faults
    assert not any(each.kind == "anchor-ambiguous" for each in still)
