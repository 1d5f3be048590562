"""The verdict on one citation, from what names, history and the file itself say.

Names come before history: a citation that was wrong when it was written can't be mended by following its line. What
is proposed is strong only where a tied name and the line it stood on lead to the same place, or where the name stands
nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from eqtrace.cites.history import Trace
from eqtrace.cites.names import Names, Support, Tie, elsewhere, only, support
from eqtrace.cites.outline import Definition, Outline
from eqtrace.model.citation import Citation, CitationStatus, Confidence, Evidence, Judged, Target, lines

_OK, _MOVED, _CHANGED = CitationStatus.OK, CitationStatus.MOVED, CitationStatus.CHANGED
_SHOWN = 60
_RARE = 8  # lines of a file on which a name may stand and still single one out
_LISTED = 4  # places of a name that are told
_NEAR = 3  # lines between the beginning of a range and the definition it is about
NO_NAMES = "no name beside it can be compared with the line"


@dataclass(frozen=True, slots=True)
class Case:
    """A citation of lines of one file, and what is known of it."""

    citation: Citation
    path: str
    first: int
    last: int
    names: Names
    outline: Outline
    trace: Trace | None = None
    then: Outline | None = None  # of the file when the citation was written

    @property
    def slack(self) -> int:
        """How far an approximate number may be off."""
        return max(10, self.first // 50) if self.citation.approximate else 0

    @property
    def target(self) -> Target:
        """What the citation says."""
        return Target(self.path, self.first, self.last, _symbol(self.outline, self.first, self.last))


def judge(case: Case) -> Judged:
    """The verdict on a citation whose file is known."""
    if case.first > len(case.outline.lines) + case.slack:
        return _past_end(case)
    now = support(case.names, case.outline, case.first, case.last, case.slack)
    born = Support.NOTHING
    if case.trace is not None and case.then is not None:
        born = support(case.names, case.then, case.first, case.last, case.slack)
    if case.trace is not None and case.trace.first is not None and case.trace.exact and case.trace.first != case.first:
        if (moved := _moved(case, now, born)) is not None:
            return moved
    elif case.trace is not None and case.trace.first != case.first and now < Support.STANDS:
        return _lost(case, now, born)
    return _standing(case, now, born)


def _standing(case: Case, now: Support, born: Support) -> Judged:
    """The cited line is the one that was cited, or nothing is known of that."""
    tracked = case.trace is not None and case.trace.first == case.first
    if now >= Support.STANDS:
        confidence = Confidence.STRONG if tracked or now is Support.DEFINED else Confidence.FAIR
        return _judged(case, _OK, confidence, [_names_say(case, now), *_unchanged(case)])
    if now is Support.AGAINST:
        return _mismatch(case, born)
    edited = tracked and case.trace is not None and not case.trace.exact
    if edited and case.names.quotes and born is Support.DEFINED:
        return _judged(case, _CHANGED, Confidence.FAIR, [_edited(case), *_unquoted(case)])
    if now is Support.NEAR:
        return _judged(case, _OK, Confidence.FAIR, [_names_say(case, now), *_unchanged(case)])
    if tracked and case.trace is not None and case.trace.exact:
        return _judged(case, _OK, Confidence.FAIR, [*_unchanged(case), *_unnamed(case)])
    if edited and not case.slack:
        return _judged(case, _CHANGED, Confidence.WEAK, [_edited(case), *_unnamed(case)])
    return _judged(case, CitationStatus.UNKNOWN, Confidence.WEAK, [*_unnamed(case)])


def _moved(case: Case, now: Support, born: Support) -> Judged | None:
    """The line that was cited stands elsewhere now; None where the names hold better where the citation points."""
    trace = case.trace
    assert trace is not None
    assert trace.first is not None
    assert trace.last is not None
    there = support(case.names, case.outline, trace.first, trace.last, case.slack)
    if now > born or (now is Support.DEFINED and there < Support.DEFINED) or _within_slack(case, trace.first):
        return None
    if born is Support.AGAINST:
        return _mismatch(case, born)
    proposed = Target(case.path, trace.first, trace.last, _symbol(case.outline, trace.first, trace.last))
    strong = _certain(case, born, there)
    evidence = [_history_says(case)]
    if born > Support.NOTHING:
        evidence.insert(0, _names_say(case, there, trace.first, trace.last))
    else:
        evidence += _unnamed(case)
    telling = case.first != case.last or len(trace.then[case.first - 1].strip()) > 2
    fair = Confidence.FAIR if telling or born > Support.NOTHING else Confidence.WEAK
    return _judged(case, _MOVED, Confidence.STRONG if strong else fair, evidence, proposed)


def _certain(case: Case, born: Support, there: Support) -> bool:
    """Whether names and history lead to the same lines, beyond what chance would do.

    A name somewhere within a range says little: there the definition must begin with the range, or code be quoted.
    """
    trace = case.trace
    if trace is None or case.then is None or not trace.steady or there < born or born < Support.STANDS:
        return False
    if not _same_definition(case):
        return False
    if case.slack and support(case.names, case.then, case.first, case.last) < Support.DEFINED:
        return False  # what is about there may have gone another way than the line itself
    if case.first == case.last:
        return born is Support.DEFINED or all(_only_used(tie, case.then) for tie in case.names.ties)
    assert trace.first is not None
    assert trace.last is not None
    grown = (trace.last - trace.first) - (case.last - case.first)
    if born is not Support.DEFINED or abs(grown) > max(3, (case.last - case.first) // 2):
        return False
    begins = [each for tie in case.names.ties for each in case.then.named(tie.name)]
    quoted = bool(case.names.quotes) and not case.names.ties
    return quoted or any(each.top - _NEAR <= case.first <= each.line + _NEAR for each in begins)


def _same_definition(case: Case) -> bool:
    """Whether a name that is defined several times is, where it was and where it went, that of the same class."""
    trace = case.trace
    assert trace is not None
    assert trace.first is not None
    assert case.then is not None
    for tie in case.names.ties:
        then, now = case.then.named(tie.name), case.outline.named(tie.name)
        if max(len(then), len(now)) > 1:
            was = {each.qualified for each in then if each.top <= case.first <= each.line <= case.last}
            went = {each.qualified for each in now if each.top <= trace.first <= each.line <= (trace.last or 0)}
            if was != went or (was and any(_twice(was, each) for each in (then, now))):
                return False
    return True


def _twice(qualified: set[str], definitions: Sequence[Definition]) -> bool:
    return sum(each.qualified in qualified for each in definitions) > len(qualified)


def _only_used(tie: Tie, outline: Outline) -> bool:
    """Whether a name isn't defined in a file and stands on few of its lines, so that one of them means something."""
    last = re.split(r"\.|::|#", tie.name)[-1]
    return not outline.named(tie.name) and len(outline.occurrences(last)) <= _RARE


def _within_slack(case: Case, line: int) -> bool:
    return abs(line - case.first) <= case.slack


def _lost(case: Case, now: Support, born: Support) -> Judged:
    """The line that was cited is gone, or was edited on its way."""
    trace = case.trace
    assert trace is not None
    if born >= Support.DEFINED and now is not Support.DEFINED and (proposed := _definition(case)) is not None:
        evidence = [_defined_at(case, proposed), _history_says(case)]
        return _judged(case, _MOVED, Confidence.STRONG, evidence, proposed)
    if now is Support.NEAR:
        return _judged(case, _OK, Confidence.WEAK, [_names_say(case, now), _history_says(case)])
    if now is Support.AGAINST:
        return _mismatch(case, born)
    proposed = None
    if trace.first is not None and trace.last is not None:
        proposed = Target(case.path, trace.first, trace.last)
    status = _CHANGED if proposed is None else _MOVED
    return _judged(case, status, Confidence.WEAK, [_history_says(case), *_unnamed(case)], proposed)


def _definition(case: Case) -> Target | None:
    """The one place where a tied name is defined now, if it was defined once when the citation was written."""
    if case.then is None or case.last != case.first or len(case.names.ties) != 1:
        return None
    tie = case.names.ties[0]
    old, new = elsewhere(tie, case.then), elsewhere(tie, case.outline)
    if old is None or new is None or old.line != case.first:
        return None
    return Target(case.path, new.line, new.line, tie.name)


def _mismatch(case: Case, born: Support) -> Judged:
    """The names contradict the line."""
    found = [(tie, place) for tie in case.names.ties if (place := elsewhere(tie, case.outline)) is not None]
    places = {place.line for _, place in found}
    evidence = [Evidence("names", _contradiction(case, found[0][0] if found else case.names.ties[0]))]
    proposed = None
    confidence = Confidence.FAIR
    if len(places) == 1:
        tie, place = found[0]
        last = place.end if case.last > case.first else place.line
        proposed = Target(case.path, place.line, last, tie.name)
        alone = len(case.names.ties) == 1 and not case.citation.rivals
        if case.last == case.first and alone and only(tie, case.outline):
            confidence = Confidence.STRONG
            evidence.append(Evidence("names", f"`{tie.name}` stands on no other line of the file"))
        elif case.last == case.first and alone and tie.declares and case.outline.certain:
            confidence = Confidence.STRONG
            evidence.append(Evidence("names", f"`{tie.name}` is defined nowhere else in the file"))
    if case.trace is not None:
        if born is Support.AGAINST:
            evidence.append(Evidence("history", f"so it was when it was written ({case.trace.commit[:10]})"))
        else:
            evidence.append(_history_says(case))
    certain = case.citation.sure or confidence is Confidence.STRONG or case.citation.symbol is not None
    return _judged(case, CitationStatus.MISMATCH if certain else CitationStatus.UNKNOWN, confidence, evidence, proposed)


def _past_end(case: Case) -> Judged:
    length = len(case.outline.lines)
    evidence = [Evidence("file", f"{case.path} has {length} {'line' if length == 1 else 'lines'}")]
    if case.trace is not None and case.trace.first is None:
        evidence.append(_history_says(case))
    proposed, confidence = None, Confidence.WEAK
    found = [(tie, place) for tie in case.names.ties if (place := elsewhere(tie, case.outline)) is not None]
    trace = case.trace
    if trace is not None and trace.first is not None and trace.last is not None and trace.exact:
        born = Support.NOTHING if case.then is None else support(case.names, case.then, case.first, case.last)
        there = support(case.names, case.outline, trace.first, trace.last)
        proposed = Target(case.path, trace.first, trace.last, _symbol(case.outline, trace.first, trace.last))
        confidence = Confidence.STRONG if _certain(case, born, there) else Confidence.FAIR
        evidence.append(_history_says(case))
    elif len(found) == 1 and case.first == case.last:
        tie, place = found[0]
        proposed = Target(case.path, place.line, place.line, tie.name)
        strong = tie.defines and tie.alone and only(tie, case.outline) and not case.citation.rivals
        confidence = Confidence.STRONG if strong else Confidence.FAIR
        evidence.append(_defined_at(case, proposed))
    status = CitationStatus.PAST_END if case.citation.sure or proposed else CitationStatus.UNKNOWN
    return _judged(case, status, confidence, evidence, proposed)


def without_file(
    citation: Citation, status: CitationStatus, evidence: Sequence[Evidence], target: Target | None
) -> Judged:
    """The verdict on a citation of which the file isn't known or isn't there."""
    return Judged(citation, target, status, Confidence.WEAK, tuple(evidence))


def judge_symbol(citation: Citation, path: str, outline: Outline) -> Judged:
    """The verdict on a symbol citation."""
    assert citation.symbol is not None
    found = outline.named(citation.symbol)
    if found:
        target = Target(path, None, None, citation.symbol)
        where = f"`{citation.symbol}` is defined at line {lines(found[0].line, None)}"
        return Judged(citation, target, _OK, Confidence.STRONG, (Evidence("names", where),))
    target = Target(path, None, None, citation.symbol)
    last = citation.symbol.replace("::", ".").replace("#", ".").rpartition(".")[2]
    stands = outline.occurrences(last)
    if stands:
        text = f"`{last}` stands at line {stands[0]}, but isn't seen to be defined here"
        return Judged(citation, target, _OK, Confidence.FAIR, (Evidence("names", text),))
    if not citation.sure:
        return Judged(
            citation, target, CitationStatus.UNKNOWN, Confidence.WEAK, (Evidence("names", f"no `{last}` here"),)
        )
    return Judged(
        citation, target, CitationStatus.MISSING, Confidence.FAIR, (Evidence("names", f"{path} has no `{last}`"),)
    )


def _judged(
    case: Case,
    status: CitationStatus,
    confidence: Confidence,
    evidence: Sequence[Evidence],
    proposed: Target | None = None,
) -> Judged:
    return Judged(case.citation, case.target, status, confidence, tuple(evidence), proposed)


def _symbol(outline: Outline, first: int, last: int) -> str | None:
    for each in outline.definitions:
        if each.line == first or each.top <= first < each.line <= last:
            return each.qualified
    return None


def _contradiction(case: Case, tie: Tie) -> str:
    places = [str(each.line) for each in case.outline.named(tie.name)]
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    at = f"; `{tie.name}` is at {', '.join(places[:_LISTED])}{more}" if places else ""
    return f"names `{tie.name}`; line {case.first} is `{_shown(case.outline, case.first)}`{at}"


def _defined_at(case: Case, proposed: Target) -> Evidence:
    return Evidence("names", f"`{proposed.symbol}` is defined at {proposed.line} and nowhere else in the file")


def _names_say(case: Case, level: Support, first: int | None = None, last: int | None = None) -> Evidence:
    first, last = first or case.first, last or case.last
    where = f"line {first}" if first == last else f"lines {lines(first, last)}"
    tied = ", ".join(f"`{tie.name}`" for tie in case.names.ties)
    if level is Support.DEFINED:
        return Evidence(
            "names",
            f"{'the quoted code' if case.names.quotes else tied} is what {where} hold{'s' * (first == last)}",
        )
    if level is Support.STANDS:
        return Evidence("names", f"{tied} stands at {where}")
    return Evidence("names", f"what the sentence names stands at {where} or around it")


def _unnamed(case: Case) -> list[Evidence]:
    if case.names.ties:
        tied = ", ".join(f"`{tie.name}`" for tie in case.names.ties)
        return [Evidence("names", f"{tied}, beside it, doesn't stand at line {case.first}")]
    if case.names.common:
        return [Evidence("names", f"`{case.names.common[0]}`, beside it, is too common a name to tell")]
    return [Evidence("names", NO_NAMES)]


def _unchanged(case: Case) -> list[Evidence]:
    trace = case.trace
    if trace is None or trace.first != case.first:
        return []
    state = "is as it was when" if trace.exact else "was edited since"
    return [Evidence("history", f"line {case.first} {state} this was written ({trace.commit[:10]})")]


def _history_says(case: Case) -> Evidence:
    trace = case.trace
    assert trace is not None
    text = " ".join(trace.then[case.first - 1].split())[:_SHOWN]
    since = f"written in {trace.commit[:10]} of `{text}`"
    if trace.first is None:
        removed = f"{since}, which {trace.lost[:10] or 'a later change'} removed"
        if trace.beside is None:
            return Evidence("history", removed)
        there = _shown(case.outline, trace.beside)
        return Evidence("history", f"{removed}; in its place, line {trace.beside} is `{there}`")
    now = lines(trace.first, trace.last)
    return Evidence("history", f"{since}, which is at {now} now{'' if trace.exact else ', edited'}")


def _unquoted(case: Case) -> list[Evidence]:
    return [Evidence("names", f"`{case.names.quotes[0][:_SHOWN]}`, beside it, stood there then")]


def _edited(case: Case) -> Evidence:
    trace = case.trace
    assert trace is not None
    pairs = zip(trace.then[case.first - 1 : case.last], case.outline.lines[case.first - 1 : case.last], strict=False)
    then, now = next((pair for pair in pairs if pair[0].split() != pair[1].split()), ("", ""))
    written = f"written in {trace.commit[:10]} of `{' '.join(then.split())[:_SHOWN]}`"
    return Evidence("history", f"{written}, which is `{' '.join(now.split())[:_SHOWN]}` now")


def _shown(outline: Outline, line: int) -> str:
    if not 1 <= line <= len(outline.lines):
        return ""
    text = " ".join(outline.lines[line - 1].split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
