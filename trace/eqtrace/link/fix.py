"""Rewrites the place of anchors that moved: exact and unique ones only, no other character of the file.

Of a statement that changed in a function that went elsewhere, the function's new place is exact, and is written; its
line is not, and stays, as does the finding.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eqtrace.link.match import plain_name
from eqtrace.model.anchor import Match, Status
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import Topic

_YAML_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Edit:
    """A place (`path:line`, a function) as it stands in a YAML scalar, and as it should; `span` is the scalar."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file, or an edit of it, was left alone."""

    span: Span
    reason: str


def edits(matches: Iterable[Match]) -> tuple[Edit, ...]:
    """The edits that moved anchors need, in the order of files and places.

    A YAML alias lets one scalar serve several anchors: it is left alone unless one line is right for all of them.
    """
    wanted: dict[Span, set[Edit | None]] = {}
    for match in matches:
        for text, new in _texts(match):
            wanted.setdefault(text.span, set()).add(Edit(text.span, text.value, new) if new != text.value else None)
    chosen = [next(iter(found)) for found in wanted.values() if len(found) == 1]
    return tuple(sorted((edit for edit in chosen if edit is not None), key=lambda edit: edit.span))


def _texts(match: Match) -> Iterator[tuple[Text, str]]:
    """What an anchor says of its statement's place, and what is right: the same, unless the statement moved."""
    anchor, span = match.anchor, match.span
    if anchor.at is None:
        return
    path, colon, line = anchor.at.value.rpartition(":")
    went = bool(match.function) and match.function != plain_name(anchor.function)
    moved = match.status is Status.MOVED or (match.status is Status.CHANGED and anchor.within is not None and went)
    if not moved or span is None or not colon or not line.strip().isdecimal():
        yield from ((text, text.value) for text in (anchor.at, anchor.counted) if text is not None)
        return
    number = str(span.line) if match.status is Status.MOVED else line
    yield anchor.at, f"{path if span.path == anchor.path else span.path}:{number}"
    if anchor.within is not None:
        yield anchor.within, match.function if went else anchor.within.value
    if anchor.counted is not None:
        yield anchor.counted, anchor.counted.value if match.occurrence is None else str(match.occurrence)


def renamed(topics: Iterable[Topic], functions: Mapping[str, str]) -> tuple[Edit, ...]:
    """The edits of functions ('path::name') that were found elsewhere, wherever topics name them."""
    texts = [text for topic in topics for text in _functions(topic)]
    edits = {Edit(text.span, text.value, functions[text.value]) for text in texts if text.value in functions}
    return tuple(sorted(edits, key=lambda edit: edit.span))


def _functions(topic: Topic) -> Iterator[Text]:
    """Where a topic names functions, its anchors aside."""
    yield from topic.functions
    for equation in topic.equations:
        yield from equation.order
        if equation.gradient is not None:
            yield from (equation.gradient.forward, equation.gradient.backward)
    if topic.example is not None and topic.example.equals is not None:
        yield topic.example.equals


def rewritten(root: Path, changes: Sequence[Edit]) -> tuple[dict[str, tuple[str, str]], tuple[Refusal, ...]]:
    """Each file's text before and after its edits, nothing written yet; a file that changed meanwhile is refused."""
    texts: dict[str, tuple[str, str]] = {}
    refusals: list[Refusal] = []
    for path in dict.fromkeys(edit.span.path for edit in changes):
        own = [edit for edit in changes if edit.span.path == path]
        try:
            before = _file(root, path).read_bytes().decode("utf-8")
            after = _edited(before, own)
        except (OSError, UnicodeDecodeError, _StaleError) as error:
            refusals.append(Refusal(own[0].span, str(error)))
            continue
        if after != before:
            texts[path] = (before, after)
    return texts, tuple(refusals)


def diff(root: Path, changes: Sequence[Edit]) -> str:
    """The edits as a unified diff."""
    texts, _ = rewritten(root, changes)
    lines: list[str] = []
    for path, (before, after) in texts.items():
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        lines.extend(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
    ended = (line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(ended)


def apply(root: Path, changes: Sequence[Edit]) -> tuple[tuple[str, ...], tuple[Refusal, ...]]:
    """Writes the edits, each file at once and as a whole; returns the files written and what was refused."""
    texts, refusals = rewritten(root, changes)
    refused = list(refusals)
    written: list[str] = []
    for path, (before, after) in texts.items():
        try:
            _replace(_file(root, path), before.encode("utf-8"), after.encode("utf-8"))
        except OSError as error:
            refused.append(Refusal(Span(path, 1), f"cannot be written: {error.strerror or error}"))
        else:
            written.append(path)
    return tuple(written), tuple(refused)


class _StaleError(Exception):
    """The file is not what was loaded."""


def _edited(text: str, changes: Sequence[Edit]) -> str:
    starts = [0, *(found.end() for found in _YAML_BREAK.finditer(text))]
    shift = 1 if text.startswith("\ufeff") else 0  # YAML counts no byte order mark
    for edit in sorted(changes, key=lambda edit: edit.span, reverse=True):
        span = edit.span
        if span.line > len(starts) or span.end_line > len(starts):
            raise _StaleError("the file changed since it was read")
        begin = starts[span.line - 1] + span.column - 1 + (shift if span.line == 1 else 0)
        end = starts[span.end_line - 1] + span.end_column - 1 + (shift if span.end_line == 1 else 0)
        scalar = text[begin:end]
        if scalar.strip("'\"") != edit.old:
            raise _StaleError(
                f"expected {edit.old!r} at line {span.line}, found {scalar!r}: the file changed, or quotes it"
            )
        text = text[:begin] + scalar.replace(edit.old, edit.new) + text[end:]
    return text


def _file(root: Path, path: str) -> Path:
    """The real file, links resolved.

    Raises:
        OSError: it lies outside the root, or is not there.
    """
    full = (root / path).resolve(strict=True)
    if not full.is_relative_to(root.resolve()):
        raise OSError(f"{path} lies outside the project's root")
    return full


def _replace(target: Path, before: bytes, after: bytes) -> None:
    """Puts new bytes in a file's place in one step, its mode kept; a reader sees the old file or the new one.

    Raises:
        OSError: it cannot be written, or it is no longer what the edits were made for.
    """
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o7777)
        if target.read_bytes() != before:
            raise OSError("the file changed since it was read")
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
