"""Somebody else's specification renders too, and nothing of the transformer is in what makes the pages."""

import re
from importlib.resources import files as resources
from pathlib import Path

import pytest

from eqtrace.auditing import audit
from eqtrace.config import load_file
from eqtrace.report.site import render
from tests.site.test_pages import Page

PROJECTS = Path(__file__).resolve().parents[1] / "functional/projects"
_TRANSFORMER = re.compile(
    r"transformer|attention|embedding|softmax|layer.?norm|adamw|token(?!iz)|logits|perplexity|impl/", re.I
)


@pytest.mark.parametrize("name", ["halflife", "shop"])
def test_a_foreign_project_renders(name: str) -> None:
    config = load_file(PROJECTS / name / "pyproject.toml")
    results = audit(config, None, cache=False)
    found = dict(render(config, results))
    pages = {file: Page(content.decode()) for file, content in found.items() if file.endswith(".html")}
    assert {
        "index.html",
        "equations.html",
        "notation.html",
        "matrix.html",
        "dependencies.html",
        "coverage.html",
    } <= set(pages)
    for equation in results.specification.equations:
        assert any(equation.id in page.words for file, page in pages.items() if file.startswith("pages/"))
    assert not any(_TRANSFORMER.search(page.words) for page in pages.values())


def test_nothing_of_the_transformer_is_in_the_templates() -> None:
    for entry in resources("eqtrace.report").joinpath("templates").iterdir():
        assert not _TRANSFORMER.search(entry.read_text(encoding="utf-8")), entry.name
