"""How an object of a class is made, and which of its attributes are arguments of that."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from eqtrace.code.lift.flags import call_without, flags_of, parameters
from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

_PASSING = frozenset({"float", "asarray", "array"})
_CALLED = "__call__"
_PROPERTIES = frozenset({"property", "cached_property"})


@dataclass(frozen=True, slots=True)
class Constructed:
    """`attributes` are those that the method reads and the names that stand for them; `given` those of all arguments.

    `arguments` are what the constructor is called with, as written.
    """

    arguments: tuple[str, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    init: FunctionNode | None = None

    def call(self, owner: str, method: FunctionNode, module: ast.Module) -> str:
        """The call of the method without its flags, on an object that is made for it.

        Raises:
            NotLifted: a `call` may not name the method.
        """
        made = f"{owner}({', '.join(self.arguments)})"
        if method.name.startswith("_") and method.name != _CALLED:
            raise NotLifted("begins with an underscore: its entry needs a `call` by what uses it", method)
        if is_property(method):
            return f"{made}.{method.name}"
        own = parameters(method)[0].arg
        text = call_without(method, flags_of(method, module)).replace(f"({own}, ", "(", 1).replace(f"({own})", "()", 1)
        return f"{made}{text.removeprefix(_CALLED)}" if method.name == _CALLED else f"{made}.{text}"


def owner_of(file: SourceFile, name: str) -> ast.ClassDef | None:
    """The class of a method; None where a function is none, or stands in another function."""
    owner, _, method = name.rpartition(".")
    found = file.definitions.get(owner, ()) if owner else ()
    return found[-1] if method and len(found) == 1 and isinstance(found[-1], ast.ClassDef) else None


def is_static(node: FunctionNode) -> bool:
    """Whether a method gets no object."""
    return "staticmethod" in _decorators(node)


def is_property(node: FunctionNode) -> bool:
    """Whether it is read like an attribute."""
    return bool(_PROPERTIES & _decorators(node))


def constructed(file: SourceFile, owner: ast.ClassDef, method: FunctionNode) -> Constructed:
    """How an object is made whose method is called.

    Raises:
        NotLifted: nothing tells, or the method reads what is no argument of the constructor.
    """
    if _decorators(method) - _PROPERTIES:
        raise NotLifted(f"is decorated by {', '.join(sorted(_decorators(method) - _PROPERTIES))}", method)
    if owner.bases or owner.keywords:
        raise NotLifted(
            f"is a method of `{owner.name}`, which has a base class: an entry with `call` can say how", method
        )
    names, required, kept, init = _fields(owner) if _is_dataclass(owner) else _initialised(owner)
    read = dict.fromkeys(_read(method))
    if unknown := [each for each in read if each not in kept]:
        raise NotLifted(f"reads `self.{unknown[0]}`: an entry with `call` can say how it is made", method)
    wanted = [each for each in names if each in required or each in {kept[attribute] for attribute in read}]
    own = {each.arg for each in parameters(method)}
    if own & {*wanted}:
        raise NotLifted("has parameters that are called like arguments of its class", method)
    reverse = {argument: attribute for attribute, argument in kept.items()}
    if missing := [each for each in wanted if each not in reverse]:
        raise NotLifted(f"needs `{missing[0]}` to make a `{owner.name}`: an entry with `call` can say how", method)
    positional = True
    arguments = []
    for each in names:
        if each in wanted:
            arguments.append(each if positional else f"{each}={each}")
        else:
            positional = False
    given = {reverse[each]: each for each in wanted}
    return Constructed(tuple(arguments), {each: kept[each] for each in read}, given, init)


def _decorators(node: FunctionNode) -> set[str]:
    return {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}


def _is_dataclass(owner: ast.ClassDef) -> bool:
    return any(ast.unparse(each).partition("(")[0].rpartition(".")[2] == "dataclass" for each in owner.decorator_list)


_Made = tuple[list[str], set[str], dict[str, str], FunctionNode | None]


def _fields(owner: ast.ClassDef) -> _Made:
    """Of a dataclass, whose fields are its arguments."""
    fields = [each for each in owner.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    names = [each.target.id for each in fields if isinstance(each.target, ast.Name)]
    required = {each.target.id for each in fields if each.value is None and isinstance(each.target, ast.Name)}
    changed = {*_changed(owner)}
    return names, required, {each: each for each in names if each not in changed}, None


def _initialised(owner: ast.ClassDef) -> _Made:
    """Of a class with an `__init__` that keeps its arguments (`self.x = x`)."""
    init = next((each for each in owner.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if init is None:
        return [], set(), {}, None
    if init.args.vararg or init.args.kwarg or init.args.kwonlyargs:
        raise NotLifted(f"needs a `{owner.name}` that is made in a way that a draft doesn't read", init)
    names = [each.arg for each in parameters(init)[1:]]
    required = {*names[: len(names) - len(init.args.defaults)]}
    changed = {*_changed(owner)}
    stored = list(_stored(init))
    once = [attribute for attribute, _ in stored]
    kept = {
        attribute: value
        for attribute, value in stored
        if value in names and attribute not in changed and once.count(attribute) == 1
    }
    return names, required, kept, init


def _stored(init: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Attributes and the names that they are assigned; '' for anything else."""
    for node in ast.walk(init):
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign | ast.AugAssign)
            else []
        )
        for target in targets:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                yield target.attr, _passed(getattr(node, "value", None)) if not isinstance(node, ast.AugAssign) else ""


def _passed(node: ast.expr | None) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Name(id=given)]) if name in _PASSING:
            return given
    return ""


def _changed(owner: ast.ClassDef) -> Iterator[str]:
    """Attributes that a method other than `__init__` assigns."""
    for method in owner.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name != "__init__":
            for node in ast.walk(method):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                    yield node.attr


def _read(method: FunctionNode) -> Iterator[str]:
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node.attr
