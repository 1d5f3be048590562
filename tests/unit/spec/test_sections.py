"""Sections of pages and topics: what is read of them, and what is told of their mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import yaml

import eqtrace.spec
from eqtrace.spec.schema import pages_schema

COMMITTED = Path(eqtrace.spec.__file__).with_name("pages.schema.json")
TOPIC = """\
topic: a
title: A
page: p
status: implemented
direction: forward
functions: ['a.py::f']
what: w
why: y
symbols: {y: {}, x: {}}
equations:
  - {id: a.b, sympy: 'Eq(y, x)', anchors: [{role: computes, at: 'a.py:1', in: f, code: 'y = x'}]}
sections:
  - heading: The way
    steps: [{text: 'It is made.', cite: a.b/computes/0}]
"""
PAGES = """\
- {page: p, title: P, notation: 'y is the output, see {cite: a.b/computes/0}', topics: [a]}
- page: q
  title: Q
  sections:
    - {heading: Words, text: 'As {cite: a.b/computes/0} says.'}
    - {heading: Rows, run: table, caption: All rows}
    - heading: Way
      steps: [{text: Both., cite: [a.b/computes/0, a.b/computes/0]}]
"""


def test_sections_of_pages_and_topics(spec) -> None:
    found = spec({"a.yaml": TOPIC, "pages.yaml": PAGES})
    assert found.faults == ()
    [topic], [first, second] = found.topics, found.pages
    assert [(each.id, each.heading) for each in topic.sections] == [("topics/a/0", "The way")]
    assert [each.value for each in topic.sections[0].steps[0].cites] == ["a.b/computes/0"]
    assert first.notation.startswith("y is the output")
    assert [each.id for each in second.sections] == ["pages/q/0", "pages/q/1", "pages/q/2"]
    run = second.sections[1].run
    assert run is not None
    assert (run.kind, run.run.value, second.sections[1].caption) == ("stored", "table", "All rows")
    assert len(second.sections[2].steps[0].cites) == 2


def test_an_unknown_key_of_a_section_and_an_unknown_line_of_a_step(spec) -> None:
    pages = "- {page: q, title: Q, sections: [{heading: Odd, table: rows}]}\n- {page: p, title: P, topics: [a]}\n"
    found = spec({"a.yaml": TOPIC.replace("cite: a.b/computes/0", "cite: a.b/calls/0"), "pages.yaml": pages})
    told = [(each.kind, each.span.path, each.span.line) for each in found.faults]
    assert told == [("unknown-reference", "a.yaml", 14), ("schema", "pages.yaml", 1)]


def test_each_mistake_of_a_section(spec) -> None:
    pages = """\
- {page: empty, title: E}
- page: q
  title: Q
  notation: 'see {cite: a.b/computes/1}'
  sections:
    - {heading: Nothing}
    - {heading: Words, text: 'As {cite: nobody} says.', caption: of what}
    - {heading: Way, steps: [{text: One., cite: a.c/computes/0}, {text: Two., cite: []}]}
"""
    found = spec({"a.yaml": TOPIC, "pages.yaml": pages})
    told = {(each.span.line, each.message) for each in found.faults if each.span.path == "pages.yaml"}
    assert told == {
        (1, "the page `empty` has neither `topics` nor `sections`"),
        (4, "there is no anchor `a.b/computes/1`"),
        (6, "the section `Nothing` is empty"),
        (7, "there is no anchor `nobody`"),
        (7, "the section `Words` has a caption, and no run whose table it would stand above"),
        (8, "there is no anchor `a.c/computes/0`"),
        (8, "the step cites no line"),
    }


def test_the_committed_schema_of_pages_is_the_generated_one() -> None:
    schema = pages_schema()
    assert json.loads(COMMITTED.read_text("utf-8")) == schema, "write it anew: eqtrace schema --pages"
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(yaml.safe_load(PAGES))
    assert not validator.is_valid([{"page": "p", "title": "P", "sections": [{"text": "no heading"}]}])
