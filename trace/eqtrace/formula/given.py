"""What a statement stands on: the definitions that it takes from other equations, domains, conditions, index ranges.

Forms of other equations come in with their symbols renamed as `given` says, their sizes as the shapes then demand, and
every index of a Sum with its range written out, so that one set of names holds for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from eqtrace.formula.claims import claims, free_names
from eqtrace.formula.form import Form, Range
from eqtrace.formula.parse import parse_term
from eqtrace.formula.shape import declared
from eqtrace.formula.term import (
    Add,
    Condition,
    Distributed,
    Eq,
    ForAll,
    Indexed,
    Mul,
    Name,
    Node,
    Number,
    Old,
    Reduction,
    String,
    Term,
    rebuilt,
    symbol_names,
    walk,
)
from eqtrace.model.equation import Equation
from eqtrace.model.span import Text
from eqtrace.model.symbol import Domain, Symbol


@dataclass(frozen=True, slots=True)
class Definition:
    """What every entry of a symbol is; `law` instead of `body` where it is random."""

    symbol: str
    pattern: tuple[Term, ...]
    indices: Mapping[str, Range]
    body: Term | None
    law: Distributed | None
    source: str  # the equation


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values that a symbol may take, read."""

    first: Term | None = None
    last: Term | None = None
    open: frozenset[str] = frozenset()
    integer: bool = False
    one_of: tuple[float, ...] = ()
    probabilities: bool = False
    permutation: bool = False
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that holds, for all values of the indices in it."""

    condition: Condition
    indices: Mapping[str, Range]


@dataclass
class Problem:
    """Everything that statements stand on."""

    dims: set[str] = field(default_factory=set)  # names in the shapes of symbols
    named: set[str] = field(default_factory=set)  # sizes that the configuration names
    indices: dict[str, Range] = field(default_factory=dict)
    shapes: dict[str, tuple[Term, ...] | None] = field(default_factory=dict)
    bounds: dict[str, Bounds] = field(default_factory=dict)
    where: list[Requirement] = field(default_factory=list)
    definitions: dict[str, Definition] = field(default_factory=dict)
    opaque: dict[str, frozenset[str]] = field(default_factory=dict)  # by symbol, what it depends on, nobody says how
    faults: list[str] = field(default_factory=list)

    @property
    def sizes(self) -> set[str]:
        """The names of sizes; a symbol that stands in no shape is none, whatever the configuration calls a size."""
        return self.dims | (self.named - self.shapes.keys())

    def aliases(self) -> dict[str, Term]:
        """Sizes that `where` says to be expressions of others."""
        found: dict[str, Term] = {}
        sizes = self.sizes
        for condition in (requirement.condition for requirement in self.where):
            if isinstance(condition, Eq) and len(condition.sides) == 2:
                for one, other in (condition.sides, condition.sides[::-1]):
                    names = set(symbol_names(other))
                    if (
                        isinstance(one, Name)
                        and isinstance(other, Term)
                        and one.name in sizes
                        and one.name not in found
                        and names <= sizes - {one.name} - found.keys()
                        and not any(one.name in set(symbol_names(each)) for each in found.values())
                    ):
                        found[one.name] = other
                        break
        return self.by_patterns() | found

    def by_patterns(self) -> dict[str, Term]:
        """Sizes of axes that a definition fills by h*s + c: each entry is defined once, so that the size is H*s."""
        found: dict[str, Term] = {}
        for own in self.definitions.values():
            for pattern, dim in zip(own.pattern, self.shapes.get(own.symbol) or (), strict=False):
                parts = composite(pattern, own.indices)
                if parts is not None and isinstance(dim, Name):
                    high, width, _ = parts
                    found[dim.name] = Mul(own.indices[high].stop, width)
        return found

    def depends(self, name: str) -> frozenset[str]:
        """Every symbol that a symbol depends on, itself among them."""
        found = {name}
        queue = [name]
        while queue:
            each = queue.pop()
            own = self.definitions.get(each)
            used: Iterable[str] = self.opaque.get(each, frozenset())
            if own is not None:
                used = {*used, *symbol_names(own.body if own.body is not None else own.law or own.pattern[0])}
            for other in used:
                if other not in found and (
                    other in self.shapes or other in self.definitions or other.startswith("Old(")
                ):
                    found.add(other)
                    queue.append(other)
        return frozenset(found)

    def order(self) -> list[str]:
        """Defined symbols, each before those that its definition uses."""
        sets = {name: self.depends(name) for name in self.definitions}
        return sorted(self.definitions, key=lambda name: (-len(sets[name] & self.definitions.keys()), name))


def composite(pattern: Node, indices: Mapping[str, Range]) -> tuple[str, Term, str] | None:
    """The parts of a subscript h*s + c, where h and c are indices, c from 0 below s."""
    if not isinstance(pattern, Add) or not isinstance(pattern.left, Mul) or not isinstance(pattern.right, Name):
        return None
    high, width, low = pattern.left.left, pattern.left.right, pattern.right.name
    if not isinstance(high, Name) or high.name not in indices or low not in indices or high.name == low:
        return None
    first = (indices[high.name].start, indices[low].start)
    if indices[low].stop != width or any(not isinstance(end, Number) or end.value for end in first):
        return None
    return high.name, width, low


def problem(equation: Equation, form: Form, equations: Mapping[str, Equation], forms: Mapping[str, Form]) -> Problem:
    """An equation's problem, with the definitions that its `given` names."""
    found = Problem()
    _declare(found, equation.symbols, form)
    found.indices = dict(form.indices)
    found.where = [_requirement(condition, form, {}) for condition in form.where]
    for given in equation.given:
        name = given.equation.value
        if name in forms and name in equations:
            include(found, equations[name], forms[name], given.rename)
        else:
            found.faults.append(f"the form of {name} cannot be used")
    for name, use in equation.functions.items():
        if name in found.shapes:
            found.opaque[name] = frozenset(use.args)
    return found


def include(
    target: Problem, equation: Equation, form: Form, rename: Mapping[str, str], parts: Iterable[int] | None = None
) -> list[str]:
    """Take a form's statements in as definitions of their left sides; the names that were defined."""
    names = {old: Name(new) for old, new in rename.items()}
    for name, shape in form.shapes.items():
        new = rename.get(name, name)
        known = target.shapes.get(new)
        if shape is not None and known is not None and len(known) == len(shape.dims):
            for dim, other in zip(shape.dims, known, strict=True):
                if isinstance(dim, Name):
                    names.setdefault(dim.name, other)  # type: ignore[arg-type]
    _declare(target, equation.symbols, form, names)
    narrowed = {id(condition) for condition in form.narrows()}
    for condition in form.where:
        if id(condition) not in narrowed:
            target.where.append(_requirement(condition, form, names))
    defined: list[str] = []
    for part in range(len(form.parts)) if parts is None else parts:
        for claim, premises in claims(form.statement(part)):
            left = (
                claim.sides[0] if isinstance(claim, Eq) else claim.subject if isinstance(claim, Distributed) else None
            )
            if not isinstance(left, Indexed | Name) or (
                isinstance(claim, Eq) and not isinstance(claim.sides[-1], Term)
            ):
                continue
            made = _definition(claim, left, form, names, equation.id)
            if premises or narrowed or isinstance(form.statement(part), ForAll):
                target.faults.append(f"{equation.id} holds under conditions only, and is not taken as a definition")
            elif _define(target, made):
                defined.append(made.symbol)
            else:
                target.faults.append(f"{made.symbol} is defined by {target.definitions[made.symbol].source} already")
    return defined


def _define(target: Problem, made: Definition) -> bool:
    """Add a definition; one by `Old` of its symbol is an update of the definition before. False if there is another."""
    before = target.definitions.get(made.symbol)
    old = f"Old({made.symbol})"
    if before is not None and made.body is not None and old in set(symbol_names(made.body)):
        if old in target.definitions:
            return False
        names = {made.symbol: Name(old)}
        for name, each in list(target.definitions.items()):
            if each.body is not None:
                target.definitions[name] = replace(each, body=_term(explicit(each.body, {}, names)))
        target.definitions[old] = replace(target.definitions[made.symbol], symbol=old)
        target.shapes[old] = target.shapes.get(made.symbol)
    elif before is not None and replace(before, source=made.source) != made:
        return False
    target.definitions[made.symbol] = made
    return True


def _requirement(condition: Condition, form: Form, names: Mapping[str, Term]) -> Requirement:
    found = explicit(condition, form.indices, names)
    assert isinstance(found, Condition)
    return Requirement(found, _ranges(condition, form, names))


def _ranges(node: Node, form: Form, names: Mapping[str, Term]) -> dict[str, Range]:
    """The ranges of the indices that are free in a node, and of those that these depend on."""
    used = set(free_names(node, form.indices))
    queue = list(used)
    while queue:
        ends = form.indices[queue.pop()]
        for name in (*free_names(ends.start, form.indices), *free_names(ends.stop, form.indices)):
            if name not in used:
                used.add(name)
                queue.append(name)
    return {
        name: Range(
            _term(explicit(form.indices[name].start, form.indices, names)),
            _term(explicit(form.indices[name].stop, form.indices, names)),
        )
        for name in sorted(used)
    }


def _definition(claim: Node, left: Indexed | Name, form: Form, names: Mapping[str, Term], source: str) -> Definition:
    def own(node: Node) -> Term:
        found = explicit(node, form.indices, names)
        assert isinstance(found, Term)
        return found

    symbol = left.base if isinstance(left, Indexed) else left.name
    renamed = names.get(symbol)
    law = explicit(claim, form.indices, names) if isinstance(claim, Distributed) else None
    # of several sides the last is taken: the first ones may hold derivatives
    sides = claim.sides if isinstance(claim, Eq) else ()
    return Definition(
        renamed.name if isinstance(renamed, Name) else symbol,
        tuple(own(each) for each in left.subscripts) if isinstance(left, Indexed) else (),
        _ranges(claim, form, names),
        own(sides[-1]) if sides else None,
        law if isinstance(law, Distributed) else None,
        source,
    )


def explicit(node: Node, indices: Mapping[str, Range], names: Mapping[str, Term] | None = None) -> Node:
    """A node with every bound index's range written out, symbols and sizes renamed, and strings as their numbers."""
    names = names or {}

    def change(each: Node) -> Node:
        if isinstance(each, Name):
            return names.get(each.name, each)
        if isinstance(each, String):
            return Number(Fraction(interned(each.value)))
        if isinstance(each, Old):
            return Old(change(each.target))  # type: ignore[arg-type]
        if isinstance(each, Reduction | ForAll) and each.stop is None and each.index in indices:
            own = indices[each.index]
            each = type(each)(each.body, each.index, own.start, own.stop)  # type: ignore[arg-type]
        if isinstance(each, Indexed) and isinstance(new := names.get(each.base), Name):
            each = Indexed(new.name, each.subscripts)
        return rebuilt(each, change)  # type: ignore[no-any-return]

    return change(node)


def interned(text: str) -> int:
    """An integer for a string, another one for each: strings are only compared, so that proofs need no more."""
    return int.from_bytes(b"\x01" + text.encode(), "big")


def _declare(
    target: Problem, symbols: Mapping[str, Symbol], form: Form, names: Mapping[str, Term] | None = None
) -> None:
    names = names or {}
    for name, symbol in symbols.items():
        renamed = names.get(name)
        new = renamed.name if isinstance(renamed, Name) else name
        if new in target.shapes and target.shapes[new] is not None:
            if target.bounds.get(new, Bounds()) == Bounds():
                target.bounds[new] = _bounds(symbol.domain, names)
            continue
        shape = declared({name: symbol})[name]
        dims = None if shape is None else tuple(_term(explicit(dim, {}, names)) for dim in shape.dims)
        target.shapes[new] = dims
        target.bounds[new] = _bounds(symbol.domain, names)
        for dim in dims or ():
            target.dims |= {each.name for each in walk(dim) if isinstance(each, Name)}
    for name in form.shapes:
        renamed = names.get(name)
        target.shapes.setdefault(renamed.name if isinstance(renamed, Name) else name, None)
    for name in form.sizes:
        other = names.get(name)
        target.named |= {name} if other is None else {each.name for each in walk(other) if isinstance(each, Name)}


def _term(node: Node) -> Term:
    assert isinstance(node, Term)
    return node


def _bounds(domain: Domain, names: Mapping[str, Term]) -> Bounds:
    def read(text: Text | None) -> Term | None:
        term = parse_term(text.value)[0] if text is not None else None
        return None if term is None else _term(explicit(term, {}, names))

    return Bounds(
        read(domain.minimum),
        read(domain.maximum),
        domain.open,
        domain.integer,
        domain.one_of or tuple(map(interned, domain.words)),
        domain.probability_row,
        domain.permutation,
        domain.distinct,
    )


def least(bounds: Bounds) -> tuple[bool, bool]:
    """Whether values are at least 0, and above it, by their domain alone."""
    if bounds.probabilities:
        return True, False
    if bounds.one_of:
        return min(bounds.one_of) >= 0, min(bounds.one_of) > 0
    if isinstance(bounds.first, Number):
        value = bounds.first.value
        return value >= 0, value > 0 or (value == 0 and "min" in bounds.open)
    return False, False
