"""Copies of captured values, so that what the code does to them later changes nothing."""

from __future__ import annotations

import array
import collections
import copy
import enum
import math
import sys
import types
from functools import lru_cache
from typing import Any

import numpy as np

DEFAULT_BYTES = 256 * 2**20
DEFAULT_OBJECTS = 200_000
_DEEPEST = 150
_SMALL = 10_000
_ATOMS: frozenset[type] = frozenset({int, float, complex, bool, str, bytes, type(None), type(...), range, slice})
_REFERENCES = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, enum.Enum)
_KEPT = (np.generic, *_REFERENCES)
_USUAL: frozenset[type] = frozenset({np.ndarray, dict, list, tuple})  # no kinds of what is kept
_MAPPINGS: frozenset[type] = frozenset({collections.OrderedDict, collections.defaultdict, collections.Counter})
# Instances of standard library classes wrap locks, files and processes; these few are plain data.
_PLAIN_STANDARD: frozenset[str] = frozenset({"types", "collections", "dataclasses", "typing"})


class Copier:
    """Copies values that belong together: what is one object among them stays one object in the copies.

    Arrays, containers and plain objects (`__dict__` or `__slots__`) are copied deeply; modules, classes, functions,
    generators, locks, files and other objects of C types are kept by reference. Past the limits values are kept by
    reference too, and `notes` says so.
    """

    def __init__(self, limit_bytes: int = DEFAULT_BYTES, limit_objects: int = DEFAULT_OBJECTS) -> None:
        self.notes: list[str] = []
        self._bytes = limit_bytes
        self._objects = limit_objects
        self._memo: dict[int, Any] = {}
        self._kept: list[Any] = []  # originals stay alive, so that no id in the memo is used twice

    def copy(self, value: Any) -> Any:
        """A copy of `value` that later changes to it do not reach."""
        return self._copy(value, 0)

    def _copy(self, value: Any, depth: int) -> Any:
        kind = type(value)  # isinstance would ask the user's __class__
        if kind in _ATOMS:
            return value
        if kind not in _USUAL and issubclass(kind, _KEPT):
            return value.copy() if issubclass(kind, np.void) else value  # a void looks into its array
        key = id(value)  # once: each call passes through the audit hooks
        known = self._memo.get(key, self)
        if known is not self:
            return known
        self._objects -= 1
        if depth > _DEEPEST:
            return self._by_reference(value, f"values nested deeper than {_DEEPEST} are not copied")
        if self._objects < 0:
            return self._by_reference(value, "some objects are not copied: there are too many")
        self._kept.append(value)
        if kind is dict:
            return self._dictionary(value, key, depth)
        if issubclass(kind, np.ndarray):
            return self._array(value, key, depth)
        if issubclass(kind, tuple):
            return self._tuple(value, key, depth)
        if issubclass(kind, (frozenset, bytearray, array.array)):
            return self._remember(key, copy.copy(value))
        if issubclass(kind, (list, dict, set, collections.deque)):
            return self._container(value, key, depth)
        return self._object(value, key, depth)

    def _by_reference(self, value: Any, note: str) -> Any:
        if note not in self.notes:
            self.notes.append(note)
        return value

    def _remember(self, key: int, twin: Any) -> Any:
        self._memo[key] = twin
        return twin

    def _array(self, value: np.ndarray[Any, Any], key: int, depth: int) -> Any:
        self._bytes -= value.nbytes
        if self._bytes < 0:
            shape = "x".join(map(str, value.shape))
            return self._by_reference(value, f"an array of {shape} is not copied: it passes the size limit")
        masked = type(value) is not np.ndarray and isinstance(value, np.ma.MaskedArray)
        twin = value.copy() if masked else np.ndarray.copy(value, order="K")
        self._memo[key] = twin
        if value.dtype.kind == "O":
            for index in np.ndindex(value.shape):
                item = self._copy(np.ndarray.__getitem__(value, index), depth + 1)
                if index:
                    np.ndarray.__setitem__(twin, index, item)
                else:  # an assignment would look for numbers in a list
                    twin.fill(item)
        return twin

    def _tuple(self, value: tuple[Any, ...], key: int, depth: int) -> Any:
        items = [self._copy(item, depth + 1) for item in value]
        if all(item is original for item, original in zip(items, value, strict=True)):
            return self._remember(key, value)
        if key in self._memo:  # a cycle led back here
            return self._memo[key]
        return self._remember(key, tuple.__new__(type(value), items))

    def _dictionary(self, value: dict[Any, Any], key: int, depth: int) -> Any:
        twin = self._memo[key] = {}
        for name, item in list(value.items()):
            twin[name if type(name) is str else self._copy(name, depth + 1)] = self._copy(item, depth + 1)
        return twin

    def _container(self, value: Any, key: int, depth: int) -> Any:
        twin = self._remember(key, _empty(value))
        if twin is value:
            return value
        if isinstance(value, dict):
            for name, item in list(dict.items(value)):
                name_twin, item_twin = self._copy(name, depth + 1), self._copy(item, depth + 1)
                # An OrderedDict keeps its order beside the dictionary.
                kind = collections.OrderedDict if isinstance(twin, collections.OrderedDict) else dict
                kind.__setitem__(twin, name_twin, item_twin)
        elif isinstance(value, set):
            set.update(twin, [self._copy(item, depth + 1) for item in set(value)])
        else:
            add: Any = list.append if isinstance(value, list) else collections.deque.append
            for item in list.copy(value) if isinstance(value, list) else tuple(value):
                add(twin, self._copy(item, depth + 1))
        if type(value) is not list:  # which has no attributes
            self._attributes(value, twin, depth)
        return twin

    def _object(self, value: Any, key: int, depth: int) -> Any:
        kind = type(value)
        if _is_standard(kind) or hasattr(kind, "__del__"):
            return self._remember(key, value)
        try:
            # object.__new__ refuses C types: generators, locks, random generators, files.
            plain: Any = types.SimpleNamespace if issubclass(kind, types.SimpleNamespace) else object
            twin = plain.__new__(kind)
        except TypeError:
            return self._remember(key, value)
        self._remember(key, twin)
        self._attributes(value, twin, depth)
        return twin

    def _attributes(self, value: Any, twin: Any, depth: int) -> None:
        for name, (member, item) in _held(value).items():
            twin_item = self._copy(item, depth + 1)
            if member is None:
                object.__getattribute__(twin, "__dict__")[name] = twin_item
            else:
                member.__set__(twin, twin_item)


def _empty(value: Any) -> Any:
    """An empty container of the same kind; the value itself where that cannot be made without running its code."""
    kind: Any = type(value)
    if kind in _MAPPINGS:
        twin = copy.copy(value)
        twin.clear()
        return twin
    if isinstance(value, collections.deque):
        return collections.deque(maxlen=value.maxlen)
    if isinstance(value, (collections.OrderedDict, collections.defaultdict)):
        return value
    base: Any = next(plain for plain in (list, dict, set) if isinstance(value, plain))
    return base.__new__(kind)


def attributes(value: Any) -> dict[str, Any]:
    """What an object holds in its `__dict__` and its slots, read without running its code."""
    return {name: item for name, (_, item) in _held(value).items()}


def _held(value: Any) -> dict[str, tuple[types.MemberDescriptorType | None, Any]]:
    """An object's attributes, each with its slot (None: it is in `__dict__`)."""
    found: dict[str, tuple[types.MemberDescriptorType | None, Any]] = {}
    kind: Any = type(value)
    for name, member in _members(kind):
        try:
            found.setdefault(name, (member, member.__get__(value)))
        except AttributeError:
            continue
    try:
        inside = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return found
    if isinstance(inside, dict):
        found.update((name, (None, item)) for name, item in inside.items())
    return found


@lru_cache(maxsize=256)  # they are asked for at every copy
def _members(kind: type) -> tuple[tuple[str, types.MemberDescriptorType], ...]:
    """The slots of a class and its bases, by their names inside the class."""
    held = ((name, each.__dict__.get(name)) for each in kind.__mro__ for name in _slots(each))
    return tuple((name, member) for name, member in held if isinstance(member, types.MemberDescriptorType))


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    prefix = "_" + kind.__name__.lstrip("_")
    return tuple(prefix + name if name.startswith("__") and not name.endswith("__") else name for name in names)


def _is_standard(kind: type) -> bool:
    module = str(getattr(kind, "__module__", "")).partition(".")[0]
    return module in sys.stdlib_module_names and module not in _PLAIN_STANDARD


def equal(left: Any, right: Any) -> bool:
    """Whether two values are bit for bit the same: dtypes and shapes count, NaN equals itself, -0.0 equals 0.0."""
    return _equal(left, right, set(), 0)


def _equal(left: Any, right: Any, seen: set[tuple[int, int]], depth: int) -> bool:
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right) or depth > _DEEPEST:
        return False
    if issubclass(kind, np.ndarray):
        return _equal_arrays(left, right, seen, depth)
    if issubclass(kind, (float, np.floating)):
        return bool(left == right) or (math.isnan(left) and math.isnan(right))
    if issubclass(kind, (complex, np.complexfloating)):
        return _equal(left.real, right.real, seen, depth) and _equal(left.imag, right.imag, seen, depth)
    if issubclass(kind, np.generic):
        return _equal_arrays(np.asarray(left), np.asarray(right), seen, depth)
    if kind in _ATOMS or issubclass(kind, (frozenset, bytearray, array.array)):
        return bool(left == right)
    if issubclass(kind, _REFERENCES):
        return False
    pair = id(left), id(right)
    if pair in seen:
        return True
    seen.add(pair)
    return _equal_containers(left, right, seen, depth + 1)


def _equal_containers(left: Any, right: Any, seen: set[tuple[int, int]], depth: int) -> bool:
    kind = type(left)
    sequence = issubclass(kind, (list, tuple, collections.deque))
    if sequence:
        if len(left) != len(right) or not all(_equal(a, b, seen, depth) for a, b in zip(left, right, strict=True)):
            return False
    elif issubclass(kind, dict):
        get = dict.__getitem__
        if dict.keys(left) != dict.keys(right):
            return False
        if not all(_equal(get(left, key), get(right, key), seen, depth) for key in dict.keys(left)):
            return False
    elif issubclass(kind, set) and left != right:
        return False
    mine, theirs = attributes(left), attributes(right)
    if not (sequence or mine or theirs or issubclass(kind, (dict, set))):
        return _opaque(left)
    return mine.keys() == theirs.keys() and all(_equal(mine[name], theirs[name], seen, depth) for name in mine)


def _opaque(value: Any) -> bool:
    """Two objects of one plain type without attributes are alike; of C types nothing is known."""
    try:
        object.__new__(type(value))
    except TypeError:
        return False
    return True


def _equal_arrays(left: Any, right: Any, seen: set[tuple[int, int]], depth: int) -> bool:
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.names:
        return all(_equal_arrays(left[name], right[name], seen, depth) for name in left.dtype.names)
    if left.dtype == object:
        return all(_equal(a, b, seen, depth + 1) for a, b in zip(left.flat, right.flat, strict=True))
    if isinstance(left, np.ma.MaskedArray):
        masks = np.ma.getmaskarray(left), np.ma.getmaskarray(right)
        return bool(np.array_equal(*masks)) and _equal_arrays(left.data, right.data, seen, depth)
    plain_left, plain_right = np.asarray(left), np.asarray(right)
    if plain_left.size <= _SMALL and plain_left.tobytes() == plain_right.tobytes():
        return True  # much quicker than what else would be asked
    return bool(np.array_equal(plain_left, plain_right, equal_nan=plain_left.dtype.kind in "fcmM"))
