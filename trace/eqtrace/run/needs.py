"""What a unit's result rests on: nothing that is not named here may change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from eqtrace.model.example import ExampleResult
from eqtrace.model.finding import Fault
from eqtrace.model.verdict import MethodResult
from eqtrace.run.marks import Place
from eqtrace.run.work import Unit

EVERY = "*"
CALLS = "calls"  # stands among anchors for the order in which followed functions were called
BETWEEN = "\n"  # the anchors of a name that stands for their order
Runs = Mapping[str, str]  # by anchor: a hash of what the scenarios gave there


@dataclass(slots=True)
class Needs:
    """Names of what a result rests on. Files are absolute; `EVERY` among names means all of them."""

    functions: set[Place] = field(default_factory=set)
    modules: set[tuple[str, str, bool]] = field(default_factory=set)  # name, file, whether its functions are marked
    equations: set[str] = field(default_factory=set)
    examples: set[str] = field(default_factory=set)  # by topic
    sites: set[str] = field(default_factory=set)
    cited: set[tuple[str, str]] = field(default_factory=set)  # file and function: which of its statements are cited
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)  # files and folders of which it was asked whether they are there
    variables: set[str] = field(default_factory=set)  # of the environment
    places: set[str] = field(default_factory=set)  # where a module would be found: its file without an ending
    runs: dict[str, str] = field(default_factory=dict)  # by anchor: a hash of what the scenarios gave there
    unknowable: str = ""  # why the result may rest on something else

    def add(self, other: Needs) -> None:
        """Takes over another's."""
        for each in fields(self):
            if each.name != "unknowable":
                getattr(self, each.name).update(getattr(other, each.name))
        self.unknowable = self.unknowable or other.unknowable


@dataclass(frozen=True, slots=True)
class KeptProof:
    """A proof as JSON data (see `proofs`), and the equations that it was made of."""

    data: Mapping[str, Any]
    equations: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """What may hold still: for units of which results are kept what the scenarios must give, and proofs."""

    kept: Mapping[Unit, tuple[Runs, ...]] = field(default_factory=dict)
    proofs: Mapping[Unit, KeptProof] = field(default_factory=dict)
    looks: bool = True  # whether some units look at what scenarios give


@dataclass(frozen=True, slots=True)
class Answer:
    """A unit's result, or the number of the kept one that holds; what it rests on, and what the scenarios rest on.

    A kept one says nothing of scenarios that fail now and give what they gave at its lines: they are in `faults`.
    """

    result: MethodResult | ExampleResult | None
    kept: int
    needs: Needs
    scenarios: Needs | None
    faults: tuple[Fault, ...] = ()
    proof: KeptProof | None = None  # a new one
