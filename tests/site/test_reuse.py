"""What is made again after a change, and what is left as it is."""

from dataclasses import replace
from pathlib import Path

from eqtrace.config import Config
from eqtrace.model.results import Results
from eqtrace.report.site import build, render


def changed(results: Results, topic: str, **equation: object) -> Results:
    """The results with something else said of a topic's first equation."""
    topics = []
    for each in results.specification.topics:
        if each.id == topic:
            first, *others = each.equations
            each = replace(each, equations=(replace(first, **equation), *others))  # type: ignore[arg-type]
        topics.append(each)
    return replace(results, specification=replace(results.specification, topics=tuple(topics)))


def test_nothing_is_made_where_nothing_changed(config: Config, results: Results) -> None:
    first = build(config, results)
    assert len(first.made) == first.files == first.written
    again = build(config, replace(results, seconds=3.0, from_cache=9))
    assert (again.made, again.written, again.files) == ((), 0, first.files)


def test_a_changed_equation_makes_only_what_shows_it(config: Config, results: Results) -> None:
    build(config, results)
    again = changed(results, "softmax", label="Another label")
    built = build(config, again)
    assert set(built.made) == {
        "pages/probabilities.html",
        "equations.html",
        "equations.json",
        "equations/softmax.softmax.json",
        "objects.inv",
    }
    assert {path: (built.folder / path).read_bytes() for path in built.made} == {
        path: content for path, content in render(config, again) if path in built.made
    }


def test_after_any_change_the_folder_holds_what_a_new_build_would(config: Config, results: Results) -> None:
    folder = build(config, results).folder
    again = changed(results, "affine", derived=True)
    (config.root / "model.py").write_text((config.root / "model.py").read_text() + "\n\nLATER = 1\n")
    build(config, again)
    assert {name: (folder / name).read_bytes() for name, _ in render(config, again)} == dict(render(config, again))


def test_a_changed_source_makes_only_the_pages_that_show_it(config: Config, results: Results) -> None:
    build(config, results)
    (config.root / "test_ops.py").write_text((config.root / "test_ops.py").read_text() + "\n# later\n")
    assert build(config, results).made == ("source/test_ops.py.html",)


def test_a_page_that_was_damaged_is_made_again(config: Config, results: Results) -> None:
    folder = build(config, results).folder
    (folder / "pages/layers.html").write_text("mine")
    (folder / "static/site.css").unlink()
    assert build(config, results).made == ("pages/layers.html", "static/site.css")
    assert "mine" not in (folder / "pages/layers.html").read_text()[:100]


def test_another_title_makes_every_page_again(config: Config, results: Results) -> None:
    first = build(config, results)
    again = build(replace(config, site=replace(config.site, title="Other")), results)
    pages = {name for name in first.made if name.endswith(".html")}
    assert pages <= set(again.made)


def test_a_changed_template_of_the_project_makes_every_page_again(config: Config, results: Results) -> None:
    folder = config.root / "templates"
    folder.mkdir()
    own = replace(config, site=replace(config.site, templates="templates"))
    build(own, results)
    (folder / "source.html").write_text("{{ view.path }}")
    made = set(build(own, results).made)
    assert {"source/ops.py.html", "index.html"} <= made
    assert "static/site.css" not in made


def test_a_build_that_was_broken_off_is_finished_by_the_next(config: Config, results: Results, tmp_path: Path) -> None:
    folder = build(config, results).folder
    manifest = folder / ".eqtrace-site.json"
    manifest.write_text('{"files": ["index.html", "pages/layers.html"]}')
    for name in ("equations.html", "notation.html"):
        (folder / name).unlink()
    built = build(config, results)
    assert len(built.made) == built.files
    assert built.written == 2
