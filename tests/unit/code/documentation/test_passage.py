"""Docstrings with the place of every character, escapes read as Python reads them."""

import ast

import pytest

from eqtrace.code.documentation.passage import docstring, page
from eqtrace.code.source import parse


def passage(source: str, name: str = "f"):
    file = parse("a.py", source.encode())
    return docstring(file, file.definitions[name][-1])


def at(source: str, found, text: str) -> str:
    """What stands in the source where a text of the passage does."""
    span = found.span(found.text.index(text), len(text))
    lines = source.split("\n")
    assert span.line == span.end_line
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]


RAW = 'def f():\n    r"""One.\n\n    .. math:: \\frac{a}{b}\n    """\n'
COOKED = 'def f():\n    """One \\\\frac{a}{b} \\\n    two \\u03c3\\x41.\n    """\n'


def test_a_raw_docstring_is_its_source():
    found = passage(RAW)
    assert at(RAW, found, "\\frac{a}{b}") == "\\frac{a}{b}"
    assert found.line(found.text.index("\\frac")) == 4


def test_escapes_are_read_and_keep_their_places():
    found = passage(COOKED)
    assert found.text == ast.get_docstring(ast.parse(COOKED).body[0], clean=False)
    assert at(COOKED, found, "{a}{b}") == "{a}{b}"
    assert at(COOKED, found, "two") == "two"
    assert found.span(found.text.index("A."), 2).column == COOKED.split("\n")[2].index("\\x41") + 1


def test_a_part_of_a_line_of_a_page_by_characters_not_bytes():
    text = "ä\nöö $x$\n"
    assert str(page("a.md", text).span(text.index("x"), 1)) == "a.md:2:5"


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    return 1\n",
        "def f():\n    'a' 'b'\n",
        "def f():\n    f'{1}'\n",
        "def f():\n    b'a'\n",
        "def f():\n    '\\N{GREEK SMALL LETTER SIGMA}'\n",
    ],
)
def test_what_is_no_docstring_of_one_piece_is_none(source):
    assert passage(source) is None


def test_classes_and_modules_have_docstrings_too():
    source = '"""M."""\n\n\nclass C:\n    """K."""\n'
    assert passage(source, "C").text == "K."
    assert passage(source, "").text == "M."
