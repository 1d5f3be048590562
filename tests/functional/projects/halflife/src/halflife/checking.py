"""Decorators that check arguments."""

import functools
from collections.abc import Callable
from typing import Any


def positive(function: Callable[..., float]) -> Callable[..., float]:
    """Refuses arguments that are not positive."""

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> float:
        if any(value <= 0 for value in (*arguments, *named.values())):
            raise ValueError(f"{function.__name__} takes positive numbers")
        return function(*arguments, **named)

    return checked
