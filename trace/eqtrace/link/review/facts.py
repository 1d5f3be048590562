"""What a link says, one fact a line: the form, the prose around it, and the code at its other end.

A text's hash is taken of what the facts mean, so that spacing, quotes and line breaks don't count; what a reader is
shown is made of the same facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from eqtrace.code import canonical
from eqtrace.code.index import Index
from eqtrace.code.tree import FunctionNode
from eqtrace.link.anchor_code import parse_code
from eqtrace.model.anchor import Anchor, Match, Role
from eqtrace.model.equation import Equation
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.model.topic import Topic

_NAME = re.compile(r"[^\W\d]\w*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line. `meaning` is what counts, `text` what is shown, as `shown` writes it when it is."""

    name: str
    meaning: str
    text: str
    span: Span | None = None
    shown: Callable[[str], str] = str

    @property
    def line(self) -> str:
        """The line that a reader is shown."""
        text = self.shown(self.text)
        return f"{self.name}: {text}" if self.name else text


Facts = tuple[Fact, ...]


def digest(facts: Facts) -> str:
    """The SHA-256 of what the facts say."""
    whole = "\n".join([f"{fact.name}: {fact.meaning}" for fact in facts if fact.name or fact.meaning])
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def form(equation: Equation, part: int | None = None) -> Facts:
    """What an equation claims: of several statements, the one that `part` names."""
    return tuple(_form(equation, part))


def prose(topic: Topic) -> Facts:
    """What a topic says to its readers, of all its equations."""
    return (*_sentences("what", topic.what), *_sentences("why", topic.why))


def equation_prose(equation: Equation, part: int | None = None) -> Facts:
    """What is said of one equation."""
    return tuple(_equation_prose(equation, part))


def anchor_prose(anchor: Anchor) -> Facts:
    """What is said of one cited line."""
    return (_words("purpose", anchor.purpose, anchor.span),) if anchor.purpose else ()


def code(match: Match, index: Index) -> Facts:
    """The code's end: the statement that an anchor resolves to; of a whole-function anchor the function."""
    if match.anchor.target is not None and match.span is not None:
        file = index.file(match.span.path)
        node = file.functions.get(match.function) if file is not None else None
        if isinstance(node, FunctionNode):
            return function(node, match.span)
    return cited(match.anchor.role, match.source, match.span)


def cited(role: Role, source: str, span: Span | None = None) -> Facts:
    """A cited statement, or the lines of a passage, from its text."""
    if role is Role.STATES:
        return tuple(_words("", line, span) for line in source.splitlines() if line.strip())
    node = parse_code(source).node
    try:
        if node is not None:
            return (Fact("", canonical.statement(node), source, span, _statement),)
    except RecursionError:
        pass
    return (_words("", source, span),)


def function(node: FunctionNode, span: Span | None = None) -> Facts:
    """A whole function; its lines after the first are only shown."""
    try:
        header, *lines = canonical.shown_function(node).split("\n")
        return (Fact("", canonical.function(node), header, span), *(Fact("", "", line, span) for line in lines))
    except RecursionError:
        return ()


def _form(equation: Equation, part: int | None) -> Iterator[Fact]:
    statements = equation.statements
    chosen = statements[part : part + 1] if part is not None else statements
    for number, statement in enumerate(chosen):
        yield _expression("form" if len(chosen) == 1 else f"form {number}", statement)
    if equation.where is not None:
        yield _expression("where", equation.where)
    for key in ("states", "gradient_of"):
        if (text := getattr(equation, key)) is not None:
            yield _words(key, text.value, text.span)
    if equation.states_holds:
        yield _words("states", equation.states_holds, equation.span)
    if equation.gradient_by:
        yield _words("by", equation.gradient_by, equation.span)
    if equation.gradient is not None and equation.gradient_of is None:
        gradient = equation.gradient
        yield _words("gradient", f"{gradient.backward.value} of {gradient.forward.value}", gradient.backward.span)
    yield from _resting(equation)
    yield from _declared(equation, _used(equation, chosen))
    if equation.rejects:
        yield _words("rejects", equation.rejects, equation.span)
    if equation.tolerance is not None:
        tolerance = equation.tolerance
        yield _words("tolerance", f"atol {tolerance.atol!r}, rtol {tolerance.rtol!r}", equation.span)
    if equation.ulps is not None:
        yield _words("ulps", f"at most {equation.ulps!r}", equation.span)


def _resting(equation: Equation) -> Iterator[Fact]:
    """What a form is made of beside itself."""
    for name, text in sorted(equation.let.items()):
        yield _expression(f"let {name}", text)
    for given in equation.given:
        renamed = ", ".join(f"{theirs} is {ours}" for theirs, ours in sorted(given.rename.items()))
        yield _words(f"given {given.equation.value}", renamed, given.equation.span)
    for name, use in sorted(equation.functions.items()):
        yield _words(f"function {name}", f"{use.equation.value}({', '.join(use.args)})", use.equation.span)
    for text in equation.order:
        yield _words("order", text.value, text.span)
    for entry in equation.structure:
        shape = ", ".join(canonical.expression(each.value) for each in entry.shape)
        shown = ", ".join(each.value for each in entry.shape)
        name, start = f"structure {entry.key.value}", entry.start.value
        yield Fact(name, f"[{shape}] {start}", f"[{shown}] from {start}", entry.key.span)


def _declared(equation: Equation, used: set[str]) -> Iterator[Fact]:
    """Ranges, shapes and domains of the names that occur."""
    for name, given in sorted(equation.indices.items()):
        if name in used:
            start = "0" if given.start is None else given.start.value
            meaning = f"{canonical.expression(start)}, {canonical.expression(given.stop.value)}"
            yield Fact(f"index {name}", meaning, f"from {start} up to {given.stop.value}", given.stop.span)
    for name, symbol in sorted(equation.symbols.items()):
        if name in used:
            # In short form parameters that nothing is said of are completed from the code: that is no claim.
            if symbol.shape or (symbol.shape is not None and not equation.whole):
                meaning = ", ".join(canonical.expression(each.value) for each in symbol.shape)
                shown = ", ".join(each.value.strip() for each in symbol.shape)
                yield Fact(f"shape {name}", f"[{meaning}]", f"[{shown}]", symbol.span)
            if domain := _domain(symbol.domain):
                meaning, shown = (", ".join(each) for each in zip(*domain, strict=True))
                yield Fact(f"domain {name}", meaning, shown, symbol.span)


def _domain(domain: Domain) -> list[tuple[str, str]]:
    """A domain's parts: what each means, and as it is shown."""
    found = []
    for end, text in (("min", domain.minimum), ("max", domain.maximum)):
        if text is not None:
            is_open = " (open)" if end in domain.open else ""
            found.append((f"{end} {canonical.expression(text.value)}{is_open}", f"{end} {text.value}{is_open}"))
    kinds = ("integer", "probability_row", "permutation", "distinct")
    found += [(kind, kind) for kind in kinds if getattr(domain, kind)]
    if values := (*map(repr, domain.one_of), *domain.words):
        found.append((f"one of {' | '.join(values)}",) * 2)
    return found


def _used(equation: Equation, statements: Iterable[Text]) -> set[str]:
    """The names that occur in the statements and in what they rest on."""
    texts = [text.value for text in (*statements, *equation.let.values())]
    if equation.where is not None:
        texts.append(equation.where.value)
    texts += [ours for given in equation.given for ours in given.rename.values()]
    texts += [argument for use in equation.functions.values() for argument in use.args]
    return {name for text in texts for name in _NAME.findall(text)}


def _equation_prose(equation: Equation, part: int | None) -> Iterator[Fact]:
    if equation.label:
        yield _words("label", equation.label, equation.span)
    if equation.latex is not None:
        yield _words("latex", equation.latex.value, equation.latex.span)
    statements = equation.statements
    used = _used(equation, statements[part : part + 1] if part is not None else statements)
    symbols: Mapping[str, Symbol] = equation.symbols
    for name, symbol in sorted(symbols.items()):
        if name in used and symbol.meaning:
            yield _words(f"meaning of {name}", symbol.meaning, symbol.span)


def _sentences(name: str, text: Text | None) -> Iterator[Fact]:
    """A text, one sentence a line: a difference shows only those that changed."""
    if text is not None:
        for sentence in _SENTENCE_END.split(" ".join(text.value.split())):
            yield _words(name, sentence, text.span)


def _expression(name: str, text: Text) -> Fact:
    return Fact(name, canonical.expression(text.value), text.value, text.span, canonical.shown_expression)


def _statement(source: str) -> str:
    node = parse_code(source).node
    return source if node is None else canonical.shown_statement(node)


def _words(name: str, text: str, span: Span | None) -> Fact:
    plain = " ".join(text.split())
    return Fact(name, plain, plain, span)
