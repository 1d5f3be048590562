"""Drafts held against what their docstrings say: where both agree, in a sentence too, the entry names the docstring.

What a docstring says otherwise is told, and never an error: a sentence may be about something else. Of a form that a
docstring prints, what it needs to be defined is written beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eqtrace.code.documentation.passage import Passage, docstring
from eqtrace.code.index import Index
from eqtrace.code.lift.needs import needed
from eqtrace.code.lift.objects import owner_of
from eqtrace.code.lift.ranges import bounds
from eqtrace.config import Config
from eqtrace.formula.defined import needs
from eqtrace.formula.documented.text import text_of
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.parse import parse_statement
from eqtrace.formula.term import Compare, Condition
from eqtrace.link.documentation import in_passing
from eqtrace.model.readback import ReadBack
from eqtrace.trial import Trial, tried

if TYPE_CHECKING:
    from eqtrace.drafting import Draft

AGREES = "drafted from the code, with which its docstring agrees"
DIFFERS = "drafted from the code: its docstring says something else"
_LONGEST = 60  # characters of a formula that names itself in an entry
_MOST = 3  # conditions that are written beside a form


def confirmed(config: Config, index: Index, made: Sequence[Draft], trial: Trial) -> Iterator[Draft]:
    """Drafts without an error, as they are to be written; `trial` is that of these drafts."""
    others = {each.target: other for each in made if (other := _with_docstring(each, index)) is not None}
    second = tried(config, list(others.values())) if others else trial
    for draft in made:
        found = trial.states.get(draft.target)
        other = others.get(draft.target, draft)
        said = second.states.get(draft.target) if draft.target not in second.faults else None
        status = said.found.status if said is not None and other is not draft else None
        if status is ReadBack.AGREES:
            yield replace(other, comment=AGREES, unread="")
        elif status is ReadBack.DIFFERS and said is not None and (draft.unread or _is_alone(draft, others)):
            yield _unlike(draft, said.text)
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


def _is_alone(draft: Draft, others: Mapping[str, Draft]) -> bool:
    """Whether a draft is of the one method of a class that may be what the class's docstring says."""
    owner = draft.function.rpartition(".")[0]
    of_owner = [each for each in others.values() if each.function.rpartition(".")[0] == owner]
    return bool(owner) and len(of_owner) == 1


def _unlike(draft: Draft, text: str) -> Draft:
    shown = " ".join(text.split())
    keys = {"states": "docstring", **draft.keys}
    why = f"it says {shown}, and the code something else"
    return replace(draft, comment=f"{DIFFERS} ({shown})", keys=keys, unread=why)


def _with_docstring(draft: Draft, index: Index) -> Draft | None:
    """A draft from code held against a formula that the docstring has in a sentence, or that the class's has."""
    if "sympy" not in draft.keys:
        return None
    file = index.file(draft.path)
    node = file.functions.get(draft.function) if file is not None else None
    if file is None or node is None:
        return None
    owner = owner_of(file, draft.function)
    for passage in (docstring(file, node), docstring(file, owner) if owner is not None else None):
        text = _meant(passage, draft) if passage is not None else ""
        if text:
            keys: Mapping[str, str] = {key: value for key, value in draft.keys.items() if key != "states"}
            quoted = text.replace("'", "''")
            return replace(draft, keys={"states": f"{{holds: '{quoted}'}}", **keys})
    return None


def _meant(passage: Passage, draft: Draft) -> str:
    """The text of the one formula that a passage has in passing; '' where there is none."""
    found = in_passing(passage)
    if found is None:
        return ""
    text = " ".join(found.printed.text.split())
    return text if len(text) <= _LONGEST else text.partition("=")[0] + "="


def _defined(draft: Draft, detail: str, index: Index) -> Draft:
    """The draft of a form that a docstring prints, with what that needs to be defined, where nothing says so."""
    statement, _ = parse_statement(detail.partition(", where ")[0])
    file = index.file(draft.path)
    node = file.functions.get(draft.function) if file is not None else None
    if statement is None or "where" in draft.keys or ", where " in detail:
        return draft
    if file is None or node is None or isinstance(node, ast.Module):
        return draft
    positive = {name for name, each in bounds(file, node, clamps=True).items() if each.positive}
    letters = frozenset("ijklmnpqrst") - {each.arg for each in node.args.args}
    texts = [text for each in needs(statement, letters) if (text := _text(each))]
    found = needed(texts, positive)
    if not 0 < len(found) <= _MOST:
        return draft
    quoted = ", ".join(found).replace("'", "''")
    return replace(draft, keys={**draft.keys, "where": f"'{quoted}'"})


def _text(condition: Condition) -> str:
    try:
        if isinstance(condition, Compare) and condition.operator == "!=":
            return f"Ne({text_of(condition.left)}, {text_of(condition.right)})"
        return text_of(condition)
    except Unread:
        return ""
