"""Finds citations in prose, each with the exact place of its numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from eqtrace.cites import patterns
from eqtrace.cites.blocks import Blocks, Kind
from eqtrace.cites.documents import Document, Zone
from eqtrace.cites.kinds import CODE, KNOWN, NAMES
from eqtrace.model.citation import Citation, Form, Number
from eqtrace.model.span import Span

_HEADS = 12  # heads of lists, items and headings above a number in which its file is looked for
_RIVALS = 50  # mentions of files before a number that are looked at
_PLACEHOLDER = re.compile(r"[A-Z]{1,4}|[Ll](?:ines?|INES?|no)(?:_?\w+)?")
"""What stands for a line number in `file.py:NN`."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A file named in prose, with or without a line."""

    path: str
    start: int
    end: int
    cited: bool = False


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document cites, in order, and the files it names."""

    citations: tuple[Citation, ...]
    mentions: tuple[Mention, ...]


class _Mentions:
    """Mentions by their places."""

    def __init__(self, mentions: list[Mention]) -> None:
        self._all = sorted(mentions, key=lambda mention: mention.start)
        self._since: list[int] = []  # for each, since which one before it all are of its file
        for number, each in enumerate(self._all):
            same = number > 0 and self._all[number - 1].path == each.path
            self._since.append(self._since[-1] if same else number)

    def between(self, start: int, end: int) -> list[Mention]:
        """Those that begin in a part of the text."""
        first, last = self._range(start, end)
        return self._all[first:last]

    def one(self, start: int, end: int) -> str | None:
        """The only file that is mentioned in a part of the text."""
        first, last = self._range(start, end)
        return self._all[last - 1].path if first < last and self._since[last - 1] <= first else None

    def _range(self, start: int, end: int) -> tuple[int, int]:
        first = bisect_left(self._all, start, key=lambda each: each.start)
        return first, bisect_left(self._all, end, first, key=lambda each: each.start)


def extract(document: Document, blocks: Blocks, extensions: frozenset[str]) -> Extracted:
    """The citations of a document; `extensions` are those of the repository's files, which make a word a path too."""
    return _Reader(document, blocks, extensions).read()


class _Reader:
    def __init__(self, document: Document, blocks: Blocks, extensions: frozenset[str]) -> None:
        self.document = document
        self.blocks = blocks
        self.extensions = extensions | KNOWN
        self.text = document.prose
        self.found: list[Citation] = []
        self.mentions: list[Mention] = []
        self.taken: list[tuple[int, int]] = []

    def read(self) -> Extracted:
        self._links()
        for match in self._paths():
            if (match["ext"] or "").lower() in self.extensions or match["ext"] in self.extensions or match["name"]:
                self._path(match)
        if not self.document.code:
            self._bare()
        ordered = sorted(self.found, key=lambda citation: (citation.start, citation.end))
        return Extracted(tuple(ordered), tuple(sorted(self.mentions, key=lambda mention: mention.start)))

    def _paths(self) -> Iterator[re.Match[str]]:
        if any(name in self.text for name in NAMES):
            yield from patterns.PATH.finditer(self.text)
            return
        for run in patterns.RUN.finditer(self.text):
            yield from patterns.PATH.finditer(self.text, run.start(), run.end())

    def _links(self) -> None:
        """Permalinks; the rest of an address cites nothing, and is taken out of sight."""
        pieces: list[str] = []
        at = 0
        for url in patterns.URL.finditer(self.text):
            pieces += [self.text[at : url.start()], " " * len(url[0])]
            at = url.end()
            link = patterns.PERMALINK.match(url[0])
            if link is None:
                continue
            base = url.start()
            revision, _, path = link["rest"].partition("/")
            first = _number(link, "first", base)
            end = base + link.end()
            self._add(
                base, end, path, (first, _number(link, "last", base)), Form.LINK, revision=f"{link['repo']}@{revision}"
            )
        self.text = "".join([*pieces, self.text[at:]])

    def _path(self, match: re.Match[str]) -> None:
        path, start, end = match[0], match.start(), match.end()
        if self._is_taken(start) or self._traceback(start):
            return
        before = len(self.found)
        after = self._direct(path, start, end) or self._words(path, start, end) or self._symbol(path, start, end)
        if after is not None and len(self.found) > before and self.found[before].form is not Form.SYMBOL:
            self._more(path, start, after)
        elif after is None:
            self._of(path, start, end)
        self.mentions.append(Mention(path, start, end, len(self.found) > before))

    def _traceback(self, start: int) -> bool:
        """`File "x.py", line 12` is what a program printed."""
        return self.text[max(0, start - 6) : start] == 'File "'

    def _direct(self, path: str, start: int, end: int) -> int | None:
        closed = patterns.CLOSED.match(self.text, end)
        number = patterns.DIRECT.match(self.text, end if closed is None else closed.end())
        if number is None or patterns.NO_END.match(self.text, number.end()):
            return None
        stop = number.end()
        column = patterns.COLUMN.match(self.text, stop)
        after = column.end() if column is not None and number["last"] is None and number["head"] == ":" else stop
        form = Form.DIRECT if closed is None else Form.WORDS
        self._add(start, stop, path, _numbers(number), form, approximate=bool(number["approx"]))
        return after

    def _words(self, path: str, start: int, end: int) -> int | None:
        closed = patterns.MARKUP.match(self.text, end)
        begin = closed.end() if closed is not None else end
        if (link := re.compile(r"\([^\s()]*\)").match(self.text, begin)) is not None and self.text[begin - 1] == "]":
            begin = link.end()
        number = patterns.WORDS.match(self.text, begin)
        if number is None or not patterns.SAYS_LINE.search(number[0]) or "\n\n" in number[0]:
            return self._roughly(path, start, begin)
        about = self._about(number, "first")
        self._add(start, number.end(), path, _numbers(number), Form.WORDS, approximate=about)
        return number.end()

    def _roughly(self, path: str, start: int, begin: int) -> int | None:
        """A number that nothing but `~` makes a line."""
        number = patterns.ABOUT.match(self.text, max(0, begin - 1))
        if number is None:
            return None
        numbers = _number(number, "first", 0), None
        self._add(start, number.end("first"), path, numbers, Form.WORDS, approximate=True, sure=False)
        return number.end("first")

    def _about(self, number: re.Match[str], name: str) -> bool:
        """Whether a number is only about right, by a sign or by the words before it."""
        start = number.start(name)
        before = self.text[max(0, start - 40) : start]
        return before.rstrip("L").endswith(("~", "≈")) or bool(patterns.HEDGED.search(before))

    def _of(self, path: str, start: int, end: int) -> None:
        begin = max(0, start - 80)
        number = patterns.BEFORE.search(self.text[begin:start])
        if number is None:
            return
        numbers = _number(number, "first", begin), _number(number, "last", begin)
        about = bool(
            number["approx"] or patterns.HEDGED.search(self.text[max(0, begin - 40) : begin + number.start("first")])
        )
        self._add(begin + number.start(), end, path, numbers, Form.WORDS, approximate=about)
        for more in patterns.NUMBERS.finditer(number["more"]):
            at = begin + number.start("more")
            numbers = _number(more, "first", at), _number(more, "last", at)
            self._add(at + more.start(), at + more.end(), path, numbers, Form.CONTINUED, approximate=about)

    def _symbol(self, path: str, start: int, end: int) -> int | None:
        found = patterns.SYMBOL.match(self.text, end)
        if found is None or path.rpartition(".")[2].lower() not in CODE - {"yaml", "yml", "toml", "ini", "cfg", "d"}:
            return None
        if found[0].startswith("::") or not _PLACEHOLDER.fullmatch(found["symbol"]):
            self._add(
                start,
                found.start("symbol") + len(found["symbol"]),
                path,
                (None, None),
                Form.SYMBOL,
                symbol=found["symbol"],
            )
            return found.end()
        return None

    def _more(self, path: str, start: int, after: int, sure: bool = True, rivals: tuple[str, ...] = ()) -> None:
        """Further numbers of the same file, after a citation from `start` to `after`."""
        at = after
        several = patterns.LINES.search(self.text, start, after) is not None
        while True:
            number = patterns.MORE_COLON.match(self.text, at) or self._plain(at, several)
            if (
                number is None
                or "\n\n" in number[0]
                or self.blocks.index(at) != self.blocks.index(number.start("first"))
            ):
                return
            begin = number.start("first") - len(number["approx"])
            approximate = bool(number["approx"])
            self._add(
                begin,
                number.end(),
                path,
                _numbers(number),
                Form.CONTINUED,
                approximate=approximate,
                sure=sure,
                rivals=rivals,
            )
            at = number.end()

    def _plain(self, at: int, several: bool) -> re.Match[str] | None:
        """A further number without a colon; `several` where the word `lines` announced more than one."""
        number = patterns.MORE_PLAIN.match(self.text, at)
        if number is None or several:
            return number
        if self._in_span(at) and "`" not in number[0]:
            return number
        return number if number["sep"].strip() == "/" or patterns.ENDS_LIST.match(self.text, number.end()) else None

    def _in_span(self, at: int) -> bool:
        """Whether an offset lies in a code span of its line."""
        return self.text.count("`", self.text.rfind("\n", 0, at) + 1, at) % 2 == 1

    def _bare(self) -> None:
        """Numbers after a file that was named before."""
        if not self.mentions or not any(sign.search(self.text) for sign in patterns.BARE_SIGNS):
            return
        mentions = _Mentions(self.mentions)
        for match in patterns.BARE.finditer(self.text):
            kind = next(kind for kind in "1234" if match[f"first{kind}"] is not None)
            begin = match.start() + match[0].startswith("`")
            first = f"first{kind}"
            if self._is_taken(match.start(first)) or self.document.zone(begin) is not Zone.PROSE:
                continue
            owner, rivals = self._owner(mentions, match.start(), words=kind in "34")
            if owner is None:
                continue
            numbers = _number(match, first, 0), _number(match, f"last{kind}", 0)
            approximate = kind != "4" and self._about(match, first)
            symbol = match["symbol4"] if kind == "4" else None
            self._add(
                begin, match.end(), owner, numbers, Form.BARE, symbol=symbol, approximate=approximate, rivals=rivals
            )
            self._more(owner, begin, match.end(), sure=False, rivals=rivals)

    def _owner(self, mentions: _Mentions, offset: int, words: bool) -> tuple[str | None, tuple[str, ...]]:
        """The file that a bare number belongs to, and the others that it might."""
        here = self.blocks.index(offset)
        if here is None:
            return None, ()
        for place in (here, *islice(self.blocks.above(here), _HEADS)):
            block = self.blocks.blocks[place]
            named = mentions.between(block.start, min(block.end, offset))[-_RIVALS:]
            if named:
                rivals = tuple(dict.fromkeys(each.path for each in named if each.path != named[-1].path))
                return named[-1].path, rivals
        if words or self.blocks.blocks[here].kind is Kind.HEADING:
            return None, ()
        top = next((place for place in self.blocks.above(here) if self.blocks.blocks[place].kind is Kind.HEADING), None)
        begin = 0 if top is None else self.blocks.blocks[top].start
        return mentions.one(begin, offset), ()

    def _is_taken(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self.taken[-40:])

    def _add(
        self,
        start: int,
        end: int,
        path: str,
        numbers: tuple[Number | None, Number | None],
        form: Form,
        *,
        symbol: str | None = None,
        approximate: bool = False,
        revision: str | None = None,
        rivals: tuple[str, ...] = (),
        sure: bool = True,
    ) -> None:
        first, last = numbers
        if first is not None and (first.value == 0 or (last is not None and last.value < first.value)):
            last = None
            if first.value == 0:
                return
        line, column = self.document.place(start)
        end_line, end_column = self.document.place(end)
        text = " ".join(self.document.text[start:end].split())
        before = self.text[max(0, start - 6) : start]
        quoted = before.endswith('"') and not before.endswith('href="')  # rather a heading or a sample than a place
        sure = sure and not quoted and form is not Form.BARE and self.document.zone(start) is Zone.PROSE
        span = Span(self.document.path, line, column, end_line, end_column)
        self.taken.append((start, end))
        self.found.append(
            Citation(span, text, start, end, path, first, last, form, symbol, approximate, revision, sure, rivals)
        )


def _number(match: re.Match[str], name: str, base: int) -> Number | None:
    digits = match[name]
    return None if digits is None else Number(base + match.start(name), base + match.end(name), int(digits))


def _numbers(match: re.Match[str]) -> tuple[Number | None, Number | None]:
    return _number(match, "first", 0), _number(match, "last", 0)
