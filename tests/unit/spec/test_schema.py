from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import eqtrace.spec
from eqtrace.spec.samples import SAMPLES, with_samples
from eqtrace.spec.schema import LITERATURE, WAIVERS, json_schema, pages_schema

COMMITTED = Path(eqtrace.spec.__file__).with_name("schema.json")


def test_the_committed_schema_is_the_generated_one() -> None:
    assert json.loads(COMMITTED.read_text("utf-8")) == json_schema(), (
        "write it anew: json.dumps(json_schema(), indent=2) and a newline"
    )


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


def test_every_key_is_described() -> None:
    for name, definition in json_schema()["$defs"].items():
        if name == "Values":
            continue
        assert definition["description"], name
        for key, entry in definition["properties"].items():
            assert entry.get("description"), f"{name}.{key}"


def test_every_key_has_an_example_that_fits() -> None:
    pages, others = pages_schema(), [with_samples(each.json_schema()) for each in (LITERATURE, WAIVERS)]
    told = set()
    for schema in (json_schema(), pages, *others):
        for name, definition in schema["$defs"].items():
            if name == "Values":
                continue
            told.add(name)
            wanted = {**definition, "$defs": schema["$defs"]}
            for example in definition["examples"]:
                jsonschema.Draft202012Validator(wanted).validate(example)
            shown = {key for example in definition["examples"] for key in example}
            assert shown == definition["properties"].keys(), name
    assert told == SAMPLES.keys()


TOPIC: dict[str, Any] = {
    "topic": "a",
    "title": "A",
    "page": "p",
    "status": "implemented",
    "direction": "forward",
    "functions": ["a.py::f"],
    "what": "w",
    "why": "y",
    "symbols": {"X": {"meaning": "m", "shape": ["T", 3], "code": None}},
    "equations": [
        {"id": "a.b", "anchors": [{"role": "computes", "at": "a.py:1", "in": "f", "code": "x = 1", "bind": {"X": "x"}}]}
    ],
}


def valid(data: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(json_schema()).is_valid(data))


def test_topic_form() -> None:
    assert valid(TOPIC)
    assert not valid({**TOPIC, "titel": "A"})
    assert not valid({key: value for key, value in TOPIC.items() if key != "why"})
    assert not valid({**TOPIC, "status": "done"})


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("m: {f: {sympy: x}}", True),
        ("'m:f': {sympy: x}", True),
        ("m: {f: {sympyy: x}}", False),
        ("'m:f': {f: {sympy: x}}", False),
        ("m: {f: 3}", False),
        ("- 1", False),
    ],
)
def test_short_form(text: str, good: bool) -> None:
    assert valid(yaml.safe_load(text)) is good
