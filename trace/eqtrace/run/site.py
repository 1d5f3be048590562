"""What to capture: a cited statement, and the expressions that are read before and after it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.code.bind import parse_right, turn_of

FOLLOWED = "followed"  # the role of a whole function of which only the order of its calls is recorded


@dataclass(frozen=True, slots=True)
class Site:
    """One cited statement (of a compound statement its header), or a whole function.

    Lines and columns count from 1, columns in characters. `inputs` maps symbols to expressions that are read before the
    statement, `outputs` symbols to left sides. A site without outputs is only counted. A whole site stands at its `def`
    (or at the assignment of a lambda); its outputs are `result`, `result[i]`, or expressions read at return.
    """

    anchor: str
    path: str
    file: str  # absolute
    line: int
    column: int
    end_line: int
    end_column: int
    function: str = ""
    role: str = "computes"
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False
    elsewhere: tuple[float, ...] = ()  # numbers that functions which it calls compare with or cut at

    @property
    def collects(self) -> frozenset[str]:
        """The names of which it reads the values that they had in each turn of a loop."""
        turns = filter(None, (turn_of(parse_right(text)) for text in self.inputs.values() if text.startswith("[")))
        return frozenset(node.id for turn in turns for node in ast.walk(turn) if isinstance(node, ast.Name))
