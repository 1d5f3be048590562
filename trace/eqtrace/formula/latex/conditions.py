"""Conditions, and what depends on them: cases, indicators, counts."""

from __future__ import annotations

from collections.abc import Callable

from eqtrace.formula.latex.arrays import ONE, ZERO, Value, term_of
from eqtrace.formula.latex.cursor import RELATIONS, Cursor, Run, keys_of, outer, split, unspaced
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.tokens import Token
from eqtrace.formula.term import (
    And,
    Branch,
    Compare,
    Condition,
    Eq,
    Name,
    Node,
    Piecewise,
    Truth,
)

UNDEFINED = "undefined"  # the value where no case holds; nothing can be declared under it and stand in LaTeX


class Conditions(Cursor):
    """Reads conditions."""

    def cases(self) -> Value:
        """An environment of cases."""
        opening = self.take()
        braced = opening.key == "\\{"  # `\left\{ \begin{array}{ll} ... \end{array} \right.`
        opening = self.take() if braced else opening
        name = "".join(keys_of(self.group()))
        if name not in (("array", "aligned", "matrix") if braced else ("cases", "dcases")):
            raise Unread("an environment that is none of cases", opening.offset)
        if name == "array":
            self.group()
        rows = self._rows(opening, name)
        branches: list[tuple[Value, Value | None]] = []
        for row in rows:
            cells = split(row, ("&",))
            if len(cells) != 2:
                raise Unread("a case is a value and a condition", opening.offset)
            branches.append((self.inner(cells[0]), self._case(cells[1])))
        if len(rows) == 2 and _complete(*(split(row, ("&",))[1] for row in rows)):
            branches[1] = (branches[1][0], None)
        return self._piecewise(branches)

    def _rows(self, opening: Token, name: str) -> list[Run]:
        """The rows of an environment that was opened; its end is taken too."""
        depth, first = 1, self.place
        while self.key:
            token = self.take()
            depth += (token.key == "\\begin") - (token.key == "\\end")
            if not depth:
                body = self.run[first : self.place - 1]
                if keys_of(self.group()) != (*name,):
                    raise Unread("an environment that ends as another one", token.offset)
                head, *others = split(body, ("\\\\",))
                return [row for row in (head, *map(unspaced, others)) if row]
        raise Unread("an environment that is not closed", opening.offset)

    def _case(self, found: Run) -> Value | None:
        """A case's condition; None for `otherwise`."""
        if len(found) == 1 and found[0].key == '"otherwise"':
            return None
        if found and found[0].key in ('"if"', '"for"', '"where"', '"when"'):
            found = found[1:]
        return self.condition(found)

    def _piecewise(self, branches: list[tuple[Value, Value | None]]) -> Value:
        """Cases; where they don't end in `otherwise`, nothing is said elsewhere."""
        last = branches[-1][1]
        if any(holds is None for _, holds in branches[:-1]):
            raise self.unread("otherwise stands last")
        value: Value | None = None
        if last is None:
            value = branches.pop()[0]
        for one, holds in reversed(branches):
            assert holds is not None
            value = self._branch(one, holds, value)
        assert value is not None
        return value

    def _branch(self, one: Value, holds: Value, rest: Value | None) -> Value:
        first = self.arrays.pairs(_case_of, one, holds, "a case")
        if rest is None:
            return self.arrays.each(_only, first)
        return self.arrays.pairs(_joined, first, rest, "a case")

    def conditions(self, found: Run) -> Condition:
        """A condition without axes."""
        value = self.condition(found)
        if value.dims or value.batch:
            raise self.unread("a condition on arrays")
        node = value.entry((), ())
        assert isinstance(node, Condition)
        return node

    def condition(self, found: Run) -> Value:
        """A chain of comparisons; commas join conditions."""
        parts = [self._comparison(piece) for piece in split(found, (",",))]
        value = parts[0]
        for other in parts[1:]:
            value = self.arrays.pairs(_both, value, other, "conditions")
        return value

    def _comparison(self, found: Run) -> Value:
        sides = split(found, tuple(RELATIONS))
        signs = [RELATIONS[token.key] for token in outer(found) if token.key in RELATIONS]
        if len(sides) < 2:
            raise Unread("a condition is needed here", found[0].offset if found else self.here())
        values = [self.inner(side) for side in sides]
        parts = [
            self.arrays.pairs(_compared(sign), one, other, "a comparison")
            for one, other, sign in zip(values, values[1:], signs, strict=False)
        ]
        value = parts[0]
        for other in parts[1:]:
            value = self.arrays.pairs(_both, value, other, "comparisons")
        return value


_NEGATED = {"<": "\\ge", ">": "\\le", "\\le": ">", "\\ge": "<", "=": "\\ne", "\\ne": "="}


def _complete(first: Run, second: Run) -> bool:
    """Whether the second of two conditions is the first's negation: the same sides, the other relation."""
    signs = [[token for token in outer(found) if token.key in RELATIONS] for found in (first, second)]
    if any(len(each) != 1 for each in signs):
        return False
    sides = [[keys_of(side) for side in split(found, tuple(RELATIONS))] for found in (first, second)]
    return sides[0] == sides[1] and _NEGATED[signs[0][0].key] == signs[1][0].key


def _case_of(value: Node, holds: Node) -> Node:
    assert isinstance(holds, Condition)
    return Branch(term_of(value), holds)


def _only(node: Node) -> Node:
    """The last case: elsewhere there is a value that nothing else has."""
    assert isinstance(node, Branch)
    return Piecewise((node, Branch(Name(UNDEFINED), Truth(True))))


def _joined(node: Node, rest: Node) -> Node:
    assert isinstance(node, Branch)
    if isinstance(rest, Piecewise):
        return Piecewise((node, *rest.branches))
    return Piecewise((node, Branch(term_of(rest), Truth(True))))


def _both(one: Node, other: Node) -> Node:
    assert isinstance(one, Condition)
    assert isinstance(other, Condition)
    return And((one, other))


def _compared(sign: str) -> Callable[[Node, Node], Node]:
    def make(a: Node, b: Node) -> Node:
        return Eq((term_of(a), term_of(b))) if sign == "=" else Compare(sign, term_of(a), term_of(b))

    return make


def indicator(node: Node) -> Node:
    """1 where a condition holds, else 0."""
    assert isinstance(node, Condition)
    return Piecewise((Branch(ONE, node), Branch(ZERO, Truth(True))))
