"""What `--fix` and `--to-symbols` write: the characters of a number, or of a number and its colon, and no other."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from eqtrace.cites.kinds import CODE
from eqtrace.cites.tree import Tree
from eqtrace.model.citation import Citation, CitationEdit, CitationStatus, Confidence, Form, Judged
from eqtrace.model.span import Span


@dataclass(frozen=True, slots=True)
class Replacement:
    """Characters of a document, from `start` to `end`, and what is to stand there."""

    citation: Citation
    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Each document's text before and after, the edits that make the difference, and what was refused."""

    texts: Mapping[str, tuple[str, str]]
    edits: tuple[CitationEdit, ...]
    refused: tuple[str, ...]


def renumbered(judged: Iterable[Judged]) -> list[Replacement]:
    """The numbers that strong evidence corrects."""
    found = []
    for each in judged:
        first, last, proposed = each.citation.first, each.citation.last, each.proposed
        if not each.fixable or first is None or proposed is None or proposed.line is None:
            continue
        if first.value != proposed.line:
            found.append(Replacement(each.citation, first.start, first.end, str(proposed.line)))
        if last is not None and proposed.end_line is not None and last.value != proposed.end_line:
            found.append(Replacement(each.citation, last.start, last.end, str(proposed.end_line)))
    return found


def as_symbols(judged: Sequence[Judged]) -> list[Replacement]:
    """`file.py:12` as `file.py::name`, where line 12 is the one definition of that name; all else stays as it is."""
    listed = {
        (before.citation.span.path, before.citation.start)
        for before, after in pairwise(judged)
        if after.citation.form is Form.CONTINUED and after.citation.span.path == before.citation.span.path
    }
    found = []
    for each in judged:
        citation, first = each.citation, each.citation.first
        if citation.form is not Form.DIRECT or first is None or citation.last is not None or citation.approximate:
            continue
        target, colon = each.target, citation.start + len(citation.file)
        if each.status is not CitationStatus.OK or each.confidence is not Confidence.STRONG or each.record:
            continue
        if target is None or target.symbol is None or (citation.span.path, citation.start) in listed:
            continue
        if first.start == colon + 1 and PurePosixPath(target.path).suffix[1:].lower() in CODE:
            found.append(Replacement(citation, colon, first.end, f"::{target.symbol}"))
    return found


def rewritten(tree: Tree, replacements: Sequence[Replacement]) -> Rewritten:
    """The documents with their replacements, nothing written yet; one that changed since it was read is refused."""
    texts: dict[str, tuple[str, str]] = {}
    edits: list[CitationEdit] = []
    refused: list[str] = []
    for path in dict.fromkeys(each.citation.span.path for each in replacements):
        own = sorted((each for each in replacements if each.citation.span.path == path), key=lambda each: each.start)
        before = tree.text(path)
        if before is None or any(_as_read(before, each) for each in own):
            refused.append(f"{path} changed since it was read")
            continue
        pieces, at = [], 0
        for each in own:
            pieces += [before[at : each.start], each.new]
            at = each.end
            edits.append(CitationEdit(_span(each, before), before[each.start : each.end], each.new))
        texts[path] = before, "".join([*pieces, before[at:]])
    return Rewritten(texts, tuple(edits), tuple(refused))


def diff(texts: Mapping[str, tuple[str, str]]) -> str:
    """The edits as a unified diff."""
    lines: list[str] = []
    for path, (before, after) in texts.items():
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        lines += difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _as_read(text: str, replacement: Replacement) -> bool:
    """Whether the document no longer holds the citation where it was read."""
    citation = replacement.citation
    return " ".join(text[citation.start : citation.end].split()) != citation.text


def _span(replacement: Replacement, text: str) -> Span:
    line = text.count("\n", 0, replacement.start) + 1
    column = replacement.start - (text.rfind("\n", 0, replacement.start) + 1) + 1
    width = replacement.end - replacement.start
    return Span(replacement.citation.span.path, line, column, line, column + width)
