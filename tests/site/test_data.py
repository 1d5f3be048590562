"""The documents that other tools read."""

import json
import zlib
from dataclasses import replace
from importlib.resources import files as resources
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from eqtrace.config import Config
from eqtrace.model.results import Results
from eqtrace.report.site import render


@pytest.fixture
def files(config: Config, results: Results) -> dict[str, bytes]:
    return dict(render(config, results))


def test_the_documents_are_what_their_schema_says(files: dict[str, bytes]) -> None:
    schema = json.loads(files["equations.schema.json"])
    assert schema == json.loads(resources("eqtrace.report").joinpath("equations.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    whole = json.loads(files["equations.json"])
    validator.validate(whole)
    assert not validator.is_valid({**whole, "equations": [{"id": "a"}]})
    for equation in whole["equations"]:
        alone = json.loads(files[equation["document"]])
        validator.validate(alone)
        assert alone["equations"] == [equation]


def test_an_equation_in_the_document(files: dict[str, bytes]) -> None:
    whole = {each["id"]: each for each in json.loads(files["equations.json"])["equations"]}
    found = whole["affine.affine"]
    assert (found["latex"], found["verdict"], found["topic"]) == ("Y = XW + b", "certified", "affine")
    assert found["mathml"].startswith("<math")
    assert found["methods"]["value"]["points"] == 64
    inline = next(each for each in found["anchors"] if each["purpose"] == "Hidden layer")
    assert (inline["path"], inline["line"], inline["role"], inline["repository"]) == ("model.py", 8, "inline", None)
    assert inline["url"] == "source/model.py.html#L8"
    assert whole["softmax.broken"]["mathml"] is None
    assert whole["affine_backward.dX"]["findings"] == ["EQ501"]


def test_every_address_leads_to_an_element(files: dict[str, bytes]) -> None:
    for equation in json.loads(files["equations.json"])["equations"]:
        for address in [equation["url"], *(each["url"] for each in equation["anchors"] if each["url"])]:
            file, _, element = unquote(address).partition("#")
            assert f'id="{element}"' in files[file].decode()


def inventory(content: bytes) -> dict[str, tuple[str, str, str]]:
    """A Sphinx inventory as Sphinx reads it: name to (role, address, title)."""
    lines = content.split(b"\n", 4)
    assert lines[0] == b"# Sphinx inventory version 2"
    assert lines[1].startswith(b"# Project: ")
    assert lines[2].startswith(b"# Version: ")
    assert b"zlib" in lines[3]
    found = {}
    for line in zlib.decompress(lines[4]).decode().splitlines():
        name, role, priority, address, title = line.split(" ", 4)
        assert priority == "-1"
        found[name if role.startswith("std:") else f"{role} {name}"] = (role, address, title)
    return found


def test_the_inventory_names_pages_topics_and_equations(files: dict[str, bytes]) -> None:
    found = inventory(files["objects.inv"])
    assert found["affine.affine"] == (
        "std:label",
        "pages/layers.html#affine.affine",
        "Affine map: Matrix product plus broadcast bias",
    )
    assert found["eqtrace:equation affine.affine"][1:] == found["affine.affine"][1:]  # for the role of eqtrace.sphinx
    assert found["affine"] == ("std:label", "pages/layers.html#affine", "Affine map")
    assert found["pages/layers"] == ("std:doc", "pages/layers.html", "Layers")
    for _, address, _ in found.values():
        file, _, element = unquote(address).partition("#")
        assert file in files
        assert not element or f'id="{element}"' in files[file].decode()


def test_names_and_titles_cannot_break_a_line_of_the_inventory(config: Config, results: Results) -> None:
    topic = replace(results.specification.topics[0], title="Two\nlines and # more")
    specification = replace(results.specification, topics=(topic, *results.specification.topics[1:]))
    other = replace(config, site=replace(config.site, title="A\nB"))
    found = inventory(dict(render(other, replace(results, specification=specification)))["objects.inv"])
    assert found["affine"][2] == "Two lines and # more"


def test_the_map_of_the_site_needs_its_address(config: Config, results: Results, files: dict[str, bytes]) -> None:
    assert "sitemap.xml" not in files
    site = replace(config.site, url="https://example.org/a&b")
    found = dict(render(replace(config, site=site), results))
    places = [each.text for each in ElementTree.fromstring(found["sitemap.xml"]).iter() if each.tag.endswith("loc")]
    assert places[0] == "https://example.org/a&b/index.html"
    assert all(place and place.removeprefix("https://example.org/a&b/") in found for place in places)


def test_ids_that_are_no_names_of_files_get_distinct_ones(config: Config, results: Results) -> None:
    topic = results.specification.topics[0]
    first, second = topic.equations
    equations = (replace(first, id="m:F"), replace(second, id="m:f"))
    topics = (replace(topic, equations=equations), *results.specification.topics[1:])
    specification = replace(results.specification, topics=topics)
    found = dict(render(config, replace(results, specification=specification)))
    assert {"equations/m-F.json", "equations/m-f-2.json"} <= set(found)
