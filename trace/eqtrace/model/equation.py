"""Equations, each complete in itself: what its topic says for all of them is already merged in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.model.anchor import Anchor
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol


@dataclass(frozen=True, slots=True)
class IndexRange:
    """A half-open range of an index, both ends expressions over sizes and other indices."""

    start: Text | None  # None is 0
    stop: Text


@dataclass(frozen=True, slots=True)
class Given:
    """Another equation's form, taken as known here, with its symbols renamed."""

    equation: Text
    rename: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FunctionUse:
    """A function symbol: the left side of another equation, as a function of `args`; `latex` are its spellings."""

    equation: Text
    args: tuple[str, ...]
    latex: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A declared bound on abs(code - exact), with its reason."""

    atol: float
    rtol: float
    reason: str


@dataclass(frozen=True, slots=True)
class Ulps:
    """A declared bound on the error in units in the last place, with its reason."""

    maximum: float
    reason: str


@dataclass(frozen=True, slots=True)
class Gradient:
    """What a backward topic differentiates, and where its functions keep things.

    `wrt` maps inputs of the forward, and values on its way, to where their gradient is. `after` names the statement
    that makes a value on the way, where no anchor of the forward binds it by its own name.
    """

    forward: Text
    backward: Text
    cotangent: str
    cache: str | None
    wrt: Mapping[str, str]
    accumulates: str | None
    call: Text | None = None
    output: str | None = None
    after: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParameterStart:
    """One entry of `structure`: a parameter's shape and the kind of its starting values."""

    key: Text
    shape: tuple[Text, ...]
    start: Text


@dataclass(frozen=True, slots=True)
class LiteratureReference:
    """A place in a work of the literature file."""

    work: Text
    section: str = ""
    equation: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True)
class Equation:
    """One documented equation. `statements` are its form, as written; anchors name one of them by `part`."""

    id: str
    topic: str
    span: Span
    label: str = ""
    latex: Text | None = None
    statements: tuple[Text, ...] = ()
    where: Text | None = None
    derived: bool = False
    methods: tuple[str, ...] = ("value",)
    anchors: tuple[Anchor, ...] = ()
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    indices: Mapping[str, IndexRange] = field(default_factory=dict)
    let: Mapping[str, Text] = field(default_factory=dict)
    given: tuple[Given, ...] = ()
    functions: Mapping[str, FunctionUse] = field(default_factory=dict)
    order: tuple[Text, ...] = ()
    structure: tuple[ParameterStart, ...] = ()
    gradient: Gradient | None = None
    wrt: tuple[str, ...] = ()  # the entries of the gradient's `wrt` that this equation gives; () is worked out
    call: Text | None = None
    rejects: str | None = None
    tolerance: Tolerance | None = None
    ulps: Ulps | None = None
    states: Text | None = None  # short form: what has the docstring that states the formula
    states_holds: str = ""  # a part of that formula, where the docstring prints several
    gradient_of: Text | None = None  # short form: the function whose gradient the target is
    gradient_by: str = ""
    whole: bool = False  # short form: the whole function is the statement
    defaults: Mapping[str, str] = field(default_factory=dict)  # short form: parameters that keep theirs, as written
