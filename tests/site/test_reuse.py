"""What is made again after a change, and what is left as it is."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eqtrace.config import Config
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Given
from eqtrace.model.example import Example
from eqtrace.model.finding import Related
from eqtrace.model.mutant import Judged, Mutant
from eqtrace.model.mutant import Status as Fate
from eqtrace.model.readback import ReadBack, Readback
from eqtrace.model.results import Results, Unclaimed
from eqtrace.model.section import PathStep, Section
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import ShapeTable, Topic, Waiver
from eqtrace.model.verdict import Verdict
from eqtrace.report import site
from eqtrace.report.mutants import mutation
from eqtrace.report.site import build, render
from tests.site.conftest import make_config, make_project, make_results


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
        "search.js",
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


def text(value: str) -> Text:
    return Text(value, Span("spec/layers.yaml", 1))


def topics(results: Results, name: str, change: Callable[[Topic], Topic]) -> Results:
    found = tuple(change(each) if each.id == name else each for each in results.specification.topics)
    return replace(results, specification=replace(results.specification, topics=found))


def specification(results: Results, **values: Any) -> Results:
    return replace(results, specification=replace(results.specification, **values))


def symbol(topic: Topic, name: str, **values: Any) -> Topic:
    return replace(topic, symbols={**topic.symbols, name: replace(topic.symbols[name], name=name, **values)})


def lettered(topic: Topic) -> Topic:
    """With a letter that stands for something of another kind in the topic beside it."""
    return replace(topic, symbols={**topic.symbols, "b": replace(topic.symbols["dY"], name="b", meaning="Table")})


def match(results: Results, name: str, **values: Any) -> Results:
    return replace(results, matches={**results.matches, name: replace(results.matches[name], **values)})


def finding(results: Results, **values: Any) -> Results:
    return replace(results, findings=tuple(replace(each, **values) for each in results.findings))


def waived(results: Results) -> Results:
    place = Span("ops.py", 22, 5, 22, 24)
    waiver = Waiver("a helper value", place, path="ops.py", line=22, function="softmax", code="e = np.exp(shifted)")
    found = Match(Anchor("waivers/0", Role.EXPLAINS, "ops.py", 22, "softmax", waiver.code, place), Status.OK, place)
    return specification(replace(results, waivers=(found,)), waivers=(waiver,))


def unclaimed(results: Results) -> Results:
    assert results.coverage is not None
    found = Unclaimed(Span("ops.py", 21, 5, 21, 54), "softmax", "shifted = x - x.max(axis=axis, keepdims=True)")
    return replace(results, coverage=replace(results.coverage, unclaimed=(found,)))


def way(results: Results, cite: str) -> Results:
    steps = (PathStep(text("First."), (text(cite),)),)
    return topics(
        results, "softmax", lambda each: replace(each, sections=(Section("s/0", "A way", each.span, steps=steps),))
    )


def on_page(results: Results, name: str) -> Results:
    """With the function that has the line HIDDEN on the topic's page too."""
    return topics(results, name, lambda each: replace(each, functions=(*each.functions, text("model.py::classify"))))


def verdict(results: Results, name: str, found: Verdict) -> Results:
    first, *others = results.methods[name]
    return replace(results, methods={**results.methods, name: (replace(first, verdict=found), *others)})


def evidence(results: Results, name: str) -> Results:
    first, *others = results.methods[name]
    found = replace(first, evidence=replace(first.evidence, points=3))
    return replace(results, methods={**results.methods, name: (found, *others)})


RENAMED = "softmax.normalised"
HIDDEN = "affine.affine/inline/Hidden layer"
Edit = Callable[[Results], Results]
RESULTS: dict[str, Edit | tuple[Edit, Edit]] = {  # where there are two, the second is the edit, after another build
    "another LaTeX": lambda given: changed(given, "softmax", latex=text(r"p_i = \\frac{e^{x_i}}{\\sum_j e^{x_j}}")),
    "another form": lambda given: changed(given, "softmax", statements=(text("Eq(p[i], 1)"),)),
    "another id": lambda given: changed(given, "softmax", id=RENAMED),
    "a label that cites": lambda given: changed(given, "softmax", label=f"As {{cite: {HIDDEN}}}"),
    "prose": lambda given: topics(given, "softmax", lambda each: replace(each, why=text("`why` not"))),
    "a meaning": lambda given: topics(given, "affine", lambda each: symbol(each, "b", meaning="An offset")),
    "a letter of the topic beside it": lambda given: topics(given, "affine_backward", lettered),
    "the title of the topic beside it": lambda given: topics(given, "affine", lambda each: replace(each, title="Map")),
    "what an equation rests on": lambda given: changed(given, "affine", given=(Given(text("softmax.softmax")),)),
    "where that is gone": (
        lambda given: changed(given, "affine", given=(Given(text("softmax.softmax")),)),
        lambda given: topics(given, "softmax", lambda each: replace(each, equations=each.equations[1:])),
    ),
    "a shape": lambda given: topics(given, "affine", lambda each: replace(each, shapes=each.shapes[:1])),
    "a category": lambda given: topics(given, "affine", lambda each: replace(each, category="Other")),
    "a line that moved": lambda given: match(given, HIDDEN, status=Status.MOVED, span=Span("model.py", 9, 5)),
    "a line in another file": lambda given: match(given, "affine.affine/computes/0", span=Span("model.py", 8, 5)),
    "a line that changed": lambda given: match(given, "affine.affine/computes/0", source="return X @ W - b"),
    "a line that is lost": lambda given: match(given, "affine.affine/computes/0", span=None, status=Status.MISSING),
    "another function": lambda given: match(given, "affine.affine/computes/0", function="other"),
    "a line that never ran": lambda given: replace(
        given, executions={**(given.executions or {}), "affine.affine/computes/0": 0}
    ),
    "a verdict": lambda given: verdict(given, "affine.affine", Verdict.REFUTED),
    "evidence": lambda given: evidence(given, "affine.affine"),
    "LaTeX read back": lambda given: replace(
        given, readbacks={"affine.affine": Readback("", ReadBack.AGREES, "values", points=8)}
    ),
    "no method": lambda given: replace(given, methods={}, executions=None),
    "a finding's words": lambda given: finding(given, message="Other words"),
    "a finding's other place": lambda given: finding(given, related=(Related(Span("model.py", 9), "there"),)),
    "a finding of another equation": lambda given: finding(given, equation="softmax.softmax"),
    "no finding": lambda given: replace(given, findings=()),
    "an example's result": lambda given: replace(given, examples={}),
    "an example's words": lambda given: topics(
        given, "softmax", lambda each: replace(each, example=each.example and replace(each.example, source="mine"))
    ),
    "no example": lambda given: topics(given, "softmax", lambda each: replace(each, example=None)),
    "a way through the code": lambda given: way(given, "affine.affine/computes/0"),
    "the line of a way": (
        lambda given: way(given, HIDDEN),
        lambda given: match(given, HIDDEN, span=Span("model.py", 9, 5)),
    ),
    "the source of a way": (lambda given: way(given, HIDDEN), lambda given: match(given, HIDDEN, source="hidden = X")),
    "the symbols of a way": (
        lambda given: way(given, HIDDEN),
        lambda given: topics(
            given,
            "affine",
            lambda each: replace(
                each, equations=tuple(replace(one, symbols={"b": each.symbols["b"]}) for one in each.equations)
            ),
        ),
    ),
    "where a way is shown": (lambda given: way(given, HIDDEN), lambda given: on_page(given, "softmax")),
    "where a cited line is": (
        lambda given: changed(given, "softmax", label=f"As {{cite: {HIDDEN}}}"),
        lambda given: match(given, HIDDEN, span=Span("model.py", 9, 5)),
    ),
    "where a table's line is": (
        lambda given: topics(
            given, "softmax", lambda each: replace(each, shapes=(ShapeTable("A", (("x", ("V",)),), text(HIDDEN)),))
        ),
        lambda given: match(given, HIDDEN, span=Span("model.py", 9, 5)),
    ),
    "a function that the topic beside it shows": (
        lambda given: topics(given, "affine", lambda each: replace(each, shapes=())),
        lambda given: on_page(given, "affine_backward"),
    ),
    "where a finding's other place is shown": (
        lambda given: finding(given, related=(Related(Span("model.py", 9), "there"),)),
        lambda given: on_page(given, "affine"),
    ),
    "the verdict of an equation that was not selected": (
        lambda given: replace(given, selected=given.selected[1:]),
        lambda given: verdict(given, "affine.affine", Verdict.REFUTED),
    ),
    "the line of an equation that was not selected": (
        lambda given: replace(given, selected=given.selected[1:]),
        lambda given: match(given, HIDDEN, span=Span("model.py", 9, 5)),
    ),
    "how often a line of an equation that was not selected ran": (
        lambda given: replace(given, selected=given.selected[1:]),
        lambda given: replace(given, executions={**(given.executions or {}), HIDDEN: 0}),
    ),
    "a work": lambda given: specification(given, literature={}),
    "a page's title": lambda given: specification(
        given, pages=(replace(given.specification.pages[0], title="Maps"), *given.specification.pages[1:])
    ),
    "a page's name": lambda given: specification(
        given, pages=(replace(given.specification.pages[0], id="maps"), *given.specification.pages[1:])
    ),
    "pages in another order": lambda given: specification(given, pages=given.specification.pages[::-1]),
    "topics in another order": lambda given: specification(given, topics=given.specification.topics[::-1]),
    "a topic on another page": lambda given: specification(
        given,
        pages=tuple(
            replace(page, topics=page.topics[:1] if page.id == "layers" else (*page.topics, text("affine_backward")))
            for page in given.specification.pages
        ),
    ),
    "an equation less": lambda given: topics(given, "affine", lambda each: replace(each, equations=each.equations[:1])),
    "a statement that nothing claims": unclaimed,
    "a statement that is waived": waived,
    "no symbols": lambda given: topics(
        given,
        "softmax",
        lambda each: replace(each, symbols={}, equations=tuple(replace(one, symbols={}) for one in each.equations)),
    ),
}
FILES: dict[str, Callable[[Path], None]] = {
    "a line more": lambda root: edit(root / "ops.py", "import numpy", "# first\nimport numpy"),
    "another caller": lambda root: edit(root / "model.py", "return softmax", "affine = 1\n    return softmax"),
    "a caller less": lambda root: edit(root / "model.py", "return softmax(logits)", "return logits"),
    "another tester": lambda root: edit(root / "test_ops.py", "softmax_sums", "rows_sum"),
    "a file that is gone": lambda root: (root / "model.py").unlink(),
    "a record of the tests": lambda root: record(root / "testers.json"),
}
SETTINGS: dict[str, Callable[[Config], Config]] = {
    "other sizes": lambda given: replace(given, site=replace(given.site, sizes={"T": 3, "c": 4})),
    "fewer pages": lambda given: replace(given, site=replace(given.site, pages=("probabilities",))),
    "other sources": lambda given: replace(given, sources=("ops.py",)),
    "another theme": lambda given: replace(
        given, site=replace(given.site, theme=replace(given.site.theme, scheme="dark"))
    ),
}
KINDS = (("results", RESULTS), ("files", FILES), ("settings", SETTINGS))
EDITS = [(kind, name) for kind, found in KINDS for name in found]


def edit(path: Path, old: str, new: str) -> None:
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new))


def record(path: Path) -> None:
    path.write_text(json.dumps({"schema": 1, "tests": {"test_ops.py::test_softmax_sums_to_one": ["ops.py::softmax"]}}))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """The sample with its site, and the files of that."""
    root = make_project(tmp_path_factory.mktemp("built") / "project")
    config, results = replace(make_config(root), testers="testers.json"), make_results()
    build(config, results)
    return root, dict(render(config, results))


@pytest.mark.parametrize(("kind", "name"), EDITS)
def test_after_an_edit_every_file_is_as_in_a_cold_build(
    built: tuple[Path, dict[str, bytes]], tmp_path: Path, results: Results, kind: str, name: str
) -> None:
    """Whatever a page is made from: nothing of an earlier build is kept that is not so any more."""
    root, before = built
    config = replace(make_config(shutil.copytree(root, tmp_path / "project")), testers="testers.json")
    if kind == "results":
        found = RESULTS[name]
        *prepare, edit = found if isinstance(found, tuple) else (found,)
        for each in prepare:
            results = each(results)
            build(config, results)
            before = dict(render(config, results))
        results = edit(results)
    elif kind == "settings":
        config = SETTINGS[name](config)
    else:
        FILES[name](config.root)
    folder = build(config, results).folder
    cold = dict(render(config, results))
    assert cold != before  # so that the edit shows somewhere
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert files.keys() - {site.MANIFEST} == cold.keys()
    assert [file for file in cold if files[file].read_bytes() != cold[file]] == []


def test_where_the_function_of_an_example_is(config: Config, results: Results) -> None:
    """In a file that the topic does not show: of a run, and of a function that an example is held against."""
    config = replace(config, scenarios="scenarios.py")
    (config.root / "scenarios.py").write_text("def table(rng, sizes):\n    return []\n")
    section = Section("s/0", "Rows", Span("a", 1), run=Example("stored", Span("a", 1), run=text("table")))
    results = topics(
        results,
        "affine_backward",
        lambda each: replace(
            each,
            example=each.example and replace(each.example, equals=text("model.py::classify")),
            sections=(section,),
        ),
    )
    folder = build(config, results).folder
    for name in ("model.py", "scenarios.py"):
        (config.root / name).write_text("# first\n" + (config.root / name).read_text())
        build(config, results)
        assert {name: (folder / name).read_bytes() for name, _ in render(config, results)} == dict(
            render(config, results)
        )


def test_stored_scores_are_shown_after_the_next_build(config: Config, results: Results) -> None:
    build(config, results)
    mutant = Mutant("ops.py:8:5/number/0", "number", Span("ops.py", 8), "affine", "a", "b", ("affine.affine",))
    scores = mutation((Judged(mutant, Fate.SURVIVED),))
    folder = build(config, results, mutation=scores).folder
    assert {name: (folder / name).read_bytes() for name, _ in render(config, results, scores)} == dict(
        render(config, results, scores)
    )
    assert "0 of 1 were noticed" in (folder / "equations.html").read_text()


def test_of_a_changed_page_only_what_changed_is_made(
    config: Config, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(config, results)
    seen = []
    made = site.topic_view
    monkeypatch.setattr(site, "topic_view", lambda topic, *more: (seen.append(topic.id), made(topic, *more))[1])
    build(config, changed(results, "affine", label="Another label"))
    assert seen == ["affine", "affine"]  # on its page, and in the list of all


def test_a_manifest_that_says_nothing_of_parts_makes_them_again(config: Config, results: Results) -> None:
    folder = build(config, results).folder
    manifest = folder / ".eqtrace-site.json"
    data = json.loads(manifest.read_text())
    data["files"] = {name: entry[:2] for name, entry in data["files"].items()}
    manifest.write_text(json.dumps(data))
    again = changed(results, "affine", label="Another label")
    build(config, again)
    assert {name: (folder / name).read_bytes() for name, _ in render(config, again)} == dict(render(config, again))
