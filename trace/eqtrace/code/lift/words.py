"""NumPy's, math's and Python's functions by the words that forms have for them."""

from __future__ import annotations

_SAME = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "sign", "floor", "sin", "cos", "tan",
    "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "erfc",
)  # fmt: skip
WORDS = {
    **{name: name for name in _SAME},
    "abs": "Abs", "absolute": "Abs", "fabs": "Abs", "ceil": "ceiling", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "atan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "maximum": "Max", "minimum": "Min", "max": "Max", "min": "Min", "lgamma": "loggamma",
    "gammaln": "loggamma", "gamma": "gamma", "digamma": "digamma", "mod": "Mod", "remainder": "Mod",
}  # fmt: skip
ARGUMENTS = {"atan2": (2, 2), "Max": (2, 9), "Min": (2, 9), "Mod": (2, 2), "log": (1, 1)}  # of all others one
PLAIN = frozenset({"abs", "max", "min"})  # Python's own
LIBRARIES = frozenset({"numpy", "math", "scipy.special", "jax.numpy", "autograd.numpy"})
# What forms have no word for, by the parameters x, y; a bar parts what must hold for it to be defined.
WRITTEN = {
    "radians": "x*pi/180", "deg2rad": "x*pi/180", "degrees": "x*180/pi", "rad2deg": "x*180/pi",
    "hypot": "sqrt(x**2 + y**2)", "exp2": "2**x", "expit": "1/(1 + exp(-x))", "reciprocal": "1/x | Ne(x, 0)",
    "negative": "-x", "add": "x + y", "subtract": "x - y", "multiply": "x*y", "divide": "x/y | Ne(y, 0)",
    "true_divide": "x/y | Ne(y, 0)", "square": "x**2",
}  # fmt: skip
DEFINED = {
    "log": "{} > 0", "log2": "{} > 0", "log10": "{} > 0", "loggamma": "{} > 0", "gamma": "{} > 0", "digamma": "{} > 0",
    "sqrt": "{} >= 0", "log1p": "{} > -1", "asin": "Abs({}) <= 1", "acos": "Abs({}) <= 1", "acosh": "{} >= 1",
    "atanh": "Abs({}) < 1", "atan2": "Ne({}, 0)",
}  # fmt: skip
CONSTANTS = {"pi": "pi", "e": "exp(1)", "tau": "2*pi"}
REDUCTIONS = frozenset({"sum", "mean", "dot"})
PASSING = frozenset({"asarray", "array", "float", "asanyarray", "float64"})  # give the number that they are given
