"""Every page loads without a complaint of the browser, and every link leads somewhere."""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from playwright.sync_api import Page

LINKS = (
    "() => [...new Set([...document.querySelectorAll('[href], [src]')]"
    ".map(each => each.getAttribute('href') ?? each.getAttribute('src')))]"
    ".map(each => new URL(each, document.baseURI).href)"
)
IDS = "() => [...document.querySelectorAll('[id]')].map(each => each.id)"


@pytest.mark.parametrize("name", ["sample", "repository"])
def test_every_page_loads_and_every_link_and_anchor_resolves(
    name: str, request: pytest.FixtureRequest, open_page: Callable[..., Page]
) -> None:
    site = request.getfixturevalue(name)
    page = open_page(site.url("index.html"))
    links: list[tuple[str, str]] = []
    ids: dict[str, set[str]] = {}
    for file in site.pages:
        page.goto(site.url(file))
        links += [(file, link) for link in page.evaluate(LINKS)]
        ids[file] = set(page.evaluate(IDS))
    inside = [(file, link) for file, link in links if link.startswith(site.address)]
    files = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*") if path.is_file()}
    assert [link for _, link in links if not link.startswith((site.address, "https://"))] == []
    assert len(inside) > 20
    assert [pair for pair in inside if not _resolves(pair[1], site, files, ids)] == []


def _resolves(link: str, site: Any, files: set[str], ids: dict[str, set[str]]) -> bool:
    address, fragment = urldefrag(link)
    file = unquote(address.removeprefix(site.address + "/").partition("?")[0])
    return file in files and (not fragment or unquote(fragment) in ids[file])


def test_pages_load_from_a_folder(sample_files: Any, open_page: Callable[..., Page]) -> None:
    page = open_page(sample_files.url("index.html"))
    for file in sample_files.pages:
        page.goto(sample_files.url(file))
        assert page.locator("h1").count() == 1
