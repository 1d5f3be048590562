"""Pages that gather from all topics: notation, matrix, dependencies, coverage, changes; and what pages begin with."""

import hashlib
from dataclasses import replace

import pytest

from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.link.review.suspicion import Texts, links
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Given
from eqtrace.model.example import Example, ExampleResult, Outcome, Table
from eqtrace.model.results import Coverage, Results, Tally, Unclaimed
from eqtrace.model.section import PathStep, Section
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import Waiver
from eqtrace.report.site import render
from tests.site.test_pages import Page

PLACE = Span("spec/pages.yaml", 1)


def text(value: str) -> Text:
    return Text(value, PLACE)


def page(config: Config, results: Results, name: str) -> Page:
    return Page(dict(render(config, results))[name].decode())


def test_notation_gathers_symbols_sizes_rules_and_shapes(config: Config, results: Results) -> None:
    first, *others = results.specification.pages
    pages = (replace(first, notation="A `d` in front is a gradient, see {cite: affine.affine/computes/0}."), *others)
    results = replace(results, specification=replace(results.specification, pages=pages))
    words = page(config, results, "notation.html").words
    assert "Layers A d in front is a gradient, see ops.py:8." in words
    assert "Weight matrix Parameter (a, c) Affine map" in words
    assert "Letters without a size here, which stay letters: V." in words
    assert "The hidden layer model.py:8 Array Shape With sizes X (T, a) (16, 8)" in words
    assert "Notation. A d in front is a gradient" in page(config, results, "pages/layers.html").words


def test_letters_with_several_meanings_are_told(config: Config, results: Results) -> None:
    words = page(config, results, "pages/layers.html").words
    assert "Letters with several meanings" not in words
    first, second, *others = results.specification.topics
    other = replace(second.symbols["dY"], name="b", shape=(text("T"), text("c")), meaning="A table")
    second = replace(second, symbols={**second.symbols, "b": other, "T": replace(other, name="T")})
    specification = replace(results.specification, topics=(first, second, *others))
    words = page(config, replace(results, specification=specification), "pages/layers.html").words
    assert "b stands for something of another kind in Affine map, backward (A table)." in words
    assert "T is an array here; in shapes it is a size." in words


def test_the_matrix_has_a_row_for_each_equation_and_a_column_for_each_role(config: Config, results: Results) -> None:
    found = page(config, results, "matrix.html")
    assert (
        "Computes it: 4, Written inline: 2, Calls it: 1, Tests it: 1, Explains it: 1 (cited lines by role)"
        in found.words
    )
    assert "affine.affine ✓ certified value ops.py:8 model.py:8 model.py:9 ·none test_ops.py:6 ·none" in found.words
    assert "affine.entry lacks test, waived: nothing to test" in found.words
    assert "ops.py:14 moved" in found.words


def test_dependencies_are_drawn_and_said(config: Config, results: Results) -> None:
    words = page(config, results, "dependencies.html").words
    assert "No equation rests on another." in words
    first, second, *others = results.specification.topics
    entry = replace(first.equations[1], given=(Given(text("affine.affine")), Given(text("softmax.softmax"))))
    first = replace(first, equations=(first.equations[0], entry))
    specification = replace(results.specification, topics=(first, second, *others))
    found = page(config, replace(results, specification=specification), "dependencies.html")
    assert "affine.entry takes as known affine.affine" in found.words
    assert "Affine map takes as known Softmax" in found.words
    nodes = [each for each in found.all("a") if each.get("class", "").startswith("node ")]
    assert {"affine.affine, certified", "affine.entry, not checked", "softmax.softmax, certified to constants"} <= {
        each["aria-label"] for each in nodes
    }
    drawing = next(each for each in found.all("svg") if each["class"] == "graph")
    assert set(drawing["aria-labelledby"].split()) <= set(found.ids)
    assert "These rest on no other" in found.words
    words = page(config, replace(results, specification=specification), "pages/layers.html").words
    assert "It takes as known affine.affine, softmax.softmax." in words
    assert words.count("It takes as known") == 1


def test_coverage_both_ways(config: Config, results: Results) -> None:
    unclaimed = Unclaimed(Span("ops.py", 21, 5, 21, 54), "softmax", "shifted = x - x.max(axis=axis, keepdims=True)")
    waiver = Waiver("a helper value", PLACE, path="ops.py", line=22, function="softmax", code="e = np.exp(shifted)")
    anchor = Anchor("waivers/1", Role.EXPLAINS, "ops.py", 22, "softmax", waiver.code, PLACE)
    match = Match(anchor, Status.OK, Span("ops.py", 22, 5, 22, 24), "softmax", waiver.code)
    results = replace(
        results,
        coverage=Coverage(Tally(5, 6, 1), Tally(7, 9, 1), (unclaimed,)),
        waivers=(match,),
        specification=replace(results.specification, waivers=(*results.specification.waivers, waiver)),
    )
    words = page(config, results, "coverage.html").words
    assert "5 of 6 equations have a line" in words
    assert "affine.entry test nothing to test" in words
    assert "7 of 9 arithmetic statements of the sources are claimed by an equation, 1 are waived" in words
    assert "ops.py:21 softmax shifted = x - x.max(axis=axis, keepdims=True)" in words
    assert "ops.py:22 softmax e = np.exp(shifted) a helper value" in words
    source = page(config, results, "source/ops.py.html")
    marked = [each["id"] for each in source.all("span") if "unclaimed" in each.get("class", "")]
    assert marked == ["L21", "L22"]
    assert "no equation claims this" in source.words
    assert "no equation, waived: a helper value" in source.words


def test_coverage_that_is_off_says_so(config: Config, results: Results) -> None:
    words = page(replace(config, coverage="off"), results, "coverage.html").words
    assert "Not looked at: coverage is off in the configuration." in words


def test_equations_without_a_known_test_are_not_said_to_lack_nothing(config: Config, results: Results) -> None:
    """Where a test may be missing without a finding, the page says why it is none."""
    bare = replace(results.specification, waivers=())

    def said(setting: str, covered: int) -> str:
        found = replace(results, specification=bare, coverage=Coverage(Tally(covered, 6, 0)))
        return str(page(replace(config, coverage=setting), found, "coverage.html").words)

    assert "Of the others no test is known, which is no finding here: coverage is off" in said("off", 2)
    assert "no finding here: the project names no tests" in said("report", 2)
    assert "No equation lacks anything." in said("report", 6)
    assert "No equation lacks anything." not in said("off", 2) + said("report", 2)


def reviewed(config: Config, results: Results) -> Results:
    """The results with a ledger in which every link is as it is now."""
    texts = Texts(Index(config))
    found = links(results.specification, frozenset(results.selected), results.matches)
    ledger = tuple(texts.review(link) for link in found)
    return replace(results, specification=replace(results.specification, reviews=ledger))


def test_without_a_ledger_there_is_no_page_of_changes(config: Config, results: Results) -> None:
    found = dict(render(config, results))
    assert "changes.html" not in found
    assert b"changes.html" not in found["index.html"]


def test_changes_since_the_last_review(config: Config, results: Results) -> None:
    config = replace(config, reviews="reviews.yaml")
    results = reviewed(config, results)
    words = page(config, results, "changes.html").words
    assert "9 of 9 links were reviewed" in words
    assert "Nothing: every reviewed link says what it said" in words
    ledger = [
        replace(each, prose=hashlib.sha256(b"other").hexdigest())
        if each.key == "affine.entry/explains/4"
        else replace(each, code=hashlib.sha256(b"before").hexdigest())
        for each in results.specification.reviews or ()
    ]
    changed = replace(results, specification=replace(results.specification, reviews=tuple(ledger)))
    words = page(config, changed, "changes.html").words
    suspect, cleared = words.split("Changed, and shown again")
    assert "the prose changed after affine.entry/explains/4 was reviewed" in suspect
    assert "affine_backward.dX/computes/6 was reviewed, and the equation is refuted" in suspect
    assert "the code changed after affine.affine/computes/0 was reviewed" in cleared
    assert "affine.affine/computes/0 ✓ certified" in cleared
    assert "affine.affine/computes/0" not in suspect


def test_helper_or_in_place(config: Config, results: Results) -> None:
    words = page(config, results, "pages/layers.html").words
    assert (
        "Forward affine ops.py:6 repeated in place; the helper is never called no call"
        " Hidden layer model.py:8 Output layer model.py:9" in words
    )
    assert "Backward affine_backward ops.py:11 neither: no other code calls or repeats it" in words
    assert (
        "softmax ops.py:18 the helper is called classify model.py:10"
        in page(config, results, "pages/probabilities.html").words
    )


SECTIONS = (
    Section("pages/layers/0", "How it goes", PLACE, text("As {cite: affine.affine/computes/0} says.\n\n<b>Plain</b>.")),
    Section(
        "pages/layers/1",
        "The way",
        PLACE,
        steps=(PathStep(text("First `this`."), (text("affine.affine/inline/Hidden layer"), text("nobody"))),),
    ),
    Section("pages/layers/2", "Rows", PLACE, run=Example("stored", PLACE, run=text("table")), caption="All <rows>"),
)


@pytest.mark.parametrize("owner", ["page", "topic"])
def test_sections_of_pages_and_topics(config: Config, results: Results, owner: str) -> None:
    specification = results.specification
    if owner == "page":
        pages = (replace(specification.pages[0], sections=SECTIONS), *specification.pages[1:])
        specification = replace(specification, pages=pages)
    else:
        topics = (replace(specification.topics[0], sections=SECTIONS), *specification.topics[1:])
        specification = replace(specification, topics=topics)
    results = replace(results, specification=specification)
    found = page(config, results, "pages/layers.html")
    assert "How it goes As ops.py:8 says. <b>Plain</b>." in found.words
    assert 'First this. model.py:8 in classify hidden = X @ params["w1"] + params["b1"] affine.affine' in found.words
    assert "table was not run, so there are no rows." in found.words
    table = Table(("name", "size"), (("a", 1), ("<b>", 2.5)), (("T", 16),))
    ran = ExampleResult("pages/layers/2", Outcome.SHOWN, table=table)
    results = replace(results, examples={**results.examples, "pages/layers/2": ran})
    words = page(config, results, "pages/layers.html").words
    assert "All <rows> name size a 1 <b> 2.5" in words
    assert "from a run of the code Not typed" in words
    assert "at T = 16." in words
