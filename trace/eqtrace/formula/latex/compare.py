"""An equation's LaTeX read back and held against its form."""

from __future__ import annotations

from collections.abc import Callable, Collection

from eqtrace.formula.form import Form
from eqtrace.formula.latex.align import claimed
from eqtrace.formula.latex.arrays import ZERO, Arrays
from eqtrace.formula.latex.canon import Canon, TooLarge
from eqtrace.formula.latex.cursor import Reading
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.matching import Matching
from eqtrace.formula.latex.names import Names, Role, names_of
from eqtrace.formula.latex.pairs import (
    Comparison,
    Pair,
)
from eqtrace.formula.latex.rows import read
from eqtrace.formula.latex.statements import said_by
from eqtrace.formula.latex.tokens import Kind
from eqtrace.formula.term import (
    Eq,
    Indexed,
    Name,
    Number,
    Term,
    symbol_names,
    walk,
)
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack, Readback

__all__ = ["Comparison", "Pair", "concluded", "read_back", "reading_of"]


def read_back(equation: Equation, form: Form) -> tuple[Readback, Comparison | None]:
    """Read an equation's LaTeX and compare what can be compared by the cheap normal form.

    Pairs that it leaves open are in the comparison: see `settle`.
    """
    assert equation.latex is not None
    text = equation.latex.value
    return concluded(equation.id, form, len(text), lambda: _comparison(equation, form, text))


def concluded(
    name: str, form: Form, length: int, compared: Callable[[], Comparison]
) -> tuple[Readback, Comparison | None]:
    """What came of a comparison that `compared` makes of so many characters, and what is open in it."""
    try:
        comparison = compared()
    except Misfit as error:
        return Readback(name, ReadBack.DIFFERS, "", error.message, error.offset, error.length), None
    except Unread as error:
        return Readback(name, ReadBack.NOT_READ, "", error.message, error.offset, error.length), None
    except RecursionError:
        return Readback(name, ReadBack.NOT_READ, "", "nested too deep", 0, length), None
    notes = "; ".join(comparison.notes)
    more = tuple(part.text.value for number, part in enumerate(form.parts) if number not in comparison.met)
    if comparison.differs is not None:
        message, offset, extent = comparison.differs
        return Readback(name, ReadBack.DIFFERS, "", message, offset, extent, more=more), None
    open_ = [pair for pair in comparison.pairs if not _alike(pair)]
    if open_:
        comparison.pairs = open_
        return Readback(name, ReadBack.NOT_COMPARED, "", notes, more=more), comparison
    return Readback(name, ReadBack.AGREES, "proof", notes, more=more), None


def _alike(pair: Pair) -> bool:
    """Whether the normal forms are the same."""
    canon = Canon(pair.ranges)
    try:
        key = canon.key(pair.latex)
    except (TooLarge, RecursionError):
        return False
    for each in pair.forms:
        try:
            if canon.key(each) == key:
                return True
        except (TooLarge, RecursionError):
            continue
    return False


def reading_of(equation: Equation, form: Form, lefts: set[str], keys: Collection[str]) -> Reading:
    """What the reader of an equation knows."""
    names = names_of(equation, form, keys)
    arrays = Arrays(_same(form))
    lengths = {name: ends.stop for name, ends in form.indices.items() if ends.start == ZERO}
    return Reading(names, form, arrays, lengths, set(form.indices), _step(names, form), lefts=lefts)


def _step(names: Names, form: Form) -> str:
    """The symbol that counts steps: an integer without axes, `t`, that the form never puts into a subscript."""
    declared = names.declared.get("t")
    if declared is None or declared.role is not Role.SYMBOL or declared.dims != ():
        return ""
    inside = {
        name
        for part in form.parts
        for node in walk(part.statement)
        if isinstance(node, Indexed)
        for sub in node.subscripts
        for name in symbol_names(sub)
    }
    return "" if "t" in inside else "t"


def _same(form: Form) -> Callable[[Term, Term], bool | None]:
    """Whether two lengths are one: None where they are neither alike nor two different sizes."""
    canon = Canon({})
    equal = {
        frozenset(map(canon.key, condition.sides)): True
        for condition in form.where
        if isinstance(condition, Eq) and len(condition.sides) == 2
    }
    tied = [set(symbol_names(condition)) for condition in form.where if isinstance(condition, Eq)]

    def same(one: Term, other: Term) -> bool | None:
        first, second = canon.key(one), canon.key(other)
        if first == second or frozenset((first, second)) in equal:
            return True
        plain = all(isinstance(each, Name | Number) for each in (one, other))
        together = {*symbol_names(one), *symbol_names(other)}
        return False if plain and not any(together <= names for names in tied) else None

    return same


def _comparison(equation: Equation, form: Form, text: str) -> Comparison:
    claims = claimed(form)
    lefts = {name for part in range(len(form.parts)) for name in form.left(part)}
    found = read(text)
    reading = reading_of(equation, form, lefts, {token.key for token in found})
    while found and found[-1].kind is Kind.GAP:
        found = found[:-1]
    said = said_by(reading, found)
    return Matching(equation, form, claims, reading, said).compared()
