"""Functions of `scipy.special` under balls, by the formulas that their documentation states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eqtrace.formula.ball import exact, pi
from eqtrace.run.exact.arithmetic import lift_integers

Function = Callable[..., Any]


def each(function: Callable[[Any], Any]) -> Function:
    """A function of one ball, over arrays."""
    ufunc = np.frompyfunc(function, 1, 1)
    return lambda value: _scalar(ufunc(lift_integers(value)))


def pair(function: Callable[[Any, Any], Any]) -> Function:
    """A function of two balls, over arrays."""
    ufunc = np.frompyfunc(function, 2, 1)
    return lambda left, right: _scalar(ufunc(lift_integers(left), lift_integers(right)))


def named(name: str) -> Function:
    """A function of the forms' own vocabulary, on balls."""
    return each(lambda ball: ball.function(name))


def special_functions(array_functions: Mapping[str, Function]) -> dict[str, Function]:
    """The functions whose balls are known, by name; `array_functions` are those of NumPy."""
    same = ("log1p", "expm1", "exp2", "cbrt", "sinc")
    table = {name: array_functions[name] for name in same}
    table |= {name: named(name) for name in ("erf", "erfc", "gamma", "digamma")}
    table |= {"gammaln": named("loggamma"), "psi": named("digamma")}
    table |= {name: each(function) for name, function in _OF_ONE.items()}
    return table | {name: pair(function) for name, function in _OF_TWO.items()}


def _scalar(result: Any) -> Any:
    return result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result


def _log_times(factor: Any, value: Any) -> Any:
    """`factor*log(value)`, and 0 where the factor is."""
    return exact(0) if factor == 0 else factor * value.log()


def _log1p_times(factor: Any, value: Any) -> Any:
    return exact(0) if factor == 0 else factor * value.log1p()


def _log_beta(a: Any, b: Any) -> Any:
    return a.function("loggamma") + b.function("loggamma") - (a + b).function("loggamma")


def _normal_distribution(x: Any) -> Any:
    return (-x / exact(2).sqrt()).function("erfc") / 2


def _entropy(x: Any) -> Any:
    if x < 0:
        return float("-inf")
    return -_log_times(x, x)


def _relative_entropy(x: Any, y: Any) -> Any:
    if x < 0 or y < 0 or (y == 0 and x > 0):
        return float("inf")
    return exact(0) if x == 0 else x * (x / y).log()


_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "expit": lambda x: 1 / (1 + (-x).exp()),
    "logit": lambda x: (x / (1 - x)).log(),
    "log_expit": lambda x: -(-x).exp().log1p(),
    "exp10": lambda x: exact(10) ** x,
    "rgamma": lambda x: 1 / x.function("gamma"),
    "ndtr": _normal_distribution,
    "log_ndtr": lambda x: _normal_distribution(x).log(),
    "erfcx": lambda x: (x * x).exp() * x.function("erfc"),
    "entr": _entropy,
    "cosm1": lambda x: x.cos() - 1,
    "sindg": lambda x: (x * pi() / 180).sin(),
    "cosdg": lambda x: (x * pi() / 180).cos(),
}
_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "xlogy": _log_times,
    "xlog1py": _log1p_times,
    "betaln": _log_beta,
    "beta": lambda a, b: a.function("gamma") * b.function("gamma") / (a + b).function("gamma"),
    "poch": lambda z, m: (z + m).function("gamma") / z.function("gamma"),
    "rel_entr": _relative_entropy,
    "kl_div": lambda x, y: _relative_entropy(x, y) - x + y,
}
