"""Steps evaluated in float64, by walking their trees.

Numbers are float64 throughout, so that every back end gives the same; where a whole number is wanted (indices, shapes,
counts) a float that is whole is one. No array may grow past `arrays.LARGEST` entries.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eqtrace.formula.steps.functions import COUNTING, FUNCTIONS, Form
from eqtrace.formula.steps.tree import (
    Attribute,
    Binary,
    Call,
    Constant,
    Index,
    Name,
    NewAxis,
    Node,
    Rest,
    Sequence,
    Slice,
    Unary,
)
from eqtrace.run.example.arrays import LARGEST, Array, NotAnArray, as_array

_UNARY: dict[str, Callable[[Any], Any]] = {"-": np.negative, "+": np.positive, "~": np.logical_not}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "**": np.power,
    "@": np.matmul,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "&": np.logical_and,
    "|": np.logical_or,
    "^": np.logical_xor,
}
_SPREADING = frozenset(["where", "clip"]) | {
    name for name, function in FUNCTIONS.items() if {each.name for each in function.operands} == {"x1", "x2"}
} - {"matmul"}
_PRODUCTS = frozenset({"@", "matmul", "dot"})
_STABLE = frozenset({"argsort", "sort"})


class StepError(Exception):
    """A step that cannot be worked out: why, and at which characters of its text."""

    def __init__(self, message: str, node: Node) -> None:
        super().__init__(message)
        self.message = message
        self.offset, self.length = node.offset, node.length


def evaluate(node: Node, values: Mapping[str, Any]) -> Array:
    """The value of a step over the values of inputs and earlier steps.

    Raises:
        StepError: it has none.
    """
    with np.errstate(all="ignore"):
        return _Walk(values).value(node)


class _Walk:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def value(self, node: Node) -> Array:
        """The value of a part, as an array."""
        try:
            return as_array(self._evaluate(node))
        except StepError:
            raise
        except NotAnArray as error:
            raise StepError(str(error), node) from error
        except (ArithmeticError, TypeError, ValueError, IndexError, MemoryError) as error:
            raise StepError(str(error).strip() or type(error).__name__, node) from error

    def _evaluate(self, node: Node) -> Any:
        match node:
            case Constant(value=value):
                return value
            case Name(name=name):
                if name not in self._values:
                    raise StepError(f"`{name}` has no value", node)
                return self._values[name]
            case Unary(op=op, operand=operand):
                found = self.value(operand)
                return _UNARY[op](found if op == "~" else _number(found))
            case Binary(op=op, left=left, right=right):
                return self._binary(node, op, self.value(left), self.value(right))
            case Attribute(name=name, value=value):
                return getattr(self.value(value), name)
            case Index(value=value, parts=parts):
                array = self.value(value)
                index = tuple(self._part(part) for part in parts)
                _bound(node, _picked(array, index))
                return array[index]
            case Sequence(items=items):
                return [self.value(item) for item in items]
            case Call():
                return self._call(node)
        raise StepError("this stands among indices only", node)

    def _binary(self, node: Node, op: str, left: Array, right: Array) -> Any:
        if op in _PRODUCTS:
            _bound(node, _product_size(left, right))
            return np.matmul(_number(left), _number(right))
        _bound(node, math.prod(np.broadcast_shapes(left.shape, right.shape)))
        if op in ("==", "!="):
            return _BINARY[op](left, right)
        conditions = op in "&|^"
        return _BINARY[op](left if conditions else _number(left), right if conditions else _number(right))

    def _part(self, node: Node) -> Any:
        match node:
            case NewAxis():
                return None
            case Rest():
                return ...
            case Slice(start=start, stop=stop, step=step):
                return slice(*(None if each is None else self._whole(each) for each in (start, stop, step)))
        array = self.value(node)
        if array.dtype.kind == "b":
            return array
        whole = _whole(array, node)
        return int(whole) if whole.ndim == 0 else whole

    def _whole(self, node: Node) -> int:
        array = _whole(self.value(node), node)
        if array.ndim:
            raise StepError("a single whole number is wanted", node)
        return int(array)

    # Calls

    def _call(self, node: Call) -> Any:
        function = FUNCTIONS[node.function]
        given = [
            None if each is None else self._operand(operand.form, each)
            for operand, each in zip(function.operands, node.operands, strict=True)
        ]
        if node.function in COUNTING:
            given = [_number(each) if isinstance(each, np.ndarray) else each for each in given]
        _bound(node, _expected(node.function, given))
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(*given)
        options: dict[str, Any] = dict(node.options)
        if node.function in _STABLE:
            options["kind"] = "stable"
        optional = {
            operand.name: value
            for operand, value in zip(function.operands, given, strict=True)
            if not operand.required and value is not None
        }
        required = [value for operand, value in zip(function.operands, given, strict=True) if operand.required]
        return getattr(np, node.function)(*required, **optional, **options)

    def _operand(self, form: Form, node: Node) -> Any:
        if form is Form.ARRAYS and isinstance(node, Sequence):
            arrays = [self.value(item) for item in node.items]
            _bound(node, sum(array.size for array in arrays))
            return arrays
        array = self.value(node)
        if form is Form.ARRAY:
            return array
        whole = _whole(array, node)
        if form is Form.SHAPE:
            if whole.ndim > 1 or whole.size > 8:
                raise StepError("a shape is a whole number, or a few of them", node)
            return tuple(int(each) for each in whole.ravel())
        return int(whole) if whole.ndim == 0 else whole


def _arange(start: Array, stop: Array | None, step: Array | None) -> Array:
    if stop is None:
        return np.arange(float(start))
    return np.arange(float(start), float(stop), 1.0 if step is None else float(step))


def _eye(rows: int, columns: int | None, k: int | None) -> Array:
    return np.eye(rows, rows if columns is None else columns, k or 0)


def _clip(a: Array, low: Array | None, high: Array | None) -> Array:
    if low is not None:
        a = np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


_SPECIAL: dict[str, Callable[..., Any]] = {
    "arange": _arange,
    "linspace": lambda start, stop, num: np.linspace(float(start), float(stop), num),
    "eye": _eye,
    "clip": _clip,
    "full": lambda shape, value: np.full(shape, value),
    "length": len,
    "array": lambda a: a,
    "number": lambda a: a.astype(np.float64),
    "truth": lambda a: a.astype(bool),
    "dot": lambda a, b: np.matmul(a, b) if a.ndim and b.ndim else a * b,
}


def _number(array: Array) -> Array:
    """Truth values as 0 and 1, as they count in arithmetic."""
    return array.astype(np.float64) if array.dtype.kind == "b" else array


def _whole(array: Array, node: Node) -> Array:
    if array.dtype.kind not in "fb" or not np.all(np.floor(array) == array) or not np.all(np.abs(array) < 2**53):
        raise StepError("a whole number is wanted here", node)
    return array.astype(np.int64)


def _bound(node: Node, size: int) -> None:
    """Refuses an array before it is made."""
    if size > LARGEST:
        raise StepError(f"an array of {size:,} entries; {LARGEST:,} are allowed", node)


def _picked(array: Array, index: tuple[Any, ...]) -> int:
    """How many entries an index picks at most."""
    arrays = [each for each in index if isinstance(each, np.ndarray) and each.dtype.kind != "b"]
    if not arrays:
        return 0  # slices and masks pick each entry once
    used = sum(each.ndim if isinstance(each, np.ndarray) and each.dtype.kind == "b" else 1 for each in _axes(index))
    rest = array.ndim - used
    left = list(array.shape)
    kept: list[int] = []
    for each in index if any(each is ... for each in index) else (*index, ...):
        if each is ...:
            kept += left[: max(rest, 0)]
            del left[: max(rest, 0)]
        elif each is not None:
            taken = left[: each.ndim] if isinstance(each, np.ndarray) and each.dtype.kind == "b" else left[:1]
            del left[: len(taken)]
            kept += taken if isinstance(each, slice) else []
    return math.prod((*kept, *np.broadcast_shapes(*(each.shape for each in arrays))))


def _axes(index: tuple[Any, ...]) -> list[Any]:
    return [each for each in index if each is not None and each is not ...]


def _product_size(left: Array, right: Array) -> int:
    if not left.ndim or not right.ndim:
        return 0  # refused by NumPy
    rows, columns = left.shape[-2:-1], right.shape[-1:] if right.ndim > 1 else ()
    return math.prod((*np.broadcast_shapes(left.shape[:-2], right.shape[:-2]), *rows, *columns))


def _expected(name: str, given: list[Any]) -> int:
    """How many entries the result of a function will have, where that may be more than its operands have."""
    shapes = [each.shape for each in given if isinstance(each, np.ndarray)]
    if name in _SPREADING:
        return math.prod(np.broadcast_shapes(*shapes))
    if name in _PRODUCTS:
        return _product_size(given[0], given[1])
    if name == "outer":
        return int(given[0].size * given[1].size)
    if name in ("zeros", "ones", "full"):
        return _product(given[0])
    if name == "broadcast_to":
        return _product(given[1])
    if name == "eye":
        return _product((given[0], given[0] if given[1] is None else given[1]))
    if name == "linspace":
        return abs(int(given[2]))
    if name == "arange":
        return _steps(*(None if each is None else float(each) for each in given))
    if name == "tile":
        return int(given[0].size) * _product(given[1])
    if name == "repeat":
        counts = np.abs(np.asarray(given[1], dtype=np.float64))
        return int(given[0].size * counts) if counts.ndim == 0 else int(given[0].size * counts.max(initial=0.0))
    if name in ("triu", "tril") and len(shapes[0]) == 1:
        return int(shapes[0][0] ** 2)
    if name == "diag":
        return int((max(shapes[0]) + abs(given[1] or 0)) ** 2) if shapes[0] else 0
    return 0


def _product(lengths: Any) -> int:
    return math.prod(max(int(each), 0) for each in lengths)


def _steps(start: float | None, stop: float | None, step: float | None) -> int:
    first, last = (0.0, start) if stop is None else (start, stop)
    count = ((last or 0.0) - (first or 0.0)) / (1.0 if step is None else step) if step != 0 else math.inf
    return LARGEST + 1 if not math.isfinite(count) or count > LARGEST else 0
