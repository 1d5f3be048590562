"""The faults of a match: an anchor that is not where it says, and what a reader needs to mend it."""

from __future__ import annotations

from eqtrace.code.index import Index
from eqtrace.link.anchor_code import parse_code
from eqtrace.link.match import plain_name
from eqtrace.link.place import first_line, place
from eqtrace.link.target import target_place
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span


def fault_of(match: Match, equation: str | None, index: Index) -> Fault | None:
    """The fault of an anchor's place; None where it is ok, or where its file is reported as unreadable."""
    anchor = match.anchor
    if match.status is Status.OK:
        return None
    if match.status is Status.MOVED:
        return _moved(match, equation)
    if match.status is Status.CHANGED:
        return _changed(match, equation)
    if unreadable(anchor, index):
        return None
    weakness = parse_code(anchor.code).weakness if anchor.target is None and anchor.role is not Role.STATES else ""
    if weakness:
        return _weak(anchor, weakness, equation, index)
    return _unresolved(match, equation, index)


def unreadable(anchor: Anchor, index: Index) -> bool:
    """Whether an anchor's own file cannot be read."""
    path = file_of(anchor, index)
    if path is None:
        return False
    if anchor.role is Role.STATES and not path.endswith(".py"):
        return not isinstance(index.text(path), str)
    return index.problem(path) is not None


def file_of(anchor: Anchor, index: Index) -> str | None:
    """The file that an anchor lies in; None for a target whose module is not found."""
    if anchor.path or anchor.target is None:
        return anchor.path
    return target_place(anchor.target, index)[0]


def _moved(match: Match, equation: str | None) -> Fault:
    anchor, span = match.anchor, match.span
    assert span is not None
    where, before = f"line {span.line}", f"{anchor.line}"
    hint = f"`eqtrace fix` writes {span.path}:{span.line}"
    if match.function != plain_name(anchor.function):
        where, before = f"{where}, in `{match.function}`", f"in `{anchor.function}`"
        hint += f" and in: {match.function}"
    if span.path != anchor.path:
        where, before = f"{where} of {span.path}", f"in {anchor.path}"
    if match.occurrence is not None:
        where, before = f"{where}, as occurrence {match.occurrence},", f"{before}, as {anchor.occurrence}"
        hint += f" and occurrence: {match.occurrence}"
    message = f"`{first_line(anchor.code)}` is at {where} now, not {before}"
    related = (Related(span, "the statement"),)
    return Fault("line-moved", message, place(anchor), hint, related, equation)


def _changed(match: Match, equation: str | None) -> Fault:
    anchor, span = match.anchor, match.span
    assert span is not None
    message = f"the cited statement changed:\n{match.difference}"
    hint = "if the equation still holds, write the new statement into the anchor's `code`"
    related = (Related(span, f"what stands there now: {first_line(match.source)}"),)
    return Fault("statement-changed", message, place(anchor), hint, related, equation)


def _weak(anchor: Anchor, weakness: str, equation: str | None, index: Index) -> Fault:
    comment = _comment_there(anchor, index)
    if comment is not None:
        message = f"`{first_line(anchor.code)}` cannot be cited as {anchor.role}: it is a comment"
        related = (Related(comment, "the comment"),)
        return Fault("wrong-role", message, place(anchor), "cite the statement itself", related, equation)
    message = f"`{first_line(anchor.code)}` is too weak an anchor: {weakness}"
    return Fault("weak-anchor", message, place(anchor), "cite one whole statement, or a header", (), equation)


def _comment_there(anchor: Anchor, index: Index) -> Span | None:
    """The cited line, where it is a comment that reads as the anchor says."""
    file = index.file(anchor.path)
    text = anchor.code.strip()
    if file is None or not text.startswith("#") or not 1 <= anchor.line <= len(file.lines):
        return None
    line = file.lines[anchor.line - 1]
    column = line.find(text) + 1
    return Span(anchor.path, anchor.line, column, anchor.line, column + len(text)) if column else None


def _unresolved(match: Match, equation: str | None, index: Index) -> Fault:
    anchor = match.anchor
    related = tuple(Related(candidate.span, candidate.reason) for candidate in match.candidates)
    shown = "; ".join(f"{item.span.path}:{item.span.line} ({item.reason})" for item in match.candidates[:3])
    if match.status is Status.AMBIGUOUS:
        times = "once" if len(related) == 1 else f"{len(related)} times"
        message = f"`{first_line(anchor.code)}` stands {times} in {_where(anchor)}"
        hint = "add `occurrence` (from 0), or the line of the one that is meant"
        if anchor.occurrence is not None:
            message += f", and nothing tells for certain which is occurrence {anchor.occurrence} of what was cited"
            hint = "write the line and the `occurrence` (from 0) of the one that is meant"
        return Fault("anchor-ambiguous", message, place(anchor), hint, related, equation)
    if anchor.target is not None:
        message = f"there is no function `{anchor.target}`"
        path, _ = target_place(anchor.target, index)
        unknown = "name the module's package in `packages`, or its folder in `pythonpath`"
        hint = f"nearest: {shown}" if shown else unknown if path is None else f"{path} has none of a like name"
    else:
        message = f"`{first_line(anchor.code)}` is not in {_where(anchor)}"
        if anchor.occurrence is not None:
            message += f" as occurrence {anchor.occurrence} (from 0)"
        hint = f"nearest: {shown}" if shown else "nothing like it was found"
    return Fault("anchor-missing", message, place(anchor), hint, related, equation)


def _where(anchor: Anchor) -> str:
    return f"`{anchor.function}` of {anchor.path}" if anchor.function else f"{anchor.path}, at its top level"
