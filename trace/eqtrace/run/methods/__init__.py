"""The methods, by the word that a specification uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from eqtrace.model.equation import Equation
from eqtrace.model.verdict import MethodResult
from eqtrace.run.methods import composition, constraint, discrete, distribution, order, structure, value, vjp
from eqtrace.run.methods.proof import proof

if TYPE_CHECKING:
    from eqtrace.run.session import Session

METHODS: dict[str, Callable[[Equation, Session], MethodResult]] = {
    "value": value.verify,
    "constraint": constraint.verify,
    "structure": structure.verify,
    "distribution": distribution.verify,
    "vjp": vjp.verify,
    "derivative": proof("derivative"),
    "identity": proof("identity"),
    "composition": composition.verify,
    "order": order.verify,
    "discrete": discrete.verify,
}
