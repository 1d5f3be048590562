"""Definitions put in for symbols: for one entry, or all through a polynomial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqtrace.formula.branching import Case
from eqtrace.formula.facts import Unprovable
from eqtrace.formula.given import Definition, composite
from eqtrace.formula.polynomial import Atom, Kind, Polynomial, Rational, add, variable
from eqtrace.formula.rebuilding import Rebuilding
from eqtrace.formula.term import Name

if TYPE_CHECKING:
    from eqtrace.formula.convert import Converter


class Definitions:
    """The definitions of one converter's problem."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._algebra = converter.algebra
        self._facts = converter.facts
        self._inline: dict[str, bool] = {}

    def is_put_in(self, name: str) -> bool:
        """Whether a name is a symbol whose definition is put in wherever it stands."""
        return name in self._converter.problem.definitions and name not in self._converter.held and self.inline(name)

    def inline(self, name: str) -> bool:
        """Whether a definition cannot stay folded: it may be infinite, or holds a maximum that should cancel first."""
        found = self._inline.get(name)
        if found is None:
            self._inline[name] = False
            own = self._converter.problem.definitions[name]
            if own.body is not None:
                # apart from where it is asked: nothing is held, and no branch's condition is known
                converter = self._converter
                before = converter.held, self._facts.known, converter.signs
                converter.held, converter.signs = frozenset(), converter.own_signs
                self._facts.known = [*converter.branching.outside()]
                try:
                    cases = converter.branching.cases(own.body, self.generic(own))
                finally:
                    converter.held, self._facts.known, converter.signs = before
                parts = [part for case in cases for part in (case.guard, case.value) if part is not None]
                opaque = any(word in part.key for part in parts for word in ("MaxOver(", "MinOver("))
                self._inline[name] = opaque or any(case.value is None for case in cases)
        return self._inline[name]

    def generic(self, own: Definition) -> dict[str, Polynomial]:
        """A definition's indices, as names that stand nowhere else."""
        env: dict[str, Polynomial] = {}
        for index in own.indices:
            env[index] = variable(self._facts.fresh())
        for index, ends in own.indices.items():
            atom = env[index].atom()
            if atom is not None:
                self._facts.ranges[atom.name] = (
                    self._converter.value(ends.start, env),
                    self._converter.value(ends.stop, env),
                )
        return env

    def instance(self, name: str, subscripts: tuple[Polynomial, ...]) -> list[Case]:
        """What a symbol's entry is defined as."""
        own = self._converter.problem.definitions[name]
        if own.body is None:
            raise Unprovable(f"{name} is random")
        return self._converter.branching.cases(own.body, self.match(own, subscripts))

    def match(self, own: Definition, subscripts: tuple[Polynomial, ...]) -> dict[str, Polynomial]:
        """The values of a definition's indices for these subscripts.

        Raises:
            Unprovable: the definition does not say what this entry is.
        """
        env: dict[str, Polynomial] = {}
        for pattern, value in zip(own.pattern, subscripts, strict=True):
            match pattern:
                case Name(name=name) if name in own.indices:
                    if env.setdefault(name, value) != value:
                        raise Unprovable(f"{own.symbol} is defined on a diagonal only")
                case _:
                    parts = composite(pattern, own.indices)
                    if parts is not None:
                        high, width, low = parts
                        env[high], env[low] = self._algebra.floor(value, self._converter.value(width, {}))
                    elif self._converter.value(pattern, {}) != value:
                        raise Unprovable(f"{own.symbol} is not defined at this entry")
        for name, ends in own.indices.items():
            if name not in env:
                raise Unprovable(f"index {name} of the definition of {own.symbol} is not on its left side")
            start, stop = self._converter.value(ends.start, env), self._converter.value(ends.stop, env)
            if not self._facts.within(env[name], start, stop):
                raise Unprovable(f"{own.symbol} may be used outside the range that it is defined for")
        return env

    def unfold(self, poly: Polynomial, name: str) -> Polynomial:
        """A polynomial with a symbol's definition put in for it."""
        known: dict[tuple[Polynomial, ...], list[Case]] = {}

        def cases(atom: Atom) -> list[Case]:
            if atom.args not in known:
                known[atom.args] = self.instance(name, atom.args)
            return known[atom.args]

        def change(atom: Atom) -> Polynomial | None:
            return self._converter.joined(cases(atom)) if atom.kind is Kind.ENTRY and atom.name == name else None

        def exponential(atom: Atom, exponent: Rational) -> Polynomial | None:
            if atom.name != name:
                return None
            return add(self._algebra.multiply(case.guard, self._converter.exp(case, exponent)) for case in cases(atom))

        touched = Rebuilding(self._algebra, lambda atom: name in atom.symbols, change, exponential)
        return touched.polynomial(poly)
