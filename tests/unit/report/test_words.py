import pytest

from eqtrace.model.anchor import Role
from eqtrace.model.verdict import Verdict
from eqtrace.report.mathml import convert
from eqtrace.report.prose import inline, paragraphs
from eqtrace.report.sizes import legend, shown, size
from eqtrace.report.words import BADGES, NOT_RUN, ROLES, badge, latex_of, slug

SIZES = {"T": 16, "H": 2, "dh": "d//H", "d": 32, "loop": "loop", "twice": "d*2"}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("T", 16),
        ("H*dh", 32),
        ("T + 1", 17),
        ("d/H", 16),
        ("T - 20", -4),
        ("7", 7),
        ("V", None),
        ("V*T", None),
        ("T/0", None),
        ("T/3", None),
        ("loop", None),
        ("1.5", None),
        ("True", None),
        ("f(T)", None),
        ("T ** 9999999", None),
        ("__import__('os')", None),
        ("(" * 300, None),
        ("", None),
    ],
)
def test_size(expression: str, value: int | None) -> None:
    assert size(expression, SIZES) == value


def test_shapes_keep_letters_without_a_size() -> None:
    assert shown(["V", "d"], SIZES) == ("(V, d)", "(V, 32)")
    assert shown(["T"], SIZES) == ("(T,)", "(16,)")
    assert shown(["...", "T"], SIZES) == ("(..., T)", "(..., 16)")
    assert shown([], SIZES) == ("()", "()")


def test_the_legend_holds_the_sizes_used() -> None:
    assert legend(["H*dh", "V", "T"], SIZES) == (("T", 16), ("H", 2), ("dh", 16))


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("X", "X"),
        ("dX", "dX"),
        ("sigma", r"\sigma"),
        ("dgamma", r"d\gamma"),
        ("delta", r"\delta"),
        ("X1", "X_{1}"),
        ("W_q", "W_{q}"),
        ("T_max", r"T_{\mathrm{max}}"),
        ("out", r"\mathrm{out}"),
        ("data", r"\mathrm{data}"),
        ("dOut", r"d\mathrm{Out}"),
        ("beta1", r"\beta_{1}"),
        ("a_b_c", r"a_{\mathrm{b\_c}}"),
        ("_x", r"\mathrm{\_x}"),
    ],
)
def test_latex_of_a_symbol_without_a_spelling(symbol: str, latex: str) -> None:
    assert latex_of(symbol) == latex
    assert convert(latex).markup


def test_every_role_and_verdict_has_its_words() -> None:
    assert set(ROLES) == set(Role)
    assert set(BADGES) == set(Verdict)
    assert badge(None) is NOT_RUN
    assert badge("refuted").name == "refuted"
    assert badge("not-checked").name == NOT_RUN.name == "unchecked"


def test_slugs_are_safe_in_paths_and_ids() -> None:
    assert slug("linear.linear/inline/Query weights") == "linear.linear-inline-Query-weights"
    assert slug("../../etc") == "etc"
    assert slug("  ") == "-"


def resolve(name: str) -> tuple[str, str] | None:
    return ("page.html#L8", "ops.py:8") if name == "a.b/computes/0" else None


def test_prose_is_escaped_and_cites_lines() -> None:
    text = "One <b>bold</b> `a < b`.\n\nSee {cite: a.b/computes/0} & {cite: nowhere}."
    assert paragraphs(text, resolve) == (
        "<p>One &lt;b&gt;bold&lt;/b&gt; <code>a &lt; b</code>.</p>\n"
        '<p>See <a class="cite" href="page.html#L8">ops.py:8</a> &amp; '
        '<mark class="broken">unknown citation: nowhere</mark>.</p>'
    )
    assert paragraphs("", resolve) == ""


def test_a_name_in_a_broken_citation_is_escaped() -> None:
    assert "<script>" not in inline("{cite: <script>}", resolve)
