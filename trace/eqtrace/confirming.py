"""Drafts held against what their docstrings say: where both agree, in a sentence too, the entry names the docstring.

What a docstring says otherwise is told, and never an error: a sentence may be about something else. Of a form that a
docstring prints, what it needs to be defined is written beside it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eqtrace.code.documentation.passage import docstring
from eqtrace.code.index import Index
from eqtrace.code.lift.needs import needed
from eqtrace.code.lift.objects import owner_of
from eqtrace.code.lift.ranges import Bounds, bounds
from eqtrace.config import Config
from eqtrace.formula.defined import needs
from eqtrace.formula.documented.formula import Formula
from eqtrace.formula.documented.text import text_of
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.tokens import ESCAPED
from eqtrace.formula.parse import parse_statement
from eqtrace.formula.term import Call, Compare, Condition, Node, symbol_names, walk
from eqtrace.link.documentation import in_passing, named_by, words
from eqtrace.model.readback import ReadBack
from eqtrace.spec.yaml_text import mapping, quoted
from eqtrace.trial import Trial, tried

if TYPE_CHECKING:
    from eqtrace.drafting import Draft

AGREES = "drafted from the code, with which its docstring agrees"
DIFFERS = "drafted from the code: its docstring says something else"
UNREAD = "drafted from the code: confirm it against its docstring, whose formula is not read"
_LONE = re.compile("[\ud800-\udfff]")  # no text that a file may hold
_WHOLE = "{integer: true, min: 0, max: 9}"
_MOST = 5  # conditions that are written beside a form


@dataclass(frozen=True, slots=True)
class _Beside:
    """A draft from code held against one formula, and whether that stands in the function's own docstring."""

    draft: Draft
    formula: Formula
    own: bool


def confirmed(config: Config, index: Index, made: Sequence[Draft], trial: Trial) -> Iterator[Draft]:
    """Drafts without an error, as they are to be written; `trial` is that of these drafts."""
    held = {each.target: beside for each in made if (beside := _held(each, index)) is not None}
    second = tried(config, [each.draft for each in held.values()]) if held else trial
    for draft in made:
        found, other = trial.states.get(draft.target), held.get(draft.target)
        said = second.states.get(draft.target) if other is not None and draft.target not in second.faults else None
        status = said.found.status if said is not None else None
        if other is not None and status is ReadBack.AGREES:
            yield replace(other.draft, comment=AGREES, unread="")
        elif other is not None and status is ReadBack.DIFFERS and _is_of(draft, other, held):
            yield _unlike(other.draft, other.formula.printed.text)
        elif said is not None and status is ReadBack.NOT_READ and _is_printed(draft, other):
            yield unread_beside(draft, said.found.detail)
        elif found is None:
            yield draft
        elif "sympy" not in draft.keys:
            yield _defined(draft, found.found.detail, index) if found.found.status is ReadBack.IS_FORM else draft
        elif found.found.status is ReadBack.AGREES:
            yield replace(draft, comment=AGREES, unread="")
        elif found.found.status is ReadBack.DIFFERS:
            yield _unlike(draft, found.text)
        else:
            yield draft


def _is_of(draft: Draft, other: _Beside, held: Mapping[str, _Beside]) -> bool:
    """Whether a formula that differs from a draft's is about the same.

    Without a left side it must use all that the code's form does; a class's is of the one way to call its objects.
    """
    if not other.own:
        owner = draft.function.rpartition(".")[0]
        same = [each for each in held.values() if each.draft.function.rpartition(".")[0] == owner and not each.own]
        if len(same) != 1 or not draft.function.endswith(".__call__"):
            return False
    if other.formula.equal:
        return bool(other.formula.name)  # else an identity, or a law
    statement, _ = parse_statement(draft.keys["sympy"].strip("'"))
    return statement is not None and set(symbol_names(statement)) <= words(other.formula)


def _is_printed(draft: Draft, other: _Beside | None) -> bool:
    """Whether a docstring prints a formula, by itself or spoilt by escapes, that nothing has told of yet."""
    if other is None or draft.unread or not other.own:
        return False
    spoilt = other.formula.unread is not None and ESCAPED in other.formula.unread.message
    return other.formula.printed.display or spoilt


def unread_beside(draft: Draft, why: str) -> Draft:
    """A draft from code whose docstring prints a formula that is not read: what it says is not what was held.

    The entry names the docstring all the same, so that each run tells that its formula is compared with nothing.
    """
    return replace(draft, comment=f"{UNREAD} ({why})", keys={"states": "docstring", **draft.keys}, unread=why)


def _unlike(draft: Draft, text: str) -> Draft:
    shown = " ".join(text.split())
    return replace(draft, comment=f"{DIFFERS} ({shown})", unread=f"it says {shown}, and the code something else")


def _held(draft: Draft, index: Index) -> _Beside | None:
    """A draft from code held against a formula that the docstring has in a sentence, or that the class's has."""
    if "sympy" not in draft.keys:
        return None
    file = index.file(draft.path)
    node = file.functions.get(draft.function) if file is not None else None
    if file is None or node is None:
        return None
    owner = owner_of(file, draft.function)
    for own, scope in ((True, node), (False, owner)):
        passage = docstring(file, scope) if scope is not None else None
        formula = in_passing(passage) if passage is not None else None
        if passage is not None and formula is not None and not _LONE.search(formula.printed.text):
            keys: Mapping[str, str] = {key: value for key, value in draft.keys.items() if key != "states"}
            states = mapping({"holds": quoted(named_by(formula, passage))})
            return _Beside(replace(draft, keys={"states": states, **keys}), formula, own)
    return None


def _defined(draft: Draft, detail: str, index: Index) -> Draft:
    """The draft of a form that a docstring prints, with what that needs to be defined, where nothing says so."""
    statement, _ = parse_statement(detail.partition(", where ")[0])
    file = index.file(draft.path)
    node = file.functions.get(draft.function) if file is not None else None
    if statement is None or "where" in draft.keys or ", where " in detail:
        return draft
    if file is None or node is None or isinstance(node, ast.Module):
        return draft
    held = bounds(file, node, clamps=True)
    positive = {name for name, each in held.items() if each.positive}
    draft = _whole_numbers(draft, statement, held)
    letters = frozenset("ijklmnpqrst") - {each.arg for each in node.args.args}
    texts = [text for each in needs(statement, letters) if (text := _text(each))]
    found = needed(texts, positive)
    if not found:
        return draft
    return replace(draft, keys={**draft.keys, "where": quoted(", ".join(found[:_MOST]))})


def _whole_numbers(draft: Draft, statement: Node, held: Mapping[str, Bounds]) -> Draft:
    """The same draft with integers for what stands in factorials."""
    calls = [each for each in walk(statement) if isinstance(each, Call) and each.function == "factorial"]
    whole = sorted({name for each in calls for name in symbol_names(each)})
    if not whole:
        return draft
    domain = {name: each.yaml() for name, each in held.items()} | dict.fromkeys(whole, _WHOLE)
    return replace(draft, keys={**draft.keys, "domain": mapping(domain)})


def _text(condition: Condition) -> str:
    try:
        if isinstance(condition, Compare) and condition.operator == "!=":
            return f"Ne({text_of(condition.left)}, {text_of(condition.right)})"
        return text_of(condition)
    except Unread:
        return ""
