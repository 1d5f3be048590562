"""Exact twins of user code: functions, classes and modules rewritten once and bound to stand-ins for NumPy and math."""

from __future__ import annotations

import ast
import copy
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from eqtrace.formula.ball import half_ulp
from eqtrace.run.exact.arithmetic import BUILTINS
from eqtrace.run.exact.proxies import stand_in
from eqtrace.run.exact.rewrite import Exact
from eqtrace.run.statement import source_tree

Constant = Callable[[float], Any]
_CONTAINERS = (list, tuple, dict)


class Shadows:
    """The exact twins of the user's modules, made as they are needed.

    Args:
        files: the absolute paths of the user's modules; code elsewhere is left as it is.
        constant: what a module-level float becomes: a ball of half an ulp, unless a caller asks whether it alone is
            what keeps a result from being exact.
    """

    def __init__(self, files: Callable[[str], bool], constant: Constant = half_ulp) -> None:
        self._is_user_file = files
        self._constant = constant
        self._codes: dict[str, dict[tuple[str, int], types.CodeType]] = {}
        self._namespaces: dict[str, dict[str, Any]] = {}
        self._functions: dict[int, Any] = {}
        self._classes: dict[type, type] = {}

    def namespace(self, module: str) -> Mapping[str, Any]:
        """The globals that a statement of `module` sees, exactly."""
        if module not in self._namespaces:
            space: dict[str, Any] = {}
            self._namespaces[module] = space  # before filling: modules may import each other
            space.update({name: self.twin(value) for name, value in vars(sys.modules[module]).items()})
            space["__builtins__"] = BUILTINS
        return self._namespaces[module]

    def twin(self, value: Any) -> Any:
        """The exact twin of anything that a module holds."""
        if isinstance(value, float | np.floating | np.ndarray):
            return constant_array(value, self._constant)
        if isinstance(value, _CONTAINERS):
            return _mapped(value, self.twin)
        if isinstance(value, types.FunctionType):
            return self.function(value) if self._is_user_file(value.__code__.co_filename) else stand_in(value)
        if isinstance(value, types.ModuleType):
            file = getattr(value, "__file__", None)
            return _Module(self, value) if file and self._is_user_file(file) else stand_in(value)
        if isinstance(value, type) and self._is_user_class(value):
            return self.klass(value)
        return stand_in(value)

    def function(self, original: types.FunctionType) -> Callable[..., Any]:
        """A function's exact twin; it is rewritten at its first call."""
        if id(original) not in self._functions:

            def call(*arguments: Any, **options: Any) -> Any:
                return self._build(original)(*arguments, **options)

            call.__name__, call.__qualname__ = original.__name__, original.__qualname__
            self._functions[id(original)] = call
        return self._functions[id(original)]  # type: ignore[no-any-return]

    def klass(self, original: type) -> type:
        """A class's exact twin: a subclass whose methods are the exact ones."""
        if original not in self._classes:
            methods: dict[str, Any] = {}
            for base in reversed(original.__mro__):
                if self._is_user_class(base):
                    methods |= {name: self._member(member) for name, member in vars(base).items() if _is_method(member)}
            try:
                self._classes[original] = type(original.__name__, (original,), methods)
            except TypeError:  # a class that forbids subclasses keeps its own methods
                self._classes[original] = original
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
        return self.function(member)

    def _is_user_class(self, kind: type) -> bool:
        module = sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None)
        return bool(file) and self._is_user_file(str(file)) and not issubclass(kind, BaseException)

    def _build(self, original: types.FunctionType) -> types.FunctionType:
        code = self._code(original.__code__)
        space = dict(self.namespace(original.__module__)) if original.__module__ in sys.modules else {}
        defaults = original.__defaults__ and tuple(self.twin(value) for value in original.__defaults__)
        cells = {
            name: cell for name, cell in zip(original.__code__.co_freevars, original.__closure__ or (), strict=True)
        }
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
            rewritten = ast.fix_missing_locations(Exact(lines).visit(tree))
            self._codes[file] = dict(_function_codes(compile(rewritten, file, "exec", dont_inherit=True)))
        return self._codes[file][code.co_qualname, code.co_firstlineno]


class _Module:
    """A user's module, its attributes exact."""

    def __init__(self, shadows: Shadows, module: types.ModuleType) -> None:
        self._shadows, self._module = shadows, module

    def __getattr__(self, name: str) -> Any:
        return self._shadows.twin(getattr(self._module, name))


def constant_array(value: Any, constant: Constant) -> Any:
    """A float, or each float of an array, as what a constant becomes; integers stay."""
    if isinstance(value, float | np.floating):
        return constant(float(value)) if np.isfinite(value) else float(value)
    if value.dtype.kind != "f":
        return value
    return np.frompyfunc(lambda each: constant_array(each, constant), 1, 1)(value)


def lift_value(value: Any, scalar: Callable[[Any], Any], adopt: Callable[[Any], Any]) -> Any:
    """A captured value with every float in it lifted by `scalar`; user objects get their exact class."""
    if isinstance(value, float | np.floating | np.ndarray):
        return scalar(value)
    if isinstance(value, _CONTAINERS):
        return _mapped(value, lambda each: lift_value(each, scalar, adopt))
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and not isinstance(value, type | types.ModuleType | types.FunctionType):
        clone = copy.copy(value)
        clone.__dict__.update({name: lift_value(each, scalar, adopt) for name, each in attributes.items()})
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


def _function_codes(code: types.CodeType) -> list[tuple[tuple[str, int], types.CodeType]]:
    found = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.append(((constant.co_qualname, constant.co_firstlineno), constant))
            found.extend(_function_codes(constant))
    return found
