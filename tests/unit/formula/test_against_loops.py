"""Random forms against a naive interpreter: plain Python loops and floats, no grids and no axes."""

import math
import random

import numpy as np
import pytest
from flint import arb

from eqtrace.formula.ball import Undecided, as_arb, precision
from eqtrace.formula.evaluate import Balls, Float64, evaluate, sides
from eqtrace.formula.term import (
    Add,
    ArgMax,
    Call,
    Compare,
    Div,
    Eq,
    Indexed,
    MaxOver,
    Mul,
    Name,
    Neg,
    Number,
    Piecewise,
    Pow,
    Sum,
    Truth,
)

N = 3
SYMBOLS = {"r": "n n", "x": "n", "y": "n", "A": "n n", "p": "n", "s": ""}
RANGES = {"i": "n", "j": "n", "k": "n", "m": "n", "u": ("0", "i + 1")}
FUNCTIONS = {
    "tanh": math.tanh,
    "sqrt": math.sqrt,
    "Abs": abs,
    "Max": max,
    "Min": min,
    "floor": math.floor,
    "sign": lambda value: int(value > 0) - int(value < 0),
    "KroneckerDelta": lambda left, right: int(left == right),
    "Mod": lambda value, modulus: value - modulus * math.floor(value / modulus),
    "log": math.log,
}


def random_term(chance, depth, indices):
    def part(*bound):
        return random_term(chance, depth - 1, [*indices, *bound])

    if depth == 0 or chance.random() < 0.15:
        leaves = ["0.5", "3", "s", "0.1", "n"]
        for index in indices:
            leaves += [f"x[{index}]", f"y[{index}]", index, f"A[{index}, {chance.choice(indices)}]", f"x[p[{index}]]"]
        return chance.choice(leaves)
    k = chance.choice("ijkm")
    first = chance.choice(indices)
    makers = [
        lambda: f"({part()} + {part()})",
        lambda: f"({part()} - {part()})",
        lambda: f"({part()}*{part()})",
        lambda: f"{part()}/(1 + Abs({part()}))",
        lambda: f"-({part()})",
        lambda: f"({part()})**2",
        lambda: f"tanh({part()})",
        lambda: f"sqrt(Abs({part()}))",
        lambda: f"log(1 + Abs({part()}))",
        lambda: f"Max({part()}, {part()})",
        lambda: f"Min({part()}, {part()}, {part()})",
        lambda: f"Sum({part(k)}, {k})",
        lambda: f"Sum({part(k)}*{part(k)}, {k})",
        lambda: f"Sum({part(k)}, ({k}, 0, {first}))",
        lambda: f"Sum({part('u')}, u)" if "i" in indices else part(),
        lambda: f"MaxOver({part(k)}, {k})",
        lambda: f"ArgMax({part(k)}, {k})",
        lambda: f"Piecewise(({part()}, {part()} > {part()}), ({part()}, Eq({part()}, {part()})), ({part()}, True))",
        lambda: f"floor({part()})",
        lambda: f"sign({part()})",
        lambda: f"KroneckerDelta({part()}, {part()})",
        lambda: f"Mod({part()}, 2.5)",
    ]
    return chance.choice(makers)()


class Naive:
    """Evaluates a node for one assignment of its indices."""

    def __init__(self, form, values):
        self.form, self.values = form, values

    def term(self, node, at):
        match node:
            case Number(value=value):
                return int(value) if value.denominator == 1 else float(value)
            case Name(name=name):
                return at[name] if name in at else self.values[name]
            case Indexed(base=base, subscripts=subscripts):
                return self.values[base][tuple(self.term(one, at) for one in subscripts)]
            case Add(left=left, right=right):
                return self.term(left, at) + self.term(right, at)
            case Mul(left=left, right=right):
                return self.term(left, at) * self.term(right, at)
            case Div(left=left, right=right):
                return self.term(left, at) / self.term(right, at)
            case Pow(base=base, exponent=exponent):
                return self.term(base, at) ** self.term(exponent, at)
            case Neg(operand=operand):
                return -self.term(operand, at)
            case Call(function=function, args=args):
                return FUNCTIONS[function](*(self.term(one, at) for one in args))
            case Piecewise(branches=branches):
                return next(self.term(one.value, at) for one in branches if self.holds(one.condition, at))
        own = self.form.indices[node.index]
        start, stop = (own.start, own.stop) if node.stop is None else (node.start, node.stop)
        span = range(self.term(start, at), self.term(stop, at))
        found = [self.term(node.body, {**at, node.index: value}) for value in span]
        return {Sum: sum, MaxOver: max, ArgMax: lambda all_: all_.index(max(all_))}[type(node)](found)

    def holds(self, node, at):
        match node:
            case Truth(value=value):
                return value
            case Eq(sides=(left, right)):
                return self.term(left, at) == self.term(right, at)
            case Compare(left=left, right=right):
                return self.term(left, at) > self.term(right, at)
        raise TypeError(node)


@pytest.mark.parametrize("seed", range(150))
def test_random_forms(seed, form):
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    text = random_term(chance, 4, ["i", "j"])
    found = form(f"Eq(r[i, j], {text})", symbols=SYMBOLS, indices=RANGES)
    values = {
        "x": rng.normal(size=N).round(1),
        "y": rng.normal(size=N),
        "A": rng.normal(size=(N, N)).round(2),
        "p": rng.permutation(N),
        "s": 0.25,
        "r": np.zeros((N, N)),
    }
    right = found.equations(0)[0].sides[1]
    try:
        exact = sides(found, 0, values, {"n": N}, Balls(300))[1]
        near = evaluate(found, 0, values, {"n": N}, Balls(53, widen=True))[0]
    except Undecided:
        return  # x - x == 0 between balls, say
    floats = sides(found, 0, values, {"n": N}, Float64())[1]
    naive = Naive(found, {**{name: value for name, value in values.items() if name != "p"}, "p": values["p"], "n": N})
    for i in range(N):
        for j in range(N):
            radius = float(as_arb(near.sides[1][i, j]).rad())
            middle = float(as_arb(exact[i, j]).mid())
            with precision(400):
                difference = as_arb(near.sides[1][i, j]) - as_arb(exact[i, j])
                assert near.kinks or arb(difference).contains(0)
            if near.kinks == 0:  # decisions in floats agree with exact ones
                expected = naive.term(right, {"i": i, "j": j})
                assert abs(expected - middle) <= 8 * radius, text
                assert abs(float(floats[i, j]) - middle) <= 8 * radius, text
