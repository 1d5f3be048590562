"""What a verification needs to know, worked out in the parent and sent to every worker."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eqtrace.code.bind import SUBEXPRESSION, TARGET, BindError, is_result, parse_left
from eqtrace.formula.form import RESULT, Form
from eqtrace.model.anchor import Anchor, Match, Role
from eqtrace.model.equation import Equation
from eqtrace.model.example import Example
from eqtrace.run.site import Site

COMPUTING = (Role.COMPUTES, Role.INLINE)
EXECUTED = (Role.COMPUTES, Role.INLINE, Role.CALLS)


EXAMPLE = "example"  # stands for a method in the unit of a topic's example


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of work: an equation's method, or (`EXAMPLE`) a topic's example, whose topic is then in `equation`."""

    equation: str
    method: str


@dataclass(frozen=True, slots=True)
class Work:
    """Everything a worker needs: where the code is, what to capture, and the forms to hold it against."""

    root: str
    pythonpath: tuple[str, ...]
    modules: Mapping[str, str]  # absolute file -> module name, of every file with a site
    user_files: frozenset[str]  # absolute paths of the user's sources (their functions have exact twins)
    equations: Mapping[str, Equation]
    forms: Mapping[str, Form]
    sites: Mapping[str, Site]  # by anchor id
    beside: Mapping[str, Site]  # by anchor id: computing statements that gradients look at; nothing is recorded there
    followed: Mapping[str, Site]  # whole functions of which the order of calls is recorded, by 'path::name'
    scenarios: str | None  # absolute path of the scenarios file
    references: str | None  # absolute path of the references file
    draws: tuple[Mapping[str, int], ...]  # sizes of the scenarios
    seed: int = 0
    examples: Mapping[str, Example] = field(default_factory=dict)  # by topic
    shown_sizes: Mapping[str, int] = field(default_factory=dict)  # those of the site, which stored runs get

    def sites_of(self, equation: Equation, roles: Iterable[Role] | None = None) -> list[tuple[Anchor, Site]]:
        """The equation's anchors that were found in the code, with their sites: of these roles, or all that compute."""
        wanted = None if roles is None else tuple(roles)
        return [
            (anchor, self.sites[anchor.id])
            for anchor in equation.anchors
            if (anchor.computing if wanted is None else anchor.role in wanted) and anchor.id in self.sites
        ]

    def sites_in(self, file: str, function: str) -> list[Site]:
        """The sites of one function."""
        return [site for site in self.sites.values() if (site.file, site.function) == (file, function)]


def files_of(work: Work) -> frozenset[str]:
    """The files that sessions read for certain; what user code reads by itself is not among them."""
    named = {file for file in (work.scenarios, work.references) if file is not None}
    return frozenset({*work.modules, *work.user_files, *named})


def site_of(match: Match, equation: Equation, form: Form | None, root: Path) -> Site | None:
    """What to capture at an anchor: its `bind`, and for other symbols their names in the code."""
    anchor, span = match.anchor, match.span
    if span is None or anchor.role not in (*EXECUTED, Role.EXPLAINS):
        return None
    file = Path(span.path)
    inputs: dict[str, str] = {}
    outputs: dict[str, str] = {}
    if form is not None and anchor.computing:
        inputs, outputs = bound_names(anchor, equation, form, match.function, match.source)
    if anchor.role is Role.CALLS:  # in the caller, names mean what `bind` says and nothing else
        inputs, outputs = (
            {name: code for name, code in each.items() if name in anchor.bind} for each in (inputs, outputs)
        )
    return Site(
        anchor=anchor.id,
        path=span.path,
        file=str(file if file.is_absolute() else root / file),
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        function=match.function,
        role=str(anchor.role),
        inputs=inputs,
        outputs=outputs,
        whole=anchor.target is not None,
    )


def bound_names(
    anchor: Anchor, equation: Equation, form: Form, function: str, source: str = ""
) -> tuple[dict[str, str], dict[str, str]]:
    """Right sides (read before) and left sides (read after) of an anchor, by symbol.

    Where the form has several statements, the line shows those whose left side occurs in its `source`.
    """
    parts = range(len(form.parts)) if anchor.part is None else (anchor.part,)
    left = {name for part in parts for name in form.left(part)}
    needed = {name for part in parts for name in form.needed(part)}
    inputs: dict[str, str] = {}
    outputs: dict[str, str] = {}
    for name in sorted(left | needed):
        code = _code(anchor, equation, name.removeprefix("Old(").removesuffix(")"), function)
        if code and name in left:
            if len(parts) > 1 and name not in anchor.bind and source and not _occurs(code, source):
                continue
            outputs[name] = code
        elif code:
            inputs[name] = code
    if not form.parts:  # a reference gives what the line must give
        inputs = {name: code for name in equation.symbols if (code := _code(anchor, equation, name, function))}
        inputs = {name: code for name, code in inputs.items() if name in anchor.bind or _occurs(code, source)}
        outputs = {name: inputs.pop(name) for name in [*inputs] if _is_target(inputs[name], source)}
    for name, text in anchor.bind.items():
        if is_result(text.value):
            outputs[name] = text.value
            inputs.pop(name, None)
        elif "discrete" in equation.methods and name not in outputs:
            inputs[name] = text.value  # the reference may ask for it, where the form does not
    return inputs, outputs


def _is_target(name: str, source: str) -> bool:
    """Whether a statement assigns to a name."""
    return _left_kind(name, source) == TARGET


def _occurs(name: str, source: str) -> bool:
    """Whether a left side stands in a statement."""
    return bool(_left_kind(name, source))


def _left_kind(name: str, source: str) -> str:
    """What a left side is of a statement; '' where it does not stand in it."""
    for text in (source, f"{source}\n pass", f"try:\n pass\n{source}\n pass"):  # headers have no body of their own
        try:
            statement = ast.parse(textwrap.dedent(text)).body[0]
            return parse_left(name, statement).kind
        except SyntaxError:
            continue
        except BindError:
            return ""
    return SUBEXPRESSION


def used_symbols(form: Form) -> frozenset[str]:
    """The symbols that stand in a form's statements (a topic declares those of all its equations)."""
    names = {name for part in range(len(form.parts)) for name in (*form.left(part), *form.needed(part))}
    return frozenset(name.removeprefix("Old(").removesuffix(")") for name in names)


def is_scalar(form: Form) -> bool:
    """Whether an equation is of scalars alone, so that arrays of any shape may stand for its symbols."""
    if not form.parts or any(form.used_indices(part) for part in range(len(form.parts))):
        return False
    shapes = (form.shapes.get(name) for name in used_symbols(form))
    return all(shape is None or not (shape.dims or shape.batch) for shape in shapes)


def _code(anchor: Anchor, equation: Equation, name: str, function: str) -> str | None:
    if name in anchor.bind:
        return anchor.bind[name].value
    if anchor.target is not None and name == RESULT:
        return RESULT
    symbol = equation.symbols.get(name)
    return symbol.code_name(function) if symbol is not None else None
