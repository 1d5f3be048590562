from xml.etree import ElementTree

import pytest

from eqtrace.model.equation import Equation
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol
from eqtrace.report.mathml import LatexUnreadable, convert, faults

TYPICAL = [
    r"Y = XW + b",
    r"S_{ij} \leftarrow \begin{cases} S_{ij} & j \le i \\ -\infty & j > i \end{cases}",
    r"O = \operatorname{merge}(A V_h) = \begin{bmatrix} A^{(0)} V^{(0)} & \cdots & A^{(H-1)} V^{(H-1)} \end{bmatrix}",
    r"\exp(-\infty) = 0 \quad\Rightarrow\quad A_{ij} = 0 \text{ for } j > i",
    r"\hat{X}_{ti} = \operatorname{mean}_i\!\left(d\hat{X}_{ti} \hat{X}_{ti}\right)",
    r"\left(\sigma_t^2 + \epsilon\right)^{-3/2} \frac{2}{d}\left(X_{tj} - \mu_t\right)",
    r"(a^*, b^*) = \operatorname*{arg\,max}_{(a,b)} f(a,b)",
    r"x^{(s)}_{t} = \text{ids}_{s+t}, \qquad t = 0, \dots, T-1",
    r"n_w = \left|\{\, i : p_i = w \,\}\right|",
    r"\text{stoi}[\,\texttt{<unk>}\,] \quad d \bmod H = 0",
    r"\sqrt{\frac{6}{\text{fan\_in} + \text{fan\_out}}} \geq \mathbb{1}[Z > 0] \odot \mathbf{1}^\top",
]


@pytest.mark.parametrize("latex", TYPICAL)
def test_typical_formulas_become_well_formed_mathml_without_styles(latex: str) -> None:
    formula = convert(latex)
    root = ElementTree.fromstring(formula.markup)
    assert root.tag == "math"
    assert root.get("display") == "block"
    classes = {name for element in root.iter() for name in element.get("class", "").split()}
    assert classes == set(formula.rules)
    assert not any("style" in element.attrib for element in root.iter())
    assert "&Apply" not in formula.markup


def test_html_in_text_stays_text() -> None:
    markup = convert(r"\text{<script>alert(1)</script>} < \texttt{<b>}").markup
    assert "<script" not in markup
    assert "<b>" not in markup
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in markup


def test_applying_a_function_is_a_character_and_no_entity() -> None:
    assert "<mo>\u2061</mo>" in convert(r"\operatorname{f}(x)").markup


def test_words_in_text_mode_are_identifiers_and_prose_stays_text() -> None:
    assert "<msub><mi>ids</mi><mi>t</mi></msub>" in convert(r"\text{ids}_t").markup
    assert "<mi>fan_in</mi>" in convert(r"\text{fan\_in}").markup
    for prose in (r"\text{otherwise}", r"\text{ for every key }", r"\text{a}"):
        assert "<mtext>" in convert(prose).markup


def test_styles_become_classes_with_rules() -> None:
    formula = convert(r"\color{red}x")
    ((name, rule),) = formula.rules.items()
    assert f'class="{name}"' in formula.markup
    assert rule == "color:#FF0000"


@pytest.mark.parametrize(
    ("latex", "message", "offset"),
    [
        (r"a + \unknowncommand", "Unknown command", 4),
        (r"\frac{1", "closing", 7),
        ("a & b", "table", 2),
        ("", "empty", 0),
        (" \n", "empty", 0),
        ("{" * 5000 + "}" * 5000, "longer", 0),
        (r"x \newcommand{\a}{\a\a}\a", "defines a command", 2),
        (r"\def\a{b}\a", "defines a command", 0),
        (r"\let\a\b", "defines a command", 0),
        (r"\href{javascript:alert(1)}{x}", "Unknown command", 0),
        (r"\url{javascript:alert(1)}", "Unknown command", 0),
    ],
)
def test_what_cannot_be_shown_says_why_and_where(latex: str, message: str, offset: int) -> None:
    with pytest.raises(LatexUnreadable, match=message) as caught:
        convert(latex)
    assert caught.value.offset == offset
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize("latex", [r"x \le y", r"\left( x \right)", r"\xi"])
def test_commands_that_begin_like_definitions_are_no_definitions(latex: str) -> None:
    assert convert(latex).markup


def test_deep_nesting_within_the_limit_does_not_overflow_the_stack() -> None:
    convert("{" * 1900 + "x" + "}" * 1900)
    convert(r"\sqrt " * 600 + "x")


def test_faults_point_into_the_yaml() -> None:
    span = Span("spec/a.yaml", 7, 12, 7, 22)
    broken = Equation("a.broken", "a", Span("spec/a.yaml", 5), latex=Text(r"x + \foo", span, "'"))
    fine = Equation("a.fine", "a", Span("spec/a.yaml", 9), latex=Text("x", Span("spec/a.yaml", 9, 12)))
    bare = Equation("a.bare", "a", Span("spec/a.yaml", 11))
    (fault,) = faults((broken, fine, bare))
    assert (fault.kind, fault.equation) == ("latex-unreadable", "a.broken")
    assert str(fault.span) == "spec/a.yaml:7:17"
    assert "Unknown command" in fault.message


def test_a_symbol_whose_spelling_cannot_be_read_is_told_once() -> None:
    symbols = {"x": Symbol("x", Span("spec/a.yaml", 3, 5), latex=("x", r"\foo"))}
    pair = [Equation(name, "a", Span("spec/a.yaml", 5), symbols=symbols) for name in ("a.one", "a.two")]
    (fault,) = faults(pair)
    assert (str(fault.span), fault.equation) == ("spec/a.yaml:3:5", None)
    assert "spelling" in fault.message


@pytest.mark.parametrize(
    "latex",
    [
        "(" * 40,
        r"\sin(" * 40,
        r"\{" * 40 + "x",
        "{" + "[" * 40 + "}" + "]" * 40,
        r"\left(" + "(" * 40 + r"\right)" + ")" * 40,
        "(" * 40 + "|" * 40,
        "(" * 40 + r"\text{)}" * 40,
        "(" * 40 + "%" + ")" * 40,
        "\u27e8" * 40,
        r"\llbracket " * 40,
        r"\bigl(" * 40,
    ],
)
def test_brackets_that_nothing_closes_take_no_time(latex: str) -> None:
    """The converter needs twice as long for each of them: forty would take weeks, and nothing could end it."""
    with pytest.raises(LatexUnreadable, match="brackets that nothing closes") as raised:
        convert(latex)
    assert 0 < raised.value.offset < len(latex)


@pytest.mark.parametrize("latex", ["[0, 1)" * 50, r"\{(x, [y])\}" * 50, r"\left(" * 30 + r"\right)" * 30, "((((((x"])
def test_brackets_that_are_closed_and_a_few_that_are_not_are_shown(latex: str) -> None:
    assert convert(latex).markup


def test_half_of_a_pair_is_no_character() -> None:
    with pytest.raises(LatexUnreadable, match=r"it holds U\+D800"):
        convert("x + \ud800")
