"""The words that forms may use, in one table: parser, hints and documentation all read it."""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a word builds."""

    FUNCTION = "function"  # elementary, of one or more terms
    OVER = "over"  # binds an index: Sum(e, k) or Sum(e, (k, first, last))
    TERM = "term"  # a term with a syntax of its own
    CONDITION = "condition"  # true or false
    STATEMENT = "statement"  # only as a whole statement
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the vocabulary.

    `most` of None means any number of arguments. A word that is not `reserved` may name a symbol too; then it is none.
    """

    name: str
    kind: Kind
    signature: str
    meaning: str
    least: int = 1
    most: int | None = 1
    reserved: bool = True


def _function(name: str, meaning: str, arguments: str = "x", *, reserved: bool = True, optional: int = 0) -> Word:
    count = arguments.count(",") + 1
    return Word(name, Kind.FUNCTION, f"{name}({arguments})", meaning, count - optional, count, reserved)


_WORDS = (
    _function("exp", "e to the x"),
    _function("expm1", "e to the x, less 1"),
    _function("log", "natural logarithm, or to the base b", "x, b", optional=1),
    _function("log1p", "natural logarithm of 1 + x"),
    _function("log2", "logarithm to the base 2"),
    _function("log10", "logarithm to the base 10"),
    _function("sqrt", "square root"),
    _function("cbrt", "real cube root"),
    _function("Abs", "absolute value"),
    _function("sign", "-1, 0 or 1"),
    _function("floor", "largest integer not above x"),
    _function("ceiling", "smallest integer not below x"),
    _function("Mod", "x modulo y, with the sign of y, as Python's %", "x, y"),
    _function("sin", "sine"),
    _function("cos", "cosine"),
    _function("tan", "tangent"),
    _function("asin", "inverse sine"),
    _function("acos", "inverse cosine"),
    _function("atan", "inverse tangent"),
    _function("atan2", "angle of the point (x, y)", "y, x"),
    _function("sinh", "hyperbolic sine"),
    _function("cosh", "hyperbolic cosine"),
    _function("tanh", "hyperbolic tangent"),
    _function("asinh", "inverse hyperbolic sine"),
    _function("acosh", "inverse hyperbolic cosine"),
    _function("atanh", "inverse hyperbolic tangent"),
    _function("erf", "error function"),
    _function("erfc", "1 less the error function"),
    _function("gamma", "gamma function; without a call, gamma may be a symbol", reserved=False),
    _function("loggamma", "logarithm of the gamma function, x > 0"),
    _function("digamma", "derivative of loggamma"),
    _function("beta", "beta function; without a call, beta may be a symbol", "a, b", reserved=False),
    _function("factorial", "n!, that is gamma(n + 1)", "n"),
    _function("KroneckerDelta", "1 where i and j are equal, else 0", "i, j"),
    Word("Max", Kind.FUNCTION, "Max(x, y, ...)", "largest of its arguments", 1, None),
    Word("Min", Kind.FUNCTION, "Min(x, y, ...)", "smallest of its arguments", 1, None),
    Word(
        "Sum",
        Kind.OVER,
        "Sum(e, k)",
        "sum over k's range, or over first to last (inclusive): (k, first, last)",
        2,
        None,
    ),
    Word("Product", Kind.OVER, "Product(e, k)", "product over k's range", 2, None),
    Word("MaxOver", Kind.OVER, "MaxOver(e, k)", "largest e over k's range", 2, None),
    Word("MinOver", Kind.OVER, "MinOver(e, k)", "smallest e over k's range", 2, None),
    Word("ArgMax", Kind.OVER, "ArgMax(e, k)", "first k at which e is largest", 2, 2),
    Word("ArgMin", Kind.OVER, "ArgMin(e, k)", "first k at which e is smallest", 2, 2),
    Word(
        "Piecewise",
        Kind.TERM,
        "Piecewise((e, condition), ..., (e, True))",
        "e of the first condition that holds",
        1,
        None,
    ),
    Word("Old", Kind.TERM, "Old(x)", "x before the update; m at t - 1"),
    Word("Dim", Kind.TERM, "Dim(X, 0)", "length of an axis of X", 2, 2),
    Word("Rank", Kind.TERM, "Rank(X)", "number of axes of X"),
    Word("Derivative", Kind.TERM, "Derivative(e, x)", "partial derivative of e by x", 2, None),
    Word("Var", Kind.TERM, "Var(x)", "variance of a random x"),
    Word(
        "Eq", Kind.CONDITION, "Eq(left, right, ...)", "two or more equal sides; the code's result on the left", 2, None
    ),
    Word("Ne", Kind.CONDITION, "Ne(x, y)", "x differs from y", 2, 2),
    Word("Lt", Kind.CONDITION, "Lt(x, y)", "x < y", 2, 2),
    Word("Le", Kind.CONDITION, "Le(x, y)", "x <= y", 2, 2),
    Word("Gt", Kind.CONDITION, "Gt(x, y)", "x > y", 2, 2),
    Word("Ge", Kind.CONDITION, "Ge(x, y)", "x >= y", 2, 2),
    Word("And", Kind.CONDITION, "And(p, q, ...)", "all of them hold", 1, None),
    Word("Or", Kind.CONDITION, "Or(p, q, ...)", "one of them holds", 1, None),
    Word("Not", Kind.CONDITION, "Not(p)", "p does not hold"),
    Word("Implies", Kind.STATEMENT, "Implies(p, q)", "where p holds, so does q", 2, 2),
    Word("ForAll", Kind.STATEMENT, "ForAll(p, k)", "p holds for every k of its range", 2, None),
    Word("Uniform", Kind.STATEMENT, "Uniform(x, lo, hi)", "x is drawn uniformly from [lo, hi]", 3, 3),
    Word("Categorical", Kind.STATEMENT, "Categorical(x, p)", "x is index i with probability p[i]", 2, 2),
    Word("Array", Kind.CONDITION, "Array(X, T, a)", "X is an array of shape (T, a)", 1, None),
    Word("pi", Kind.CONSTANT, "pi", "3.14159...", 0, 0),
    Word("oo", Kind.CONSTANT, "oo", "infinity", 0, 0),
)

VOCABULARY: Mapping[str, Word] = {word.name: word for word in _WORDS}

# How people spell the same thing elsewhere.
_ELSEWHERE = {
    "abs": "Abs(x)",
    "fabs": "Abs(x)",
    "max": "Max(x, y) or MaxOver(e, k)",
    "maximum": "Max(x, y)",
    "amax": "MaxOver(e, k)",
    "min": "Min(x, y) or MinOver(e, k)",
    "minimum": "Min(x, y)",
    "amin": "MinOver(e, k)",
    "ceil": "ceiling(x)",
    "ln": "log(x)",
    "sum": "Sum(e, k)",
    "prod": "Product(e, k)",
    "mean": "Sum(e, k)/n",
    "average": "Sum(e, k)/n",
    "argmax": "ArgMax(e, k)",
    "argmin": "ArgMin(e, k)",
    "arcsin": "asin(x)",
    "arccos": "acos(x)",
    "arctan": "atan(x)",
    "arctan2": "atan2(y, x)",
    "arcsinh": "asinh(x)",
    "arccosh": "acosh(x)",
    "arctanh": "atanh(x)",
    "inf": "oo",
    "infinity": "oo",
    "Pi": "pi",
    "PI": "pi",
    "lgamma": "loggamma(x)",
    "gammaln": "loggamma(x)",
    "where": "Piecewise(...)",
    "relu": "Max(0, x)",
    "ReLU": "Max(0, x)",
    "softmax": "exp(x[i])/Sum(exp(x[k]), k)",
    "sigmoid": "1/(1 + exp(-x))",
    "square": "x**2",
    "pow": "x**y",
    "power": "x**y",
    "mod": "Mod(x, y)",
    "sgn": "sign(x)",
    "int": "floor(x)",
    "range": "an index with its range",
    "len": "Dim(X, 0)",
    "shape": "Dim(X, 0)",
    "E": "exp(1)",
    "e": "exp(1)",
    "prev": "Old(x)",
    "indicator": "Piecewise((1, condition), (0, True))",
}


def reserved(name: str) -> str:
    """Why `name` cannot name a symbol or an index; empty if it can."""
    if keyword.iskeyword(name):
        return f"{name} is a keyword of Python"
    word = VOCABULARY.get(name)
    if word and word.reserved:
        return f"{name} is a word of forms: {word.signature}, {word.meaning}"
    return ""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint: how forms spell what `name` may mean, or the known name that is spelt most alike; else empty."""
    if name in _ELSEWHERE:
        return f"write {_ELSEWHERE[name]}"
    names = sorted(known)
    alike = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if not alike:
        alike = [other for other in names if other.lower() == name.lower()]
    return f"did you mean {alike[0]}?" if alike else ""
