"""Addresses do not change where a specification is written in another order."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from eqtrace.auditing import audit
from eqtrace.config import load_file
from eqtrace.report.site import render
from tests.site.test_data import inventory
from tests.site.test_pages import Page

PROJECTS = Path(__file__).resolve().parents[1] / "functional/projects"


def site(folder: Path) -> dict[str, bytes]:
    config = load_file(folder / "pyproject.toml")
    results = audit(config, None, cache=False)
    assert not [each for each in results.findings if each.code.startswith("EQ1")]
    return dict(render(config, results))


def reordered(data: Any) -> Any:
    """The last equation first, the last topic first, the last page first; the lines that equations cite stay."""
    if isinstance(data, list):  # pages
        return [{**page, "topics": page.get("topics", [])[::-1]} for page in data[::-1]]
    if "topic" in data:
        return {**data, "equations": data["equations"][::-1]}
    return {
        module: dict(reversed(functions.items())) if isinstance(functions, dict) else functions
        for module, functions in reversed(data.items())
    }


def addresses(files: dict[str, bytes]) -> dict[str, str]:
    """By role and name, the address of every topic, equation and page."""
    found = inventory(files["objects.inv"])
    return {f"{role} {name}": address for name, (role, address, _) in found.items()}


@pytest.mark.parametrize("name", ["halflife", "shop"])
def test_permalinks_survive_another_order(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(PROJECTS / name, tmp_path / name)
    before = site(folder)
    specs = [each for each in folder.rglob("*.yaml") if each.name not in ("waivers.yaml", "reviews.yaml")]
    changed = 0
    for path in specs:
        data = yaml.safe_load(path.read_text("utf-8"))
        again = reordered(data)
        changed += repr(again) != repr(data)
        path.write_text(yaml.safe_dump(again, sort_keys=False, allow_unicode=True, width=1000), "utf-8")
    assert changed > 1
    after = site(folder)
    assert after["equations.html"] != before["equations.html"]
    assert addresses(after) == addresses(before)
    pages = {file: Page(content.decode()) for file, content in after.items() if file.endswith(".html")}
    earlier = {file: Page(content.decode()) for file, content in before.items() if file.endswith(".html")}
    assert {file: sorted(page.ids) for file, page in pages.items()} == {
        file: sorted(page.ids) for file, page in earlier.items()
    }
    for address in addresses(after).values():
        file, _, fragment = address.partition("#")
        assert not fragment or fragment in pages[file].ids
    order = [[each["id"] for each in found["equations.html"].all("figure")] for found in (earlier, pages)]
    assert order[0] != order[1]
    assert sorted(order[0]) == sorted(order[1])
