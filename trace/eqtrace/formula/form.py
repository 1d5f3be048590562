"""Forms: the statically checked reading of an equation's statements, conditions, helpers and index ranges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eqtrace.formula.claims import claims, free_names, index_names, left_names, left_sides, right_sides
from eqtrace.formula.term import Condition, Eq, Indexed, Node, Statement, Term, symbol_names
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.span import Text

if TYPE_CHECKING:
    from eqtrace.formula.compose import Function

RESULT = "result"  # the left side that a bare term of the short form has


@dataclass(frozen=True, slots=True)
class Range:
    """A half-open range of an index."""

    start: Term
    stop: Term


@dataclass(frozen=True, slots=True)
class Shape:
    """The dimensions of a symbol; `batch` where any axes may stand in front of them."""

    batch: bool
    dims: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a form. In `statement` the helpers are put in, and a bare term has its left side."""

    text: Text
    statement: Statement


@dataclass(frozen=True, eq=False)
class Form:
    """An equation's form. Forms are compared and hashed by identity, so that what is worked out for one can be kept."""

    equation: str
    parts: tuple[Part, ...]
    where: tuple[Condition, ...] = ()
    indices: Mapping[str, Range] = field(default_factory=dict)
    shapes: Mapping[str, Shape | None] = field(default_factory=dict)  # of every symbol; None is not declared
    sizes: frozenset[str] = frozenset()
    functions: dict[str, Function] = field(default_factory=dict)  # put in once every form is read (formula.compose)
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}

    def kept(self, key: Any) -> Any:
        """What an evaluator worked out for this form before, by its key."""
        return self._kept.get(key)

    def keep(self, key: Any, value: Any) -> None:
        """Keep what an evaluator worked out; it is dropped when the form is pickled."""
        self._kept[key] = value

    def statement(self, part: int = 0) -> Statement:
        """A statement, helpers put in."""
        return self.parts[part].statement

    def equations(self, part: int = 0) -> tuple[Eq, ...]:
        """Every equation claimed by a statement: those joined by And and concluded by Implies too."""
        return tuple(claim for claim, _ in claims(self.statement(part)) if isinstance(claim, Eq))

    def left(self, part: int = 0) -> tuple[str, ...]:
        """The symbols that stand on a left side, in the order of the text.

        Of a left side that is a symbol's entry that symbol alone; of any other left side every symbol in it.
        """
        names: dict[str, None] = {}
        for claim, _ in claims(self.statement(part)):
            for side in left_sides(claim):
                names.update(dict.fromkeys(left_names(side)))
        return tuple(name for name in names if name in self.shapes)

    def needed(self, part: int = 0) -> tuple[str, ...]:
        """The symbols whose values the right sides, subscripts and conditions need; `Old(x)` for a value before."""
        names: dict[str, None] = {}
        for claim, premises in claims(self.statement(part)):
            nodes: list[Node] = [*premises, *right_sides(claim)]
            for side in left_sides(claim):
                nodes += side.subscripts if isinstance(side, Indexed) else ()
            for node in nodes:
                names.update(dict.fromkeys(symbol_names(node)))
        for name in self.used_indices(part):
            for end in (self.indices[name].start, self.indices[name].stop):
                names.update(dict.fromkeys(symbol_names(end)))
        return tuple(name for name in names if name.removeprefix("Old(").removesuffix(")") in self.shapes)

    def used_indices(self, part: int = 0) -> tuple[str, ...]:
        """The indices whose own range the statement or a range in it uses."""
        found: dict[str, None] = {}
        queue = [*index_names(self.statement(part), self.indices)]
        while queue:
            name = queue.pop(0)
            if name not in found:
                found[name] = None
                ends = self.indices[name]
                queue += [*index_names(ends.start, self.indices), *index_names(ends.stop, self.indices)]
        return tuple(found)

    def free_indices(self, part: int = 0) -> tuple[str, ...]:
        """The free indices of a statement: those of its left sides first, in the order of the text."""
        found: dict[str, None] = {}
        for claim, _ in claims(self.statement(part)):
            for side in left_sides(claim):
                found.update(dict.fromkeys(free_names(side, self.indices)))
        found.update(dict.fromkeys(free_names(self.statement(part), self.indices)))
        return tuple(found)

    def narrows(self) -> tuple[Condition, ...]:
        """The conditions of `where` that narrow free indices: those that name indices, and no symbol but sizes."""
        return tuple(condition for condition in self.where if self._is_narrowing(condition))

    def requirements(self) -> tuple[Condition, ...]:
        """The conditions of `where` that the values must meet, for all indices in them."""
        return tuple(condition for condition in self.where if not self._is_narrowing(condition))

    def _is_narrowing(self, condition: Condition) -> bool:
        names = set(symbol_names(condition))
        return bool(names & set(self.indices)) and all(name in self.indices or name in self.sizes for name in names)

    def undefined(self, part: int, sizes: Mapping[str, int], values: Mapping[str, object] | None = None) -> str:
        """Why a statement's left sides don't define each entry of their symbols once at these sizes; '' if they do.

        `values` are those of symbols that stand in subscripts or ranges.
        """
        from eqtrace.formula.entries import undefined

        return undefined(self, part, sizes, values or {})


def read(
    equation: Equation, parameters: tuple[str, ...] | None = None, sizes: Collection[str] = ()
) -> tuple[Form | None, tuple[Fault, ...]]:
    """An equation's form and every fault of its text; None where a fault keeps it from being a form.

    `parameters` are the names of the target's parameters (short form; None accepts any name there), `sizes` the names
    of sizes beside those in the symbols' shapes.
    """
    from eqtrace.formula.reading import Reading

    return Reading(equation, parameters, sizes).form()
