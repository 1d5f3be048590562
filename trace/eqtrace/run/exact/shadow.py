"""Exact twins of user code: functions, classes and modules rewritten once and bound to stand-ins for NumPy and math."""

from __future__ import annotations

import ast
import copy
import functools
import importlib.util
import math
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, cast

import numpy as np
from flint import arb, ctx

from eqtrace.formula.ball import Ball, exact, half_ulp
from eqtrace.run.exact import rewrite
from eqtrace.run.exact.arithmetic import BUILTINS, number, rounded_number
from eqtrace.run.exact.proxies import array_interface, holds_interface, is_namespace, method, stand_in
from eqtrace.run.exact.rewrite import Exact
from eqtrace.run.exact.taps import Taps
from eqtrace.run.sources import source_tree
from eqtrace.run.tracker import Untracked

_CONTAINERS = (list, tuple, dict)
_CONSTANT_ULPS = 16  # how far a computed constant may lie from its float, or it is another value


class Constants(Enum):
    """What a float of unknown origin stands for."""

    HALF_ULP = "half an ulp"  # the reals that round to it: what is certified with
    LITERALS = "half an ulp, in functions too"  # the same, and so for literals of full length within functions
    EXACT = "exact"  # itself, to tell whether constants alone keep a result from being exact
    WIDE = "four ulps"  # what a short computation could have given, to tell a rounded constant from a wrong one


_CONSTANT: dict[Constants, Callable[[float], Any]] = {
    Constants.HALF_ULP: half_ulp,
    Constants.LITERALS: half_ulp,
    Constants.EXACT: exact,
    Constants.WIDE: lambda value: Ball(arb(value, arb(math.ulp(value)) * 4)),
}
_LITERALS = (Constants.LITERALS, Constants.WIDE)


class Shadows:
    """The exact twins of the user's modules, made as they are needed.

    A module-level float that is computed (`math.sqrt(2*math.pi)`) is computed again in balls; any other becomes what
    `constants` says.

    Args:
        files: whether a source file is the user's; code elsewhere is left as it is.
        constants: what a module-level float becomes.
        taps: statements at which values are changed or kept on the way.
        tracker: is told which functions run.
    """

    def __init__(
        self,
        files: Callable[[str], bool],
        constants: Constants,
        taps: Taps | None = None,
        tracker: Untracked | None = None,
    ) -> None:
        self._is_user_file = files
        self._tracker = tracker or Untracked()
        self._constants = constants
        self._taps = taps
        self._codes: dict[str, dict[tuple[str, int], types.CodeType]] = {}
        self._namespaces: dict[tuple[str, int], dict[str, Any]] = {}  # by module and precision
        self._computed: dict[str, list[tuple[str, types.CodeType]]] = {}
        self._functions: dict[int, Any] = {}
        self._classes: dict[type, type] = {}
        self._imported: dict[str, dict[str, tuple[str, str]]] = {}
        literal = rounded_number(_CONSTANT[constants]) if constants in _LITERALS else number
        self._builtins = {**BUILTINS, rewrite.NUMBER: literal, rewrite.METHOD: method}
        if taps is not None:
            self._builtins |= taps.names

    def namespace(self, module: str) -> Mapping[str, Any]:
        """The globals that a statement of `module` sees, exactly."""
        key = (module, ctx.prec)
        if key not in self._namespaces:
            space: dict[str, Any] = {}
            self._namespaces[key] = space  # before filling: modules may import each other
            space.update({name: self.twin(value) for name, value in vars(sys.modules[module]).items()})
            space["__builtins__"] = self._builtins
            self._take_imported(module, space)
            self._tracker.lasting(lambda: self._compute_constants(module, space))
        return self._namespaces[key]

    def _take_imported(self, module: str, space: dict[str, Any]) -> None:
        """Floats that come from another of the user's modules are what they are there."""
        if module not in self._imported:
            file = getattr(sys.modules[module], "__file__", None)
            package = getattr(sys.modules[module], "__package__", None) or ""
            own = bool(file) and self._is_user_file(str(file))
            self._imported[module] = imported_names(str(file), package) if own else {}
        for name, (origin, original) in self._imported[module].items():
            other = sys.modules.get(origin)
            if isinstance(getattr(other, original, None), float) and self._is_user_module(other):
                space[name] = self.namespace(origin).get(original, space[name])

    def _is_user_module(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        return bool(file) and self._is_user_file(str(file))

    def _compute_constants(self, module: str, space: dict[str, Any]) -> None:
        """Module-level floats that are computed, computed again without rounding."""
        file = getattr(sys.modules[module], "__file__", None)
        if not file or not self._is_user_file(file):
            return
        if module not in self._computed:
            self._computed[module] = list(computed_constants(file))
        for name, code in self._computed[module]:
            original = vars(sys.modules[module]).get(name)
            if not isinstance(original, float):
                continue
            scratch = dict(space)
            try:
                exec(code, scratch)
            except Exception:  # what does not run in balls stays a constant
                continue
            value = scratch[name]
            if isinstance(value, Ball) and abs(value.midpoint - original) <= _CONSTANT_ULPS * math.ulp(original):
                space[name] = value

    def constants(self, value: Any) -> Any:
        """A float, or each float of an array, as what a constant becomes; integers stay."""
        return _constant_array(value, _CONSTANT[self._constants])

    def twin(self, value: Any) -> Any:
        """The exact twin of anything that a module holds."""
        if isinstance(value, float | np.floating | np.ndarray):
            return self.constants(value)
        if isinstance(value, _CONTAINERS):
            return _mapped(value, self.twin)
        if isinstance(value, types.FunctionType) and (interface := array_interface(value)) is not None:
            return interface
        if isinstance(value, types.FunctionType):
            return self.function(value) if self._is_user_file(value.__code__.co_filename) else stand_in(value)
        if isinstance(value, types.ModuleType):
            own = (self._is_user_module(value) and not is_namespace(value)) or holds_interface(value)
            return _Module(self, value) if own else stand_in(value)
        if isinstance(value, type):
            return self.klass(value) if self._is_user_class(value) else value
        if isinstance(value, types.MethodType):
            return types.MethodType(self.twin(value.__func__), self.twin(value.__self__))
        if isinstance(value, functools.partial):
            named = {name: self.twin(each) for name, each in value.keywords.items()}
            return functools.partial(self.twin(value.func), *map(self.twin, value.args), **named)
        if isinstance(value, np.vectorize):
            return np.vectorize(self.twin(value.pyfunc), [object], excluded=value.excluded, signature=value.signature)
        if self._is_user_class(type(value)):
            return lift_value(value, self.constants, self.adopt)
        return stand_in(value)

    def function(self, original: types.FunctionType) -> Callable[..., Any]:
        """A function's exact twin; it is rewritten at its first call."""
        if id(original) not in self._functions:

            def call(*arguments: Any, **options: Any) -> Any:
                return self._build(original)(*arguments, **options)

            call.__name__, call.__qualname__ = original.__name__, original.__qualname__
            call.__wrapped__ = original  # type: ignore[attr-defined]  # for who asks for its signature
            self._functions[id(original)] = call
        return self._functions[id(original)]  # type: ignore[no-any-return]

    def klass(self, original: type) -> type:
        """A class's exact twin: a subclass whose methods are the exact ones."""
        if original not in self._classes:
            methods: dict[str, Any] = {"__module__": original.__module__}
            for base in reversed(original.__mro__):
                if self._is_user_class(base):
                    methods |= {name: self._member(member) for name, member in vars(base).items() if _is_method(member)}
                    methods |= {name: self.twin(each) for name, each in vars(base).items() if _is_constant(each)}
            try:
                self._classes[original] = type(original.__name__, (original,), methods)
            except Exception:  # a class that forbids subclasses keeps its own methods
                self._classes[original] = original
            self._classes[self._classes[original]] = self._classes[original]  # a twin is its own twin
        return self._classes[original]

    def adopt(self, instance: Any) -> Any:
        """Gives an instance (a copy of the user's) the methods of its class's exact twin."""
        kind = type(instance)
        if self._is_user_class(kind):
            try:
                object.__setattr__(instance, "__class__", self.klass(kind))
            except TypeError:
                return instance
        return instance

    def _member(self, member: Any) -> Any:
        if isinstance(member, staticmethod | classmethod):
            return type(member)(self.function(member.__func__))  # type: ignore[arg-type]
        if isinstance(member, property):
            getters = (member.fget, member.fset, member.fdel)
            return property(*(self.function(cast(types.FunctionType, each)) if each else None for each in getters))  # type: ignore[arg-type]
        # What is made when a class is (a dataclass's `__init__`) has no source, and only hands values on.
        return self.function(member) if self._is_user_file(member.__code__.co_filename) else member

    def _is_user_class(self, kind: type) -> bool:
        module = sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None)
        return bool(file) and self._is_user_file(str(file)) and not issubclass(kind, BaseException)

    def _build(self, original: types.FunctionType) -> types.FunctionType:
        self._tracker.entered(original.__code__)
        code = self._code(original.__code__)
        # Not `__module__`, which a decorator's `functools.wraps` takes from the function that it wraps.
        module = original.__globals__.get("__name__")
        space = dict(self.namespace(module)) if module in sys.modules else {}
        defaults = original.__defaults__ and tuple(self.twin(value) for value in original.__defaults__)
        cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
        closure = tuple(self._cell(name, cells.get(name)) for name in code.co_freevars)
        built = types.FunctionType(code, space, original.__name__, defaults, closure)
        if original.__kwdefaults__:
            built.__kwdefaults__ = {name: self.twin(value) for name, value in original.__kwdefaults__.items()}
        return built

    def _cell(self, name: str, cell: types.CellType | None) -> types.CellType:
        if cell is None or name == "__class__":
            return cell if cell is not None else types.CellType()
        try:
            return types.CellType(self.twin(cell.cell_contents))
        except ValueError:  # a variable that is not assigned yet
            return cell

    def _code(self, code: types.CodeType) -> types.CodeType:
        """The rewritten code of a function, found by its qualified name and first line."""
        file = code.co_filename
        if file not in self._codes:
            tree, lines = source_tree(file)
            if self._taps is not None:
                self._taps.edit(file, tree)
            rewritten = ast.fix_missing_locations(Exact(lines).visit(tree))
            self._codes[file] = dict(_function_codes(compile(rewritten, file, "exec", dont_inherit=True)))
        return self._codes[file][code.co_qualname, code.co_firstlineno]


def computed_constants(file: str) -> Iterator[tuple[str, types.CodeType]]:
    """Rewritten module-level assignments of one name to an expression that is no literal, each name assigned once."""
    tree, lines = source_tree(file)
    assigned = [target for node in tree.body for target in ast.walk(node) if _is_stored(target)]
    names = [target.id for target in assigned if isinstance(target, ast.Name)]
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        target = node.target if isinstance(node, ast.AnnAssign) else target
        value = getattr(node, "value", None)
        if value is None or _is_literal(value):
            continue
        if isinstance(target, ast.Name) and names.count(target.id) == 1:
            assignment = ast.copy_location(ast.Assign([target], Exact(lines).visit(value)), node)
            yield target.id, compile(ast.fix_missing_locations(ast.Module([assignment], [])), file, "exec")


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _is_literal(node: ast.expr) -> bool:
    operand = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(operand, ast.Constant)


class _Module:
    """A user's module, its attributes exact."""

    def __init__(self, shadows: Shadows, module: types.ModuleType) -> None:
        self._shadows, self._module = shadows, module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, float):
            return self._shadows.namespace(self._module.__name__)[name]
        return self._shadows.twin(value)


def _constant_array(value: Any, constant: Callable[[float], Any]) -> Any:
    if isinstance(value, float | np.floating):
        return constant(float(value)) if np.isfinite(value) else float(value)
    if value.dtype.kind != "f":
        return value
    return np.frompyfunc(lambda each: _constant_array(each, constant), 1, 1)(value)


def lift_value(
    value: Any, scalar: Callable[[Any], Any], adopt: Callable[[Any], Any], seen: dict[int, Any] | None = None
) -> Any:
    """A captured value with every float in it lifted by `scalar`; user objects get their exact class."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, float | np.floating | np.ndarray):
        return scalar(value)
    if isinstance(value, _CONTAINERS):
        return _mapped(value, lambda each: lift_value(each, scalar, adopt, seen))
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and not isinstance(value, type | types.ModuleType | types.FunctionType):
        clone = copy.copy(value)
        if clone is value:  # it is the only one of its kind (a member of an Enum)
            return value
        seen[id(value)] = clone  # before what it holds: that may lead back here
        clone.__dict__.update({name: lift_value(each, scalar, adopt, seen) for name, each in attributes.items()})
        return adopt(clone)
    return value


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: function(each) for key, each in value.items()}
    items = [function(each) for each in value]
    if isinstance(value, list):
        return items
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _is_method(member: Any) -> bool:
    return isinstance(member, types.FunctionType | staticmethod | classmethod | property)


def _is_constant(member: Any) -> bool:
    return isinstance(member, float | np.ndarray)


def imported_names(file: str, package: str) -> dict[str, tuple[str, str]]:
    """Names that a module's top level imports from others: the module, and the name there."""
    found = {}
    for node in source_tree(file)[0].body:
        if isinstance(node, ast.ImportFrom):
            try:
                origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            except (ImportError, ValueError):
                continue
            found.update({alias.asname or alias.name: (origin, alias.name) for alias in node.names})
    return found


def _function_codes(code: types.CodeType) -> list[tuple[tuple[str, int], types.CodeType]]:
    found = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.append(((constant.co_qualname, constant.co_firstlineno), constant))
            found.extend(_function_codes(constant))
    return found
