"""The kind that a symbol's domain says its values are of, held against captured values.

Kinds say what a value is: whole numbers, a row of probabilities, a permutation, entries that differ from each other.
Bounds, lists of choices and letters say where draws are taken from; runs may well go beyond them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqtrace.model.symbol import Domain, Symbol

_ROUNDED = 1e-9  # a row of probabilities may miss 1 by what rounding leaves, and float32 is no kind of ours


def has_kind(domain: Domain) -> bool:
    """Whether a domain says of what kind values are."""
    return domain.integer or domain.probability_row or domain.permutation or domain.distinct


def breach(symbol: Symbol, value: Any) -> str:
    """How a value is of another kind than its domain says; '' where it is not, or is no array of numbers or texts."""
    array, domain = as_array(value), symbol.domain
    if array is None or not array.size or not _has_axes(symbol, array.ndim):
        return ""
    numbers = array.dtype.kind in "biuf"
    if domain.integer and numbers and not bool((array == np.round(array)).all()):
        return f"{_first(array, array != np.round(array))}, which is no integer"
    if domain.probability_row and numbers and array.ndim:
        sums = array.sum(axis=-1)
        if bool((array < 0).any()):
            return f"{_first(array, array < 0)}, which is no probability"
        if bool((np.abs(sums - 1) > _ROUNDED).any()):
            return f"a row of probabilities with the sum {_first(sums, np.abs(sums - 1) > _ROUNDED)}"
    if (domain.permutation or domain.distinct) and array.ndim:
        ordered = np.sort(array, axis=-1)
        if domain.permutation and not (numbers and bool((ordered == np.arange(array.shape[-1])).all())):
            return "no permutation of 0, 1, 2 and so on"
        if bool((ordered[..., 1:] == ordered[..., :-1]).any()):
            return f"{_first(ordered[..., 1:], ordered[..., 1:] == ordered[..., :-1])} more than once"
    return ""


def _has_axes(symbol: Symbol, axes: int) -> bool:
    """Whether an array has the axes that are declared: entries of others (pairs, rows of texts) are no numbers."""
    declared = symbol.shape
    if not declared:
        return True  # arrays of any shape may stand for a scalar
    return axes >= len(declared) - 1 if declared[0].value == "..." else axes == len(declared)


def as_array(value: Any) -> np.ndarray | None:
    """A value as an array of numbers or texts; None where it is neither."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return None  # ragged
    return array if array.dtype.kind in "biufU" else None


def _first(array: np.ndarray, where: np.ndarray) -> str:
    return repr(array[where].flat[0].item())
