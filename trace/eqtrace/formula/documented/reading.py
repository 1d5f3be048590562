"""Printed formulas read by what an equation declares, and by what the formulas beside them define."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from eqtrace.formula.documented import tokens
from eqtrace.formula.documented.formula import Formula, parts, plain_name
from eqtrace.formula.documented.plain import Plain
from eqtrace.formula.form import Form
from eqtrace.formula.latex.arrays import Value
from eqtrace.formula.latex.compare import reading_of
from eqtrace.formula.latex.cursor import split
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.names import Declared, Role
from eqtrace.formula.latex.parser import LETTERS, Parser
from eqtrace.formula.latex.statements import Clause, Said, Says, said_by
from eqtrace.formula.term import Compare, Condition, Eq
from eqtrace.model.equation import Equation

_IF = frozenset({"for", "if", "when", "where"})
_RELATIONS = {"<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "!="}

_OTHERWISE = frozenset({"I", "\\pi", "e"})  # they mean something in a term; on a left side they name the formula
_MOST = 200  # definitions beside a formula that are read: nobody writes as many for one


@dataclass(frozen=True, slots=True)
class _Definition:
    """A name that documentation defines beside a formula; a term, or why it is not read."""

    name: str
    args: tuple[str, ...]
    unread: str = ""


class Documented:
    """The formulas of one passage, for one equation.

    `defining` are those that may define names; a name that the equation declares is not defined again.
    """

    def __init__(
        self, equation: Equation, form: Form, formulas: Iterable[Formula], indices: Iterable[str] = ()
    ) -> None:
        self.equation = equation
        self.form = form
        self.formulas = tuple(formulas)
        keys = {token.key for each in self.formulas for token in each.whole_latex}
        lefts = {name for part in range(len(form.parts)) for name in form.left(part)}
        self.reading = reading_of(equation, form, lefts, keys)
        for name in indices:
            self.reading.names.add(Declared(plain_name(name), Role.INDEX), (name,))
            self.reading.indices.add(plain_name(name))
        self.definitions: dict[str, _Definition] = {}
        # what is declared is seen before anything is defined: `f(x)` is no product because `f` is defined elsewhere
        self.declared = {id(each): self._is_declared(each) for each in self.formulas}

    def define(self, formulas: Iterable[Formula], but: str = "") -> None:
        """Read definitions, all but those of one name: of each other as far as they need it, in whatever order."""
        waiting = [each for each in formulas if self._may_define(each) and each.name != but][:_MOST]
        count = Counter(each.plain_name for each in waiting)
        twice = {each.name for each in waiting if count[each.plain_name] > 1}
        for name in twice:
            self.definitions[plain_name(name)] = _Definition(name, (), "it is defined more than once")
        waiting = [each for each in waiting if each.name not in twice]
        while waiting:
            before = len(waiting)
            waiting = [each for each in waiting if not self._define(each)]
            if len(waiting) == before:
                return

    def _may_define(self, formula: Formula) -> bool:
        # `Re = 100` of a parameter `Re` says up to where something holds, also where `Re` is no spelling of it in LaTeX
        given = {plain_name(name) for name in self.equation.symbols}
        new = bool(formula.name) and plain_name(formula.name) not in given
        return new and not self.declared[id(formula)] and not formula.of_function

    def is_of_another(self, formula: Formula) -> bool:
        """Whether a left side is a known function, and the equation is not of that function itself."""
        return formula.of_function and formula.plain_name != self._own and not self._is_letter(formula)

    def _is_letter(self, formula: Formula) -> bool:
        r"""Whether a left side is a letter that is a function elsewhere, here of the function's own parameters.

        `\Gamma(z) = ...` of a function of z is what that returns, and no statement of the gamma function.
        """
        if formula.name not in LETTERS or not formula.args or formula.name in self._spelt:
            return False
        return {*map(plain_name, formula.args)} <= self.known().keys()

    @property
    def _spelt(self) -> set[str]:
        """How symbols are declared to be spelt."""
        return {spelling for symbol in self.equation.symbols.values() for spelling in symbol.latex}

    @property
    def _own(self) -> str:
        """The name of the equation's function."""
        return self.equation.id.rpartition(":")[2].rpartition(".")[2]

    def _define(self, formula: Formula) -> bool:
        name = plain_name(formula.name)
        try:
            term = self.sides(formula)[0].term
        except Unread as error:
            self.definitions[name] = _Definition(formula.name, (), error.message)
            return False
        declared = Declared(name, Role.HELPER, (), term=term)
        left = formula.left_latex
        text = formula.printed.text[left[0].offset : left[-1].end] if left and formula.args is None else formula.name
        self.reading.names.keys = {*self.reading.names.keys, *(token.key for token in left)}
        self.reading.names.add(declared, (text,) if left else ())
        self.definitions[name] = _Definition(formula.name, formula.args or ())
        return True

    def _is_declared(self, formula: Formula) -> bool:
        """Whether a left side is made of what is declared: then it says something of that, and names nothing new."""
        if not formula.equal or (formula.args is not None and formula.plain_name == self._own):
            return False
        if self._is_letter(formula) or (formula.name in _OTHERWISE and formula.plain_name not in self.equation.symbols):
            return False
        try:
            self._left(formula)
        except Unread:
            return False
        return True

    def _left(self, formula: Formula) -> Value:
        if formula.left_latex:
            return Parser(formula.left_latex, self.reading).whole()
        return self.plain(formula.left_plain).whole()

    def plain(self, run: tokens.Run) -> Plain:
        """The reader of tokens as programs write them."""
        arguments = {name: each.args for name, each in self.definitions.items() if not each.unread}
        return Plain(run, self.reading, self.known(), arguments)

    def known(self) -> Mapping[str, tuple[Declared, ...]]:
        """What names mean in plain text: their own, and their spellings with Greek letters spelled out."""
        found: dict[str, dict[str, Declared]] = {}
        for declared in self.reading.names.declared.values():
            found.setdefault(declared.name, {})[declared.name] = declared
        for name, symbol in self.equation.symbols.items():
            declared_ = self.reading.names.declared.get(name)
            for spelling in symbol.latex:
                if declared_ is not None and plain_name(spelling) not in self.reading.names.declared:
                    found.setdefault(plain_name(spelling), {})[name] = declared_
        return {name: tuple(each.values()) for name, each in found.items()}

    def sides(self, formula: Formula) -> tuple[Value, ...]:
        """What stands right of a formula's left side, each side of an equation by itself; no conditions.

        Raises:
            Unread: it is not read.
        """
        if formula.unread is not None:
            raise formula.unread
        if formula.rest_latex:
            return tuple(Parser(side, self.reading).whole() for side in split(formula.rest_latex, ("=",)))
        return tuple(self.plain(side).whole() for side in parts(formula.rest_plain, ("=",)))

    def said(self, formula: Formula) -> Said:
        """Everything that a formula says. With a left side that only names the formula, that is left out.

        Raises:
            Unread: it is not read.
        """
        if formula.unread is not None:
            raise formula.unread
        declared = self.declared.get(id(formula), False)
        if formula.equal and not declared and (not formula.name or self.is_of_another(formula)):
            self._left(formula)
        try:
            if formula.whole_latex:
                run = formula.whole_latex if declared or not formula.equal else formula.rest_latex
                return _bare(said_by(self.reading, run), keep=declared)
            return self._plain(formula, declared)
        except Unread as error:
            raise self._explained(error) from error

    def _explained(self, error: Unread) -> Unread:
        """A name that would be defined beside the formula, if that were read."""
        name = plain_name(error.message.removesuffix(" is not declared"))
        found = self.definitions.get(name)
        if found is None or not found.unread or not error.message.endswith(" is not declared"):
            return error
        message = f"{name} is defined beside it, which is not read: {found.unread}"
        return type(error)(message, error.offset, error.length)

    def condition(self, formula: Formula) -> list[Condition]:
        """A comparison that stands by itself; none where it is something else."""
        try:
            clauses = self.said(formula).clauses
            return [node for each in _shared(clauses) if each.says is Says.ORDER for node in conditions_of(each)]
        except Unread:
            return []

    def _plain(self, formula: Formula, declared: bool) -> Said:
        run = formula.rest_plain
        if not formula.equal and any(token.text in _RELATIONS for part in parts(run, (",",)) for token in _outer(part)):
            return Said(list(self._conditions(run)))
        words = [place for place, token in enumerate(run) if token.kind is tokens.Kind.NAME and token.text in _IF]
        body, behind = (run[: words[0]], run[words[0] + 1 :]) if words and words[0] else (run, ())
        sides = tuple(self.plain(side).whole() for side in parts(body, ("=",)))
        if declared:
            sides = (self._left(formula), *sides)
        offset = formula.left_plain[0].offset if formula.left_plain else body[0].offset if body else 0
        length = max(1, (body[-1].end if body else 1) - offset)
        says = Says.EQUAL if declared else Says.BARE
        clause = Clause(
            says, sides, ("=",) * (len(sides) - 1), offset, length, conditions=tuple(self._conditions(behind))
        )
        return Said([clause])

    def _conditions(self, run: tokens.Run) -> Iterator[Clause]:
        for part in parts(run, (",",)) if run else ():
            signs = [token.text for token in part if token.text in _RELATIONS]
            if not signs:
                place = (part or run)[0] if part or run else None
                raise Unread("a condition that is not read", place.offset if place else 0, place.length if place else 1)
            sides = tuple(self.plain(side).whole() for side in parts(part, tuple(_RELATIONS)))
            offset = part[0].offset
            yield Clause(Says.ORDER, sides, tuple(signs), offset, part[-1].end - offset)


def _outer(run: tokens.Run) -> Iterator[tokens.Token]:
    """The tokens outside all brackets."""
    depth = 0
    for token in run:
        depth -= token.text in (")", "]", "}")
        if not depth:
            yield token
        depth += token.text in ("(", "[", "{")


def _bare(said: Said, keep: bool) -> Said:
    """Equal sides behind a left side that only names the formula: each is a term by itself."""
    if keep:
        return said
    clauses = [replace(each, says=Says.BARE) if each.says is Says.EQUAL else each for each in said.clauses]
    return Said(clauses, said.ranges, said.range_places)


def _shared(clauses: list[Clause]) -> list[Clause]:
    """`a, b > 0`: what stands before a comma is compared too, with what the last is compared with."""
    last = clauses[-1]
    if last.says is not Says.ORDER or len(last.sides) != 2 or any(each.says is not Says.BARE for each in clauses[:-1]):
        return clauses
    return [*(replace(last, sides=(*each.sides, last.sides[1])) for each in clauses[:-1]), last]


def conditions_of(clause: Clause) -> list[Condition]:
    """The conditions that a clause is, link by link.

    Raises:
        Unread: it is none of numbers.
    """
    if clause.says not in (Says.ORDER, Says.EQUAL) or any(side.dims or side.batch for side in clause.sides):
        raise Unread("a condition that is not read", clause.offset, clause.length)
    terms = [side.term for side in clause.sides]
    if clause.says is Says.EQUAL:
        return [Eq(tuple(terms))]
    return [Compare(sign, one, other) for sign, one, other in zip(clause.signs, terms, terms[1:], strict=False)]
