"""Reading in a browser: search, filters, keys, copying, symbols that light up, colours, and pages without a script."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

Open = Callable[..., Page]


@pytest.fixture
def reference(sample: Any, open_page: Open) -> Page:
    return open_page(sample.url("equations.html"))


@pytest.fixture
def layers(sample: Any, open_page: Open) -> Page:
    return open_page(sample.url("pages/layers.html"))


def shown(page: Page) -> list[str]:
    """The ids of the equations that can be seen."""
    return page.locator(".entry-equation:visible").evaluate_all("all => all.map(each => each.id)")


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@ W + b", ["affine.affine", "affine.entry"]),
        ("X@W+b", ["affine.affine", "affine.entry"]),
        ("softmax", ["softmax.softmax", "softmax.broken"]),
        ("backward affine", ["affine_backward.dW", "affine_backward.dX"]),
        (r"X^{\top} dY", ["affine_backward.dW"]),
        ("Probabilities", ["softmax.softmax", "softmax.broken"]),
        ("Sum(X[t, k]", ["affine.affine", "affine.entry"]),
        ("XW + b", ["affine.affine"]),
        ("classify", ["affine.affine", "softmax.softmax"]),
        ('params["w2"]', ["affine.affine"]),
        ("nothing of the kind", []),
    ],
)
def test_search_finds_titles_symbols_latex_and_code(reference: Page, text: str, found: list[str]) -> None:
    reference.get_by_role("searchbox").fill(text)
    expect(reference.locator(".entry-equation:visible")).to_have_count(len(found))
    assert shown(reference) == found
    expect(reference.locator("#none")).to_be_visible(visible=not found)
    assert query(reference) == {"text": [text]}


def test_the_index_of_the_search_is_read_when_it_is_asked_for(sample: Any, browser: Browser) -> None:
    """From a folder too. Where it cannot be read, what the page itself shows is searched, and it says so."""
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.goto(f"{sample.folder.as_uri()}/equations.html")
    page.locator("select[name=status]").select_option("derived")
    assert "search.js" not in asked
    page.get_by_role("searchbox").fill("return e / e.sum")
    expect(page.locator(".entry-equation:visible")).to_have_count(1)
    assert asked.count("search.js") == 1
    page.route("**/search.js", lambda route: route.abort())
    page.goto(f"{sample.folder.as_uri()}/equations.html?text=affine+map")
    expect(page.locator(".entry-equation:visible")).to_have_count(4)
    expect(page.locator("#none")).to_contain_text("could not be read")
    context.close()


def test_filters_and_sorting_are_kept_in_the_address(reference: Page, sample: Any) -> None:
    reference.locator("select[name=direction]").select_option("forward")
    assert shown(reference) == ["affine.affine", "affine.entry"]
    reference.locator("select[name=verdict]").select_option("certified")
    assert shown(reference) == ["affine.affine"]
    expect(reference.locator("#found")).to_have_text("1 of 3 topics, 1 of 6 equations")
    reference.locator("select[name=sort]").select_option("title")
    assert query(reference) == {"direction": ["forward"], "verdict": ["certified"], "sort": ["title"]}
    reference.reload()
    assert shown(reference) == ["affine.affine"]
    expect(reference.locator("select[name=verdict]")).to_have_value("certified")
    reference.get_by_role("button", name="Show all").click()
    expect(reference.locator(".entry-equation:visible")).to_have_count(6)
    assert query(reference) == {}


def test_filters_of_file_page_and_status(reference: Page, sample: Any) -> None:
    for query, count in [("file=model.py", 2), ("page=pages/layers.html", 4), ("status=derived", 2), ("file=gone", 6)]:
        reference.goto(sample.url(f"equations.html?{query}"))
        expect(reference.locator(".entry-equation:visible")).to_have_count(count)


@pytest.mark.parametrize(
    ("by", "first"),
    [
        ("title", "affine"),
        ("verdict", "affine_backward"),
        ("error", "affine_backward"),
        ("file", "affine_backward"),
        ("", "affine"),
    ],
)
def test_sorting(reference: Page, sample: Any, by: str, first: str) -> None:
    reference.locator("select[name=sort]").select_option("verdict")
    reference.locator("select[name=sort]").select_option(by)
    assert reference.locator(".entry").first.get_attribute("id") == first


def test_search_from_any_page_leads_to_the_reference(layers: Page) -> None:
    layers.keyboard.press("/")
    layers.keyboard.type("x w + b/")  # in a field, keys are letters
    layers.keyboard.press("Enter")
    expect(layers.get_by_role("heading", level=1)).to_have_text("Equation reference")
    assert query(layers) == {"text": ["x w + b/"]}
    expect(layers.get_by_role("searchbox")).to_have_value("x w + b/")


def test_keys_go_from_equation_to_equation(layers: Page) -> None:
    def current() -> str:
        return layers.evaluate("document.activeElement.id")

    for key, wanted in [
        ("n", "affine.affine"),
        ("n", "affine.entry"),
        ("n", "affine_backward.dW"),
        ("p", "affine.entry"),
        ("n", "affine_backward.dW"),
        ("n", "affine_backward.dX"),
        ("n", "affine_backward.dX"),
    ]:
        layers.keyboard.press(key)
        assert current() == wanted
    expect(layers.locator("#status")).to_have_text("No equation follows on this page.")
    expect(layers.locator("[id='affine_backward.dX']")).to_be_in_viewport()


def test_keys_pass_over_what_a_filter_hides(reference: Page) -> None:
    reference.locator("select[name=direction]").select_option("backward")
    reference.get_by_role("heading", level=1).click()
    reference.keyboard.press("n")
    assert reference.evaluate("document.activeElement.id") == "affine_backward.dW"


def test_help_opens_and_closes_by_key_and_can_turn_the_keys_off(layers: Page) -> None:
    dialog = layers.get_by_role("dialog", name="Keys")
    layers.keyboard.press("?")
    expect(dialog).to_be_visible()
    layers.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    layers.get_by_role("button", name="Keys").click()
    layers.get_by_label("Single letters are keys").uncheck()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    layers.reload()
    layers.keyboard.press("?")
    layers.keyboard.press("n")
    expect(dialog).to_be_hidden()
    assert layers.evaluate("document.activeElement.tagName") == "BODY"


def test_escape_leaves_the_search(reference: Page) -> None:
    reference.keyboard.press("/")
    expect(reference.get_by_role("searchbox")).to_be_focused()
    reference.keyboard.press("Escape")
    expect(reference.get_by_role("searchbox")).not_to_be_focused()


WANTED = {
    "LaTeX": "Y = XW + b",
    "NumPy": "return X @ W + b",
    "Markdown link": "[Matrix product plus broadcast bias]({page}#affine.affine)",
}


@pytest.mark.parametrize("clipboard", [True, False])
def test_copying(layers: Page, clipboard: bool) -> None:
    layers.context.grant_permissions(["clipboard-read", "clipboard-write"])
    read = layers.evaluate_handle("navigator.clipboard").as_element  # kept before it is taken away
    assert read() is None
    if not clipboard:
        layers.evaluate(
            "() => { window.kept = navigator.clipboard;"
            " Object.defineProperty(navigator, 'clipboard', { value: undefined }); }"
        )
    figure = layers.locator("[id='affine.affine']")
    copied = {}
    for kind in ["LaTeX", "MathML", "NumPy", "Markdown link", "BibTeX"]:
        figure.get_by_role("button", name="Copy affine.affine").click()
        figure.get_by_role("group", name="Copy as").get_by_role("button", name=kind, exact=True).click()
        expect(layers.locator("#status")).to_have_text(f"{kind} copied.")
        copied[kind] = layers.evaluate("() => (window.kept || navigator.clipboard).readText()")
    page = layers.url.partition("#")[0]
    assert {kind: copied[kind] for kind in WANTED} == {
        kind: text.replace("{page}", page) for kind, text in WANTED.items()
    }
    assert copied["MathML"] == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mi>Y</mi><mo>=</mo><mi>X</mi><mi>W</mi>'
        "<mo>+</mo><mi>b</mi></math>"
    )
    assert copied["BibTeX"].startswith("@misc{affine.affine,\n  title = {Matrix product plus broadcast bias},\n")
    assert f"url = {{{page}#affine.affine}}" in copied["BibTeX"]
    assert "@misc{goodfellow2016,\n  title = {Deep Learning},\n  author = {I. Goodfellow and" in copied["BibTeX"]
    assert "note = {section 6.1, equation 6.3, page 164}" in copied["BibTeX"]


def test_copying_from_a_folder(sample_files: Any, open_page: Open) -> None:
    page = open_page(sample_files.url("equations.html"), permissions=["clipboard-read", "clipboard-write"])
    page.locator("[id='softmax.softmax']").get_by_role("button", name="Copy softmax.softmax").click()
    page.get_by_role("button", name="NumPy").click()
    expect(page.locator("#status")).to_have_text("NumPy copied.")
    assert page.evaluate("navigator.clipboard.readText()") == "return e / e.sum(axis=axis, keepdims=True)"


def test_the_list_of_what_to_copy_is_worked_by_keys(layers: Page) -> None:
    button = layers.get_by_role("button", name="Copy affine.entry")
    button.focus()
    layers.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(layers.get_by_role("button", name="LaTeX")).to_be_focused()
    # No line of the code computes it, so that there is no NumPy to copy.
    assert layers.get_by_role("group", name="Copy as").get_by_role("button").all_inner_texts() == [
        "LaTeX",
        "MathML",
        "Markdown link",
        "BibTeX",
    ]
    layers.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    layers.locator("h1").click()
    expect(layers.get_by_role("group", name="Copy as")).to_have_count(0)


def lit(page: Page) -> list[str]:
    """Where something is lit: in a formula, in code, or a row."""
    return sorted(
        set(
            page.locator(".lit").evaluate_all(
                "all => all.map(each => each.closest('math') && !each.matches('tr') ? 'formula'"
                " : each.closest('pre') ? 'function' : each.closest('.citations') ? 'citation' : each.tagName)"
            )
        )
    )


def test_a_symbol_its_name_in_code_and_its_row_light_up_together(layers: Page) -> None:
    everywhere = ["TR", "citation", "formula", "function"]
    article = layers.locator("#affine")
    legend = layers.locator("#legend")
    article.locator("math [data-s=W]").first.hover()
    assert lit(layers) == everywhere
    expect(legend).to_contain_text("Weight matrix")
    layers.locator("h1").hover()
    assert lit(layers) == []
    expect(legend).to_be_empty()
    article.locator("pre.code [data-s=W]").first.hover()
    assert lit(layers) == everywhere
    article.locator("tr[data-s=b]").hover()
    assert lit(layers) == everywhere
    assert set(layers.locator(".lit").evaluate_all("all => all.map(e => e.dataset.s)")) == {"b"}
    article.locator("tr[data-s=X] a").focus()
    assert lit(layers) == everywhere
    article.locator(".formula").first.focus()
    assert layers.locator(".lit").evaluate_all("all => all.map(e => e.dataset.s)") == ["X", "W", "b", "Y"]


def test_names_that_only_one_function_uses_are_marked_there(layers: Page) -> None:
    inline = layers.locator("#affine .citations tr", has_text="model.py:8")
    assert inline.locator("[data-s=W]").all_inner_texts() == ['params["w1"]']
    assert layers.locator("#affine pre.code [data-s=W]").all_inner_texts() == ["W", "W"]


def test_every_badge_opens_its_evidence(layers: Page, sample: Any) -> None:
    for equation in layers.locator("figure.equation").all():
        equation.locator("details.evidence summary").click()
        expect(equation.locator("details.evidence .panel")).to_be_visible()
    layers.goto(sample.url("pages/layers.html"))
    for link in layers.locator("table.topics a.to-evidence").all():
        link.click()
        target = (link.get_attribute("href") or "").removeprefix("#")
        expect(layers.locator(f"[id='{target}']")).to_be_visible()
    layers.goto(sample.url("equations.html"))
    for summary in layers.locator("details.evidence summary").all():
        summary.click()
    assert layers.locator("details.evidence .panel:visible").count() == 6
    layers.locator("a.to-evidence").first.click()
    expect(layers.locator("#affine--evidence")).to_be_visible()
    layers.goto(sample.url("index.html"))
    layers.get_by_role("link", name="refuted").click()
    expect(layers.locator(".entry-equation:visible")).to_have_count(1)
    assert shown(layers) == ["affine_backward.dX"]


def test_code_of_an_equation_is_shown_where_it_stands(reference: Page) -> None:
    figure = reference.locator("[id='affine.affine']")
    figure.get_by_text("Code", exact=False).first.click()
    expect(figure.get_by_text("return X @ W + b")).to_be_visible()
    expect(figure.get_by_role("link", name="ops.py:8")).to_be_visible()


def ground(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system_and_the_switch_and_are_kept(sample: Any, open_page: Open) -> None:
    page = open_page(sample.url("index.html"), color_scheme="dark")
    dark = ground(page)
    page.get_by_label("Colours").select_option("light")
    light = ground(page)
    assert light != dark
    page.goto(sample.url("pages/layers.html"))
    assert ground(page) == light
    expect(page.get_by_label("Colours")).to_have_value("light")
    page.get_by_label("Colours").select_option("auto")
    assert ground(page) == dark


def test_pages_work_where_storage_is_denied(sample: Any, open_page: Open) -> None:
    page = open_page("about:blank")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });"
    )
    page.goto(sample.url("pages/layers.html"))
    page.get_by_label("Colours").select_option("dark")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "affine.affine"


def test_without_a_script_everything_but_search_is_there(sample: Any, open_page: Open) -> None:
    page = open_page(sample.url("equations.html"), java_script_enabled=False)
    assert page.locator(".needs-script:visible").count() == 0
    assert page.locator(".entry-equation math:visible").count() == 5
    page.locator("[id='affine.affine'] details.evidence summary").click()
    expect(page.locator("[id='affine.affine'] .panel").first).to_be_visible()
    page.locator("a.to-evidence").first.click()
    expect(page.locator("#affine--evidence")).to_be_visible()


def test_print_leaves_the_controls_out(layers: Page) -> None:
    layers.emulate_media(media="print")
    for selector in [".tools", ".contents", ".copying", ".top nav"]:
        assert layers.locator(f"{selector}:visible").count() == 0
    assert layers.locator(".equation math:visible").count() == 4


def test_links_to_equations_outlive_another_order(sample: Any, open_page: Open) -> None:
    """Ids come from those of the specification, never from positions."""
    page = open_page(sample.url("pages/layers.html#affine_backward.dX"))
    expect(page.locator("[id='affine_backward.dX']")).to_be_in_viewport()
    page.goto(sample.url("equations.html#affine_backward.dX"))
    expect(page.locator("[id='affine_backward.dX']")).to_be_in_viewport()


def test_text_of_the_specification_that_is_html_shows_as_text(sample: Any, open_page: Open) -> None:
    page = open_page(sample.url("pages/probabilities.html"))
    expect(page.locator("#softmax")).to_contain_text("probabilities <b>that sum to one</b>")
    expect(page.locator("#softmax")).to_contain_text("<b>first</b>")
    assert page.locator("main b, main script").count() == 0
    assert not re.search(r"\$\{|undefined", page.locator("main").inner_text())
