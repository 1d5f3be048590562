"""Which files are written, and which are left alone."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.config import Config
from eqtrace.errors import EqtraceError
from eqtrace.model.results import Results
from eqtrace.model.topic import Specification
from eqtrace.report.site import MANIFEST, build, render


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_same_results_give_the_same_bytes_and_nothing_is_written_again(config: Config, results: Results) -> None:
    first = build(config, results)
    assert (first.written, first.folder) == (first.files, config.root / "out")
    assert dict(render(config, results)) == dict(render(config, replace(results, seconds=99.0, from_cache=4)))
    assert build(config, results).written == 0


def test_only_the_output_folder_is_touched(config: Config, results: Results, project: Path) -> None:
    before = {path: path.read_bytes() for path in project.iterdir()}
    build(config, results)
    assert {path: path.read_bytes() for path in project.iterdir() if path.is_file()} == before


def test_stale_pages_of_its_own_are_removed_and_other_files_kept(config: Config, results: Results) -> None:
    folder = build(config, results).folder
    (folder / "pages" / "mine.txt").write_text("mine")
    fewer = replace(
        results.specification, pages=results.specification.pages[:1], topics=results.specification.topics[:2]
    )
    build(config, replace(results, specification=fewer))
    assert not (folder / "pages/probabilities.html").exists()
    assert (folder / "pages/mine.txt").read_text() == "mine"
    assert set(json.loads((folder / MANIFEST).read_text())["files"]) == names(folder) - {MANIFEST, "pages/mine.txt"}


def test_somebody_elses_file_is_never_overwritten(config: Config, results: Results) -> None:
    folder = config.root / "out"
    folder.mkdir()
    (folder / "index.html").write_text("mine")
    with pytest.raises(EqtraceError, match="no page of an earlier site"):
        build(config, results)
    assert names(folder) == {"index.html"}
    assert (folder / "index.html").read_text() == "mine"


@pytest.mark.parametrize("entry", ["../victim.txt", "/etc/victim", "pages/../../victim.txt"])
def test_a_manifest_cannot_have_other_files_removed(config: Config, results: Results, entry: str) -> None:
    folder = build(config, results).folder
    victim = config.root / "victim.txt"
    victim.write_text("keep")
    (folder / MANIFEST).write_text(json.dumps({"files": [entry, 3]}))
    with pytest.raises(EqtraceError):  # its own pages are no longer known to be its own, once they differ
        build(config, replace(results, seed=5))
    assert victim.read_text() == "keep"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 3}', "\x00"])
def test_a_damaged_manifest_is_rebuilt(config: Config, results: Results, content: str) -> None:
    folder = build(config, results).folder
    (folder / MANIFEST).write_text(content)
    build(config, results)
    assert set(json.loads((folder / MANIFEST).read_text())["files"]) == names(folder) - {MANIFEST}


def test_a_link_out_of_the_folder_is_not_followed(config: Config, results: Results, tmp_path: Path) -> None:
    folder = config.root / "out"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "pages").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EqtraceError, match="leads out of"):
        build(config, results)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_empty_specification_gives_a_site_that_claims_nothing(config: Config) -> None:
    empty = Results("audit", Specification(), (), {})
    index = dict(render(config, empty))["index.html"].decode()
    assert "Nothing was checked" in index


def test_pages_without_methods_say_that_nothing_was_verified(config: Config, results: Results) -> None:
    static = replace(results, methods={}, examples={}, executions=None, command="audit")
    files = dict(render(config, static))
    assert "values were not" in files["index.html"].decode()
    assert "certified" not in files["pages/layers.html"].decode()
    assert "No method was run for these pages" in files["pages/layers.html"].decode()


def test_topics_that_no_page_lists_get_one(config: Config, results: Results) -> None:
    specification = replace(results.specification, pages=())
    files = dict(render(config, replace(results, specification=specification)))
    assert {"pages/layers.html", "pages/probabilities.html"} <= set(files)


def test_a_page_named_like_a_path_stays_in_its_folder(config: Config, results: Results) -> None:
    page = replace(results.specification.pages[0], id="../../evil")
    other = replace(results.specification.pages[1], id="Evil")
    specification = replace(results.specification, pages=(page, other))
    files = dict(render(config, replace(results, specification=specification)))
    assert {"pages/evil.html", "pages/Evil-2.html"} <= set(files)


def test_only_configured_pages_are_written(config: Config, results: Results) -> None:
    narrowed = replace(config, site=replace(config.site, pages=("layers",)))
    files = dict(render(narrowed, results))
    assert "pages/layers.html" in files
    assert "pages/probabilities.html" not in files


def test_unreadable_sources_have_no_page_and_break_nothing(config: Config, results: Results) -> None:
    (config.root / "model.py").write_text("def broken(:\n")
    (config.root / "ops.py").unlink()
    files = dict(render(config, results))
    assert not any(name.startswith("source/") and "test" not in name for name in files)
    assert "Y = XW + b" in files["pages/layers.html"].decode()
