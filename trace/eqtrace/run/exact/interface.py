"""Functions with which packages look at arrays before they compute: which library made them, are they what is wanted.

They ask for types and convert to floats, which balls are not; what they give to the computation is the arrays as they
are. Only those of packages that many depend on are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eqtrace.formula.ball import BallError, Number, exact
from eqtrace.run.exact.arithmetic import has_ball, lift_integers

Function = Callable[..., Any]
_METRICS = frozenset({"euclidean", "sqeuclidean", "cityblock"})


def interfaces(numpy: Any, array_functions: Mapping[str, Function]) -> dict[tuple[str, str], Function]:
    """The stand-ins by package and name; `numpy` stands for NumPy."""
    asarray, average = array_functions["asarray"], array_functions["average"]

    def promoted(*arrays: Any, force_floating: bool = False, **_: Any) -> Any:
        found = tuple(asarray(each, float if force_floating else None) for each in arrays)
        return found[0] if len(found) == 1 else found

    def mean(values: Any, axis: Any = None, weights: Any = None, normalize: bool = True, xp: Any = None) -> Any:
        if normalize:
            return average(values, axis, weights)
        return numpy.sum(values if weights is None else values * weights, axis=axis)

    def close(left: Any, right: Any, *, xp: Any = None, **options: Any) -> Any:
        return array_functions["isclose"](left, right, **options)

    def checked(array: Any, *_: Any, copy: bool = False, ensure_2d: bool = True, **__: Any) -> Any:
        found = array_functions["array"](array) if copy else asarray(array)
        if ensure_2d and found.ndim != 2:
            raise ValueError(f"Expected 2D array, got {found.ndim}D array instead")
        return found

    def pair(left: Any, right: Any, *_: Any, **__: Any) -> Any:
        first = checked(left)
        return (first, first) if right is None or right is left else (first, checked(right))

    def between(left: Any, right: Any, metric: Any = "euclidean", *_: Any, **more: Any) -> Any:
        if metric not in _METRICS or more:
            raise BallError(f"distances by {metric} are not known to be exact on balls")
        first, second = (lift_integers(np.asarray(each)) for each in (left, right))
        apart = first[:, None, :] - second[None, :, :]
        if metric == "cityblock":
            return np.abs(apart).sum(axis=-1)
        squares = (apart * apart).sum(axis=-1)
        return squares if metric == "sqeuclidean" else array_functions["sqrt"](squares)

    def among(points: Any, *arguments: Any, **more: Any) -> Any:
        rows, columns = np.triu_indices(len(points), 1)
        return between(points, points, *arguments, **more)[rows, columns]

    scipy: dict[str, Function] = {
        "cdist": between,
        "pdist": among,
        "squareform": _square,
        "array_namespace": lambda *_, **__: numpy,
        "xp_promote": promoted,
        "_asarray": lambda value, *_, **__: asarray(value),
        "is_numpy": lambda xp: xp is numpy,
        "isclose": close,
    }
    sklearn: dict[str, Function] = {
        "get_namespace": lambda *_, **__: (numpy, False),
        "get_namespace_and_device": lambda *_, **__: (numpy, False, None),
        "move_to": lambda *arrays, **_: arrays[0] if len(arrays) == 1 else arrays,
        "_is_numpy_namespace": lambda xp: xp is numpy,
        "_find_matching_floating_dtype": lambda *_, **__: np.float64,
        "_average": mean,
        "isclose": close,
        "check_array": checked,
        "check_pairwise_arrays": pair,
        "type_of_target": _kind_of_target,
        "validate_parameter_constraints": lambda *_, **__: None,
        "_assert_all_finite": lambda *_, **__: None,
    }
    tables: dict[str, dict[str, Function]] = {"scipy": scipy, "sklearn": sklearn}
    return {(package, name): each for package, table in tables.items() for name, each in table.items()}


def _square(values: Any, *_: Any, **__: Any) -> Any:
    """Distances of pairs as a matrix, or those of a matrix as pairs."""
    if np.ndim(values) == 2:
        rows, columns = np.triu_indices(len(values), 1)
        return values[rows, columns]
    size = round((1 + (1 + 8 * len(values)) ** 0.5) / 2)
    found = np.full((size, size), exact(0), dtype=object)
    rows, columns = np.triu_indices(size, 1)
    found[rows, columns] = found[columns, rows] = values
    return found


def _kind_of_target(values: Any, *_: Any, **__: Any) -> str:
    """What scikit-learn calls the values that are to be learnt: it depends on whether they are whole numbers."""
    array = np.asarray(values)
    many = array.ndim == 2 and array.shape[1] > 1
    if has_ball(array) and not all(_is_whole(each) for each in array.flat):
        return "continuous-multioutput" if many else "continuous"
    few = len({_whole(each) for each in array.flat}) <= 2
    if many:
        return "multilabel-indicator" if few else "multiclass-multioutput"
    return "binary" if few else "multiclass"


def _is_whole(value: Any) -> bool:
    return value.is_integer() if isinstance(value, Number) else float(value).is_integer()


def _whole(value: Any) -> Any:
    return value.midpoint if isinstance(value, Number) else value
