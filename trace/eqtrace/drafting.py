"""Entries in short form drafted from code: what documentation prints, what a body returns, what a name says.

Each draft is audited before it is given: one with an error is none, and its reason is told instead.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from eqtrace.code.index import Index
from eqtrace.code.lift.flags import parameters, skeleton
from eqtrace.code.lift.function import Lifted, lifted
from eqtrace.code.lift.needs import needed
from eqtrace.code.lift.objects import constructed, is_static, owner_of
from eqtrace.code.lift.project import is_test
from eqtrace.code.lift.ranges import Bounds, bounds
from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.lift.shapes import annotated, assumed, documented
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode
from eqtrace.config import Config
from eqtrace.confirming import confirmed, unread_beside
from eqtrace.errors import EqtraceError
from eqtrace.link.documentation import NO_FORMULA
from eqtrace.spec import short
from eqtrace.spec.context import Context
from eqtrace.spec.document import Document, Entries
from eqtrace.spec.yaml_text import key, mapping, quoted
from eqtrace.trial import tried

_ORIGINS = {
    "docstring": "from its docstring",
    "code": "drafted from the code: confirm it against the paper",
    "gradient": "drafted from its name, a guess: a gradient by its first parameter",
}
_SECTION = re.compile(r"[^\s#].*:\s*(#.*)?$")  # a line that begins one in a file of entries
_SUFFIXES = ("_grad", "_gradient", "_der", "_derivative", "_prime", "_jac")
_PREFIXES = ("grad_", "d_")  # the last where the docstring says so: it begins many names
_DERIVATIVE = re.compile(r"derivative|gradient|jacobian", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Draft:
    """One entry: where it belongs, what it says, and what it rests on."""

    module: str
    function: str
    path: str
    line: int
    comment: str
    keys: Mapping[str, str]  # each value as YAML writes it
    unread: str = ""  # why the formula that its docstring prints is not read; '' where it is, or prints none

    @property
    def target(self) -> str:
        """The id that its equation has."""
        return short.target(self.module, self.function)

    def lines(self, name: str, indent: str = "") -> list[str]:
        """The entry as YAML, under a name."""
        said = ", ".join(f"{key}: {value}" for key, value in self.keys.items())
        place = (
            self.module if self.path.startswith("/") else self.path
        )  # an installed package lies elsewhere for others
        return [f"{indent}# {self.comment} ({place}:{self.line})", f"{indent}{name}: {{{said}}}"]


@dataclass(frozen=True, slots=True)
class Undrafted:
    """A function without a draft, and why."""

    path: str
    line: int
    function: str
    reason: str
    skeleton: str  # an entry without its formula


@dataclass(frozen=True, slots=True)
class Drafts:
    """What was drafted and what was not."""

    made: tuple[Draft, ...]
    left: tuple[Undrafted, ...]


def drafts(config: Config, known: Collection[str] = (), cited: Collection[tuple[str, str]] = ()) -> Drafts:
    """Drafts of all public functions of the sources, methods of public classes too.

    Left out are ids that are `known`, and functions (path and name) of which lines are `cited`.
    """
    index = Index(config)
    wanted = [
        (path, name)
        for path in index.sources()
        if not (index.is_test_file(path) or is_test(path)) and (file := index.file(path)) is not None
        for name in file.functions
        if name
        and (path, name) not in cited
        and _is_public(file, name)
        and short.target(index.module_name(path) or path, name) not in known
    ]
    return of_functions(config, index, wanted)


def _is_public(file: SourceFile, name: str) -> bool:
    """Whether a function, or a method of a class that is no part of another, has no name with an underscore.

    Objects that are called like functions are as public as these.
    """
    *owner, last = name.split(".")
    hidden = [each for each in (*owner, last) if each.startswith("_")]
    if hidden not in ([], ["__call__"]) or len(owner) > 1:
        return False
    return not owner or owner_of(file, name) is not None


def of_functions(config: Config, index: Index, wanted: Iterable[tuple[str, str]]) -> Drafts:
    """Drafts of functions, each a file and a qualified name; the best that audits without an error of each."""
    left: list[Undrafted] = []
    choices: dict[tuple[str, str], list[Draft]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for path, name in wanted:
        file = index.file(path)
        node = file.functions.get(name) if file is not None else None
        if file is None or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        module = index.module_name(path) or path
        try:
            choices[path, name] = list(_choices(module, file, name, node))
            reasons[path, name] = "is not drafted"
        except NotLifted as error:
            stated = _stated(module, file, name, node, None)
            choices[path, name] = [stated] if ast.get_docstring(node) else []
            reasons[path, name] = f"line {error.line} {error}" if error.line else str(error)
    made: list[Draft] = []
    waiting = {each: list(found) for each, found in choices.items()}
    while current := [found[0] for found in waiting.values() if found]:
        trial = tried(config, current)
        faults = trial.faults
        if not faults:
            made = list(confirmed(config, index, current, trial))
            break
        for each, found in waiting.items():
            if found and found[0].target in faults:
                dropped = found.pop(0)
                reason = faults[dropped.target]
                if "states" in dropped.keys:
                    waiting[each] = [_unlike(other, reason) for other in found]
                if choices[each][-1].keys.get("states") is None:
                    reasons[each] = f"its draft has a fault: {reason}"
                elif why := _not_read(reason):
                    reasons[each] += f"; its docstring's formula is not read: {why}"
    for (path, name), found in waiting.items():
        if not found:
            file = index.file(path)
            node = file.functions[name] if file is not None else None
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                left.append(Undrafted(path, node.lineno, name, reasons[path, name], _skeleton(index, path, name, node)))
    return Drafts(tuple(made), tuple(left))


def _unlike(draft: Draft, reason: str) -> Draft:
    """A draft from code whose docstring prints a formula that is not read, as a finding says; the same if none does."""
    why = _not_read(reason)
    if not why or not (draft.unread or draft.comment == _ORIGINS["code"]):
        return draft
    return unread_beside(draft, why)


def _not_read(reason: str) -> str:
    """Why the formula that a docstring prints is not read, by a finding; '' where it prints none."""
    why = " ".join(reason.partition(" is not read: ")[2].split())
    return "" if why == NO_FORMULA else why


def rendered(made: Sequence[Draft]) -> str:
    """A file in short form."""
    if not made:
        return ""
    lines = ["# Entries in short form; names in a form are the parameters of the function."]
    for module in dict.fromkeys(each.module for each in made):
        lines += ["", f"{key(module)}:"]
        for each in made:
            if each.module == module:
                lines += each.lines(key(each.function), "  ")
    return "\n".join(lines) + "\n"


def entered(name: str, before: str, draft: Draft) -> tuple[str, str]:
    """The entry, and the text of a file with it: in its module's section where that takes it, else at the end.

    Raises:
        EqtraceError: the file takes none, as one in topic form doesn't.
    """
    lines = before.splitlines(keepends=True)
    section = _section(lines, draft.module)
    places = [(len(lines), draft.lines(quoted(draft.target)))]
    if section is not None:
        end, indent = section
        places.insert(0, (end, draft.lines(key(draft.function), indent)))
    elif any(map(_SECTION.match, lines)):
        places.insert(0, (len(lines), ["", f"{key(draft.module)}:", *draft.lines(key(draft.function), "  ")]))
    for end, told in places:
        newline = "\r\n" if "\r\n" in before else "\n"
        above, entry = "".join(lines[:end]), newline.join([*told, ""])
        above += "" if above.endswith("\n") or not above else newline
        after = above + entry + "".join(lines[end:])
        if _takes(name, before, after, draft.target):
            return entry.lstrip("\r\n"), after
    raise EqtraceError(f"{name} can't take an entry at its end", "name a file in short form: --to FILE")


def _section(lines: list[str], module: str) -> tuple[int, str] | None:
    """The line behind a module's section, and how its entries are indented; None where it has none in lines."""
    head = re.compile(rf"(['\"]?){re.escape(module)}\1\s*:\s*(#.*)?$")
    start = next((number for number, line in enumerate(lines) if head.match(line.removeprefix("\ufeff"))), None)
    if start is None:
        return None
    inside = list(itertools.takewhile(lambda line: not line.strip() or line[0] in " #", lines[start + 1 :]))
    while inside and not inside[-1].startswith(" "):
        inside.pop()
    first = next((line for line in inside if line.strip() and line.lstrip()[0] != "#"), "")
    indent = first[: len(first) - len(first.lstrip())]
    return (start + 1 + len(inside), indent) if indent else None


def _takes(name: str, before: str, after: str, target: str) -> bool:
    """Whether a text has this entry more than before, as one in topic form has not."""

    def entries(text: str) -> list[str]:
        document = Document(name, text.removeprefix("\ufeff").replace("\r\n", "\n"))
        if document.refused or not isinstance(document.place, Entries) or "topic" in document.place.keys:
            return []
        return sorted(each.id for topic in short.read(document, Context()) for each in topic.equations)

    return entries(after) == sorted([*entries(before), target])


def _skeleton(index: Index, path: str, name: str, node: FunctionNode) -> str:
    """An entry that only lacks its formula."""
    module = index.module_name(path) or path
    known = annotated(node)
    keys = {"sympy": "'...'", **skeleton(node, {**assumed(node, known), **known})}
    said = ", ".join(f"{name}: {value}" for name, value in keys.items())
    return f"{quoted(short.target(module, name))}: {{{said}}}"


def _choices(module: str, file: SourceFile, name: str, node: FunctionNode) -> Iterator[Draft]:
    """The possible drafts of a function, the best first."""
    owner = owner_of(file, name)
    if ("." not in name or owner is not None) and node not in (file.tree if owner is None else owner).body:
        raise NotLifted("is defined in a branch, and which of its definitions holds is decided when it runs")
    of = _differentiated(file, name)
    if of is not None:
        keys = _gradient(file, of, node)
        yield _draft(module, file, name, node, "gradient", keys)
        return
    if name.endswith("_backward"):
        raise NotLifted("is a backward function: a topic with `gradient` says what it differentiates")
    if owner is not None and not is_static(node):
        yield _method(module, file, name, node, owner)
        return
    found = _lifted(file, node)
    if ast.get_docstring(node):
        whole = _lifted(file, node, named=False) if found.let else found
        yield _stated(module, file, name, node, whole)
        if whole.indices:  # which a formula with sums needs declared, and any other does not
            yield _stated(module, file, name, node, whole, indices=True)
    held = _domain(bounds(file, node, clamps=False))
    yield _draft(module, file, name, node, "code", {**_yaml(found), **held})
    if found.let:  # a name in it may be one that forms have for something else
        yield _draft(module, file, name, node, "code", {**_yaml(_lifted(file, node, named=False)), **held})


def _method(module: str, file: SourceFile, name: str, node: FunctionNode, owner: ast.ClassDef) -> Draft:
    """A draft of a method: what it reads of its object are the arguments that made it, under their own names."""
    made = constructed(file, owner, node)
    found = _lifted(file, node, attributes=made.attributes)
    call = made.call(owner.name, node, file.tree)
    keys = _yaml(found)
    shapes = annotated(made.init) if made.init is not None else {}
    symbols = {each: f"{{code: self.{attribute}, shape: [{', '.join(map(key, shapes.get(each, ())))}]}}"
               for attribute, each in made.given.items()}  # fmt: skip
    keys |= {"call": quoted(call)} | ({"symbols": mapping(symbols)} if symbols else {})
    return _draft(module, file, name, node, "code", {**keys, **_domain(bounds(file, node, clamps=False))})


def _stated(
    module: str, file: SourceFile, name: str, node: FunctionNode, found: Lifted | None, indices: bool = False
) -> Draft:
    """A draft whose form the docstring prints. Of the code it has what that needs: shapes, conditions and bounds."""
    held = bounds(file, node, clamps=True)
    keys = {"states": "docstring"}
    if found is not None:
        where = needed(found.where, {each for each, bound in held.items() if bound.positive})
        shared = _yaml(replace(found, where=where))
        left = {"sympy", "let"} if indices else {"sympy", "let", "indices"}
        keys |= {key: value for key, value in shared.items() if key not in left}
    return _draft(module, file, name, node, "docstring", {**keys, **_domain(held)})


def _domain(held: Mapping[str, Bounds]) -> dict[str, str]:
    return {"domain": mapping({name: bound.yaml() for name, bound in held.items()})} if held else {}


def _lifted(
    file: SourceFile, node: FunctionNode, named: bool = True, attributes: Mapping[str, str] | None = None
) -> Lifted:
    said = annotated(node)
    told = {**documented(node), **said}
    try:
        return lifted(file, node, told, named, attributes)
    except NotLifted:
        guess = assumed(node, said)
        if not guess:
            raise
        return lifted(file, node, {**said, **guess}, named, attributes)


def _differentiated(file: SourceFile, name: str) -> str | None:
    candidates = [name.removesuffix(each) for each in _SUFFIXES if name.endswith(each)]
    said = ast.get_docstring(file.functions[name]) or ""
    prefixes = _PREFIXES if _DERIVATIVE.search(said) else _PREFIXES[:1]
    candidates += [name.removeprefix(each) for each in prefixes if name.startswith(each)]
    return next((each for each in candidates if each in file.functions), None)


def _gradient(file: SourceFile, of: str, node: FunctionNode) -> dict[str, str]:
    forward = file.functions[of]
    if not isinstance(forward, ast.FunctionDef):
        raise NotLifted(f"is named as the gradient of `{of}`, which is no plain function", node)
    names = [each.arg for each in parameters(node)]
    if names != [each.arg for each in parameters(forward)] or not names:
        raise NotLifted(f"is named as the gradient of `{of}`, but has other parameters", node)
    shapes: Mapping[str, tuple[str, ...]] = {
        **assumed(forward, {}),
        **documented(forward),
        **documented(node),
        **annotated(forward),
        **annotated(node),
    }
    keys = {"gradient_of": of, "by": key(names[0])}
    try:
        found = _lifted(file, forward)
    except NotLifted:
        found = None
    if found is not None and found.form.startswith("Eq(result["):
        raise NotLifted(f"is named as the gradient of `{of}`, which returns no number", node)
    shapes = found.shapes if found is not None and found.shapes else shapes
    keys |= {"shapes": mapping({each: f"[{', '.join(dims)}]" for each, dims in shapes.items()})} if shapes else {}
    return keys | ({"where": quoted(", ".join(found.where))} if found is not None and found.where else {})


def _draft(module: str, file: SourceFile, name: str, node: FunctionNode, origin: str, keys: dict[str, str]) -> Draft:
    comment = _ORIGINS[origin] + ("; confirm where it holds" if "domain" in keys and origin == "docstring" else "")
    return Draft(module, name, file.path, node.lineno, comment, keys)


def _yaml(found: Lifted) -> dict[str, str]:
    keys = {"sympy": quoted(found.form)}
    if found.let:
        keys["let"] = mapping({name: quoted(text) for name, text in found.let.items()})
    if found.where:
        keys["where"] = quoted(", ".join(found.where))
    if found.shapes:
        keys["shapes"] = mapping({name: f"[{', '.join(map(key, dims))}]" for name, dims in found.shapes.items()})
    if found.indices:
        keys["indices"] = mapping({name: key(size) for name, size in found.indices.items()})
    return keys
