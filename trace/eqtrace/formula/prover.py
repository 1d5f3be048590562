"""The symbolic half of a proof: both sides into the normal form, definitions unfolded until they meet."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from eqtrace.formula.branching import greater
from eqtrace.formula.convert import Converter
from eqtrace.formula.facts import NOT_NEGATIVE, NOT_ZERO, POSITIVE, Facts, TimeUp, Unprovable
from eqtrace.formula.form import Range
from eqtrace.formula.given import Problem, least
from eqtrace.formula.polynomial import Atom, Kind, Polynomial, number, subtract
from eqtrace.formula.rebuilding import Rebuilding
from eqtrace.formula.statement import Claim
from eqtrace.formula.term import And, Compare, Condition, Eq, Indexed, Name, Node, Term
from eqtrace.formula.written import written
from eqtrace.formula.zero import is_zero


@dataclass
class Attempt:
    """What one way of proving gave: empty `failures` is a proof."""

    failures: list[str] = field(default_factory=list)
    assumptions: dict[str, None] = field(default_factory=dict)
    steps: int = 0


def for_all_sizes(problem: Problem, claims: list[Claim], deadline: float) -> Attempt:
    """Prove claims for all sizes of at least 1."""
    attempt = Attempt()
    for claim in claims:
        prover = Prover(problem, claim, deadline)
        attempt.failures += prover.failures({})
        prover.report(attempt)
        if attempt.failures:
            break
    return attempt


def at_sizes(problem: Problem, claims: list[Claim], sizes: Mapping[str, int], deadline: float) -> Attempt:
    """Prove claims at given sizes, sums written out, for all values of the indices."""
    attempt = Attempt()
    for claim in claims:
        for env in _places(problem, claim, sizes, deadline):
            prover = Prover(problem, claim, deadline, sizes)
            attempt.failures += prover.failures({name: number(value) for name, value in env.items()})
            prover.report(attempt)
            if attempt.failures:
                return attempt
    return attempt


def _places(problem: Problem, claim: Claim, sizes: Mapping[str, int], deadline: float) -> Iterator[dict[str, int]]:
    converter = Converter(problem, Facts(deadline=deadline), sizes)

    def extend(names: list[str], env: dict[str, int]) -> Iterator[dict[str, int]]:
        if not names:
            yield env
            return
        ends = claim.indices[names[0]]
        places = {name: number(value) for name, value in env.items()}
        start, stop = (converter.value(end, places).constant() for end in (ends.start, ends.stop))
        if start is None or stop is None:
            raise Unprovable(f"the range of {names[0]} is not known at these sizes")
        for value in range(int(start), int(stop)):
            yield from extend(names[1:], {**env, names[0]: value})

    return extend(list(claim.indices), {})


class Prover:
    """One claim."""

    def __init__(self, problem: Problem, claim: Claim, deadline: float, sizes: Mapping[str, int] | None = None) -> None:
        self.problem = problem
        self.claim = claim
        self.facts = Facts(sizes=set(problem.sizes), deadline=deadline)
        self.fixed = sizes is not None
        self.converter = Converter(problem, self.facts, sizes, (*claim.sides, *claim.premises))
        self.rewritten: dict[Atom, Polynomial] = {}

    def report(self, attempt: Attempt) -> None:
        """Add what was used to an attempt."""
        attempt.assumptions |= self.facts.assumptions
        attempt.steps += self.facts.ticks

    def failures(self, env: Mapping[str, Polynomial]) -> list[str]:
        """Why the claim is not proved; nothing if it is."""
        try:
            env = {**env, **self.learn(env)}
            for place, (one, other) in enumerate(itertools.pairwise(self.claim.sides), self.claim.first):
                if not self._equal(one, other, env):
                    return [f"the normal forms of sides {place} and {place + 1} differ"]
        except TimeUp:
            raise
        except (Unprovable, RecursionError) as error:
            return [str(error) or "too deep"]
        return []

    # What is known

    def learn(self, env: Mapping[str, Polynomial]) -> dict[str, Polynomial]:
        """Take in domains, ranges, `where` and premises; the values of indices that are taken apart."""
        facts, value = self.facts, self.converter.value
        for name, bounds in self.problem.bounds.items():
            not_negative, positive = least(bounds)
            facts.signs[name] = (NOT_NEGATIVE if not_negative else 0) | (NOT_ZERO if positive else 0)
            if bounds.integer and name not in self.problem.sizes:
                first = value(bounds.first, {}) if bounds.first is not None else None
                last = value(bounds.last, {}) if bounds.last is not None else None
                facts.integers[name] = first, last
        for name, term in {} if self.fixed else self.problem.by_patterns().items():
            facts.assume(f"{name} == {written(term)}")
        apart: dict[str, Polynomial] = {}
        for name, ends in {} if self.fixed else self.claim.indices.items():
            start, stop = value(ends.start, apart), value(ends.stop, apart)
            parts = self.converter.split(start, stop, (f"{name}.high", f"{name}.low"))
            if parts is not None:
                apart[name] = parts.value
            else:
                facts.ranges[name] = start, stop
        env = {**env, **apart}
        for requirement in self.problem.where:
            self._require(requirement.condition, requirement.indices, env)
        for premise in self.claim.premises:
            self._suppose(premise, env)
        return apart

    def _require(self, condition: Condition, indices: Mapping[str, Range], env: Mapping[str, Polynomial]) -> None:
        """What `where` says, of all entries of a symbol or of sizes."""
        if isinstance(condition, And):
            for part in condition.parts:
                if isinstance(part, Condition):
                    self._require(part, indices, env)
        if not isinstance(condition, Compare):
            return
        found = greater(condition)
        if found is None:
            return
        left, right, sign = found
        entry = left if isinstance(left, Indexed | Name) else None
        name = entry.base if isinstance(entry, Indexed) else entry.name if isinstance(entry, Name) else ""
        try:
            more = self.converter.value(right, {}).constant()
        except Unprovable:
            more = None
        if entry is not None and name in self.problem.shapes and more is not None and self._every(entry, indices):
            if more == 0 or (more > 0 and sign != NOT_ZERO):
                self.facts.signs[name] = self.facts.signs.get(name, 0) | (POSITIVE if more else sign)
        elif all(index in self.claim.indices and self.claim.indices[index] == ends for index, ends in indices.items()):
            self._learn_comparison(condition, env)

    def _every(self, entry: Indexed | Name, indices: Mapping[str, Range]) -> bool:
        """Whether a condition on an entry, for all indices in it, is one on every entry of the symbol."""
        if isinstance(entry, Name):
            return True
        dims = self.problem.shapes.get(entry.base)
        names = [each.name if isinstance(each, Name) else "" for each in entry.subscripts]
        if dims is None or len(dims) != len(names) or len(set(names)) != len(names) or not set(names) <= indices.keys():
            return False
        value = self.converter.value
        return all(
            not value(indices[name].start, {}).terms and value(indices[name].stop, {}) == value(dim, {})
            for name, dim in zip(names, dims, strict=True)
        )

    def _suppose(self, premise: Condition, env: Mapping[str, Polynomial]) -> None:
        """Use a premise; one of another kind is left out, which proves more than is claimed."""
        if isinstance(premise, And):
            for part in premise.parts:
                if isinstance(part, Condition):
                    self._suppose(part, env)
        elif isinstance(premise, Compare):
            self._learn_comparison(premise, env)
        elif isinstance(premise, Eq) and len(premise.sides) == 2 and all(isinstance(x, Term) for x in premise.sides):
            one, other = (self.converter.value(side, env) for side in premise.sides)
            atom = one.atom()
            if atom is not None and atom.kind is Kind.ENTRY and atom.key not in other.key:
                self.rewritten[atom] = other

    def _learn_comparison(self, condition: Compare, env: Mapping[str, Polynomial]) -> None:
        try:
            self.converter.branching.learn(condition, env)
        except Unprovable:
            return

    # Equality

    def _equal(self, one: Node, other: Node, env: Mapping[str, Polynomial]) -> bool:
        difference = subtract(self._side(one, env), self._side(other, env))
        for name in (None, *self.problem.order()):
            if name is not None:
                if name not in difference.symbols:
                    continue
                difference = self.converter.definitions.unfold(difference, name)
            difference = self._rewrite(difference)
            if is_zero(self.converter.algebra, difference):
                return True
        return False

    def _side(self, node: Node, env: Mapping[str, Polynomial]) -> Polynomial:
        if isinstance(node, Term):
            return self.converter.value(node, env)
        return self.converter.branching.condition(node, env)

    def _rewrite(self, poly: Polynomial) -> Polynomial:
        """Put in what an equation among the premises says, for that very entry."""
        if not self.rewritten:
            return poly
        names = {atom.name for atom in self.rewritten}
        touches = lambda atom: not names.isdisjoint(atom.symbols)  # noqa: E731
        return Rebuilding(self.converter.algebra, touches, self.rewritten.get).polynomial(poly)
