"""Expressions: a recursive descent over tokens, by the names that are declared."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction

from eqtrace.formula.form import Form
from eqtrace.formula.latex.arrays import ONE, ZERO, Arrays, Entry, Subscripts, Value, call, scalar, term_of
from eqtrace.formula.latex.entries import Entries
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.names import Declared, Keys, Names, Role, Spelling
from eqtrace.formula.latex.tokens import LIMIT_DEPTH, Kind, Token
from eqtrace.formula.term import (
    Add,
    And,
    Apply,
    ArgMax,
    ArgMin,
    Branch,
    Call,
    Compare,
    Condition,
    Constant,
    Derivative,
    Eq,
    Indexed,
    MaxOver,
    MinOver,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Piecewise,
    Pow,
    Product,
    Reduction,
    Sum,
    Term,
    Truth,
    children,
    walk,
)

Run = tuple[Token, ...]
UNDEFINED = "undefined"  # the value where no case holds; nothing can be declared under it and stand in LaTeX
RELATIONS = {"=": "=", "<": "<", ">": ">", "\\le": "<=", "\\ge": ">=", "\\ne": "!="}
_OVER: dict[str, type[Reduction]] = {
    "\\sum": Sum, "\\prod": Product, "\\max": MaxOver, "\\min": MinOver, '"argmax"': ArgMax, '"argmin"': ArgMin
}  # fmt: skip
_PLAIN = {
    "\\exp": "exp", "\\log": "log", "\\ln": "log", "\\sin": "sin", "\\cos": "cos", "\\tan": "tan", "\\tanh": "tanh",
    "\\sinh": "sinh", "\\cosh": "cosh", "\\arctan": "atan", "\\arcsin": "asin", "\\arccos": "acos",
    '"erf"': "erf", '"erfc"': "erfc", '"sign"': "sign", '"sgn"': "sign",
}  # fmt: skip
_CLOSING = {"(": ")", "[": "]", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil", "|": "|", "\\lVert": "\\rVert"}
_TIMES = frozenset({"\\cdot", "\\times"})


@dataclass
class Reading:
    """What a parser needs to know, and what it notes on the way."""

    names: Names
    form: Form
    arrays: Arrays
    lengths: dict[str, Term]  # of indices that run from 0
    indices: set[str]
    step: str = ""  # the scalar symbol that counts steps
    old: set[str] = field(default_factory=set)  # symbols whose values before are meant
    used: set[str] = field(default_factory=set)
    depth: int = 0
    lefts: set[str] = field(default_factory=set)  # what the form has on its left sides
    met: dict[str, list[Term]] = field(default_factory=dict)  # by index without a range, the axes it stands on
    held: dict[str, Term] = field(default_factory=dict)  # the declared lengths of those
    turn: int | None = None  # which of the equations that a tuple stands for is read
    member: dict[str, str] = field(default_factory=dict)  # `n in {q, k, v}`: the letter that n stands for

    def is_updated(self, name: str) -> bool:
        """Whether the form changes a symbol: of all others, the value at t - 1 is the value that they have."""
        return name in self.lefts

    def entries(self) -> Entries:
        """The reader of subscripts."""
        return Entries(self.form, self.arrays, self.lengths.get, self.met, self.held)


class Parser:
    """One run of tokens; all of them must be consumed."""

    def __init__(self, found: Run, reading: Reading) -> None:
        self.run = found
        self.place = 0
        self.reading = reading
        self.arrays = reading.arrays

    # Tokens

    @property
    def key(self) -> str:
        """The key of the next token; '' at the end."""
        return self.run[self.place].key if self.place < len(self.run) else ""

    def here(self) -> int:
        """Where the next token stands."""
        if self.place < len(self.run):
            return self.run[self.place].offset
        return self.run[-1].end if self.run else 0

    def take(self) -> Token:
        """The next token."""
        if self.place >= len(self.run):
            raise Unread("something is missing at the end", self.here())
        self.place += 1
        return self.run[self.place - 1]

    def expect(self, key: str) -> Token:
        """The next token, which must be this one."""
        if self.key != key:
            raise Unread(f"{key} is missing", self.here())
        return self.take()

    def unread(self, message: str) -> Unread:
        """Why it is not read, here."""
        return Unread(message, self.here(), self.run[self.place].length if self.place < len(self.run) else 1)

    def group(self) -> Run:
        """What stands in braces, or the next token alone."""
        if self.key != "{":
            if self.key in ("^", "_", "&", "\\\\", "}", ""):
                raise self.unread("a group is missing")
            return (self.take(),)
        return self.between("{", "}")

    def between(self, opening: str, closing: str) -> Run:
        """What stands between two brackets, others within balanced."""
        start = self.expect(opening)
        first, depth = self.place, 1
        while self.place < len(self.run):
            key = self.key
            if key == closing:
                depth -= 1
            elif key == opening:
                depth += 1
            if not depth:
                self.place += 1
                return self.run[first : self.place - 1]
            self.place += 1
        raise Unread(f"{opening} is not closed", start.offset)

    def part(self, found: Run) -> Parser:
        """A parser of a part."""
        return Parser(found, self.reading)

    def whole(self) -> Value:
        """All that there is, as one expression."""
        if not self.run:
            raise Unread("an empty group")
        value = self.expression()
        if self.place < len(self.run):
            raise self.unread(f"{self.run[self.place].text} is left over")
        return value

    def inner(self, found: Run) -> Value:
        """A part, as one expression."""
        if self.reading.depth > LIMIT_DEPTH:
            raise self.unread("nested too deep")
        self.reading.depth += 1
        try:
            return self.part(found).whole()
        finally:
            self.reading.depth -= 1

    # Sums and products

    def expression(self) -> Value:
        """Terms with signs."""
        start = self.here()
        sign = self.take().key if self.key in ("+", "-") else "+"
        value = self.product()
        if sign == "-":
            value = self.arrays.each(lambda node: Neg(term_of(node)), value)
        while self.key in ("+", "-"):
            minus = self.take().key == "-"
            value = self.arrays.add(value, self.product(), minus=minus)
        return value.at(start, max(1, self._end() - start))

    def _end(self) -> int:
        return self.run[self.place - 1].end if self.place else 0

    def product(self) -> Value:
        """Factors side by side; a sum takes all that follows it."""
        start = self.here()
        value = self.factor()
        many = -1
        while True:
            key = self.key
            many += 1
            if key in _TIMES:
                self.take()
                other = self.factor()
                if key == "\\cdot" and value.dims and other.dims and len(value.dims) == len(other.dims) == 1:
                    raise self.unread("a product of two vectors")
                value = self.arrays.multiply(value, other)
            elif key == "\\odot":
                self.take()
                value = self.arrays.entrywise(value, self.factor())
            elif key == "/":
                self.take()
                value = self.arrays.divide(value, self.factor())
                if self._starts():
                    raise self.unread("what a quotient's bar takes in is open: write \\frac")
            elif key == "\\bmod":
                self.take()
                other = self.factor()
                if many or self._starts():
                    raise self.unread("what \\bmod takes in is open")
                value = scalar(Call("Mod", (value.term, other.term)))
            elif self._starts():
                value = self._beside(value)
            else:
                return value.at(start, max(1, self._end() - start))

    def _beside(self, value: Value) -> Value:
        """The product with the factor that stands here; a symbol before a bracket may be meant to be applied."""
        applied = self.key == "(" and isinstance(value.whole, Name)
        try:
            return self.arrays.multiply(value, self.factor())
        except Misfit as error:
            if applied:
                raise Unread(
                    "a product, or a function of what stands in brackets?", error.offset, error.length
                ) from None
            raise

    def _starts(self) -> bool:
        """Whether a factor starts here."""
        if self.place >= len(self.run):
            return False
        token = self.run[self.place]
        if token.kind in (Kind.LETTER, Kind.NUMBER, Kind.WORD):
            return True
        if token.kind is Kind.COMMAND:
            return token.key not in _STOPS
        return token.key in ("(", "{", "|", "[")

    # Factors

    def factor(self) -> Value:
        """One thing with its scripts."""
        start = self.here()
        value = self._scripted(self._atom())
        return value.at(start, max(1, self._end() - start))

    def _atom(self) -> Value:
        key = self.key
        named = self._named()
        if named is not None:
            return named
        token = self.run[self.place] if self.place < len(self.run) else None
        if token is None or not key:
            raise self.unread("something is missing")
        if token.kind is Kind.NUMBER:
            return scalar(Number(Fraction(self.take().text)))
        if key in ("\\frac",):
            return self._fraction()
        if key == "\\sqrt":
            return self._root()
        if key == "\\begin":
            return self._cases()
        if key in _OVER or key == "\\arg":
            return self._over()
        if key in _PLAIN:
            self.take()
            return self.arrays.each(call(_PLAIN[key]), self.argument())
        if key in ("(", "[", "|", "\\lfloor", "\\lceil"):
            return self._bracketed()
        if key == "{":
            return self.inner(self.group())
        if key == "\\pi":
            self.take()
            return scalar(Constant("pi"))
        if key == "\\infty":
            self.take()
            return scalar(Constant("oo"))
        if key == "e" and self._after(1) == "^":
            self.take()
            self.take()
            return self.arrays.each(call("exp"), self.inner(self.group()))
        if key == "\\delta" and self._after(1) == "_":
            return self._delta()
        if key in ('\\mathbf"1"', '\\mathbb"1"', '\\mathbf"0"'):
            return self._ones()
        if key == "I":
            self.take()
            return Value((), (), _identity, unit=True)
        if token.kind is Kind.WORD or key in _WORDS:
            return self._word()
        raise self.unread(f"{token.text} is not declared")

    def _after(self, count: int) -> str:
        place = self.place + count
        return self.run[place].key if place < len(self.run) else ""

    def _scripted(self, value: Value) -> Value:
        """Scripts behind what is no name: powers, transposes, subscripts of a bracket."""
        while self.key in ("^", "_") or (self.place < len(self.run) and self.run[self.place].kind is Kind.PRIME):
            if self.run[self.place].kind is Kind.PRIME:
                raise self.unread("a prime that is part of no spelling")
            if self.take().key == "_":
                value = self._subscripted(value, self.subscripts(self.group()))
            else:
                value = self._raised(value, self.group())
        return value

    def _raised(self, value: Value, found: Run) -> Value:
        keys = tuple(token.key for token in found)
        if keys in (("\\top",), ("\\intercal",), ("T",)) and (keys != ("T",) or value.dims):
            if keys == ("T",):
                raise self.unread("^T: a transpose is written ^\\top")
            return self.arrays.transpose(value)
        if len(value.dims) > 1:
            raise self.unread("a power of a matrix")
        exponent = self.inner(found)
        return self.arrays.pairs(lambda a, b: Pow(term_of(a), term_of(b)), value, exponent, "a power")

    def _subscripted(self, value: Value, found: tuple[Value, ...]) -> Value:
        """Entries of an expression: `(XW)_{tj}`."""
        subs = tuple(each.term for each in found)
        if len(subs) > len(value.dims):
            raise self.unread("more subscripts than axes")
        for sub, dim in zip(subs, value.dims, strict=False):
            stop = self.reading.lengths.get(sub.name) if isinstance(sub, Name) else None
            if stop is not None:
                self.arrays.same(stop, dim, value, "a subscript")
        entry = value.entry
        count = len(subs)
        return replace(
            value, dims=value.dims[count:], entry=lambda batch, rest: entry(batch, (*subs, *rest)), turned=False
        )

    # Names

    def _named(self) -> Value | None:
        """A declared name with its scripts; None where none stands here."""
        place = self.place
        found: dict[tuple[int, int, bool], list[tuple[Declared, list[tuple[str, Run]], int]]] = {}
        for spelling, declared in self.reading.names.at(place, self.run):
            if self._is_number_e(spelling, declared):
                continue
            self.place = place + len(spelling.base)
            scripts = self._scripts()
            rest = _left(spelling, scripts, self.reading.member, self.reading.met if declared.dims else ())
            if rest is not None:
                literal = _left(spelling, scripts, {}) is not None
                rank = (len(spelling.base), spelling.own, literal)
                found.setdefault(rank, []).append((declared, rest, self.place))
        self.place = place
        if not found:
            return None
        candidates = found[max(found)]
        names = {each[0].name: each for each in candidates}
        _, rest, self.place = candidates[0]
        return self._value([each[0] for each in names.values()], rest, place)

    def _is_number_e(self, spelling: Spelling, declared: Declared) -> bool:
        """Whether e with a power is Euler's: where a symbol e has axes, an entry of it has a subscript."""
        return spelling.base == ("e",) and self._after(1) == "^" and bool(declared.dims)

    def _scripts(self) -> list[tuple[str, Run]]:
        scripts: list[tuple[str, Run]] = []
        while self.key in ("^", "_") or (self.place < len(self.run) and self.run[self.place].kind is Kind.PRIME):
            token = self.take()
            if token.kind is Kind.PRIME:
                scripts.append(("^", (token,)))
            else:
                scripts.append((token.key, self.group()))
        if len({mark for mark, _ in scripts}) < len(scripts):
            raise self.unread("two scripts at the same height")
        return scripts

    def _value(self, candidates: list[Declared], scripts: list[tuple[str, Run]], place: int) -> Value:
        reading = self.reading
        subs: tuple[Value, ...] = ()
        powers: list[Run] = []
        stepped: tuple[Value, ...] = ()
        for mark, found in scripts:
            if mark == "_":
                subs = (*subs, *self.subscripts(found))
            elif len(found) > 2 and found[0].key == "(" and found[-1].key == ")":
                subs = (*self.subscripts(found[1:-1]), *subs)
            else:
                powers.append(found)
        if reading.step:
            stepped = tuple(each for each in subs if not each.batch and _mentions(each.term, reading.step))
            subs = tuple(each for each in subs if each not in stepped)
        before = self._before(stepped)
        if self.key == "[" and candidates[0].dims and not subs:
            found = self.between("[", "]")
            if any(token.key == ":" for token in outer(found)):
                return self._slice(candidates, found)
            subs = self.subscripts(found, arrays=True)
        start = self.run[place].offset

        if reading.turn is not None and all(each.role is Role.FUNCTION for each in candidates):
            candidates = candidates[reading.turn : reading.turn + 1] or candidates

        def make(declared: Declared) -> Value:
            if declared.role is Role.FUNCTION:
                if subs or stepped:
                    raise Unread(f"{declared.name} with a subscript", start)
                return self._applied(declared)
            if declared.role is Role.SYMBOL:
                reading.used.add(declared.name)
                old = (before and reading.is_updated(declared.name)) or declared.name in reading.old
                return reading.entries().entry(declared, subs, old)
            if subs or stepped:
                raise Unread(f"{declared.name} takes no subscripts", start)
            if declared.role is Role.HELPER and declared.term is not None:
                return scalar(self._put_in(declared.term))
            return scalar(Name(declared.name))

        try:
            value = reading.entries().choose(candidates, subs, make)
        except Unread as error:
            raise type(error)(error.message, start, max(1, self._end() - start)) from error
        value = value.at(start, max(1, self._end() - start))
        for found in powers:
            value = self._raised(value, found)
        return value

    def _slice(self, candidates: list[Declared], found: Run) -> Value:
        """`P[:T]`, the first T rows; `ids[-w:]`, the last w entries (all, where there are fewer)."""
        first, *rest = split(found, (":",))
        if len(rest) != 1 or bool(first) == bool(rest[0]) or len(candidates) != 1 or not candidates[0].dims:
            raise self.unread("a slice that is neither the first so many nor the last")
        value = self.reading.entries().entry(candidates[0], (), old=False)
        if value.batch:
            raise self.unread("a slice of an array of three axes")
        entry = value.entry
        if not first:
            return replace(value, dims=(self.inner(rest[0]).term, *value.dims[1:]), whole=None)
        count = self.inner(first).term
        if not isinstance(count, Neg) or len(value.dims) != 1:
            raise self.unread("a slice that is neither the first so many nor the last")
        start = Call("Max", (ZERO, Add(value.dims[0], count)))
        last: Entry = lambda batch, subs: entry(batch, (Add(start, subs[0]),))  # noqa: E731
        return Value((), (), last, loose=1)

    def _before(self, stepped: tuple[Value, ...]) -> bool:
        """Whether a subscript t - 1 asks for the value before."""
        if not stepped:
            return False
        if len(stepped) > 1:
            raise self.unread("two subscripts that count steps")
        sub = stepped[0].term
        if isinstance(sub, Name):
            return False
        if isinstance(sub, Add) and isinstance(sub.left, Name) and sub.right == Neg(ONE):
            return True
        raise self.unread("a step other than t and t - 1")

    def _put_in(self, term: Term) -> Term:
        """A helper's term, the helpers in it put in."""
        from eqtrace.formula.latex.arrays import shifted

        helpers = {
            each.name: self._put_in(each.term)
            for each in self.reading.names.declared.values()
            if each.role is Role.HELPER
            and each.term is not None
            and each.term is not term
            and _mentions(term, each.name)
        }
        found = shifted(term, helpers)
        assert isinstance(found, Term)
        return found

    def _applied(self, declared: Declared) -> Value:
        """A function symbol and its arguments: symbols as a whole, or what other functions give."""
        parts = split(self.between("(", ")"), (",",)) if self.key == "(" else []
        args = []
        for part in parts:
            value = self.inner(part)
            if value.whole is None and (value.dims or value.batch):
                raise self.unread("an expression of arrays as an argument of a function symbol")
            args.append(value.whole or value.term)
        if not args:
            raise self.unread(f"{declared.name} without arguments")
        return self.application(declared.name, tuple(args))

    def application(self, name: str, args: tuple[Term, ...]) -> Value:
        """What a function gives: the axes that the form's own applications have, by their subscripts."""
        form = self.reading.form
        found = {
            node.subscripts
            for part in form.parts
            for node in walk(part.statement)
            if isinstance(node, Apply) and node.function == name and node.subscripts
        }
        entry: Entry = lambda batch, subs: Apply(name, args, subs)  # noqa: E731
        whole = Apply(name, args)
        if len(found) != 1:
            return Value((), (), entry, whole=whole)
        (subs,) = found
        dims = tuple(self.reading.lengths[each.name] for each in subs if isinstance(each, Name) and self._is_full(each))
        if len(dims) == len(subs):
            return Value((), dims, entry, whole=whole)
        return Value((), (), entry, loose=len(subs), whole=whole)

    def _is_full(self, index: Name) -> bool:
        return index.name in self.reading.lengths

    def subscripts(self, found: Run, *, arrays: bool = False) -> tuple[Value, ...]:
        """A subscript group: pieces at commas, or names side by side.

        A vector stands for its entry, whose index is left out; with `arrays`, an array takes several entries.
        """
        pieces = split(found, (",",))
        out: list[Value] = []
        for piece in pieces:
            keys = [token.key for token in piece]
            if not piece:
                raise Unread("an empty subscript", found[0].offset if found else self.here())
            if len(pieces) == 1 and not _OPERATORS & set(keys):
                parser = self.part(piece)
                while parser.place < len(piece):
                    out.append(parser.factor())
            else:
                out.append(self.inner(piece))
        return tuple(each if arrays else _as_batch(each) for each in out)

    # Notations

    def argument(self) -> Value:
        """What a function without brackets takes: one factor, or a sum; what could belong to it too is refused."""
        if self.key == "(":
            value = self.inner(self.between("(", ")"))
            if self.key in ("^", "_"):
                raise self.unread("a script behind a function's argument")
            return value
        over = self.key in _OVER
        value = self.factor()
        if not over and self._starts():
            raise self.unread("what the function takes in is open: write brackets")
        return value

    def _fraction(self) -> Value:
        self.take()
        above, below = self.group(), self.group()
        if above and above[0].key == "\\partial":
            return self._derivative(above, below)
        return self.arrays.divide(self.inner(above), self.inner(below))

    def _derivative(self, above: Run, below: Run) -> Value:
        if not below or below[0].key != "\\partial":
            raise self.unread("a derivative by nothing")
        body, by = self.inner(above[1:]), self.inner(below[1:])
        if by.batch or by.dims or body.batch or body.dims:
            return self._jacobian(body, by)
        variable = by.term
        if not isinstance(variable, Indexed | Name):
            raise self.unread("a derivative by what is no symbol")
        return scalar(Derivative(body.term, (variable,)))

    def _jacobian(self, body: Value, by: Value) -> Value:
        """The derivative of a matrix by a matrix: an array of four axes."""
        if body.batch or by.batch or len(body.dims) != 2 or len(by.dims) != 2 or by.whole is None:
            raise self.unread("a derivative of arrays that are no matrices")
        above, below = body.entry, by.entry

        def entry(batch: Subscripts, subs: Subscripts) -> Node:
            return Derivative(term_of(above((), subs[:2])), (term_of(below((), subs[2:])),))

        return Value((), (*body.dims, *by.dims), entry)

    def _root(self) -> Value:
        self.take()
        if self.key == "[":
            raise self.unread("a root other than the square root")
        return self.arrays.each(call("sqrt"), self.inner(self.group()))

    def _bracketed(self) -> Value:
        opening = self.run[self.place]
        found = self.between(opening.key, _CLOSING[opening.key])
        if opening.key == "|" and len(found) > 2 and found[0].key == "\\{" and found[-1].key == "\\}":
            return self._count(found[1:-1])
        if opening.key == "[":
            raise Unread("square brackets that are none of an entry's", opening.offset)
        value = self.inner(found)
        if opening.key == "(":
            return value
        function = {"|": "Abs", "\\lfloor": "floor", "\\lceil": "ceiling"}[opening.key]
        return self.arrays.each(call(function), value)

    def _count(self, found: Run) -> Value:
        """`|{ i : condition }|`."""
        head, *rest = split(found, (":",))
        if len(rest) != 1:
            raise self.unread("a set whose members are not told")
        index = self.binder_name(head)
        return self.arrays.each(lambda node: Sum(term_of(_indicator(node)), index), self.condition(rest[0]))

    def _delta(self) -> Value:
        self.take()
        self.take()
        subs = tuple(each.term for each in self.subscripts(self.group()))
        if len(subs) != 2:
            raise self.unread("\\delta takes two subscripts")
        return scalar(Call("KroneckerDelta", subs))

    def _ones(self) -> Value:
        token = self.take()
        if token.text == "0":
            return Value((), (), lambda batch, subs: ZERO, ones=True)
        if self.key != "[":
            return Value((), (), lambda batch, subs: ONE, ones=True)
        holds = self.condition(self.between("[", "]"))
        return self.arrays.each(_indicator, holds)

    def _over(self) -> Value:
        start = self.take()
        key = start.key
        if key == "\\arg":
            name = self.take().key
            if name not in ("\\max", "\\min"):
                raise self.unread("\\arg of what?")
            key = '"argmax"' if name == "\\max" else '"argmin"'
        marks = dict(self._scripts())
        if key in ("\\max", "\\min") and "_" not in marks and not marks:
            return self._largest(key)
        if "_" not in marks:
            raise self.unread(f"{start.text} over which index?")
        binders = self._binders(marks["_"], marks.get("^"))
        body, ranges = self.bound(
            [index for index, *_ in binders], self.product if key in ("\\sum", "\\prod") else self.argument
        )
        for index, first, stop, condition in reversed(binders):
            last = stop if stop is not None else ranges[index]
            begin = ZERO if stop is None and last is not None else first
            if (first, stop) == (ONE, ONE):
                begin, last = ZERO, self.reading.form.indices[index].stop
                self._counts_from_one(body, index)
            body = self._reduced(_OVER[key], body, index, begin, last, condition)
        return body

    def bound(self, names: list[str], parse: Callable[[], Value]) -> tuple[Value, dict[str, Term | None]]:
        """What stands under indices; one whose declared range is not its axes' runs over these (given back)."""
        reading = self.reading
        held = {name: reading.lengths.pop(name) for name in names if name in reading.lengths}
        before = {name: reading.met.get(name) for name in names}
        outside = dict(reading.held)
        reading.held |= held
        reading.met |= {name: [] for name in names}
        try:
            body = parse()
        finally:
            met = {name: reading.met.pop(name) for name in names}
            reading.met |= {name: axes for name, axes in before.items() if axes is not None}
            reading.lengths |= held
            reading.held = outside
        ranges: dict[str, Term | None] = dict.fromkeys(names)
        for name, axes in met.items():
            for dim in axes[1:]:
                self.arrays.same(axes[0], dim, body, f"index {name}")
            own = held.get(name)
            if axes and (own is None or not self.arrays.fits(own, axes[0])) and name in held:
                ranges[name] = axes[0]
        return body, ranges

    def _counts_from_one(self, body: Value, index: str) -> None:
        """`i = 1, ..., B` over an axis of length B counts its entries from 1; then i may stand in subscripts alone."""
        node = body.entry(tuple(map(Name, "_" * len(body.batch))), tuple(map(Name, "_" * len(body.dims))))
        if not _in_subscripts(node, index):
            raise self.unread(f"{index} counts from 1, and is more than a subscript")

    def _reduced(
        self,
        kind: type[Reduction],
        body: Value,
        index: str,
        first: Term | None,
        stop: Term | None,
        only: Condition | None,
    ) -> Value:
        if only is not None and kind is not Sum:
            raise self.unread("a condition under what is no sum")

        def make(node: Node) -> Node:
            term = term_of(node)
            if only is not None:
                term = Piecewise((Branch(term, only), Branch(ZERO, Truth(True))))
            return kind(term, index, first, stop)

        return self.arrays.each(make, body)

    def _binders(self, below: Run, above: Run | None) -> list[tuple[str, Term | None, Term | None, Condition | None]]:
        r"""Indices below a sum, with their ranges: `k`, `j=0` with the last above, `j \le i`, `t : condition`."""
        reading = self.reading
        pieces = split(below, (":",))
        if len(pieces) == 2 and above is None:
            name = self.binder_name(pieces[0])
            return [(name, None, None, self.conditions(pieces[1]))]
        if len(pieces) > 1:
            raise self.unread("what stands below is not read")
        relation = next((place for place, token in enumerate(below) if token.key in RELATIONS), None)
        if relation is None:
            if above is not None:
                raise self.unread("a last index without a first")
            return [(self.binder_name(piece), None, None, None) for piece in split(below, (",",))]
        name = self.binder_name(below[:relation])
        end = self.inner(below[relation + 1 :]).term
        key = RELATIONS[below[relation].key]
        own = reading.form.indices.get(name)
        if key == "=" and above is not None and end == ONE and own is not None and own.start == ZERO:
            if self.inner(above).term != own.stop:
                raise self.unread("a range that counts from 1 and does not end with the axis")
            return [(name, ONE, ONE, None)]
        if key == "=" and above is not None:
            return [(name, end, _next(self.inner(above).term), None)]
        if above is None and own is not None and key in ("<", "<="):
            return [(name, own.start, end if key == "<" else _next(end), None)]
        if above is None and own is not None and key in (">", ">="):
            return [(name, end if key == ">=" else _next(end), own.stop, None)]
        raise self.unread("the range below is not read")

    def indices(self, found: Run) -> list[str]:
        """Indices side by side, or between commas."""
        return [self.binder_name(piece) for piece in split(found, (",",))]

    def binder_name(self, found: Run) -> str:
        """An index that stands alone."""
        if len(found) == 1:
            for spelling, declared in self.reading.names.at(0, found):
                if declared.role is Role.INDEX and spelling.base == (found[0].key,):
                    return declared.name
        raise Unread("an index that is not declared", found[0].offset if found else self.here())

    def _largest(self, key: str) -> Value:
        """`max(a, b)`, entry by entry."""
        if self.key != "(":
            raise self.unread("\\max of what?")
        parts = [self.inner(piece) for piece in split(self.between("(", ")"), (",",))]
        if len(parts) < 2:
            raise self.unread("\\max of one thing")
        name = "Max" if key == "\\max" else "Min"
        value = parts[0]
        for other in parts[1:]:
            value = self.arrays.pairs(lambda a, b: Call(name, _args(name, a, b)), value, other, "a maximum")
        return value

    def _cases(self) -> Value:
        opening = self.take()
        if _keys(self.group()) != (*"cases",):
            raise Unread("an environment that is none of cases", opening.offset)
        rows, self.place = rows_of(self.run, self.place, opening, self.reading)
        branches: list[tuple[Value, Value | None]] = []
        for row in rows:
            cells = split(row, ("&",))
            if len(cells) != 2:
                raise Unread("a case is a value and a condition", opening.offset)
            branches.append((self.inner(cells[0]), self._case(cells[1])))
        if len(rows) == 2 and _complete(*(split(row, ("&",))[1] for row in rows)):
            branches[1] = (branches[1][0], None)
        return self._piecewise(branches)

    def _case(self, found: Run) -> Value | None:
        """A case's condition; None for `otherwise`."""
        if len(found) == 1 and found[0].key == '"otherwise"':
            return None
        if found and found[0].key in ('"if"', '"for"', '"where"', '"when"'):
            found = found[1:]
        return self.condition(found)

    def _piecewise(self, branches: list[tuple[Value, Value | None]]) -> Value:
        """Cases; where they don't end in `otherwise`, nothing is said elsewhere."""
        last = branches[-1][1]
        if any(holds is None for _, holds in branches[:-1]):
            raise self.unread("otherwise stands last")
        value: Value | None = None
        if last is None:
            value = branches.pop()[0]
        for one, holds in reversed(branches):
            assert holds is not None
            value = self._branch(one, holds, value)
        assert value is not None
        return value

    def _branch(self, one: Value, holds: Value, rest: Value | None) -> Value:
        first = self.arrays.pairs(_case_of, one, holds, "a case")
        if rest is None:
            return self.arrays.each(_only, first)
        return self.arrays.pairs(_joined, first, rest, "a case")

    def _word(self) -> Value:
        from eqtrace.formula.latex.functions import applied

        return applied(self)

    # Conditions

    def conditions(self, found: Run) -> Condition:
        """A condition without axes."""
        value = self.condition(found)
        if value.dims or value.batch:
            raise self.unread("a condition on arrays")
        node = value.entry((), ())
        assert isinstance(node, Condition)
        return node

    def condition(self, found: Run) -> Value:
        """A chain of comparisons; commas join conditions."""
        parts = [self._comparison(piece) for piece in split(found, (",",))]
        value = parts[0]
        for other in parts[1:]:
            value = self.arrays.pairs(_both, value, other, "conditions")
        return value

    def _comparison(self, found: Run) -> Value:
        sides = split(found, tuple(RELATIONS))
        signs = [RELATIONS[token.key] for token in outer(found) if token.key in RELATIONS]
        if len(sides) < 2:
            raise Unread("a condition is needed here", found[0].offset if found else self.here())
        values = [self.inner(side) for side in sides]
        parts = [
            self.arrays.pairs(_compared(sign), one, other, "a comparison")
            for one, other, sign in zip(values, values[1:], signs, strict=False)
        ]
        value = parts[0]
        for other in parts[1:]:
            value = self.arrays.pairs(_both, value, other, "comparisons")
        return value


_NEGATED = {"<": "\\ge", ">": "\\le", "\\le": ">", "\\ge": "<", "=": "\\ne", "\\ne": "="}


def _complete(first: Run, second: Run) -> bool:
    """Whether the second of two conditions is the first's negation: the same sides, the other relation."""
    signs = [[token for token in outer(found) if token.key in RELATIONS] for found in (first, second)]
    if any(len(each) != 1 for each in signs):
        return False
    sides = [[_keys(side) for side in split(found, tuple(RELATIONS))] for found in (first, second)]
    return sides[0] == sides[1] and _NEGATED[signs[0][0].key] == signs[1][0].key


def _case_of(value: Node, holds: Node) -> Node:
    assert isinstance(holds, Condition)
    return Branch(term_of(value), holds)


def _only(node: Node) -> Node:
    """The last case: elsewhere there is a value that nothing else has."""
    assert isinstance(node, Branch)
    return Piecewise((node, Branch(Name(UNDEFINED), Truth(True))))


def _joined(node: Node, rest: Node) -> Node:
    assert isinstance(node, Branch)
    if isinstance(rest, Piecewise):
        return Piecewise((node, *rest.branches))
    return Piecewise((node, Branch(term_of(rest), Truth(True))))


def _both(one: Node, other: Node) -> Node:
    assert isinstance(one, Condition)
    assert isinstance(other, Condition)
    return And((one, other))


def _compared(sign: str) -> Callable[[Node, Node], Node]:
    def make(a: Node, b: Node) -> Node:
        return Eq((term_of(a), term_of(b))) if sign == "=" else Compare(sign, term_of(a), term_of(b))

    return make


def _indicator(node: Node) -> Node:
    assert isinstance(node, Condition)
    return Piecewise((Branch(ONE, node), Branch(ZERO, Truth(True))))


def _identity(batch: Subscripts, subs: Subscripts) -> Node:
    half = len(subs) // 2
    found: Term = Call("KroneckerDelta", (subs[0], subs[half]))
    for one, other in zip(subs[1:half], subs[half + 1 :], strict=True):
        found = Mul(found, Call("KroneckerDelta", (one, other)))
    return found


def _args(name: str, one: Node, other: Node) -> tuple[Term, ...]:
    first = one.args if isinstance(one, Call) and one.function == name else (term_of(one),)
    return (*first, term_of(other))


def _next(term: Term) -> Term:
    return Add(term, ONE)


def _as_batch(value: Value) -> Value:
    """A vector in a subscript stands for its entry."""
    if len(value.dims) != 1 or value.batch:
        return value
    entry = value.entry
    return replace(value, batch=value.dims, dims=(), entry=lambda batch, subs: entry((), batch), whole=None)


def _in_subscripts(node: Node, index: str) -> bool:
    """Whether an index stands as a plain subscript wherever it stands."""
    if isinstance(node, Name):
        return node.name != index
    if isinstance(node, Indexed):
        return all(each == Name(index) or not _mentions(each, index) for each in node.subscripts)
    return all(_in_subscripts(child, index) for child in children(node))


def _mentions(node: Node, name: str) -> bool:
    return any(isinstance(each, Name) and each.name == name for each in walk(node))


def _left(
    spelling: Spelling, scripts: list[tuple[str, Run]], member: dict[str, str], bound: Collection[str] = ()
) -> list[tuple[str, Run]] | None:
    """The scripts that are not a spelling's own; None where it lacks one of its own.

    An index in a spelling's own subscript that is bound there is a subscript: `L_i` under a sum over i is an entry.
    """
    rest = list(scripts)
    for mark, own in (("_", spelling.sub), ("^", spelling.sup)):
        if own is None:
            continue
        found = next(
            (each for each in rest if each[0] == mark and own in (_keys(each[1]), _put(_keys(each[1]), member))), None
        )
        if found is None:
            return None
        rest.remove(found)
        if bound and mark == "_" and (inner := tuple(token for token in found[1] if token.key in bound)):
            rest.append(("_", inner))
    return rest


def _put(keys: Keys, member: dict[str, str]) -> Keys:
    return tuple(member.get(key, key) for key in keys)


def _keys(found: Run) -> Keys:
    return tuple(token.key for token in found)


_OPERATORS = frozenset({"+", "-", "*", "/", "\\cdot", "\\times"})
_STOPS = frozenset(
    {"\\}", "\\rfloor", "\\rceil", "\\rVert", "\\rangle", "\\\\", "\\end", "\\partial", "\\dots", "\\Rightarrow"}
    | {"\\leftarrow", "\\to", "\\in", "\\sim", "\\le", "\\ge", "\\ne", "\\cdot", "\\times", "\\odot", "\\bmod", "\\{"}
    | {"\\Vert", "\\|", "\\mapsto", "\\equiv", "\\approx", "\\top"}
)
_WORDS = frozenset({"\\det", "\\Pr"})
_OPEN = frozenset({"(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\lVert", "\\begin"})
_CLOSE = frozenset({")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\rVert", "\\end"})


def outer(found: Run) -> list[Token]:
    """The tokens outside all brackets."""
    out: list[Token] = []
    depth = 0
    bars = 0
    for token in found:
        if token.key in _CLOSE:
            depth -= 1
        if token.key == "|" and not depth:
            bars ^= 1
        elif not depth and not bars:
            out.append(token)
        if token.key in _OPEN:
            depth += 1
    return out


def split(found: Run, keys: tuple[str, ...]) -> list[Run]:
    """The parts between tokens that stand outside all brackets."""
    ends = {id(token) for token in outer(found) if token.key in keys}
    out: list[Run] = []
    first = 0
    for place, token in enumerate(found):
        if id(token) in ends:
            out.append(found[first:place])
            first = place + 1
    out.append(found[first:])
    return out


def rows_of(found: Run, place: int, opening: Token, reading: Reading) -> tuple[list[Run], int]:
    """The rows of an environment that was opened, and the place behind its end."""
    depth, first = 1, place
    while place < len(found):
        key = found[place].key
        depth += (key == "\\begin") - (key == "\\end")
        if not depth:
            body = found[first:place]
            rows = [row for row in split(body, ("\\\\",)) if row]
            ending = Parser(found, reading)
            ending.place = place + 1
            if _keys(ending.group()) != (*"cases",):
                raise Unread("an environment that ends as another one", found[place].offset)
            return rows, ending.place
        place += 1
    raise Unread("an environment that is not closed", opening.offset)
