"""What stands on the pages, read as a browser's parser reads them."""

import json
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import pytest

from eqtrace.config import Config
from eqtrace.model.example import Edits, Step
from eqtrace.model.mutant import Score
from eqtrace.model.readback import ReadBack, Readback, Stated
from eqtrace.model.results import Results
from eqtrace.model.span import Span, Text
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.report.mutants import Mutation
from eqtrace.report.site import render

VOID = {"meta", "link", "input", "br", "wbr", "img", "hr", "rect", "mspace"}


class Page(HTMLParser):
    """Gathers elements, ids, links and text, and that every element is closed where it must be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag in VOID:
            self.text.append("" if tag == "wbr" else " ")
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag in {"dd", "dt", "figcaption", "h2", "h3", "li", "p", "td", "th"}:
            self.text.append(" ")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, *tags: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.elements if tag in tags]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())


@pytest.fixture
def files(config: Config, results: Results) -> dict[str, bytes]:
    return dict(render(config, results))


@pytest.fixture
def pages(files: dict[str, bytes]) -> dict[str, Page]:
    return {name: Page(content.decode()) for name, content in files.items() if name.endswith(".html")}


def test_the_files_of_the_site(files: dict[str, bytes]) -> None:
    assert list(files) == [
        "index.html",
        "pages/layers.html",
        "pages/probabilities.html",
        "equations.html",
        "search.js",
        "notation.html",
        "matrix.html",
        "dependencies.html",
        "coverage.html",
        "source/model.py.html",
        "source/ops.py.html",
        "source/test_ops.py.html",
        "static/site.css",
        "static/early.js",
        "static/site.js",
        "static/reference.js",
        "static/engine.js",
        "static/examples.js",
        "static/icon.svg",
        "static/stix-two-math.woff2",
        "static/stix-two-math-license.txt",
        "static/theme.css",
        "static/math.css",
        "equations.json",
        "equations/affine.affine.json",
        "equations/affine.entry.json",
        "equations/affine_backward.dW.json",
        "equations/affine_backward.dX.json",
        "equations/softmax.softmax.json",
        "equations/softmax.broken.json",
        "equations.schema.json",
        "objects.inv",
    ]


def test_ids_are_unique_and_every_link_leads_somewhere(pages: dict[str, Page], files: dict[str, bytes]) -> None:
    for name, page in pages.items():
        assert [each for each, count in Counter(page.ids).items() if count > 1] == []
        for attributes in page.all("a", "link", "script"):
            address = attributes.get("href", attributes.get("src", ""))
            if address.startswith("https://"):
                continue
            path, _, fragment = address.partition("#")
            path = path.partition("?")[0]
            parts = name.split("/")[:-1] if path else name.split("/")
            for part in path.split("/") if path else ():
                parts = parts[:-1] if part == ".." else [*parts, part]
            target = unquote("/".join(parts))
            assert target in files, (name, address)
            assert not fragment or unquote(fragment) in pages[target].ids, (name, address)


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(pages: dict[str, Page]) -> None:
    for page in pages.values():
        policy = next(each["content"] for each in page.all("meta") if "http-equiv" in each)
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        scripts = [each for each in page.all("script") if each != {"type": "application/json"}]  # which is data
        assert all(set(each) - {"defer"} == {"src"} and not each["src"].startswith("http") for each in scripts)
        assert page.all("style") == []
        for _, attributes in page.elements:
            assert not any(name == "style" or name.startswith("on") for name in attributes)


def test_pages_are_structured_for_all_readers(pages: dict[str, Page]) -> None:
    for page in pages.values():
        tags = Counter(tag for tag, _ in page.elements)
        assert (tags["h1"], tags["main"], tags["title"]) == (1, 1, 1)
        assert tags["table"] == tags["caption"]
        assert all("scope" in each for each in page.all("th"))
        assert page.all("html")[0]["lang"] == "en"
        assert page.all("a")[0] == {"class": "skip", "href": "#main"}
        assert all("aria-label" in each or "aria-labelledby" in each for each in page.all("nav", "section"))
        for _, attributes in page.elements:
            assert attributes.get("tabindex") != "0" or "aria-label" in attributes
            assert all(name in page.ids for name in attributes.get("aria-labelledby", "").split())
        levels = [int(tag[1]) for tag, _ in page.elements if tag in {"h1", "h2", "h3", "h4"}]
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_text_of_the_specification_is_escaped(files: dict[str, bytes]) -> None:
    page = files["pages/probabilities.html"].decode()
    assert "&lt;b&gt;that sum to one&lt;/b&gt;" in page
    assert "<b>" not in page
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert "<i>" not in files["pages/layers.html"].decode()


def test_a_topic_shows_its_parts_in_order(pages: dict[str, Page]) -> None:
    words = pages["pages/layers.html"].words
    parts = [
        "What it is",
        "Why it is needed",
        "Mathematics",
        "Symbols",
        "A tiny numerical example",
        "Shapes",
        "The code",
        "Code and equations",
    ]
    places = [words.index(part, words.index("Basic operations")) for part in [*parts, "Where it is used"]]
    assert places == sorted(places)
    assert "no name in the code" in words
    assert 'W elsewhere params["w1"] in classify' in words
    assert "the pipeline never calls it" in words
    assert "affine.affine is also written at model.py:8 in classify (Hidden layer)" in words
    assert "(16, V)" in words
    assert "T = 16, c = 16" in words
    assert "section 6.1, equation 6.3, page 164" in words


def test_a_function_names_the_tests_that_entered_it_when_they_were_recorded(config: Config, results: Results) -> None:
    entered = "Entered by, when the tests last ran"
    assert not any(entered.encode() in content for _, content in render(config, results))
    (config.root / "reach.json").write_text(
        '{"schema": 1, "tests": {"test_ops.py::test_softmax_sums_to_one": ["ops.py::softmax"]}}'
    )
    recorded = replace(config, testers="reach.json")
    files = {name: Page(content.decode()) for name, content in render(recorded, results) if "pages/" in name}
    assert f"{entered} test_softmax_sums_to_one" in files["pages/probabilities.html"].words
    assert f"{entered} no test that passed" in files["pages/layers.html"].words


def test_an_example_shows_inputs_steps_values_and_what_they_equal(pages: dict[str, Page]) -> None:
    words = pages["pages/layers.html"].words
    assert "✓ agrees with the code Illustrative numbers, not trained weights. Source: hand-picked" in words
    assert "X (2, 2)" in words
    assert "b (3,)" not in words
    assert "b (2,)" in words
    assert "P (2, 2) X @ W P[1, 0] = 0.5·1 + 1·0 = 0.5 1 6 0.5 3" in words
    assert "Y (2, 2) P + b Y[1, 0] = 0.5 + 0.3333 = 0.8333 1.33333 6 0.833333 -inf ✓ equals result" in words
    assert "Compared with affine (ops.py:6), called as affine(X, W, b)." in words
    assert "Numbers are shown to 6 digits." in words


def test_every_entry_of_an_editable_example_has_a_labelled_box(pages: dict[str, Page]) -> None:
    boxes = {each["aria-label"]: each for each in pages["pages/layers.html"].all("input") if "inputmode" in each}
    assert list(boxes) == [
        *("X[0, 0]", "X[0, 1]", "X[1, 0]", "X[1, 1]", "W[0, 0]", "W[0, 1]", "W[1, 0]", "W[1, 1]", "b[0]", "b[1]")
    ]
    assert boxes["b[0]"]["value"] == repr(1 / 3)
    assert boxes["X[1, 0]"]["value"] == "0.5"
    assert all("readonly" in each for each in boxes.values())
    scripts = {each.get("src", "") for each in pages["pages/layers.html"].all("script")}
    assert scripts >= {"../static/engine.js", "../static/examples.js"}
    assert all("engine" not in each.get("src", "") for each in pages["pages/probabilities.html"].all("script"))


def with_example(results: Results, **changes: Any) -> Results:
    topics = results.specification.topics
    example = replace(topics[0].example, **changes)
    specification = replace(results.specification, topics=(replace(topics[0], example=example), *topics[1:]))
    return replace(results, specification=specification)


def shown(config: Config, results: Results) -> Page:
    return Page(dict(render(config, results))["pages/layers.html"].decode())


def test_an_editable_example_says_what_it_was_held_against(config: Config, results: Results) -> None:
    assert "The steps were not held against affine on edits." in shown(config, results).words
    none = replace(results.examples["affine"], edits=Edits(0, 0.0, 200))
    nothing = shown(config, replace(results, examples={**results.examples, "affine": none}))
    assert "The steps were not held against affine on edits." in nothing.words
    tried = replace(results.examples["affine"], edits=Edits(20, 2.2e-16, 0, ((("X", 0),), (("X", 1), ("W", 0)))))
    stated = replace(results, examples={**results.examples, "affine": tried})
    unnamed = shown(config, stated).words
    assert "20 random edits of numbers, of the rows of X, of the columns of X and rows of W: the largest gap" in unnamed
    page = shown(config, with_example(stated, symbols=results.specification.topics[0].symbols))
    words = page.words
    assert "at the start values and at 20 random edits of numbers, of the sizes T, a: the largest gap is 2e-16" in words
    buttons = [each["aria-label"] for each in page.all("button") if "data-axis" in each]
    assert buttons == [
        *("Remove the last row of X", "Add a row to X", "Remove the last column of X", "Add a column to X"),
        *("Remove the last row of W", "Add a row to W"),
    ]


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({"X": ("a", "b")}, "X holds more than numbers"),
        ({"X": ((1, 2), (3,))}, "X is no small array"),
        ({"X": tuple(range(100))}, "X is no small array"),
    ],
)
def test_an_example_that_cannot_be_edited_is_shown_as_it_starts_and_says_so(
    config: Config, results: Results, inputs: dict[str, Any], reason: str
) -> None:
    stated = results.specification.topics[0].example
    assert stated is not None
    page = shown(config, with_example(results, inputs={**stated.inputs, **inputs}))
    assert f"It cannot be edited here: {reason}. It is shown as it starts." in page.words
    assert [each for each in page.all("input") if "inputmode" in each] == []
    assert "1 6 0.5 3" in page.words


def test_a_step_that_the_page_does_not_know_is_shown_as_it_starts(config: Config, results: Results) -> None:
    stated = results.specification.topics[0].example
    assert stated is not None
    steps = (stated.steps[0], replace(stated.steps[1], code=Text("P + (b == 'x')", stated.span)))
    page = shown(config, with_example(results, steps=steps))
    assert (
        "It cannot be edited here: the page's arithmetic does not know one of its steps: it holds texts." in page.words
    )


HOSTILE = "</script><script>alert(1)</script><!--<b onmouseover='x'>"


def test_hostile_names_and_labels_are_text(config: Config, results: Results) -> None:
    stated = results.specification.topics[0].example
    assert stated is not None
    steps = (*stated.steps, Step(Text(HOSTILE, stated.span), Text("P * 2", stated.span)))
    hostile = with_example(results, inputs={**stated.inputs, HOSTILE: (1, 2), "__proto__": 1}, steps=steps)
    plain, page = (Counter(tag for tag, _ in shown(config, each).elements) for each in (results, hostile))
    assert page["script"] == plain["script"]
    assert page["b"] == plain["b"]
    assert page["input"] == plain["input"] + 3
    html = dict(render(config, hostile))["pages/layers.html"].decode()
    data = html.partition('<script type="application/json">')[2].partition("</script>")[0]
    program = json.loads(data)
    assert [name for name, _ in program["inputs"]][-2:] == [HOSTILE, "__proto__"]
    assert program["steps"][-1][0] == HOSTILE
    assert "<" not in data


def test_an_example_that_differs_shows_both_values(pages: dict[str, Page]) -> None:
    words = pages["pages/layers.html"].words
    assert "✗ differs from the code" in words
    assert "dY @ W.T * 1 < 2 3 4 ✗ the code gives, as result[0]: 3 5" in words
    assert "dX by X 3 4 3 4 ✓ 3e-08" in words


def test_a_stored_run_is_a_table_with_its_source(pages: dict[str, Page]) -> None:
    words = pages["pages/probabilities.html"].words
    assert "A stored run ✓ from a run of the code Starting from seed 42, not trained weights. Source: a run." in words
    assert "the run of table at c = 16" in words
    assert "name p <b>first</b> 0.123457 second 1" in words
    assert "Run by table, which calls softmax (ops.py:18)." in words


def test_code_keeps_its_line_numbers_and_names_the_equations(pages: dict[str, Page]) -> None:
    page = pages["pages/layers.html"]
    assert {"affine.ops.py.L6", "affine.ops.py.L7", "affine.ops.py.L8"} <= set(page.ids)
    assert "affine.ops.py.L5" not in page.ids
    claims = [each["href"] for each in page.all("a") if each.get("class") == "claim"]
    assert claims[:2] == ["#affine.affine", "#affine.entry"]


def test_prose_cites_the_line_on_its_own_page(pages: dict[str, Page]) -> None:
    cites = [each["href"] for each in pages["pages/layers.html"].all("a") if each.get("class") == "cite"]
    assert cites == ["#affine.ops.py.L8"]
    assert "unknown citation: softmax.shift/computes/99" in pages["pages/probabilities.html"].words


def test_evidence_is_behind_each_verdict(pages: dict[str, Page]) -> None:
    words = pages["pages/layers.html"].words
    assert "Inputs tried 64, 64 of them in exact balls Seed 0 Worst error 1.5 ulps, at ops.py:8, Y[2, 1]" in words
    assert "How replayed in exact balls, 106 bits Limit Sizes up to 9 were tried." in words
    assert "none: this method was not run" in words


def test_the_size_of_a_proof_is_evidence(config: Config, results: Results) -> None:
    proved = MethodResult("affine.entry", "identity", Verdict.PROVED, Evidence(2, proof_size=22))
    found = replace(results, methods={**results.methods, "affine.entry": (proved,)})
    words = Page(dict(render(config, found))["pages/layers.html"].decode()).words
    assert words.count("Size of the proof 22 products in the normal form") == 1


def test_what_came_of_the_latex_is_evidence(config: Config, results: Results) -> None:
    found = {
        "affine.affine": Readback("affine.affine", ReadBack.AGREES, "proof", more=("Eq(r, 1)",)),
        "softmax.softmax": Readback("softmax.softmax", ReadBack.DIFFERS, "values", "the form has <b> here"),
    }
    files = dict(render(config, replace(results, readbacks=found)))
    layers, probabilities = (files[f"pages/{name}.html"].decode() for name in ("layers", "probabilities"))
    assert "read back, it says what the form says: proved for all sizes" in layers
    assert "<code>Eq(r, 1)</code>" in layers
    assert "read back, it DIFFERS from the form: the form has &lt;b&gt; here" in probabilities


def test_scores_of_mutants_stand_where_a_run_is_stored(
    config: Config, results: Results, pages: dict[str, Page]
) -> None:
    score = Score(killed=1_200, equivalent=2, survived=3, crash=40)
    one = Score(killed=7)
    found = Mutation(score, {"affine.affine": one}, {"affine": Score(killed=9, survived=1)}, {}, {"value": 1_200})
    files = dict(render(config, results, found))
    words = "1,200 of 1,203 were noticed (beside these, 2 proved to compute the same, 40 raised)"
    assert words in files["index.html"].decode()
    layers = files["pages/layers.html"].decode()
    assert "Mutants of its cited lines: 9 of 10 were noticed." in layers
    assert "<dt>Mutants</dt><dd>7 of 7 were noticed</dd>" in layers
    assert "Mutants" not in files["pages/probabilities.html"].decode()
    assert not any("Mutants" in page.words for page in pages.values())


def test_what_is_not_shown_says_so_loudly(pages: dict[str, Page]) -> None:
    page = pages["pages/layers.html"]
    figures = [each["class"] for each in page.all("figure")]
    assert figures == ["equation certified", "equation unchecked", "equation tested", "equation refuted"]
    assert "Refuted: the code at the cited line does not compute this formula." in page.words
    assert "Not checked: nothing shows yet that the code computes this formula." in page.words
    assert "EQ501 value-mismatch error" in page.words
    assert "never executed" in page.words
    assert "moved" in page.words


def test_unreadable_latex_is_shown_as_source_with_its_fault(pages: dict[str, Page]) -> None:
    words = pages["pages/probabilities.html"].words
    assert r"\frac{1 This LaTeX cannot be shown as mathematics: Expected closing token" in words


def test_the_first_page_sums_up(pages: dict[str, Page]) -> None:
    words = pages["index.html"].words
    assert "3 of 6 equations were shown to be what the code computes; 1 is refuted; of 2 nothing was shown." in words
    assert "8 of 9 where they say, 1 moved" in words
    assert "EQ102 duplicate-key" in words
    assert "EQ501" not in words


def test_the_reference_lists_every_topic_with_what_its_filters_read(pages: dict[str, Page]) -> None:
    page = pages["equations.html"]
    entries, equations = page.all("article"), page.all("figure")
    assert [each["data-direction"] for each in entries] == ["forward", "backward", "neither"]
    assert [each["data-status"] for each in entries] == ["implemented", "implemented", "derived"]
    assert [each["data-page"] for each in entries] == [
        "pages/layers.html",
        "pages/layers.html",
        "pages/probabilities.html",
    ]
    assert [each["data-rank"] for each in entries] == ["6", "7", "6"]
    assert [each["data-error"] for each in entries] == ["1.5", "4500000000000000.0", "1.5"]
    assert [each["data-verdict"] for each in equations] == [
        "certified",
        "not checked",
        "sampled",
        "refuted",
        "certified to constants",
        "not verified",
    ]
    assert [each["data-files"] for each in equations][:2] == ["ops.py\nmodel.py", "ops.py"]
    assert "needs-script" in next(each for each in page.all("form"))["class"]


def test_the_search_reads_a_script_of_its_own(config: Config, results: Results) -> None:
    script = dict(render(config, results))["search.js"].decode()
    assert script.startswith("eqtraceSearch([[")
    words = dict(json.loads(script.removeprefix("eqtraceSearch(").removesuffix(");\n")))
    assert list(words) == [
        "affine",
        "affine.affine",
        "affine.entry",
        "affine_backward",
        "affine_backward.dW",
        "affine_backward.dX",
        "softmax",
        "softmax.softmax",
        "softmax.broken",
    ]
    assert "p + b" in words["affine"]
    assert "x @ w + b" in words["affine.affine"]
    assert 'hidden = x @ params["w1"]' in words["affine.affine"]


def test_every_choice_of_a_filter_occurs(pages: dict[str, Page]) -> None:
    page = pages["equations.html"]
    selects: dict[str, set[str]] = {}
    for tag, attributes in page.elements:
        if tag == "select":
            selects[attributes.get("name", "")] = values = set()
        elif tag == "option" and attributes["value"]:
            values.add(attributes["value"])
    entries, equations = page.all("article"), page.all("figure")
    for kind in ("direction", "status", "page"):
        assert selects[kind] == {each[f"data-{kind}"] for each in entries}
    assert selects["verdict"] == {each["data-verdict"] for each in equations}
    assert selects["file"] == {path for each in equations for path in each["data-files"].split("\n") if path}


def test_what_came_of_documentation_is_evidence(config: Config, results: Results) -> None:
    place = Span("docs/a.md", 7, 3)
    found = {
        "affine.affine/states/0": ("affine.affine", Readback("", ReadBack.AGREES, "values", points=8)),
        "affine.affine/states/1": ("affine.affine", Readback("", ReadBack.NOT_READ, detail="<prose>")),
        "softmax.softmax": ("softmax.softmax", Readback("", ReadBack.IS_FORM, detail="Eq(r, 1)")),
    }
    states = {name: Stated(equation, each, place, place) for name, (equation, each) in found.items()}
    files = dict(render(config, replace(results, states=states)))
    layers, probabilities = (files[f"pages/{name}.html"].decode() for name in ("layers", "probabilities"))
    assert "docs/a.md:7 says what the form says: by values at 8 random points" in layers
    assert "docs/a.md:7 is NOT read: &lt;prose&gt;" in layers
    assert "docs/a.md:7 is the form: Eq(r, 1)" in probabilities
