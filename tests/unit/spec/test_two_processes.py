"""Many files, of which another process reads some: what comes of it is what one process makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from eqtrace import beside
from eqtrace.config import Config
from eqtrace.inputs import Inputs
from eqtrace.model.topic import Specification
from eqtrace.spec import load

TOPIC = """topic: {0}
title: T
page: {1}
status: implemented
direction: forward
functions: []
what: 'see {{cite: {2}/computes/0}}'
why: b
symbols: {{x: {{shape: []}}}}
equations:
  - {{id: {0}.e, sympy: 'Eq(x, 1)', anchors: [{{role: computes, at: 'f.py:1', in: f, code: 'x = 1'}}]}}
"""


def both(folder: Path, monkeypatch: pytest.MonkeyPatch, *texts: str) -> Specification:
    """What one process reads, and two read alike."""
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text, "utf-8")
    (folder / "pages.yaml").write_text("- {page: p, title: P, intro: a, topics: [a]}\n", "utf-8")
    config = Config(root=folder, spec=("*.yaml",), pages="pages.yaml")
    alone, two = Inputs(folder), Inputs(folder)
    found = load.load(config, alone)
    monkeypatch.setattr(load, "MANY", 2)
    monkeypatch.setattr(beside, "_two_at_once", lambda: True)
    assert load.load_in_two(config, two) == found
    assert (two.record(), two.unknowable) == (alone.record(), alone.unknowable)
    return found


def test_references_lead_from_one_part_to_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [TOPIC.format(name, "p", f"{other}.e") for name, other in zip("abcd", "dcba", strict=True)]
    found = both(tmp_path, monkeypatch, *topics)
    assert [topic.id for topic in found.topics] == ["a", "b", "c", "d"]
    assert not found.faults


def test_the_faults_of_both_parts_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = both(
        tmp_path, monkeypatch, TOPIC.format("a", "q", "a.e"), "x: [", TOPIC.format("c", "q", "z.e"), "topic: d\n"
    )
    assert {fault.span.path for fault in found.faults} == {"0.yaml", "1.yaml", "2.yaml", "3.yaml"}


def test_an_id_that_stands_in_both_parts_is_told_at_the_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [TOPIC.format(name, "p", "a.e") for name in "abca"]
    found = both(tmp_path, monkeypatch, *topics)
    assert [topic.id for topic in found.topics] == ["a", "b", "c"]
    assert [(fault.kind, fault.span.path, fault.related[0].span.path) for fault in found.faults] == [
        ("duplicate-id", "3.yaml", "0.yaml")
    ]


def test_short_form_is_read_in_both_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = both(tmp_path, monkeypatch, *(f"m{each}: {{f: {{sympy: 'x'}}}}\n" for each in range(4)))
    assert [equation.id for equation in found.equations] == [f"m{each}:f" for each in range(4)]
