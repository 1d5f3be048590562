"""Whatever a document holds, it is read without a crash, and every number stands where it is said to."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eqtrace.cites import documents, forms, names
from eqtrace.cites.blocks import Blocks

PIECES = st.sampled_from(
    [
        *(
            "a.py:12",
            "`b.rs:3-9`",
            "/87/118",
            ", 40",
            ":~1276",
            "`:41`",
            "L4729",
            "line 5 of ",
            "`c.md`",
            "(L12)",
            "::name",
        ),
        *(
            "#L3-L9",
            " (lines 3–7)",
            "https://github.com/o/n/blob/main/a.py#L1",
            "- ",
            "| ",
            "\n",
            "\n\n",
            "```",
            "# ",
            "`",
        ),
        *(
            "<code>",
            "</code>",
            "'",
            '"',
            "/*",
            "*/",
            "//",
            '"""',
            "  ",
            "\t",
            "\r\n",
            "é",
            "\ufeff",
            "---",
            "===",
            "0",
            "7",
        ),
        *(
            "{",
            "}",
            "[",
            "]",
            '"source": [',
            '"cell_type": "markdown"',
            "\\n",
            "\\",
            ":",
            ".",
            "and ",
            "name",
            "Name()",
        ),
    ]
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(PIECES, max_size=40).map("".join),
    st.sampled_from(
        ["a.md", "a.rst", "a.adoc", "a.html", "a.ipynb", "a.py", "a.rs", "a.sh", "a.yaml", "README", "a.c"]
    ),
)
def test_any_text(text: str, path: str) -> None:
    document = documents.read(path, text)
    if document is None:
        return
    assert len(document.prose) == len(text)
    blocks = Blocks(document.prose)
    found = forms.extract(document, blocks, frozenset())
    for citation in found.citations:
        assert text[citation.start : citation.end]
        for number in (citation.first, citation.last):
            assert number is None or text[number.start : number.end] == str(number.value) or text[number.start] == "0"
        names.names(citation, blocks, found.citations, found.mentions)
    starts = [block.start for block in blocks.blocks]
    assert starts == sorted(starts)
