"""The functions of steps: their operands and options, as NumPy names them.

Operands are expressions; options (`axis`, `keepdims`) are written out. `Form` says what is done with the operands
before the function is called: most are arrays of numbers; counts and shapes are whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """What an operand is."""

    ARRAY = "array"
    ARRAYS = "arrays"  # a sequence of arrays
    WHOLE = "whole"  # a whole number, or an array of them
    SHAPE = "shape"  # a whole number or a sequence of them


class Kind(StrEnum):
    """What an option may be."""

    AXIS = "axis"  # a whole number
    AXES = "axes"  # a whole number, several in brackets, or None
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand."""

    name: str
    form: Form = Form.ARRAY
    required: bool = True


@dataclass(frozen=True, slots=True)
class Function:
    """One function; `method` says that arrays have it as a method too, its first operand the array itself."""

    name: str
    operands: tuple[Operand, ...]
    options: tuple[tuple[str, Kind], ...] = ()
    method: bool = False


def _function(name: str, operands: str, options: str = "", method: bool = False) -> Function:
    """A function from `a shape:shape k:whole?` (a `?` marks what may be left out) and `axis:axes keepdims:flag`."""
    found = []
    for each in operands.split():
        word, _, form = each.rstrip("?").partition(":")
        found.append(Operand(word, Form(form or "array"), not each.endswith("?")))
    kinds = ((word, Kind(kind)) for word, _, kind in (each.partition(":") for each in options.split()))
    return Function(name, tuple(found), tuple(kinds), method)


_ONE = (
    "exp expm1 log log1p log2 log10 sqrt square abs sign floor ceil trunc round sin cos tan tanh "
    "isfinite isnan isinf logical_not"
)
_REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all")
_TWO = "maximum minimum power mod logical_and logical_or logical_xor add subtract multiply divide equal"

_TABLE = (
    *(_function(name, "x", method=name == "round") for name in _ONE.split()),
    *(_function(name, "x1 x2") for name in _TWO.split()),
    *(_function(name, "a", "axis:axes keepdims:flag", True) for name in _REDUCTIONS),
    *(_function(name, "a ddof:whole?", "axis:axes keepdims:flag", True) for name in ("var", "std")),
    *(_function(name, "a", "axis:axis keepdims:flag", True) for name in ("argmax", "argmin")),
    *(_function(name, "a", "axis:axis", True) for name in ("cumsum", "cumprod", "argsort")),
    _function("count_nonzero", "a", "axis:axes keepdims:flag"),
    _function("sort", "a", "axis:axis"),
    _function("flip", "a", "axis:axes"),
    _function("where", "condition x y"),
    _function("clip", "a a_min? a_max?", method=True),
    _function("outer", "a b"),
    _function("dot", "a b", method=True),
    _function("matmul", "x1 x2"),
    _function("reshape", "a shape:shape", method=True),
    _function("transpose", "a axes:shape?", method=True),
    _function("swapaxes", "a axis1:whole axis2:whole", method=True),
    _function("ravel", "a", method=True),
    _function("squeeze", "a", "axis:axes", True),
    _function("expand_dims", "a", "axis:axes"),
    _function("broadcast_to", "a shape:shape"),
    _function("concatenate", "arrays:arrays", "axis:axis"),
    _function("stack", "arrays:arrays", "axis:axis"),
    _function("repeat", "a repeats:whole", "axis:axis", True),
    _function("tile", "a reps:shape"),
    _function("triu", "m k:whole?"),
    _function("tril", "m k:whole?"),
    _function("diag", "v k:whole?"),
    _function("trace", "a", method=True),
    _function("take", "a indices:whole", "axis:axis", True),
    _function("take_along_axis", "a indices:whole", "axis:axis"),
    _function("array", "a"),
    _function("zeros", "shape:shape"),
    _function("ones", "shape:shape"),
    _function("full", "shape:shape fill_value"),
    _function("zeros_like", "a"),
    _function("ones_like", "a"),
    _function("full_like", "a fill_value"),
    _function("eye", "N:whole M:whole? k:whole?"),
    _function("arange", "start stop? step?"),
    _function("linspace", "start stop num:whole"),
    # Not NumPy's names: what `len(x)`, `.astype(float)` and `.astype(bool)` are read as (`.astype(int)` is `trunc`).
    _function("length", "a"),
    _function("number", "a"),
    _function("truth", "a"),
)

FUNCTIONS = {function.name: function for function in _TABLE}
OWN = frozenset({"length", "number", "truth"})
# Functions of numbers: truth values count as 0 and 1 (NumPy would take exp of them in 16 bits, and refuse to subtract).
_NUMERIC = (
    "exp expm1 log log1p log2 log10 sqrt square abs sign floor ceil trunc round sin cos tan tanh maximum minimum power "
    "mod add subtract multiply divide sum mean prod var std max min cumsum cumprod clip outer dot matmul"
)
COUNTING = frozenset(_NUMERIC.split())

# Other spellings, by what NumPy calls them.
ALIASES = {"absolute": "abs", "amax": "max", "amin": "min", "asarray": "array", "flatten": "ravel", "remainder": "mod"}
# Python's own functions, by the number of their arguments.
BUILTINS = {("abs", 1): "abs", ("len", 1): "length", ("max", 2): "maximum", ("min", 2): "minimum"}
TYPES = {"float": "number", "int": "trunc", "bool": "truth"}
CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045, "inf": float("inf"), "nan": float("nan")}
