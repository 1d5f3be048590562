"""The names that a sentence ties to a citation, and what they say about the cited lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from itertools import islice
from typing import TypeVar

from eqtrace.cites.blocks import Blocks, Kind
from eqtrace.cites.forms import Mention
from eqtrace.cites.kinds import words
from eqtrace.cites.outline import DEFINING, MODIFIER, Definition, Outline
from eqtrace.model.citation import Citation, Form

_Placed = TypeVar("_Placed", Citation, Mention)


@dataclass(frozen=True, slots=True)
class Tie:
    """A name right beside a citation; `defines` where the wording says that it stands there as itself.

    `alone` is false where other words follow, so that the name may belong to what is said rather than to the line.
    `declares` where the words are that it is defined there, so that its body or a use will not do.
    """

    name: str
    defines: bool
    alone: bool
    declares: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The names that go with one citation: tied to it, elsewhere in its sentence or above it, and code it quotes."""

    ties: tuple[Tie, ...] = ()
    near: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    common: tuple[str, ...] = ()  # tied, but too common to say anything


class Support(IntEnum):
    """How far names bear out a line."""

    AGAINST = -1  # a tied name is defined elsewhere in the file, and nothing that the sentence names is here
    NOTHING = 0
    NEAR = 1  # a name of the sentence stands here, or the line belongs to the definition of a tied one
    STANDS = 2  # a tied name stands here
    DEFINED = 3  # a tied name is defined here, or quoted code stands here


_SPAN = re.compile(r"(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]*(?:\n[^`\n]+)?)(?P=ticks)(?!`)|<code>(?P<html>[^<]*)</code>")
_SHAPED = re.compile(
    r"(?<![\w./`])(?:[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(\)|[A-Za-z]\w*_\w+|_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|"
    r"[a-z]+(?:[A-Z][a-z0-9]+)+)(?![\w/])"
)
_NAME = re.compile(
    r"[&*@#$.]{0,2}(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*)!?(?:<[^<>()]*>)?(?P<call>\(.*\))?[;:]?$",
    re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SENTENCE = re.compile(r"[.!?][)\"'`*]*\s+(?=[A-Z`*\[(\"'_])|;\s|<br */?>")
_BETWEEN = r"[\s`*_\"'’“”,]*"
_DEFINING = r"(?:[(\[\]:—–|=@→]|->|=>|-|\bis\b|\bdefined\b|\bdeclared\b|\bimplemented\b|\blives\b|\blocated\b)"
_USING = r"(?:\bat\b|\bin\b|\bsee\b|\bfrom\b|\bvia\b|\bon\b|\blines?\b|\bof\b|\bthe\b|\bfile\b|\be\.g\.|\bcf\.)"
_BEFORE_DEFINES = re.compile(rf"{_BETWEEN}(?:{_DEFINING}{_BETWEEN}|{_USING}{_BETWEEN}(?={_DEFINING}))+$|[`*_]*\s*$")
_BEFORE_USES = re.compile(rf"{_BETWEEN}(?:(?:{_DEFINING}|{_USING}){_BETWEEN})+$")
_AFTER = re.compile(
    rf"[\s`*_\"'’“”)\]]*(?:(?:[(\[:—–|=→]|->|=>|-|\bis\b|\bdefines\b|\bdeclares\b){_BETWEEN})+$|[`*_]*\s$"
)
_JOINED = re.compile(r"[`*_]*\s*(?:/|,|&|\+|->|→|,?\s*\band\b|,?\s*\bor\b)\s*[`*_]*")
_DECLARING = re.compile(r"\bis\s+(?:first\s+)?(?:defined|declared)\s+(?:in|at|on|by)\b|\b(?:defined|declared)\s+at\b")
_KEYWORDS = re.compile(rf"^(?:{MODIFIER}\s+)*(?:{DEFINING}|const|let|var|val)\s+(?=[A-Za-z_$])")
_COMMON = words(
    "true false none null nil self this super int str bool float string void char byte bytes list dict map set vec any "
    "option result some err error object array number undefined async await return import from class def func function "
    "the and for with todo note fixme http https json yaml html api url test tests main new get len let var const type "
    "u8 u16 u32 u64 i32 i64 f32 f64 usize size_t unwrap clone default "
    "isinstance print range dict tuple open sorted super format append join assert raise yield lambda global break "
    "continue while elif else pass try except finally"
)
_WIDEST = 1_000  # characters of a sentence on each side of a citation; longer ones are made by machines
_LONGEST = 2_000  # characters of a citation
_HEADS = 12  # heads of lists, items and headings that lead to a sentence
_SEVERAL = 12  # definitions of one name: more are no name to go by
_FAR = 60  # characters between a name and the citation that it is tied to


def names(citation: Citation, blocks: Blocks, cited: Sequence[Citation], mentions: Sequence[Mention]) -> Names:
    """The names that go with `citation`, which stands in the text of `blocks` among the citations `cited`."""
    text = blocks.text
    place = blocks.index(citation.start)
    if place is None:
        return Names()
    start, end = _sentence(citation, text, blocks, place)
    cited, mentions = _between(cited, start, end), _between(mentions, start, end)
    places = [(each.start, each.end) for each in cited] + [(each.start, each.end) for each in mentions]
    hidden = [(first, last) for first, last in places if last > start and first < end]
    tokens = [token for token in _tokens(text, start, end) if not any(a < token[1] and token[0] < b for a, b in hidden)]
    ties, quotes, common = _ties(citation, text, tokens, [each for each in cited if each is not citation])
    near = [name for token in tokens for name in _identifiers(token[2])]
    for above in islice(blocks.above(place), _HEADS):
        block = blocks.blocks[above]
        near += _named(text[block.start : min(block.end, block.start + _WIDEST)])
    if citation.symbol is not None and citation.line is not None:
        ties = (Tie(citation.symbol.removesuffix("()"), True, True), *ties)
    own = {citation.file.rpartition("/")[2].partition(".")[0]}
    return Names(
        tuple(tie for tie in ties if tie.name not in own),
        tuple(dict.fromkeys(name for name in near if name not in own)),
        quotes,
        common,
    )


def _sentence(citation: Citation, text: str, blocks: Blocks, place: int) -> tuple[int, int]:
    """The sentence that a citation stands in, or as much of it around the citation as a reader takes in at once."""
    block = blocks.blocks[place]
    # In steps, so that what stands close together shares what is worked out of its sentence.
    start = max(block.start, (citation.start // _WIDEST - 1) * _WIDEST)
    end = min(block.end, (citation.end // _WIDEST + 2) * _WIDEST)
    if block.kind is Kind.ROW:
        return start, end
    for first, last in _stops(text, start, end):
        if last <= citation.start:
            start = last
        elif first >= citation.end:
            end = first + 1
            break
    return start, end


@lru_cache(8)
def _stops(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    return tuple(found.span() for found in _SENTENCE.finditer(text, start, end))


def _between(places: Sequence[_Placed], start: int, end: int) -> Sequence[_Placed]:
    """The citations or mentions (in order) that reach into a part of the text."""
    first = bisect_left(places, start - _LONGEST, key=lambda each: each.start)
    return places[first : bisect_left(places, end, key=lambda each: each.start)]


@lru_cache(32)
def _tokens(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """Code spans, and words that look like code outside of them: place and text."""
    found = [
        (match.start(), match.end(), match["code"] if match["code"] is not None else match["html"])
        for match in _SPAN.finditer(text, start, end)
    ]
    for match in _SHAPED.finditer(text, start, end):
        if not any(a <= match.start() < b for a, b, _ in found):
            found.append((match.start(), match.end(), match[0]))
    return sorted(found)


@lru_cache(512)
def _named(text: str) -> tuple[str, ...]:
    """The names in what leads to a citation, which is often the same for many."""
    return tuple(name for token in _tokens(text, 0, len(text)) for name in _identifiers(token[2]))


def _identifiers(code: str) -> Iterable[str]:
    named = _NAME.match(code.strip())
    words = [named["name"]] if named is not None and not named["call"] else _WORD.findall(code)
    for word in words:
        last = re.split(r"\.|::|->|#", word)[-1]
        if telling(last):
            yield last


def telling(name: str) -> bool:
    """Whether finding a name somewhere says anything."""
    return len(name) >= 3 and name.lower() not in _COMMON


def _ties(
    citation: Citation, text: str, tokens: Sequence[tuple[int, int, str]], others: Sequence[Citation]
) -> tuple[tuple[Tie, ...], tuple[str, ...], tuple[str, ...]]:
    found: list[Tie] = []
    quotes: list[str] = []
    common: list[str] = []
    before = [token for token in tokens if token[1] <= citation.start]
    after = [token for token in tokens if token[0] >= citation.end]
    if before and not _parted(before[-1][1], citation.start, others):
        gap = text[before[-1][1] : citation.start]
        defines = len(gap) <= _FAR and bool(_BEFORE_DEFINES.fullmatch(gap))
        if len(gap) <= _FAR and (defines or _BEFORE_USES.fullmatch(gap)):
            joined = len(before) > 1 and _JOINED.fullmatch(text[before[-2][1] : before[-1][0]])
            alone = not joined and ("|" not in gap or _fills_cell(text, before[-1]))
            first = citation.form is not Form.CONTINUED
            _tie(before[-1][2], defines and first, alone, found, quotes, common)
            if found and first and alone and _DECLARING.search(gap):
                found[-1] = replace(found[-1], declares=True)
    if after and not _parted(citation.end, after[0][0], others):
        gap = text[citation.end : after[0][0]]
        taken = any(
            0 <= each.start - after[0][1] <= _FAR and _BEFORE_USES.fullmatch(text[after[0][1] : each.start])
            for each in others
        )
        if len(gap) <= _FAR and _AFTER.fullmatch(gap) and not taken:
            _tie(after[0][2], citation.form is not Form.CONTINUED, _alone(text, after[0], gap), found, quotes, common)
    return tuple(found), tuple(quotes), tuple(common)


def _parted(start: int, end: int, others: Sequence[Citation]) -> bool:
    """Whether another citation stands between."""
    return any(start <= each.start < end for each in others)


def _alone(text: str, token: tuple[int, int, str], gap: str) -> bool:
    if "|" in gap:
        return _fills_cell(text, token)
    return "(" in gap and bool(re.match(r"[`*_\s]*\)", text[token[1] : token[1] + 8]))


def _fills_cell(text: str, token: tuple[int, int, str]) -> bool:
    left = text[max(0, token[0] - 8) : token[0]].strip(" `*_")
    right = text[token[1] : token[1] + 8].strip(" `*_")
    return left.endswith(("|", "\n")) and right.startswith(("|", "\n"))


def _tie(code: str, defines: bool, alone: bool, found: list[Tie], quotes: list[str], common: list[str]) -> None:
    plain = " ".join(code.split())
    named = _NAME.match(_KEYWORDS.sub("", plain))
    if named is None or (named["call"] or "()") != "()":
        if len(plain) >= 6 and re.search(r"[^\w\s.\-/]", plain):
            quotes.append(plain)
        if named is None:
            return
    last = re.split(r"\.|::|->|#", named["name"])[-1]
    if telling(last):
        found.append(Tie(named["name"].replace("->", "."), defines, alone))
    else:
        common.append(last)


def support(given: Names, outline: Outline, first: int, last: int, slack: int = 0) -> Support:
    """How far `given` bears out the lines from `first` to `last` of a file."""
    low, high = max(1, first - slack), min(len(outline.lines), last + slack)
    cited = [" ".join(line.split()) for line in outline.lines[low - 1 : high]]
    text = "\n".join(cited)
    if any(quote in text for quote in given.quotes):
        return Support.DEFINED
    ties = given.ties
    for tie in ties:
        if any(low <= each.line <= high or _decorates(outline, first, each) for each in outline.named(tie.name)):
            return Support.DEFINED
    if len(ties) == 1 and ties[0].declares and elsewhere(ties[0], outline) is not None:
        return Support.AGAINST
    if any(_stands(_last(tie.name), text) for tie in ties):
        return Support.STANDS
    around = {each.name for each in outline.around(first)}
    if any(_last(tie.name) in around for tie in ties) or any(_stands(name, text) for name in given.near):
        return Support.NEAR
    if any(name in around for name in given.near if any(tie.defines for tie in ties)):
        return Support.NOTHING
    return Support.AGAINST if any(_speaks_against(tie, outline, low, high) for tie in ties) else Support.NOTHING


def _decorates(outline: Outline, line: int, definition: Definition) -> bool:
    """Whether a line is a decorator or an attribute of a definition; a comment above may be about anything."""
    above = definition.top <= line < definition.line
    return above and outline.lines[line - 1].lstrip().startswith(("@", "#[", "["))


def _speaks_against(tie: Tie, outline: Outline, first: int, last: int) -> bool:
    """Whether a name that is tied to lines is defined elsewhere in the file, and isn't used nearby."""
    if not (tie.defines and tie.alone) or not 1 <= len(outline.named(tie.name)) <= _SEVERAL:
        return False
    defined = {each.line for each in outline.named(tie.name)}
    return not any(
        first - 2 <= line <= last + 2 and line not in defined for line in outline.occurrences(_last(tie.name))
    )


def elsewhere(tie: Tie, outline: Outline) -> Definition | None:
    """The one definition of a tied name in a file."""
    found = outline.named(tie.name)
    return found[0] if len(found) == 1 else None


def only(tie: Tie, outline: Outline) -> bool:
    """Whether the name stands on no line but that of its definition."""
    definition = elsewhere(tie, outline)
    return definition is not None and outline.occurrences(_last(tie.name)) == (definition.line,)


def _last(name: str) -> str:
    return re.split(r"\.|::|#", name)[-1]


def _stands(name: str, text: str) -> bool:
    return name in text and bool(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text))
