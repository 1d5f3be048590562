"""The reference of specification files, written from their JSON Schemas: every key of every type, with an example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from eqtrace.formula.vocabulary import VOCABULARY
from eqtrace.spec.samples import with_samples
from eqtrace.spec.schema import LITERATURE, WAIVERS, json_schema, pages_schema

_HEAD = """# The specification, key by key

<!-- Written by `eqtrace schema --reference`, from the schema. -->

A file of the specification is in topic form, or, where it has no key `topic`, in short form: module, or a path, to its
functions, each to an entry. `eqtrace schema` prints the JSON Schema that this page is written from, for editors; a
first line `# yaml-language-server: $schema=schema.json` tells them. A key that is not listed here is an error. Examples
stand for themselves; they belong to no one project.

What `sympy`, `where` and `let` may say is [at the end](#what-a-form-may-say).
"""
_FORMS = """## What a form may say

A form is read through a whitelist and never evaluated as Python. It holds names of symbols, sizes, indices and helpers,
entries `X[t, j]`, numbers, `+ - * / **`, comparisons, and these words. In short form a form that is no statement is
what the function returns.

| word | meaning |
|---|---|
"""
_TITLES = {
    "ShortEntry": "Short form: an entry",
    "Topic": "Topic form: a topic",
    "Equation": "An equation of a topic",
    "Symbol": "A symbol",
    "Domain": "The domain of a symbol",
    "Anchor": "An anchor",
    "Given": "Given",
    "FunctionUse": "A function symbol",
    "Tolerance": "A tolerance",
    "Ulps": "A bound in ulps",
    "Gradient": "A gradient",
    "ParameterStart": "A parameter of a structure",
    "Stated": "A formula of a docstring",
    "Citation": "A place in the literature",
    "Example": "A worked example",
    "Step": "A step of an example",
    "ShapeTable": "A table of shapes",
    "Row": "A row of a table of shapes",
    "Section": "A section",
    "PathStep": "A step along the code",
    "Page": "The file of pages: a list of pages",
    "Work": "The file of literature: by its key, a work",
    "Waiver": "The file of waivers: a list of waivers",
}
_SIMPLE = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}


def reference() -> str:
    """The page, as Markdown."""
    types = _types()
    words = "".join(f"| `{each.signature}` | {_cell(each.meaning)} |\n" for each in VOCABULARY.values())
    return "\n".join([_HEAD, *(_section(types[name], title) for name, title in _TITLES.items()), _FORMS + words])


def _types() -> dict[str, dict[str, Any]]:
    """Every type of a file that people write, by its name."""
    found: dict[str, dict[str, Any]] = {}
    for schema in (
        json_schema(),
        pages_schema(),
        *(with_samples(each.json_schema()) for each in (LITERATURE, WAIVERS)),
    ):
        found |= {name: each for name, each in schema["$defs"].items() if "properties" in each}
    assert found.keys() == _TITLES.keys(), found.keys() ^ _TITLES.keys()
    return found


def _section(definition: Mapping[str, Any], title: str) -> str:
    required = definition.get("required", ())
    keys = sorted(definition["properties"], key=lambda name: name not in required)  # else in the schema's order
    lines = [f"## {title}", "", definition["description"].replace("\n", " "), ""]
    lines += ["| key | type | meaning | example |", "|---|---|---|---|"]
    for key in keys:
        told = definition["properties"][key]
        sample = next(each[key] for each in definition["examples"] if key in each)
        name = f"**`{key}`** (required)" if key in required else f"`{key}`"
        cells = (name, _type(told), told["description"] + _default(told), _code(_yaml(sample)))
        lines.append("| " + " | ".join(_cell(each) for each in cells) + " |")
    return "\n".join(lines) + "\n"


def _default(told: Mapping[str, Any]) -> str:
    default = told.get("default")
    return "" if default in (None, "", [], {}, False) else f" Left out: `{_yaml(default)}`."


def _type(told: Mapping[str, Any]) -> str:
    """A type in words."""
    if "$ref" in told:
        name = told["$ref"].rpartition("/")[2]
        return f"[{_words(name)}](#{_anchor(_TITLES[name])})" if name in _TITLES else "number, text, or nested lists"
    if "enum" in told:
        return ", ".join(f"`{each}`" for each in told["enum"])
    if "const" in told:
        return f"`{told['const']}`"
    if "anyOf" in told:
        words = " or ".join(dict.fromkeys(_alternatives(told["anyOf"])))
        return words.replace("text or whole number or number", "number or expression").replace(
            "whole number or number", "number"
        )
    if told.get("type") == "array":
        return f"list of {_type(told.get('items', {}))}"
    if told.get("type") == "object":
        return f"mapping of names to {_type(told['additionalProperties'])}"
    return _SIMPLE[told["type"]]


def _alternatives(told: list[Mapping[str, Any]]) -> Iterator[str]:
    for each in told:
        if each.get("type") != "null":
            yield _type(each)


def _words(name: str) -> str:
    return _TITLES[name].removeprefix("A ").removeprefix("An ").removeprefix("The ").split(":")[-1].strip()


def _anchor(title: str) -> str:
    """The address of a heading, as hosts of Markdown make it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _yaml(value: Any) -> str:
    """A value as YAML writes it on one line."""
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000).removesuffix("...\n").strip()


def _code(text: str) -> str:
    """Text as code, whatever it holds."""
    fence = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
