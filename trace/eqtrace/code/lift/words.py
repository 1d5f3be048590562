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
REDUCTIONS = frozenset({"sum", "mean", "dot"})
PASSING = frozenset({"asarray", "array", "float", "asanyarray", "float64"})  # give the number that they are given
