"""Worked examples: what a topic states, and what came of working it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from eqtrace.model.equation import Gradient
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol

Scalar = float | int | bool | str | None
SEED = 42  # of the generator that examples and stored runs get, where no input is called `seed`
SEED_NAME = "seed"
UNIFORM_NAME = "uniform"  # an input called so is the first number that the generator draws


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its label, and a NumPy expression over inputs and earlier steps."""

    name: Text
    code: Text


@dataclass(frozen=True, slots=True)
class Example:
    """A topic's example. Inputs are numbers, texts, or nested tuples of them, as written.

    `topic_call`, `gradient` and `where` are what the topic (or its first equation that has one) says of its functions.
    """

    kind: str  # editable | steps | differences | stored
    span: Span
    source: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, Span] = field(default_factory=dict)  # of the inputs' names
    steps: tuple[Step, ...] = ()
    equals: Text | None = None  # 'path.py::qualname'
    run: Text | None = None  # a scenario
    call: Text | None = None
    gives: Mapping[str, Text] = field(default_factory=dict)  # label to its place in what the call gave
    topic_call: Text | None = None
    gradient: Gradient | None = None
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    where: tuple[Text, ...] = ()  # what the topic's equations need

    def symbol(self, name: str, function: str) -> Symbol | None:
        """The symbol of an input: of its name, or called so in the code of `function` (`eps` for `self.eps`)."""
        found = self.symbols.get(name)
        if found is not None:
            return found
        return next(
            (each for each in self.symbols.values() if each.code_name(function) in (name, f"self.{name}")), None
        )


@dataclass(frozen=True, slots=True)
class Value:
    """An array (or a scalar, of shape `()`), its entries row by row."""

    shape: tuple[int, ...]
    entries: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class StepValue:
    """What a step gave."""

    label: str
    value: Value


@dataclass(frozen=True, slots=True)
class Compared:
    """A step held against the code: what the code gave, and the largest gap, relative to the largest entry."""

    label: str
    part: str  # where it stands in what the call gave: 'result', 'result[0]'
    value: Value
    gap: float | None  # None where the two can't be subtracted
    agrees: bool


@dataclass(frozen=True, slots=True)
class Differenced:
    """A gradient held against central differences, the gap relative to the gradient's largest entry."""

    label: str
    by: str  # the input that it is the gradient by
    value: Value
    gap: float
    agrees: bool


@dataclass(frozen=True, slots=True)
class Edits:
    """Random edits of the inputs of an editable example, each held against the code as the start values are.

    Attributes:
        tried: how many edits the code took; all of them agree.
        gap: the largest, relative to the largest entry of its array.
        refused: how many more the code did not take.
        sizes: axes (input, number of the axis) that can grow and shrink, those of one size together.
    """

    tried: int
    gap: float
    refused: int = 0
    sizes: tuple[tuple[tuple[str, int], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a stored run, and the sizes that the run looked up."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Scalar, ...], ...]
    sizes: tuple[tuple[str, int], ...] = ()


class Outcome(StrEnum):
    """What came of an example."""

    AGREES = "agrees"  # with the code, and with central differences
    DIFFERS = "differs"
    SHOWN = "shown"  # worked out, and compared with nothing
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """The result of one unit of work, an example."""

    topic: str
    outcome: Outcome
    steps: tuple[StepValue, ...] = ()
    compared: tuple[Compared, ...] = ()
    differences: tuple[Differenced, ...] = ()
    edits: Edits | None = None
    table: Table | None = None
    call: str = ""  # how the code was called, as text
    faults: tuple[Fault, ...] = ()
    seconds: float = 0.0
