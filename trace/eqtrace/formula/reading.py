"""Reading an equation's texts into a form, with every fault at the very characters."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import TypeVar

from eqtrace.formula.claims import free_names
from eqtrace.formula.form import RESULT, Form, Part, Range, Shape
from eqtrace.formula.helpers import Helpers
from eqtrace.formula.names import Found, Names
from eqtrace.formula.parse import Errors, parse_conditions, parse_statement, parse_term
from eqtrace.formula.term import Condition, Eq, Indexed, Name, Node, Number, Statement, Term, Truth, walk
from eqtrace.formula.vocabulary import reserved
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span, Text

Parsed = TypeVar("Parsed")
_ZERO = Number(Fraction(0))


class Reading:
    """One equation being read."""

    def __init__(self, equation: Equation, parameters: tuple[str, ...] | None, sizes: Collection[str]) -> None:
        self.equation = equation
        self.faults: list[Fault] = []
        self.shapes = {name: self._shape(symbol.shape) for name, symbol in equation.symbols.items()}
        if equation.whole:
            self.shapes.setdefault(RESULT, None)
            self.shapes |= {name: None for name in parameters or () if name not in self.shapes}
        self.any_name = equation.whole and parameters is None
        self.sizes = frozenset(sizes) | {
            node.name
            for shape in self.shapes.values()
            for dim in (shape.dims if shape else ())
            if not isinstance(dim, Indexed)
            for node in walk(dim)
            if isinstance(node, Name)
        }

    def form(self) -> tuple[Form | None, tuple[Fault, ...]]:
        """The form, and all faults."""
        equation = self.equation
        self._reserved()
        indices = {name: self._range(entry.start, entry.stop) for name, entry in equation.indices.items()}
        let = {name: self._read(text, parse_term) for name, text in equation.let.items()}
        statements = [self._read(text, parse_statement) for text in equation.statements]
        where = self._where()
        if equation.whole:
            self._infer(indices, [*statements, *let.values(), *where])
        opaque = tuple(name for name, symbol in equation.symbols.items() if symbol.domain.function)
        functions = (*equation.functions, *opaque)
        names = Names(self.shapes, self.sizes, indices, tuple(let), functions, any_name=self.any_name)
        known = {name: term for name, term in let.items() if term is not None}
        self._check_ranges(names)
        helpers = Helpers(known, frozenset(names.indices))
        for name, term in known.items():
            self._note(equation.let[name], names.check(term))
        self._note_large(helpers)
        for condition in where:
            self._note(equation.where, names.check(condition))
        parts = [
            self._part(text, statement, names, helpers)
            for text, statement in zip(equation.statements, statements, strict=True)
            if statement is not None
        ]
        if self.faults or not (parts or self._is_gradient() or self._needs_none()):
            return None, tuple(dict.fromkeys(self.faults))
        if self.any_name:
            self.shapes |= dict.fromkeys(names.met)
        ranges = {name: entry for name, entry in names.indices.items() if entry is not None}
        return Form(equation.id, tuple(parts), tuple(map(helpers.put_in, where)), ranges, self.shapes, self.sizes), ()

    def _is_gradient(self) -> bool:
        """Whether it claims no formula, but to be the gradient of a function."""
        return self.equation.gradient_of is not None and not self.equation.statements

    def _needs_none(self) -> bool:
        """Whether its methods show it without a formula: by a reference, or by the order of calls."""
        methods = set(self.equation.methods)
        return not self.equation.statements and bool(methods) and methods <= {"discrete", "order"}

    # Parts of an equation

    def _part(self, text: Text, statement: Node, names: Names, helpers: Helpers) -> Part:
        if isinstance(statement, Term):
            if not self.equation.whole:
                self._fault(text, 0, len(text.value), "a statement is needed here", "write Eq(left, right)")
                return Part(text, Truth(True))
            free = tuple(dict.fromkeys(helpers.free(statement)))
            left = Indexed(RESULT, tuple(map(Name, free))) if free else Name(RESULT)
            statement = Eq((left, statement))
        if not isinstance(statement, Statement):
            raise TypeError(type(statement))
        found = names.check(statement)
        self._note(text, found)
        if not found:
            self._note(text, list(names.unbound(statement, helpers)))
        put_in = helpers.put_in(statement)
        if helpers.too_large(put_in):
            self._fault(text, 0, len(text.value), "too large a form once its helpers are put in")
        return Part(text, put_in)

    def _where(self) -> tuple[Condition, ...]:
        text = self.equation.where
        return (self._read(text, parse_conditions) or ()) if text else ()

    def _range(self, start: Text | None, stop: Text) -> Range | None:
        first = self._read(start, parse_term) if start else _ZERO
        last = self._read(stop, parse_term)
        return Range(first, last) if first is not None and last is not None else None

    def _check_ranges(self, names: Names) -> None:
        for name, entry in self.equation.indices.items():
            parsed = names.indices.get(name)
            if parsed is None:
                continue
            for text, term in ((entry.start, parsed.start), (entry.stop, parsed.stop)):
                self._note(text, names.check(term))
            if name in {*free_names(parsed.start, [name]), *free_names(parsed.stop, [name])}:
                self._fault(entry.stop, 0, len(entry.stop.value), f"the range of {name} depends on {name} itself")

    def _shape(self, texts: tuple[Text, ...] | None) -> Shape | None:
        if texts is None:
            return None
        batch = bool(texts) and texts[0].value.strip() == "..."
        dims: list[Term] = []
        for text in texts[batch:]:
            dim = self._read(text, parse_term, shared=True)
            if dim is None:
                return None
            dims.append(dim)
        return Shape(batch, tuple(dims))

    def _infer(self, indices: dict[str, Range | None], nodes: list[Node | None]) -> None:
        """In short form an index is known by the first axis that it stands on alone."""
        for node in nodes:
            for entry in walk(node) if node is not None else ():
                shape = self.shapes.get(entry.base) if isinstance(entry, Indexed) else None
                if not isinstance(entry, Indexed) or shape is None or len(shape.dims) != len(entry.subscripts):
                    continue
                for subscript, dim in zip(entry.subscripts, shape.dims, strict=True):
                    if isinstance(subscript, Name) and subscript.name not in {*self.shapes, *self.sizes}:
                        indices.setdefault(subscript.name, Range(_ZERO, dim))

    # Faults

    def _reserved(self) -> None:
        equation = self.equation
        for name, symbol in equation.symbols.items():
            why = "" if equation.whole else reserved(name)
            self._reserve(name, symbol.span, why or _misspelt(name))
            if name in equation.indices:
                self._reserve(name, symbol.span, f"{name} is both a symbol and an index")
        for name, text in [*((name, entry.stop) for name, entry in equation.indices.items()), *equation.let.items()]:
            self._reserve(name, text.span, reserved(name) or _misspelt(name))
        for name, use in equation.functions.items():
            self._reserve(name, use.equation.span, reserved(name) or _misspelt(name))

    def _reserve(self, name: str, span: Span, why: str) -> None:
        if why:
            hint = f"another name, and `latex` for its spelling: {name}_" if name.isidentifier() else ""
            self.faults.append(Fault("reserved-name", why, span, hint))

    def _read(
        self, text: Text, parse: Callable[[str], tuple[Parsed | None, Errors]], *, shared: bool = False
    ) -> Parsed | None:
        found, errors = parse(text.value)
        for error in errors:
            self._fault(text, error.offset, error.length, error.message, error.hint, shared=shared)
        return found

    def _note(self, text: Text | None, found: Collection[Found]) -> None:
        for kind, node, message, hint in found:
            if text is not None:
                self._fault(text, node.offset, node.length, message, hint, kind=kind)

    def _note_large(self, helpers: Helpers) -> None:
        for name, message in helpers.problems():
            text = self.equation.let[name]
            self._fault(text, 0, len(text.value), message)

    def _fault(
        self,
        text: Text,
        offset: int,
        length: int,
        message: str,
        hint: str = "",
        *,
        kind: str = "form-syntax",
        shared: bool = False,
    ) -> None:
        equation = None if shared else self.equation.id
        self.faults.append(Fault(kind, message, text.at(offset, length), hint, equation=equation))


def _misspelt(name: str) -> str:
    if keyword.iskeyword(name):
        return f"{name} is a keyword of Python"
    return "" if name.isidentifier() else f"{name!r} is no name: letters, digits and _"
