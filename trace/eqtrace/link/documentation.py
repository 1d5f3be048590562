"""Where a specification says that documentation prints a formula: the passage, and which of its formulas is meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from eqtrace.code.documentation.passage import Passage, docstring, page
from eqtrace.code.documentation.printed import printed
from eqtrace.code.documentation.spellings import spellings
from eqtrace.code.index import Index
from eqtrace.code.source import Statement
from eqtrace.formula.documented.formula import Formula, plain_name, scripted, taken_apart
from eqtrace.formula.documented.tokens import Kind
from eqtrace.formula.documented.words import ALIASES
from eqtrace.formula.vocabulary import VOCABULARY
from eqtrace.link.passage import GONE, MISPLACED
from eqtrace.link.target import resolve_target
from eqtrace.model.anchor import Anchor, Match
from eqtrace.model.equation import Equation
from eqtrace.model.span import Span

DOCSTRING = "docstring"
NO_FORMULA = "no formula is found in it, neither set as mathematics nor with an equals sign"
_HEADING = re.compile(r"#{1,6} |\s*([=~^\"'*+#-])\1{2,}\s*$")
_SECTION = re.compile(
    r"^[ \t]*(?:(?:Parameters|Returns|Notes|Other Parameters|Raises|References|Examples|See Also|Attributes)\n"
    r"[ \t]*-{3,}[ \t]*$"
    r"|(?:Args|Arguments|Returns|Notes?):[ \t]*$|:(?:param|returns?)\b)",
    re.MULTILINE,
)
_MARKS = re.compile(r"(?::math:)?[`$(\\]*$")
_CLOSED = re.compile(r"(?:`{1,2}|\$|\\\))?[ \t]*(?:[.;](?!\w)|\n[ \t]*\n|\s*$)")
_ALONE = re.compile(r"(?:`{1,2}|\$|\\\))?[ \t]*\.?[ \t]*(?:\n[ \t]*\n|\s*$)")
_SENTENCE = re.compile(r"[.!?][)\s]\s*|\n[ \t]*\n\s*")
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_HEAD_WORDS = 4  # before a formula in a sentence: "Kinetic energy, E = ..."
# Words after which a formula is of something else, or is not said to hold
_ELSE = frozenset(
    (  # noqa: SIM905 (as a list it is many lines)
        "of not unlike where with if when for than from by like say and or was whose minus inverse instance example "
        "e.g i.e let solve solves while but never approximately about roughly in once old under half twice double "
        "square root log logarithm negative reciprocal integral derivative given that is are no longer before after "
        "until unless assuming using via at on to as law rate proportional"
    ).split()
)
_GIVES = frozenset(
    {"return", "returns", "compute", "computes", "calculate", "calculates", "evaluate", "evaluates", "gives", "equals",
     "equal to", "it returns", "it computes", "it gives", "it equals", "this returns", "this computes", "computed as",
     "calculated as", "the value", "the function returns", "the result is"}
)  # fmt: skip
_UNITS = re.compile(r"\b(?:degrees?|radians?|kPa|(?:imperial )?units of \w+|convert(?:ed|s)|rounded)\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:for|if|when|at|case|that|e\.g\.|as)\W*(?::math:)?\W*$")
_CONDITION = re.compile(r"\s*(?:for|if|when)\s(?:(?!\n\s*\n|\.\s|\.$|\bwhere\b).)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Choice:
    """The formula that is meant, and those beside it, which may define names; without one, why and where."""

    passage: Passage | None
    formula: Formula | None = None
    beside: tuple[Formula, ...] = ()
    conditions: tuple[Formula, ...] = ()  # that the sentence behind it says it holds under
    reason: str = ""
    span: Span | None = None


def of_anchor(found: Match, index: Index) -> Choice:
    """The formula on the lines that a `states` anchor resolves to."""
    anchor, span = found.anchor, found.span
    passage = _cited(anchor, index)
    if passage is None or span is None:
        return Choice(None, reason=MISPLACED)
    every = _formulas(passage) if anchor.path.endswith(".py") else _of_page(passage.path, passage.text)
    formulas = [each for each in every if not each.printed.prose]
    there = [each for each in formulas if _overlaps(each, passage, span)]
    shown = [each for each in there if each.printed.display]
    for group in (shown, there):
        meant = _undefining(group)
        if len(meant) == 1:
            around = _section(passage, span)
            near = [each for each in formulas if around[0] <= passage.line(each.printed.start) <= around[1]]
            beside = tuple(_defining(meant[0], near, passage))
            return Choice(passage, meant[0], beside, tuple(_behind(meant[0], passage, formulas)))
        if meant:
            return Choice(passage, reason=_several(meant, passage), span=span)
    return Choice(passage, reason="no formula is found there", span=span)


def of_target(equation: Equation, index: Index) -> Choice:
    """The formula of a docstring: of the equation's own target, or of what `states` names."""
    target = next((each.target for each in equation.anchors if each.target is not None), None)
    assert equation.states is not None
    wanted = equation.states.value.strip()
    named = target if wanted == DOCSTRING else wanted
    scope = resolve_target(named, index) if named else ()
    if not isinstance(scope, Statement):
        return Choice(None, reason=f"there is no `{named}`")
    passages = [docstring(scope.file, scope.node)]  # type: ignore[arg-type]
    owner = scope.file.definitions.get(scope.function.rpartition(".")[0], ()) if "." in scope.function else ()
    passages += [docstring(scope.file, node) for node in owner[-1:]]
    name = (target or "").rpartition(":")[2].rpartition(".")[2]
    choices = [_meant(passage, name, equation) for passage in passages if passage is not None]
    best = next((each for each in choices if each.formula is not None), choices[0] if choices else None)
    if best is None:
        return Choice(None, reason=f"`{scope.function}` has no docstring", span=scope.span)
    return best


def _meant(passage: Passage, name: str, equation: Equation) -> Choice:
    """The one formula of a docstring that says what a function returns."""
    formulas = _formulas(passage)
    wanted = equation.states_holds
    candidates = [each for each in formulas if _squeezed(wanted) in _squeezed(each.printed.text)]
    if not candidates and formulas:
        return Choice(passage, reason=f"{GONE} {wanted}", span=passage.span(0, 1))
    apart = [each for each in candidates if not each.printed.prose]
    shown = [each for each in apart if each.printed.display and (each.args is not None or not each.number)]
    known = _known(equation, passage)

    def aside(formula: Formula) -> bool:
        said = {each.lower() for each in _WORD.findall(_lead(formula, passage))[-1:]}
        return not formula.printed.display and not _ELSE.isdisjoint(said - {"is", "as", "by"})

    first = _SECTION.search(passage.text)
    sections = first.start() if first is not None else len(passage.text)
    groups = (
        [each for each in apart if each.name and plain_name(each.name).rpartition(".")[2] == name and not aside(each)],
        [each for each in shown if each.args is not None and {*map(plain_name, each.args)} <= known],
        [each for each in shown if each.args is not None],
        [each for each in shown if _is_returned(each, passage)],
        [each for each in shown if each.printed.start < sections],
        shown,
        # A name alone in prose is defined there, and what is called otherwise than the function is said in passing.
        [each for each in candidates if (each.args is not None and len(plain_name(each.name)) == 1) or wanted],
    )
    for group in groups:
        meant = _undefining(group)
        if len(meant) == 1:
            beside = tuple(_defining(meant[0], formulas, passage))
            return Choice(passage, meant[0], beside, tuple(_behind(meant[0], passage, formulas)))
        if meant:
            return Choice(passage, reason=_several(meant, passage), span=formula_place(meant[0], passage))
    said = (each for each in candidates if not each.printed.prose or (_of(each, known) and _is_claimed(each, passage)))
    passing = next(iter(_passing(said)), None)
    if passing is not None:
        text = " ".join(passing.printed.text.split())
        holds = named_by(passing, passage)
        reason = f"it prints {text} in a sentence only; `states: {{holds: '{holds}'}}` takes it"
        return Choice(passage, reason=reason, span=formula_place(passing, passage))
    return Choice(passage, reason=NO_FORMULA, span=passage.span(0, 1))


def _is_returned(formula: Formula, passage: Passage) -> bool:
    """Whether a formula stands in the section that says what is returned."""
    found = [match for match in _SECTION.finditer(passage.text) if match.start() < formula.printed.start]
    return bool(found) and found[-1].group().strip(" \t:-\n").lower().startswith("return")


def speaks_of_units(place: Span, index: Index) -> str:
    """The word by which the docstring around a place says that numbers are rounded or converted; '' where none does."""
    file = index.file(place.path) if place.path.endswith(".py") else None
    for scopes in file.definitions.values() if file is not None else ():
        for scope in scopes:
            passage = docstring(file, scope) if file is not None else None
            if passage is not None and passage.places[0][0] <= place.line <= passage.places[-1][0]:
                word = _UNITS.search(passage.text)
                return word.group() if word is not None else ""
    return ""


def in_passing(passage: Passage) -> Formula | None:
    """The one formula that a docstring prints, else has in a sentence, with a left side or without; None if several."""
    formulas = _formulas(passage)
    in_words = [each for each in formulas if not each.printed.display and _is_claimed(each, passage)]
    ways = [each for each in formulas if each.printed.display], list(_passing(in_words)), in_words
    found = next((way for way in ways if way), [])
    return found[0] if len(found) == 1 else None


def _is_claimed(formula: Formula, passage: Passage) -> bool:
    """Whether a sentence says a formula and nothing else of it: no "minus", no "where", nothing that goes on behind."""
    end = formula.printed.start + len(formula.printed.text)
    if formula.unread is not None:
        return True  # it is told why
    closed = _CLOSED if formula.equal else _ALONE
    if not closed.match(passage.text[end : end + 40]):
        return False
    lead = _lead(formula, passage)
    said = [each.lower() for each in _WORD.findall(lead)]
    if not formula.equal:
        return " ".join(said) in _GIVES
    said = said[2:] if said[:2] in (["it", "is"], ["this", "is"]) else said
    return len(said) <= _HEAD_WORDS and _ELSE.isdisjoint(said) and not lead.rstrip().endswith("(")


def _lead(formula: Formula, passage: Passage) -> str:
    """The words of its sentence before a formula, without the marks that set it apart."""
    before = passage.text[max(0, formula.printed.start - 200) : formula.printed.start]
    marks = _MARKS.search(before)
    opened = before[: marks.start()] if marks is not None and marks.group() not in ("", "(") else before
    return _SENTENCE.split(opened)[-1]


def named_by(formula: Formula, passage: Passage) -> str:
    """What says which formula of a passage is meant: its left side, where no other has that, else all of it."""
    whole = " ".join(formula.printed.text.split())
    left = whole.partition("=")[0] + "="
    others = [each for each in _formulas(passage) if _squeezed(left) in _squeezed(each.printed.text)]
    return left if formula.equal and len(others) == 1 else whole


def _passing(formulas: Iterable[Formula]) -> Iterator[Formula]:
    """The formulas that say what something is: no `n = 2`."""
    return (each for each in formulas if each.equal and len(each.rest_plain or each.rest_latex) > 1)


def _of(formula: Formula, known: Collection[str]) -> bool:
    """Whether a formula is of names that are known, and of functions."""
    names = {token.text for token in formula.rest_plain if token.kind is Kind.NAME}
    return all(name in known or ALIASES.get(name, name) in VOCABULARY for name in names - {"pi", "e", "np", "math"})


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _known(equation: Equation, passage: Passage) -> set[str]:
    """The names of an equation, as plain text writes them."""
    said = spellings(passage.text)
    spelt = [*(said[name] for name in said.keys() & equation.symbols.keys())]
    spelt += [each for symbol in equation.symbols.values() for each in symbol.latex]
    return {*equation.symbols, *equation.indices, *map(plain_name, spelt)}


def _behind(formula: Formula, passage: Passage, formulas: Iterable[Formula]) -> Iterator[Formula]:
    """What stands as a formula in the sentence that goes on behind one: `for x > 0`."""
    end = formula.printed.start + len(formula.printed.text)
    sentence = _CONDITION.match(passage.text, end)
    if sentence is not None:
        yield from (each for each in formulas if sentence.start() <= each.printed.start < sentence.end())


def _undefining(formulas: Iterable[Formula]) -> list[Formula]:
    """The formulas whose names no other one of them uses."""
    found = list(formulas)
    used = [words(each) for each in found]
    uses = Counter(word for some in used for word in some)
    return [
        each for each, own in zip(found, used, strict=True) if uses[name := each.plain_name] <= (name in own)
    ] or found


def _defining(meant: Formula, formulas: Iterable[Formula], passage: Passage) -> Iterator[Formula]:
    """The formulas beside one that may define a name: no cases, as in "for `n = 2`", and no numbers in prose."""
    for each in formulas:
        before = passage.text[max(0, each.printed.start - 60) : each.printed.start]
        case = _CASE.search(before) is not None or each.number
        if each is not meant and (each.printed.display or not each.equal or not case):
            yield each


def words(formula: Formula) -> set[str]:
    """What stands right of a formula's left side."""
    found = {token.text for token in formula.rest_plain} | {plain_name(token.key) for token in formula.rest_latex}
    return {*found, *map(plain_name, scripted(formula.rest_latex))} - {""}


def _several(formulas: list[Formula], passage: Passage) -> str:
    lines = ", ".join(str(passage.line(each.printed.start)) for each in formulas)
    return f"{len(formulas)} formulas stand there, and nothing says which is meant (lines {lines})"


def _formulas(passage: Passage) -> tuple[Formula, ...]:
    return tuple(taken_apart(each) for each in printed(passage))


def _cited(anchor: Anchor, index: Index) -> Passage | None:
    if anchor.path.endswith(".py"):
        file = index.file(anchor.path)
        for scope in file.definitions.get(anchor.function, ()) if file else ():
            assert file is not None
            return docstring(file, scope)
        return None
    text = index.text(anchor.path)
    return _page(anchor.path, text) if isinstance(text, str) else None


@lru_cache(16)  # many anchors may cite one page
def _page(path: str, text: str) -> Passage:
    return page(path, text)


@lru_cache(16)
def _of_page(path: str, text: str) -> tuple[Formula, ...]:
    return _formulas(_page(path, text))


def formula_place(formula: Formula, passage: Passage) -> Span:
    """Where a formula stands."""
    printed = formula.printed
    return passage.span(printed.start + printed.indent, len(printed.text) - printed.indent)


def _overlaps(formula: Formula, passage: Passage, span: Span) -> bool:
    place = formula_place(formula, passage)
    return place.line <= span.end_line and span.line <= place.end_line


def _section(passage: Passage, span: Span) -> tuple[int, int]:
    """The lines between the headings around a place: what is defined elsewhere on a page is of something else."""
    lines = passage.text.split("\n")
    first = passage.places[0][0]
    headings = [first + number for number, line in enumerate(lines) if _HEADING.match(line)]
    before = max((each for each in headings if each < span.line), default=first)
    behind = min((each for each in headings if each > span.end_line), default=first + len(lines))
    return before, behind
