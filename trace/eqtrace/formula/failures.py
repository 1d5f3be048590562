"""Why a form can't be evaluated, or balls can't go on. Here, so that naming them takes no NumPy."""

from __future__ import annotations


class EvaluationError(ArithmeticError):
    """A form that cannot be evaluated on these values."""


class Unsupported(EvaluationError):
    """A form that nothing evaluates yet: a function symbol, a Derivative, a Var."""


class MissingValue(EvaluationError):
    """A symbol that has no value."""


class BallError(ArithmeticError):
    """Something that cannot be done with balls."""


class Undecided(BallError):
    """A comparison, a floor or a branch that the balls do not decide; more bits may."""


class InexactConversion(BallError):
    """A conversion that would drop a ball's radius."""


class OutOfRange(EvaluationError):
    """A subscript outside its axis."""
