"""The sizes of verification runs and of pages: numbers, and expressions over each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from eqtrace.config import Config
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span

MAX_SIZE = 1_000_000
_ALLOWED = re.compile(r"[\w\s+\-*/()]{1,200}")
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}


class SizeError(ValueError):
    """A size that can't be worked out."""


@dataclass(frozen=True, slots=True)
class _Draw:
    values: dict[str, int]
    errors: dict[str, str]


def draws(config: Config) -> tuple[Mapping[str, int], ...]:
    """The sizes of each verification run, by position in the lists; without those that can't be worked out."""
    return tuple(draw.values for draw in _draws(config) if not draw.errors)


def site_sizes(config: Config) -> Mapping[str, int]:
    """The sizes that pages show; those that can't be worked out are left out."""
    return _work_out(config.site.sizes).values


def faults(config: Config) -> tuple[Fault, ...]:
    """Faults `equal-sizes`: draws whose sizes are not pairwise distinct, or that can't be worked out."""
    return tuple(_faults(config))


def evaluate(expression: str, sizes: Mapping[str, int | str]) -> int:
    """An expression's value.

    Raises:
        SizeError: it holds anything but names of sizes, whole numbers, + - * // and brackets, or is not in
            1 .. MAX_SIZE.
    """
    return _Evaluator(sizes).expression(expression)


def _lengths(config: Config) -> dict[str, int]:
    return {name: len(size) for name, size in config.sizes.items() if not isinstance(size, str)}


def _draws(config: Config) -> list[_Draw]:
    lengths = _lengths(config)
    found = []
    for i in range(max(lengths.values(), default=1 if config.sizes else 0)):
        row: dict[str, int | str] = {}
        for name, size in config.sizes.items():
            row[name] = size if isinstance(size, str) else size[min(i, len(size) - 1)]
        found.append(_work_out(row))
    return found


def _work_out(sizes: Mapping[str, int | str]) -> _Draw:
    values: dict[str, int] = {}
    errors: dict[str, str] = {}
    for name in sizes:
        try:
            values[name] = _Evaluator(sizes).name(name)
        except SizeError as error:
            errors[name] = str(error)
    return _Draw(values, errors)


def _faults(config: Config) -> Iterator[Fault]:
    lengths = _lengths(config)
    longest = max(lengths.values(), default=0)
    for name, length in lengths.items():
        if length not in (1, longest):
            message = f"the size `{name}` has {length} draws, where others have {longest}"
            yield Fault("equal-sizes", message, _span(config, name), "give as many for each size, or one for all draws")
    seen: set[tuple[str, str]] = set()
    for number, draw in enumerate(_draws(config), 1):
        for name, message in draw.errors.items():
            if (name, message) not in seen:
                seen.add((name, message))
                yield Fault("equal-sizes", f"the size `{name}` can't be worked out: {message}", _span(config, name))
        yield from _equal(config, draw.values, number)
    for name, message in _work_out(config.site.sizes).errors.items():
        place = _span(config, name, "site", "sizes")
        yield Fault("equal-sizes", f"the size `{name}` of the site can't be worked out: {message}", place)


def _equal(config: Config, values: Mapping[str, int], number: int) -> Iterator[Fault]:
    first: dict[int, str] = {}
    for name, value in values.items():
        other = first.setdefault(value, name)
        if other != name:
            message = f"in draw {number} the sizes `{other}` and `{name}` are both {value}"
            hint = "equal sizes hide transposed axes: make all of them different"
            related = (Related(_span(config, other), f"`{other}`"),)
            yield Fault("equal-sizes", message, _span(config, name), hint, related)


def _span(config: Config, name: str, *table: str) -> Span:
    return Span(config.pyproject, config.line(*(table or ("sizes",)), name))


class _Evaluator:
    """Interprets expressions over names; nothing is compiled."""

    def __init__(self, sizes: Mapping[str, int | str]) -> None:
        self._sizes = sizes
        self._open: list[str] = []

    def name(self, name: str) -> int:
        if name in self._open:
            raise SizeError(f"it depends on itself ({' -> '.join([*self._open, name])})")
        if name not in self._sizes:
            raise SizeError(f"there is no size `{name}`")
        size = self._sizes[name]
        if isinstance(size, int):
            return self._bounded(size)
        if len(self._open) > 50:
            raise SizeError("it depends on too many others")
        self._open.append(name)
        value = self.expression(size)
        self._open.pop()
        return value

    def expression(self, text: str) -> int:
        if not _ALLOWED.fullmatch(text):
            raise SizeError(f"`{text[:60]}` may hold names, whole numbers, + - * // and brackets only")
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise SizeError(f"`{text}` can't be read") from None
        return self._bounded(self._value(tree.body))

    def _bounded(self, value: int) -> int:
        if not 1 <= value <= MAX_SIZE:
            raise SizeError(f"it is {value if abs(value) < 10**18 else 'huge'}, not from 1 to {MAX_SIZE:,}")
        return value

    def _value(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = self._value(node.left), self._value(node.right)
            if isinstance(node.op, ast.FloorDiv) and not right:
                raise SizeError("it divides by 0")
            return _OPERATORS[type(node.op)](left, right)
        raise SizeError("only names, whole numbers, + - * // and brackets are read")
