"""Declared names with their scripts: subscripts, powers, slices, applications."""

from __future__ import annotations

from collections.abc import Collection

from eqtrace.formula.latex.arrays import ONE, ZERO, Entry, Value, scalar
from eqtrace.formula.latex.cursor import Cursor, Run, keys_of, outer, split
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.names import Declared, Keys, Role, Spelling
from eqtrace.formula.latex.tokens import Kind
from eqtrace.formula.term import (
    Add,
    Apply,
    Call,
    Name,
    Neg,
    Node,
    Term,
    changed,
    walk,
)

_OPERATORS = frozenset({"+", "-", "*", "/", "\\cdot", "\\times"})


class Named(Cursor):
    """Reads names."""

    def named(self) -> Value | None:
        """A declared name with its scripts; None where none stands here."""
        place = self.place
        found: dict[tuple[int, int, bool], list[tuple[Declared, list[tuple[str, Run]], int]]] = {}
        for spelling, declared in self.reading.names.at(place, self.run):
            if self._is_number_e(spelling, declared):
                continue
            self.place = place + len(spelling.base)
            scripts = self.scripts()
            rest = _left(spelling, scripts, self.reading.member, self.reading.met, bool(declared.dims))
            if rest is not None:
                literal = _left(spelling, scripts, {}) is not None
                rank = (len(spelling.base), spelling.own, literal)
                found.setdefault(rank, []).append((declared, rest, self.place))
        self.place = place
        if not found:
            return None
        names = {each[0].name: each for each in found[max(found)]}
        said = {name: each for name, each in names.items() if name in self.reading.names.said}
        names = said or names  # of two names with one spelling, the one that the form holds is meant
        _, rest, self.place = next(iter(names.values()))
        names = {name: each for name, each in names.items() if each[1] == rest}
        if self.run[place].key == "d" and self.place == place + 1 and self._is_array_next():
            raise Unread("d before an array: a factor, or a gradient that is not declared?", self.run[place].offset)
        return self._value([each[0] for each in names.values()], rest, place)

    def _is_array_next(self) -> bool:
        names = self.reading.names.at(self.place, self.run)
        return any(each.role is Role.SYMBOL and bool(each.dims) for _, each in names)

    def _is_number_e(self, spelling: Spelling, declared: Declared) -> bool:
        """Whether e with a power is Euler's: where a symbol e has axes, an entry of it has a subscript."""
        return spelling.base == ("e",) and self.after(1) == "^" and bool(declared.dims)

    def scripts(self) -> list[tuple[str, Run]]:
        """The scripts that stand here, each with its mark."""
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
            raise type(error)(error.message, start, max(1, self.end() - start)) from error
        value = value.at(start, max(1, self.end() - start))
        for found in powers:
            value = self.raised(value, found)
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
            return changed(value, dims=(self.inner(rest[0]).term, *value.dims[1:]), whole=None)
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

    def raised(self, value: Value, found: Run) -> Value:
        """A power, or a transpose."""
        raise NotImplementedError


def _as_batch(value: Value) -> Value:
    """A vector in a subscript stands for its entry."""
    if len(value.dims) != 1 or value.batch:
        return value
    entry = value.entry
    return changed(value, batch=value.dims, dims=(), entry=lambda batch, subs: entry((), batch), whole=None)


def _mentions(node: Node, name: str) -> bool:
    return any(isinstance(each, Name) and each.name == name for each in walk(node))


def _left(
    spelling: Spelling,
    scripts: list[tuple[str, Run]],
    member: dict[str, str],
    bound: Collection[str] = (),
    indexed: bool = False,
) -> list[tuple[str, Run]] | None:
    """The scripts that are not a spelling's own; None where it lacks one of its own.

    An index in a spelling's own subscript that is bound there is a subscript: `L_i` under a sum over i is an entry.
    """
    rest = list(scripts)
    for mark, own in (("_", spelling.sub), ("^", spelling.sup)):
        if own is None:
            continue
        found = next(
            (each for each in rest if each[0] == mark and own in (keys_of(each[1]), _put(keys_of(each[1]), member))),
            None,
        )
        if found is None:
            return None
        rest.remove(found)
        if mark == "_" and not indexed and any(token.key in bound for token in found[1]):
            return None  # a number does not change with an index: an array's entry is meant
        if indexed and mark == "_" and (inner := tuple(token for token in found[1] if token.key in bound)):
            rest.append(("_", inner))
    return rest


def _put(keys: Keys, member: dict[str, str]) -> Keys:
    return tuple(member.get(key, key) for key in keys)
