"""A step's value against the code's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eqtrace.run.example.arrays import Array

RELATIVE = 1e-12  # of the largest entry


@dataclass(frozen=True, slots=True)
class Gap:
    """How far apart two arrays are: relative to the largest entry (None: it can't be told), and in words where."""

    relative: float | None
    agrees: bool
    words: str = ""


def gap(step: Array, code: Array, allowed: float = RELATIVE, names: tuple[str, str] = ("step", "code")) -> Gap:
    """Compares two arrays; NaN equals nothing, and an infinity itself alone."""
    if step.shape != code.shape:
        return Gap(None, False, f"{names[0]} has shape {_shape(step)}, {names[1]} {_shape(code)}")
    if "U" in (step.dtype.kind, code.dtype.kind):
        different = step != code if step.dtype.kind == code.dtype.kind else np.ones(step.shape, bool)
        return Gap(None, not np.any(different), _first(step, code, different, names))
    left, right = step.astype(np.float64), code.astype(np.float64)
    finite = np.isfinite(left) & np.isfinite(right)
    apart = np.zeros(left.shape)
    np.subtract(left, right, out=apart, where=finite)
    apart = np.where(finite | (left == right), np.abs(apart), np.inf)
    scale = max((float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in (left, right)), default=0.0)
    worst = float(apart.max(initial=0.0))
    relative = worst / scale if scale and worst else worst
    if not np.isfinite(relative):
        return Gap(None, False, _first(step, code, apart == worst, names))
    agrees = relative <= allowed
    return Gap(relative, agrees, "" if agrees else _first(step, code, apart == worst, names))


def _first(step: Array, code: Array, different: Array, names: tuple[str, str]) -> str:
    found = np.argwhere(different)
    if not len(found):
        return ""
    index = tuple(int(each) for each in found[0])
    where = f"[{', '.join(map(str, index))}]: " if index else ""
    return f"{where}{names[0]} {step[index].item()!r}, {names[1]} {code[index].item()!r}"


def _shape(array: Array) -> str:
    return str(tuple(int(each) for each in array.shape)) if array.ndim else "() (a single number)"
