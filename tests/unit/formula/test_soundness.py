"""What the prover must not prove, and what its normal form must not change."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import pytest
from flint import arb

from eqtrace.formula import dual
from eqtrace.formula.ball import precision
from eqtrace.formula.facts import TimeUp, Unprovable
from eqtrace.formula.failures import EvaluationError, Undecided
from eqtrace.formula.form import Form
from eqtrace.formula.given import Problem, problem
from eqtrace.formula.gradient import gradient_problem
from eqtrace.formula.points import draw, environments
from eqtrace.formula.prover import Prover, at_sizes, for_all_sizes
from eqtrace.formula.statement import Claim, free_ranges, to_prove
from eqtrace.formula.term import Add, Mul, Name, Neg, Node, Number, Sum, Term, rebuilt
from eqtrace.formula.trial import tried, wanted_of
from eqtrace.formula.written import written
from eqtrace.model.equation import Equation

Forms = tuple[dict[str, Equation], dict[str, Form]]
SMALL = arb(2) ** -60


def problems(*sources: Forms) -> Iterator[tuple[str, Problem, list[Claim]]]:
    """Everything that is to be proved of these forms."""
    for equations, forms in sources:
        for equation in equations.values():
            form = forms[equation.id]
            if "vjp" in equation.methods:
                found = gradient_problem(equation, equations, forms)
                yield equation.id, found.target, found.claims
            if {"derivative", "identity"} & set(equation.methods):
                target = problem(equation, form, equations, forms)
                yield equation.id, target, to_prove(target, equation, form).claims


def changed_claims(random_terms: ModuleType, target: Problem, claims: list[Claim]) -> Iterator[Claim]:
    for claim in claims:
        for place, side in enumerate(claim.sides):
            for new in random_terms.mutants(side, target, claim.indices):
                if new != side:
                    yield replace(claim, sides=(*claim.sides[:place], new, *claim.sides[place + 1 :]))


def is_refuted(target: Problem, claim: Claim, rng: random.Random) -> bool:
    """Whether a claim fails at one of several points of different sizes."""
    return bool(tried(target, [claim], rng, 5, time.process_time() + 60).counterexample)


def test_no_mutant_of_a_statement_is_proved_but_equivalents(
    specification: Forms, later: Forms, random_terms: ModuleType
) -> None:
    rng = random.Random(3)
    count = accepted = 0
    for name, target, claims in problems(specification, later):
        mutants = list(changed_claims(random_terms, target, claims))
        large = name.startswith("attention_backward")
        for claim in rng.sample(mutants, min(len(mutants), 1 if large else 12)):
            count += 1
            try:
                attempt = for_all_sizes(target, [claim], time.process_time() + 1)
            except TimeUp:
                continue
            if not attempt.failures:
                accepted += 1
                shown = " == ".join(map(written, claim.sides))
                assert not is_refuted(target, claim, rng), f"{name}: {shown} was proved"
    assert count >= 300
    assert accepted < count / 20


def test_no_mutant_is_proved_at_sizes(specification: Forms, random_terms: ModuleType) -> None:
    rng = random.Random(4)
    for name, target, claims in problems(specification):
        mutants = list(changed_claims(random_terms, target, claims))
        for claim in rng.sample(mutants, min(len(mutants), 3)):
            sizes = draw(target, rng, wanted_of(target, [claim])).sizes
            attempt = at_sizes(target, [claim], sizes, time.process_time() + 30)
            if not attempt.failures and is_refuted(target, claim, rng):
                # at these sizes it may hold all the same, and only at others not
                others = {size: 3 + number % 2 for number, size in enumerate(sorted(sizes))}
                proved_again = at_sizes(target, [claim], {**sizes, **others}, time.process_time() + 30)
                assert proved_again.failures, (name, [written(side) for side in claim.sides])


def test_no_mutant_of_a_random_term_is_proved_equal_to_it(random_terms: ModuleType) -> None:
    rng = random.Random(5)
    target = random_terms.problem()
    terms = random_terms.Terms(rng)
    accepted = 0
    for _ in range(60):
        term = terms.real(3)
        mutants = [new for new in random_terms.mutants(term, target, target.indices) if new != term]
        for new in rng.sample(mutants, min(len(mutants), 6)):
            claim = Claim((term, new), (), free_ranges((term, new), target.indices))
            if not for_all_sizes(target, [claim], time.process_time() + 30).failures:
                accepted += 1
                assert not is_refuted(target, claim, rng), f"{written(term)} == {written(new)} was proved"
    assert accepted > 5  # some are equal: X - 0, sums over what is left of an empty range


@pytest.mark.parametrize("seed", range(4))
def test_the_normal_form_of_a_random_term_has_its_value(random_terms: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    target = random_terms.problem()
    terms = random_terms.Terms(rng)
    compared = 0
    for _ in range(120):
        term = terms.real(rng.choice((2, 3, 4, 5)))
        claim = Claim((term, term), (), free_ranges((term,), target.indices))
        prover = Prover(target, claim, time.process_time() + 30)
        prover.learn({})
        try:
            normal = prover.converter.value(term, {})
        except Unprovable:
            continue
        with precision(200):
            try:
                point = draw(target, rng, wanted_of(target, [claim]))
                places = list(environments(point, claim.indices))
                for env in rng.sample(places, min(len(places), 4)):
                    value = dual.ball(dual.plain(point.value(term, env)))
                    difference = value - dual.ball(random_terms.value_of(normal, point, env))
                    assert difference.contains(0), f"{written(term)} is {value} at {env}, {point.sizes}"
                    compared += bool(difference.rad() < SMALL)
            except (EvaluationError, Undecided):
                continue
    assert compared > 300


# Rewriting that keeps the value


def rewritten(term: Node, rng: random.Random, names: Iterator[str]) -> Node:
    """An equal term, written another way: commuted, distributed, bound indices renamed, sums taken apart."""

    def change(node: Node) -> Node:
        node = rebuilt(node, change)
        match node:
            case Add(left=left, right=right) if rng.random() < 0.5:
                return Add(right, left)
            case Mul(left=left, right=Add(left=first, right=second)) if rng.random() < 0.7:
                return Add(Mul(left, first), Mul(left, second))
            case Mul(left=left, right=right) if rng.random() < 0.5:
                return Mul(right, left)
            case Sum(body=Add(left=left, right=right)) if rng.random() < 0.5:
                return Add(replace(node, body=left), replace(node, body=right))
            case Sum(body=body, index=index, start=start, stop=stop):
                new = next(names)
                return Sum(_renamed(body, index, new), new, start, stop)
            case Neg(operand=operand):
                return Mul(Number(Fraction(-1)), operand)
        return node

    return change(term)


def _renamed(node: Node, old: str, new: str) -> Node:
    if isinstance(node, Name):
        return Name(new) if node.name == old else node
    if isinstance(node, Sum) and node.index == old:
        ends = [None if end is None else _renamed(end, old, new) for end in (node.start, node.stop)]
        return replace(node, start=ends[0], stop=ends[1])  # type: ignore[arg-type]
    found: Node = rebuilt(node, lambda each: _renamed(each, old, new))
    return found


def test_random_terms_written_another_way_are_proved_equal(random_terms: ModuleType) -> None:
    rng = random.Random(8)
    target = random_terms.problem()
    terms = random_terms.Terms(rng)
    proved = 0
    for _ in range(150):
        term = terms.real(4)
        other = rewritten(term, rng, (f"x{number}" for number in range(1000)))
        assert isinstance(other, Term)
        claim = Claim((term, other), (), free_ranges((term,), target.indices))
        attempt = for_all_sizes(target, [claim], time.process_time() + 30)
        assert not attempt.failures or "too large" in attempt.failures[0], f"{written(term)} == {written(other)}"
        proved += not attempt.failures
    assert proved > 140
