"""The reference of the specification: the page on disk is the one that is written from the schema."""

import re
from pathlib import Path

from eqtrace.formula.vocabulary import VOCABULARY
from eqtrace.report.reference import reference
from eqtrace.spec.schema import json_schema

PAGE = Path(__file__).resolve().parents[3] / "docs" / "specification.md"


def test_the_page_is_written_anew() -> None:
    written = PAGE.read_text("utf-8")
    assert written == reference(), "run `eqtrace schema --reference --output-file docs/specification.md`"


def test_every_key_and_every_word_has_its_row() -> None:
    text = reference()
    for definition in json_schema()["$defs"].values():
        for key in definition.get("properties", {}):
            assert re.search(rf"^\| (\*\*)?`{key}`", text, re.MULTILINE), key
    assert all(f"| `{word.signature}` |" in text for word in VOCABULARY.values())


def test_rows_are_whole_and_links_lead_to_headings() -> None:
    text = reference()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {3, 5}
    headings = [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in re.findall(r"(?m)^## (.*)$", text)]
    assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= {*headings}
