"""How programs and people call the functions that forms know under one name."""

from __future__ import annotations

ALIASES = {
    "ln": "log", "abs": "Abs", "fabs": "Abs", "absolute": "Abs", "max": "Max", "maximum": "Max", "fmax": "Max",
    "min": "Min", "minimum": "Min", "fmin": "Min", "ceil": "ceiling", "mod": "Mod", "sgn": "sign", "lgamma": "loggamma",
    "gammaln": "loggamma", "psi": "digamma", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "Gamma": "gamma", "Beta": "beta", "exponential": "exp",
}  # fmt: skip
