"""Where formulas are found, and where none is."""

import textwrap

import pytest

from eqtrace.code.documentation.passage import page
from eqtrace.code.documentation.printed import printed
from eqtrace.code.documentation.spellings import spellings


def found(text: str) -> list[tuple[str, str]]:
    text = textwrap.dedent(text)
    formulas = printed(page("a.rst", text))
    assert all(text[each.start :].startswith(each.text) for each in formulas)
    return [(each.notation.value, " ".join(each.text.split())) for each in formulas]


FOUND = {
    "a directive with its formula beside it": (
        """
        .. math:: y = a x
                  + b

        Words.
        """,
        [("latex", "y = a x + b")],
    ),
    "a directive with options and two formulas": (
        """
        .. math::
            :label: one

            y = a x

            z = b
        """,
        [("latex", "y = a x"), ("latex", "z = b")],
    ),
    "a role": ("It is :math:`a/b` of ``c``.", [("latex", "a/b")]),
    "dollars": ("It is $a/b$, and\n\n$$\nc = d\n$$\n", [("latex", "a/b"), ("latex", "c = d")]),
    "a fence of mathematics": ("```math\na = b\n```\n", [("latex", "a = b")]),
    "code in backticks": ("It is `y = a*x`, where ``a = b/c``.", [("plain", "y = a*x"), ("plain", "a = b/c")]),
    "a line that is an equation": ("Words.\n\n    f(x; a) = a*x\n\nWords.", [("plain", "f(x; a) = a*x")]),
    "an equation over some lines": (
        "f(x, a=1.0) =\n    a*(x\n       - 1)\n\nWords.",
        [("plain", "f(x, a=1.0) = a*(x - 1)")],
    ),
    "an equation whose sign begins a line": ("f(x, a)\n   = a*x\n\nWords.", [("plain", "f(x, a) = a*x")]),
    "an equation behind an empty line": ("f(x) =\n\n    x + 1\n\nWords.", [("plain", "f(x) = x + 1")]),
    "a literal block": ("It computes::\n\n    sum(x)\n\nWords.", [("plain", "sum(x)")]),
    "a literal block of two equations": (
        "It computes::\n\n    y = x\n    z = 2*x\n\nWords.",
        [("plain", "y = x"), ("plain", "z = 2*x")],
    ),
    "brackets": (
        "It is \\(a/b\\):\n\n\\[\n  c = \\frac{a}{b}\n\\]\n",
        [("latex", "a/b"), ("latex", "c = \\frac{a}{b}")],
    ),
    "a sentence": (
        "Kinetic energy, E = 1/3 * m * v**2. It (Vth = k_b * T / q_e) is so; y(x) = f(x, (a + 1)) - b\n  where b.",
        [("plain", "E = 1/3 * m * v**2"), ("plain", "Vth = k_b * T / q_e"), ("plain", "y(x) = f(x, (a + 1)) - b")],
    ),
    "an item": ("- y = a*x\n- z = b\n", [("plain", "y = a*x"), ("plain", "z = b")]),
}
SILENT = {
    "prose": "It is so.\n\nx : array_like\n    The input.\n",
    "an example": ">>> y = f(2)\n>>> y\n4\n",
    "an example in a literal block": "For example::\n\n    >>> y = f(2)\n",
    "money": "It costs $5 and $6, or a$b$c.",
    "code of another kind": "```python\ny = a*x\n```\n",
    "names in backticks": "The `amplitude` and the ``width``.",
    "a comparison": "x == y\n",
    "a default": "The width, default = 0.5, or n = 3.",
    "a call": "Use fit(x=a + b, y=c*d), or fit(a = 1).",
    "a comparison in a sentence": "It holds if x == y + 1, or x >= y * 2, or x != y - 1.",
}


@pytest.mark.parametrize(("text", "formulas"), FOUND.values(), ids=FOUND)
def test_formulas_are_found(text, formulas):
    assert found(text) == formulas


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_is_none_is_not_found(text):
    assert found(text) == []


def test_what_stands_in_a_line_of_prose_is_no_display():
    formulas = printed(page("a.rst", "A `y = x`, or z = x + 1.\n\n.. math:: z = x\n"))
    assert [each.display for each in formulas] == [False, False, True]
    assert [each.prose for each in formulas] == [False, True, False]


@pytest.mark.parametrize(
    "text",
    [
        *("f(" + "=" * 5000, "$" * 5000, "`" * 5001, ":math:`" * 2000, "a = (\n" * 2000, "x::\n" * 2000, "$$x" * 1999),
        *("\\[x" * 20000, "\\(x" * 20000, "b a = " + "(x)" * 20000, "b a = c + " * 20000, "b a = " + "c(d) * " * 20000),
    ],
)
def test_hostile_text_is_read_in_no_time(text):
    printed(page("a.md", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"`center` (:math:`\mu`) and ``width`` (:math:`w`)", {"center": r"\mu", "width": "w"}),
        (r"where `amplitude` corresponds to :math:`A`, `center` to :math:`\mu`", {"amplitude": "A", "center": r"\mu"}),
        (r"`slope` for :math:`m`", {"slope": "m"}),
        (r"`a` (:math:`x`) or `a` (:math:`y`)", {}),
        (r"`f` is :math:`x`", {}),
        (r"use `b` for :math:`x > 0`", {}),
    ],
)
def test_parameters_are_symbols_where_documentation_says_so(text, expected):
    assert spellings(text) == expected
