r"""Whole formulas: claims side by side, conditions and ranges behind them, `\Rightarrow`, tuples of equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from eqtrace.formula.form import Range
from eqtrace.formula.latex.arrays import ONE, Entry, Value, scalar
from eqtrace.formula.latex.canon import Canon
from eqtrace.formula.latex.cursor import RELATIONS, Reading, Run, outer, split
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.names import Role
from eqtrace.formula.latex.parser import Parser
from eqtrace.formula.latex.tokens import Kind, Token
from eqtrace.formula.term import Add, Indexed, Mul, Name, Neg, Number, Rank, Term


class Says(StrEnum):
    """What kind of claim it is."""

    EQUAL = "equal"
    ORDER = "order"  # a comparison: a claim, or the condition of one
    ARRAY = "array"  # X in R^{T x a}
    LAW = "law"  # W ~ U[-a, a]
    BARE = "bare"  # a term alone


@dataclass(frozen=True, slots=True)
class Clause:
    """A claim as it was read. `signs` stand between its sides."""

    says: Says
    sides: tuple[Value, ...]
    signs: tuple[str, ...]
    offset: int
    length: int
    update: bool = False
    law: str = ""
    sizes: tuple[Term, ...] = ()
    given: tuple[Clause, ...] = ()  # what stands left of an arrow
    conditions: tuple[Clause, ...] = ()  # behind `for`, `where`


@dataclass
class Said:
    """Everything that a formula says."""

    clauses: list[Clause] = field(default_factory=list)
    ranges: dict[str, Range] = field(default_factory=dict)
    range_places: dict[str, tuple[int, int]] = field(default_factory=dict)


def said_by(reading: Reading, run: Run) -> Said:
    """What LaTeX says; where it is not read as it stands, with words in letters alone taken for words (`Re^2`).

    Raises:
        Unread: it is not read either way.
    """
    try:
        return Statements(reading, run).read()
    except Misfit:
        raise
    except Unread as error:
        joined = reading.names.joined(run)
        if len(joined) == len(run):
            raise
        try:
            return Statements(reading, joined).read()
        except Unread as other:
            word = any(each.offset <= error.offset < each.end for each in joined if each.kind is Kind.WORD)
            raise (other if word else error) from None  # a letter of a word is none that is not declared


_QUALIFIERS = frozenset({"for", "where", "when", "if", "only where", "only when", "only if", "with"})
_EVERY = frozenset({"for every key", "for every", "for all", "for each"})
_STARTING = frozenset({"starting from"})
_QUALIFIERS |= _EVERY | _STARTING
_ABOUT = frozenset({"\\approx", "\\simeq", "\\cong", "\\propto"})
_ARROWS = ("\\Rightarrow",)


_RANKS = {f"has {word} or more dimensions": Number(Fraction(value)) for word, value in (("two", 2), ("three", 3))}


class Statements:
    """The reader of one formula."""

    def __init__(self, reading: Reading, found: Run) -> None:
        self.reading = reading
        self.run = found
        self.said = Said()
        self.sequences: list[Clause] = []

    def read(self) -> Said:
        """All that it says.

        Raises:
            Unread: a part that is not read.
        """
        segments = _segments(self.run)
        families = [each for each in segments if _family(each) is not None]
        if len(families) > 1:
            raise Unread("two letters that stand for others", families[1][0].offset)
        for letter, member in _family(families[0]) or () if families else [("", "")]:
            self.reading.member = {letter: member} if letter else {}
            self._all([each for each in segments if each not in families])
        self.reading.member = {}
        if not self.said.clauses:
            raise Unread("nothing is claimed")
        return self.said

    def _all(self, segments: list[Run]) -> None:
        for segment in segments:
            head, *rest = split(segment, _ARROWS)
            if len(rest) > 1:
                raise Unread("two arrows in a row", segment[0].offset)
            clauses = self._pieces(head)
            if rest:
                conclusions = self._pieces(rest[0])
                if not clauses or not conclusions:
                    raise Unread("an arrow between what are no claims", segment[0].offset)
                clauses = [replace(each, given=tuple(clauses)) for each in conclusions]
            self.said.clauses += clauses

    def _pieces(self, found: Run) -> list[Clause]:
        """The claims between commas, with the conditions behind them; a segment may hold conditions alone."""
        claim, qualifiers = _qualified(found)
        pieces = split(claim, (",",))
        if not pieces[-1]:
            pieces.pop()
        clauses = self._claims(list(self._ranges(pieces)))
        clauses += self.sequences
        self.sequences = []
        conditions: tuple[Clause, ...] = ()
        for word, qualifier in qualifiers:
            behind = [piece for piece in split(qualifier, (",",)) if piece]
            if word in _EVERY:
                self._every(qualifier)
            elif word in _STARTING:
                clauses += [self._claim(piece) for piece in behind]
            elif not behind:
                raise Unread(f"nothing stands behind {word}", found[0].offset)
            else:
                conditions += tuple(map(self._claim, behind))
        if conditions and not clauses:
            self.said.clauses = [
                replace(each, conditions=(*each.conditions, *conditions)) for each in self.said.clauses
            ]
        return [replace(each, conditions=conditions) for each in clauses]

    def _every(self, found: Run) -> None:
        """`for every key k`: a letter that is an index, or a part of a spelling. It would hold without the words."""
        keys = [token.key for token in found if token.key != ","]
        spellings = [each for pairs in self.reading.names.table.values() for each, _ in pairs]
        known = {key for each in spellings for key in (*(each.sub or ()), *(each.sup or ()))} | self.reading.indices
        if len(keys) != 1 or keys[0] not in known:
            raise Unread("this is not read", found[0].offset if found else 0)

    def _ranges(self, pieces: list[Run]) -> Iterator[Run]:
        """The pieces that are no `t = 0, ..., T - 1`."""
        place = 0
        while place < len(pieces):
            if place + 2 < len(pieces) and [token.key for token in pieces[place + 1]] == ["\\dots"]:
                self._range(pieces[place], pieces[place + 2])
                place += 3
            else:
                yield pieces[place]
                place += 1

    def _range(self, first: Run, last: Run) -> None:
        sides = split(first, ("=",))
        if len(sides) != 2:
            raise Unread("a range that names no index", first[0].offset)
        parser = self._parser(())
        if not self._is_index(sides[0]):
            self.sequences.append(self._sequence(sides[0], sides[1], last, first[0].offset))
            return
        name = parser.binder_name(sides[0])
        start, stop = parser.inner(sides[1]).term, Add(parser.inner(last).term, ONE)
        self.said.ranges[name] = Range(start, stop)
        self.said.range_places[name] = (first[0].offset, last[-1].end - first[0].offset)

    def _is_index(self, found: Run) -> bool:
        names = list(self.reading.names.at(0, found))
        return not names or any(each.role is Role.INDEX for _, each in names)

    def _sequence(self, left: Run, first: Run, last: Run, offset: int) -> Clause:
        """`l = L - 1, ..., 0`, where l is an array: its entries in their order, one up or one down at a time."""
        symbol = self._parser(()).inner(left)
        start, end = self._parser(()).inner(first).term, self._parser(()).inner(last).term
        length = last[-1].end - offset
        if len(symbol.dims) != 1 or symbol.batch:
            raise Unread("a range of what is no index", offset, length)
        canon = Canon({})
        count = canon.key(symbol.dims[0])
        for up, term in ((True, Add(end, Neg(start))), (False, Add(start, Neg(end)))):
            if canon.key(Add(term, ONE)) == count:
                entries = Value((), symbol.dims, _stepping(start, up))
                return Clause(Says.EQUAL, (symbol, entries.at(offset, length)), ("=",), offset, length)
        raise Misfit("a sequence of another length than the array that it is", offset, length)

    def _claims(self, pieces: list[Run]) -> list[Clause]:
        """The claims of pieces; `a, b = f(x)` gives each its own of the functions that are spelt so, in their order."""
        equals = [any(token.key == "=" for token in outer(piece)) for piece in pieces]
        if len(pieces) > 1 and equals == [*(False for _ in pieces[1:]), True]:
            left, *right = split(pieces[-1], ("=",))
            sign = next(token for token in outer(pieces[-1]) if token.key == "=")
            lefts = [*pieces[:-1], left]
            functions = self.reading.names.at(0, right[0]) if len(right) == 1 else ()
            shared = [each for _, each in functions if each.role is Role.FUNCTION]
            if len(shared) == len(lefts):
                clauses = []
                for number, one in enumerate(lefts):
                    self.reading.turn = number
                    clauses.append(self._claim((*one, sign, *right[0])))
                self.reading.turn = None
                return clauses
        return [self._claim(piece) for piece in self._tuples(pieces)]

    def _tuples(self, pieces: list[Run]) -> list[Run]:
        """`a, b = c, d` as `a = c` and `b = d`."""
        relations = [place for place, piece in enumerate(pieces) if any(token.key == "=" for token in outer(piece))]
        if len(pieces) < 3 or len(relations) != 1 or len(pieces) != 2 * relations[0] + 1:
            return pieces
        middle = relations[0]
        left, right = split(pieces[middle], ("=",))
        sign = next(token for token in outer(pieces[middle]) if token.key == "=")
        lefts, rights = [*pieces[:middle], left], [right, *pieces[middle + 1 :]]
        return [(*one, sign, *other) for one, other in zip(lefts, rights, strict=True)]

    def _parser(self, found: Run) -> Parser:
        return Parser(found, self.reading)

    def _claim(self, piece: Run) -> Clause:
        if not piece:
            raise Unread("nothing stands between two commas")
        keys = {token.key for token in outer(piece)}
        offset, length = piece[0].offset, piece[-1].end - piece[0].offset
        if "\\leftarrow" in keys:
            return self._update(piece, offset, length)
        if "\\in" in keys:
            return self._member(piece, offset, length)
        if "\\sim" in keys:
            return self._law(piece, offset, length)
        if piece[-1].kind is Kind.WORD and piece[-1].text in _RANKS:
            (symbol,) = (self._parser(()).inner(piece[:-1]),)
            if not isinstance(symbol.whole, Name):
                raise Unread("the dimensions of what is no symbol", offset, length)
            rank = scalar(Rank(symbol.whole.name))
            return Clause(Says.ORDER, (rank, scalar(_RANKS[piece[-1].text])), (">=",), offset, length)
        if [token.key for token in piece[:2]] == ["P", "("] and not any(True for _ in self.reading.names.at(0, piece)):
            return self._probability(piece, offset, length)
        if about := keys & _ABOUT:
            raise Unread(f"what {about.pop()} says is no equation", offset, length)
        if keys & RELATIONS.keys():
            return self._chain(piece, offset, length)
        return Clause(Says.BARE, (self._alone(piece),), (), offset, length)

    def _alone(self, piece: Run) -> Value:
        """A term alone: what the form's left side is, so that it is not read as that symbol's spelling."""
        names = self.reading.names
        own = {
            (spelling, declared.name)
            for pairs in names.table.values()
            for spelling, declared in pairs
            if declared.name in self.reading.lefts
        }
        for name in self.reading.lefts:
            names = names.without(name, tuple(spelling for spelling, of in own if of == name))
        return Parser((), replace(self.reading, names=names)).inner(piece)

    def _chain(self, piece: Run, offset: int, length: int) -> Clause:
        signs = tuple(RELATIONS[token.key] for token in outer(piece) if token.key in RELATIONS)
        sides = tuple(self._parser(()).inner(side) for side in split(piece, tuple(RELATIONS)))
        says = Says.EQUAL if set(signs) == {"="} else Says.ORDER
        if says is Says.ORDER and "=" in signs:
            raise Unread("equations and inequalities in one chain", offset, length)
        return Clause(says, sides, signs, offset, length)

    def _update(self, piece: Run, offset: int, length: int) -> Clause:
        """`S <- ...`: on the right S is the value before."""
        sides = split(piece, ("\\leftarrow",))
        if len(sides) != 2:
            raise Unread("two arrows in a row", offset, length)
        left = self._parser(()).inner(sides[0])
        node = left.entry(tuple(map(Name, "_" * len(left.batch))), tuple(map(Name, "_" * len(left.dims))))
        if not isinstance(node, Indexed | Name):
            raise Unread("an update of what is no symbol", offset, length)
        changed = node.base if isinstance(node, Indexed) else node.name
        self.reading.old.add(changed)
        try:
            right = self._parser(()).inner(sides[1])
        finally:
            self.reading.old.discard(changed)
        return Clause(Says.EQUAL, (left, right), ("=",), offset, length, update=True)

    def _member(self, piece: Run, offset: int, length: int) -> Clause:
        """`X in R^{T x a}`."""
        left, *rest = split(piece, ("\\in",))
        keys = [token.key for token in rest[0]] if len(rest) == 1 else []
        if keys[:1] == ["\\{"] and keys[-2:] == ["\\dots", "\\}"]:
            return self._progression(left, rest[0][1:-2], offset, length)
        if keys[:2] != ['\\mathbb"R"', "^"]:
            raise Unread("membership in a set that is not read", offset, length)
        parser = self._parser(rest[0][2:])
        dims = parser.group()
        if parser.place < len(parser.run):
            raise parser.unread("something is left over")
        sizes = tuple(self._parser(()).inner(size).term for size in split(dims, ("\\times",)))
        return Clause(Says.ARRAY, (self._parser(()).inner(left),), (), offset, length, sizes=sizes)

    def _progression(self, left: Run, found: Run, offset: int, length: int) -> Clause:
        """`s in {0, k, 2k, ...}`: the entries of s in their order, each by the same step above the one before."""
        listed = [self._parser(()).inner(piece).term for piece in split(found, (",",)) if piece]
        symbol = self._parser(()).inner(left)
        if len(listed) < 3 or len(symbol.dims) != 1 or symbol.batch:
            raise Unread("a set that is not read", offset, length)
        step = Add(listed[1], Neg(listed[0]))
        nth = [Add(listed[0], Mul(Number(Fraction(number)), step)) for number in range(len(listed))]
        canon = Canon({})
        if any(canon.key(one) != canon.key(other) for one, other in zip(listed, nth, strict=True)):
            raise Unread("a set whose members do not keep a step", offset, length)
        entries = Value((), symbol.dims, lambda batch, subs: Add(listed[0], Mul(subs[0], step)))
        return Clause(Says.EQUAL, (symbol, entries.at(offset, length)), ("=",), offset, length)

    def _probability(self, piece: Run, offset: int, length: int) -> Clause:
        """`P(next = i) = p_i`: next is i with the i-th entry of p as its probability."""
        parser = self._parser(piece[1:])
        event = split(parser.between("(", ")"), ("=",))
        rest = piece[1 + parser.place :]
        if len(event) != 2 or not rest or rest[0].key != "=":
            raise Unread("a probability that is not read", offset, length)
        subject, index, law = (self._parser(()).inner(part) for part in (*event, rest[1:]))
        entry = law.term
        if not isinstance(entry, Indexed) or entry.subscripts != (index.term,):
            raise Unread("a probability that is not read", offset, length)
        return Clause(Says.LAW, (subject, scalar(Name(entry.base))), (), offset, length, law="Categorical")

    def _law(self, piece: Run, offset: int, length: int) -> Clause:
        """`W ~ U[-a, a]`."""
        left, *rest = split(piece, ("\\sim",))
        if len(rest) != 1 or [token.key for token in rest[0][:2]] not in (
            ["U", "["],
            ["U", "("],
            ['\\mathcal"U"', "["],
        ):
            raise Unread("a law that is not read", offset, length)
        parser = self._parser(rest[0][1:])
        opening = parser.key
        ends = split(parser.between(opening, {"[": "]", "(": ")"}[opening]), (",",))
        if parser.place < len(parser.run) or len(ends) != 2:
            raise Unread("a law that is not read", offset, length)
        sides = (self._parser(()).inner(left), *(self._parser(()).inner(end) for end in ends))
        return Clause(Says.LAW, sides, (), offset, length, law="Uniform")


def _stepping(start: Term, up: bool) -> Entry:
    """Entries one up or one down from the first."""
    return lambda batch, subs: Add(start, subs[0] if up else Neg(subs[0]))


def _family(found: Run) -> list[tuple[str, str]] | None:
    """`n in {q, k, v}`: the letter with each that it stands for; None where it is none."""
    keys = [token.key for token in found]
    if len(keys) < 5 or keys[1:3] != ["\\in", "\\{"] or keys[-1] != "\\}":
        return None
    members = [[token.key for token in piece] for piece in split(found[3:-1], (",",))]
    if not found[0].key.isalpha() or any(len(each) != 1 or not each[0].isalnum() for each in members):
        return None
    return [(keys[0], each[0]) for each in members]


def _segments(found: Run) -> list[Run]:
    """The parts between wide gaps; a gap beside an arrow, a comma or prose is only space."""
    out: list[Token] = []
    gaps = set()
    depth = {id(token) for token in outer(found)}
    for place, token in enumerate(found):
        if token.kind is not Kind.GAP:
            out.append(token)
            continue
        beside = {found[place - 1].key if place else "", found[place + 1].key if place + 1 < len(found) else ""}
        if "\\Rightarrow" not in beside and id(token) in depth and out:
            gaps.add(len(out))
    segments: list[Run] = []
    first = 0
    for gap in sorted(gaps | {len(out)}):
        segment = tuple(out[first:gap])
        if segment:
            segments.append(segment)
        first = gap
    return segments


def _qualified(found: Run) -> tuple[Run, list[tuple[str, Run]]]:
    """A claim, and the conditions that words introduce behind it."""
    level = {id(token) for token in outer(found)}
    places = [
        place
        for place, token in enumerate(found)
        if token.kind is Kind.WORD and token.font == "\\text" and token.text in _QUALIFIERS and id(token) in level
    ]
    ends = [*places[1:], len(found)] if places else []
    conditions = [(found[place].text, found[place + 1 : end]) for place, end in zip(places, ends, strict=True)]
    return found[: places[0]] if places else found, conditions
