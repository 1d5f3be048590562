"""Where parameters may be drawn from, as far as code and documentation tell: drafts say so, and a reader confirms it.

What code holds above a tiny number (`max(1e-15, sigma)`) is meant to be positive, and so is what its documentation
calls positive. What stands in an exponent is drawn from a small range, or float64 overflows before a formula is wrong.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from eqtrace.code.lift.flags import flags_of, parameters
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

_TINY = 1e-6  # at most: a larger bound may be part of the formula
_SMALL, _SMALLER = 9, 3
_CLAMPS = frozenset({"max", "maximum"})
_STEEP = frozenset({"gamma", "gamfcn", "factorial", "beta", "poch"})  # they overflow before 1,000
_PRODUCT = frozenset({"erfc"})  # a product of it with exp is 0 times infinity before 1,000
_POSITIVE = re.compile(r"\b(?:strictly )?positive\b|(?<![<>=-])>\s*0(?![.\d])|\bgreater than (?:0|zero)\b")
_NEGATED = re.compile(
    r"\bnon-?\s*positive\b|\bnot (?:be )?positive\b|\bpositive or negative\b|\bpositive(?:,| and) negative\b"
)
_ARGUMENT = re.compile(r"\s+(?P<name>\w+)\s*(?:\((?P<kind>[^()]*(?:\([^()]*\)[^()]*)*)\))?:\s+(?P<said>.*)")
_HEAD = re.compile(r"^(\w+(?:\s*,\s*\w+)*)\s*:\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where one parameter is drawn from."""

    positive: bool = False
    most: int = 0  # how far from 0; 0 is as far as ever

    def yaml(self) -> str:
        """As a specification writes it."""
        low = "min: 0" if self.positive else f"min: -{self.most}"
        high = f", max: {self.most}" if self.most else ""
        return "{" + low + high + (", open: [min]" if self.positive else "") + "}"


def bounds(source: SourceFile, function: FunctionNode, clamps: bool) -> dict[str, Bounds]:
    """The bounds of a function's parameters; with `clamps` those too that only documentation or a clamp tells.

    Those that keep a default which is no number have none.
    """
    flags = flags_of(function, source.tree)
    names = [each.arg for each in parameters(function) if each.arg not in flags]
    found: dict[str, Bounds] = {}
    if clamps:
        positive = {*_clamped(source, function, 0), *_said_positive(ast.get_docstring(function) or "")}
        found = {name: Bounds(positive=True) for name in names if name in positive}
    for name, most in _steep(function).items():
        if name in names:
            found[name] = replace(found.get(name, Bounds()), most=most)
    return {name: found[name] for name in names if name in found}


def _clamped(source: SourceFile, function: FunctionNode, depth: int) -> Iterator[str]:
    """Parameters of which the code takes the larger one of them and a tiny number, also in functions that it calls."""
    own = {each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _CLAMPS and len(node.args) == 2:
            for tiny, other in (node.args, node.args[::-1]):
                value = _constant(source, tiny)
                if value is not None and 0 < value <= _TINY:
                    yield from _scaled(other, own)
        called = source.functions.get(name) if isinstance(node.func, ast.Name) else None
        if isinstance(called, ast.FunctionDef) and called is not function and depth < 2:
            given = _given(called, node)
            for inner in _clamped(source, called, depth + 1):
                argument = given.get(inner)
                if isinstance(argument, ast.Name) and argument.id in own:
                    yield argument.id


def _given(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return {**dict(zip(names, call.args, strict=False)), **{each.arg: each.value for each in call.keywords if each.arg}}


def _scaled(node: ast.expr, own: set[str]) -> Iterator[str]:
    """The parameter of `sigma` or `sigma*c`: one factor, and the others are of no parameter."""
    factors = list(_factors(node))
    names = [each.id for each in factors if isinstance(each, ast.Name) and each.id in own]
    used = {each.id for factor in factors for each in ast.walk(factor) if isinstance(each, ast.Name)} & own
    if len(names) == 1 and used == {*names}:
        yield names[0]


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _constant(source: SourceFile, node: ast.expr) -> float | None:
    """A number, or a name that the module gives one once."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if not isinstance(node, ast.Name):
        return None
    assigned = [
        each.value
        for each in source.tree.body
        if isinstance(each, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in each.targets)
    ]
    return _constant(source, assigned[0]) if len(assigned) == 1 and isinstance(assigned[0], ast.Constant) else None


def _steep(function: FunctionNode) -> dict[str, int]:
    """Parameters in exponents and in functions that grow faster, through names that are assigned: how far they go."""
    made = _made_of(function)
    found: dict[str, int] = {}
    called = {each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
              for each in ast.walk(function) if isinstance(each, ast.Call)}  # fmt: skip

    def note(node: ast.expr, most: int) -> None:
        for each in _names(node, made):
            found[each] = min(found.get(each, most), most)

    for node in ast.walk(function):
        match node:
            case ast.BinOp(left=left, op=ast.Pow(), right=right) if not isinstance(left, ast.Constant):
                note(right, _SMALL)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments):
                if name in _STEEP:
                    for each in arguments:
                        note(each, _SMALL)
                elif name == "exp" and called & _PRODUCT:
                    for each in arguments:
                        note(each, _SMALLER)
    return found


def _made_of(function: FunctionNode) -> dict[str, set[str]]:
    made: dict[str, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    made.setdefault(target.id, set()).update(_names(node.value, made))
    return made


def _names(node: ast.expr, made: Mapping[str, set[str]]) -> set[str]:
    direct = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return direct.union(*(made.get(name, set()) for name in direct))


def sections(documentation: str) -> Iterator[tuple[str, str, str]]:
    """A parameter, its type and what is said of it, of a docstring in the manner of NumPy's."""
    lines = documentation.split("\n")
    for number, line in enumerate(lines[:-1]):
        if line.strip() in ("Parameters", "Attributes") and set(lines[number + 1].strip()) == {"-"}:
            yield from _entries(lines[number + 2 :])


def arguments(documentation: str) -> Iterator[tuple[str, str, str]]:
    """The same of a docstring in the manner of Google's."""
    lines = documentation.split("\n")
    for number, line in enumerate(lines):
        if line.strip() in ("Args:", "Arguments:", "Parameters:"):
            yield from _arguments(lines[number + 1 :], len(line) - len(line.lstrip()))


def _arguments(lines: list[str], indent: int) -> Iterator[tuple[str, str, str]]:
    """Entries like `x (np.ndarray): The inputs, shape (n, d).`, as long as they stand deeper than their heading."""
    current: tuple[str, str] | None = None
    said: list[str] = []
    for line in [*lines, ""]:
        head = _ARGUMENT.match(line)
        over = len(line) - len(line.lstrip()) <= indent
        if current is not None and (head is not None or over):
            yield *current, " ".join(said)
        if over:
            return
        if head is not None:
            current, said = (head["name"], head["kind"] or ""), [head["said"]]
        else:
            said.append(line.strip())


def _entries(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    current: tuple[str, str] | None = None
    said: list[str] = []
    for number, line in enumerate([*lines, "end"]):
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        is_over = bool(line.strip()) and bool(following) and set(following) == {"-"}
        head = _HEAD.match(line)
        if head is not None or is_over or number == len(lines):
            if current is not None:
                for name in current[0].split(","):
                    yield name.strip(), current[1], " ".join(said)
            if is_over:
                return
            current, said = ((head[1], head[2]) if head is not None else None), []
        elif current is not None:
            said.append(line.strip())


def _said_positive(documentation: str) -> Iterator[str]:
    for name, kind, said in sections(documentation):
        text = f"{kind} {said}".partition(". ")[0]
        if _POSITIVE.search(text) and not _NEGATED.search(text):
            yield name
