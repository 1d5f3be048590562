from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eqtrace.model.anchor import Role
from eqtrace.model.equation import Tolerance
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain
from eqtrace.model.topic import Review, Specification

DATA = Path(__file__).with_name("data")
LINEAR = (DATA / "linear.yaml").read_text("utf-8")
OTHERS = {
    f"{key}.yaml": (DATA / f"{key}.yaml").read_text("utf-8") for key in ("pages", "literature", "waivers", "reviews")
}


def place(words: str, text: str = LINEAR) -> Span:
    before, _, _ = text.partition(words)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Span("linear.yaml", line, column, line, column + len(words))


@pytest.fixture
def linear(spec: Callable[..., Specification]) -> Specification:
    return spec({"linear.yaml": LINEAR, **OTHERS})


def test_no_faults(linear: Specification) -> None:
    assert linear.faults == ()
    assert linear.files == ("linear.yaml",)


def test_topic(linear: Specification) -> None:
    (topic,) = linear.topics
    assert (topic.id, topic.title, topic.page, topic.direction, topic.short) == (
        "linear",
        "Linear layer",
        "basics",
        "forward",
        False,
    )
    assert topic.span == Span("linear.yaml", 2, 8, 2, 14)
    assert [text.value for text in topic.functions] == ["impl/ops.py::linear_forward"]
    (cited,) = topic.literature
    assert (cited.work.value, cited.section, cited.equation, cited.page) == ("key2017", "4.3", ("19", "20a"), "6")
    assert topic.why is not None
    assert topic.why.value == "To mix. See\n  {cite: linear.linear/inline/Query}.\n"
    assert topic.why.span == Span("linear.yaml", 11, 6, 13, 40)
    assert topic.why.at(14) == Span("linear.yaml", 13, 5, 13, 6)
    assert topic.example is not None
    assert topic.example.inputs == {"X": ((1, 2.5),)}
    assert [(step.name.value, step.code.value) for step in topic.example.steps] == [("P", "X @ W")]
    assert topic.example.equals is not None
    assert topic.example.equals.value == "impl/ops.py::f"
    assert topic.example.symbols == topic.symbols
    (table,) = topic.shapes
    assert (table.caption, table.rows) == ("Call", (("X", ("T", "4")),))


def test_symbols(linear: Specification) -> None:
    symbols = linear.topics[0].symbols
    assert list(symbols) == ["X", "W", "b", "Y"]
    assert symbols["X"].span == Span("linear.yaml", 15, 3, 15, 4)
    assert symbols["X"].domain == Domain()
    assert symbols["W"].code == {"linear_forward": "W", "": "w"}
    assert (symbols["W"].parameter, symbols["W"].latex) == (True, ("W", "W_1"))
    assert symbols["b"].code == {"": "b"}
    domain = symbols["b"].domain
    assert domain.minimum is not None
    assert domain.maximum is not None
    assert (domain.minimum.value, domain.maximum.value) == ("0", "c - 1")
    assert (domain.open, domain.integer, domain.one_of) == (frozenset({"min"}), True, (0.0, 1.5))
    assert symbols["Y"].code == {"": None}
    assert [text.value for text in symbols["Y"].shape or ()] == ["...", "T", "3"]


def test_an_equation_is_complete_in_itself(linear: Specification) -> None:
    first, second = linear.equations
    assert [text.value for text in first.statements] == ["Eq(Y[t, j], 1)", "Le(T, Tmax)"]
    assert first.statements[0].span == Span("linear.yaml", 27, 13, 27, 29)
    assert first.where is not None
    assert first.where.value == "T > 0, c > 1"
    assert first.where.at(3) == first.where.span == Span("linear.yaml", 28, 12, 28, 19)
    assert (first.indices["k"].start, first.indices["k"].stop.value) == (None, "a")
    assert first.indices["t"].stop.value == "T"
    assert first.symbols["X"].domain.minimum is not None
    assert first.methods == ("value", "constraint")
    assert first.tolerance == Tolerance(0.0, 1e-12, "it rounds")
    assert first.ulps is not None
    assert (first.ulps.maximum, first.ulps.reason, first.derived) == (4.0, "r", False)
    assert second.where is not None
    assert second.where.span == Span("linear.yaml", 20, 8, 20, 15)
    assert second.symbols["X"].domain == Domain()
    start = second.indices["k"].start
    assert start is not None
    assert (start.value, second.indices["k"].stop.value) == ("0", "i + 1")
    assert second.let["r"].value == "a + 1"
    assert second.derived
    assert second.ulps is None


def test_further_keys(linear: Specification) -> None:
    second = linear.equations[1]
    assert (second.given[0].equation.value, second.given[0].rename) == ("linear.linear", {"X": "Z"})
    assert second.functions["LN"].args == ("X", "W")
    assert second.call == Text("f(X, W)", place("'f(X, W)'"), "'")
    assert second.rejects == "ValueError"
    assert [text.value for text in second.order] == ["impl/ops.py::f"]
    (start,) = second.structure
    assert (start.key.value, [text.value for text in start.shape], start.start.value) == (
        "b{l}.wq",
        ["d", "d"],
        "xavier_uniform",
    )
    assert second.gradient is not None
    assert (second.gradient.forward.value, second.gradient.wrt) == ("impl/ops.py::f", {"X": "result[0]"})


def test_anchors(linear: Specification) -> None:
    anchors = linear.equations[0].anchors
    assert [anchor.id for anchor in anchors] == [
        "linear.linear/computes/0",
        "linear.linear/inline/Query",
        "linear.linear/tests/0",
        "linear.linear/tests/edge",
        "linear.linear/tests/1",
    ]
    first = anchors[0]
    assert (first.role, first.path, first.line, first.function) == (Role.COMPUTES, "impl/ops.py", 31, "linear_forward")
    assert first.at == Text("impl/ops.py:31", Span("linear.yaml", 33, 30, 33, 46), "'")
    assert first.bind["b"] == Text("0.50", place("0.50"))
    assert first.span.line == 33
    assert anchors[1].part == 1
    assert anchors[2].occurrence == 1


def test_other_files(linear: Specification) -> None:
    assert [(page.id, page.title) for page in linear.pages] == [("basics", "Basics")]
    work = linear.literature["key2017"]
    assert (work.authors, work.year, work.arxiv, work.doi) == (("A", "B"), 2017, "1706.03762", "")
    first, second = linear.waivers
    assert first.equation is not None
    assert (first.equation.value, first.lacks) == ("linear.other", "test")
    assert (second.path, second.line, second.function, second.code) == ("impl/data.py", 12, "f", "x = 1")
    assert linear.reviews == (Review("linear.linear/tests/0", "0" * 64, "1" * 64, "a" * 64),)


def test_a_broken_equation_leaves_the_others(spec: Callable[..., Specification]) -> None:
    broken = LINEAR.replace("    derived: true\n", "    dervied: true\n")
    loaded = spec({"linear.yaml": broken, **OTHERS})
    assert [equation.id for equation in loaded.equations] == ["linear.linear"]
    (fault,) = loaded.faults
    assert (fault.kind, fault.span) == ("schema", place("dervied", broken))
    assert fault.hint == "did you mean `derived`?"


def test_wrong_prose_leaves_the_equations(spec: Callable[..., Specification]) -> None:
    loaded = spec({"linear.yaml": LINEAR.replace("title: Linear layer\n", "").replace("why: |", "wy: |"), **OTHERS})
    assert {fault.message for fault in loaded.faults} == {
        "the key `title` is missing",
        "the key `why` is missing",
        "the key `wy` is not known here",
    }
    assert loaded.topics[0].equations == ()
    loaded = spec({"linear.yaml": LINEAR.replace("title: Linear layer\n", ""), **OTHERS})
    assert len(loaded.equations) == 2
    assert len(loaded.faults) == 1


def test_wrong_symbols_leave_no_equations_and_blame_nobody_else(spec: Callable[..., Specification]) -> None:
    loaded = spec({"linear.yaml": LINEAR.replace("X: {meaning: Input", "X: {meanin: Input"), **OTHERS})
    assert loaded.equations == ()
    assert [fault.message for fault in loaded.faults] == ["the key `meanin` is not known here"]


def test_symbols_of_an_equation_go_before(spec: Callable[..., Specification]) -> None:
    text = LINEAR.replace("    derived: true\n", "    symbols: {X: {meaning: other, shape: []}, Z: {meaning: new}}\n")
    first, second = spec({"linear.yaml": text, **OTHERS}).equations
    assert second.symbols["X"].shape == ()
    assert list(second.symbols) == ["X", "W", "b", "Y", "Z"]
    assert "Z" not in first.symbols
