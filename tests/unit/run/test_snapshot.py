import collections
import dataclasses
import enum
import math
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from eqtrace.run.snapshot import Copier, attributes, equal


@dataclasses.dataclass
class Point:
    x: object
    y: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: object


class Slotted:
    __slots__ = ("__hidden", "a", "b")

    def __init__(self, a, hidden):
        self.a = a
        self.__hidden = hidden


class Careless:
    """Its own code must not run for a copy."""

    def __init__(self):
        raise AssertionError

    def __setattr__(self, name, value):
        raise AssertionError

    def __getattribute__(self, name):
        raise AssertionError(name)

    def __eq__(self, other):
        raise AssertionError

    __hash__ = None  # type: ignore[assignment]


class Closing:
    closed = 0

    def __del__(self):
        Closing.closed += 1


class Colour(enum.Enum):
    RED = 1


class Own(dict):
    def __setitem__(self, key, value):
        raise AssertionError


Pair = collections.namedtuple("Pair", "a b")


def copy(value):
    return Copier().copy(value)


def test_arrays_keep_order_type_and_shape():
    for value in (
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
        np.zeros((), dtype=complex),
        np.zeros((0, 3)),
        np.array(["a", "bc"]),
        np.zeros(2, dtype=[("a", float), ("b", int)]),
        np.ma.array([1.0, 2.0], mask=[True, False]),
        np.arange(10)[::2],
    ):
        twin = copy(value)
        assert twin is not value
        assert not np.shares_memory(twin, value)
        assert equal(twin, value)
        assert type(twin) is type(value)
        assert twin.flags.f_contiguous == value.flags.f_contiguous or value.base is not None
    assert copy(np.asfortranarray(np.ones((2, 3)))).flags.f_contiguous


def test_object_arrays_are_copied_deeply():
    inner = [1, 2]
    value = np.empty(2, dtype=object)
    value[0], value[1] = inner, np.ones(2)
    twin = copy(value)
    inner.append(3)
    value[1][0] = 5
    assert twin[0] == [1, 2]
    assert twin[1].tolist() == [1, 1]


def test_containers_are_copied_deeply():
    value = {"a": [np.ones(2), {1, 2}], "b": (1, [2]), "c": collections.deque([1], maxlen=3)}
    twin = copy(value)
    value["a"][0][0] = 9
    value["a"][1].add(3)
    value["b"][1].append(4)
    value["c"].append(2)
    assert twin["a"][0].tolist() == [1, 1]
    assert twin["a"][1] == {1, 2}
    assert twin["b"] == (1, [2])
    assert twin["c"] == collections.deque([1])
    assert twin["c"].maxlen == 3


@pytest.mark.parametrize(
    "value",
    [
        collections.OrderedDict(b=1, a=[2]),
        collections.defaultdict(list, a=[1]),
        collections.Counter("aab"),
        Pair([1], 2),
        bytearray(b"ab"),
        SimpleNamespace(a=[1]),
        Point([1], {"k": np.ones(2)}),
        Frozen([1]),
    ],
)
def test_kinds_are_kept(value):
    twin = copy(value)
    assert type(twin) is type(value)
    assert twin is not value
    assert equal(twin, value)
    if isinstance(value, collections.defaultdict):
        assert twin.default_factory is list


def test_a_dictionary_class_of_the_users_runs_no_code():
    value = Own()
    dict.__setitem__(value, "a", [1])
    value.note = [2]
    twin = copy(value)
    dict.__getitem__(value, "a").append(3)
    assert type(twin) is Own
    assert dict(twin) == {"a": [1]}
    assert twin.note == [2]


def test_objects_are_cloned_without_running_their_code():
    value = object.__new__(Careless)
    object.__getattribute__(value, "__dict__")["a"] = [1]
    twin = copy(value)
    object.__getattribute__(value, "__dict__")["a"].append(2)
    assert attributes(twin) == {"a": [1]}
    assert not equal(twin, value)


def test_slots_private_ones_and_missing_ones():
    value = Slotted([1], [2])
    twin = copy(value)
    value.a.append(3)
    assert attributes(twin) == {"a": [1], "_Slotted__hidden": [2]}


def test_aliases_stay_aliases_and_cycles_end():
    array = np.ones(2)
    value = {"a": array, "b": [array]}
    value["self"] = value
    copier = Copier()
    twin = copier.copy(value)
    assert twin["a"] is twin["b"][0]
    assert twin["self"] is twin
    assert copier.copy(array) is twin["a"]
    point = Point(1)
    point.y = (point,)
    twin = copy(point)
    assert twin.y[0] is twin
    assert equal(point, twin)


@pytest.mark.parametrize(
    "value",
    [
        math,
        len,
        copy,
        Point,
        (x for x in ()),
        np.random.default_rng(0),
        threading.Lock(),
        threading.Condition(),
        Colour.RED,
        Path("a"),
        [].append,
        Closing(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_data_is_kept_by_reference(value):
    assert copy(value) is value
    assert copy([value])[0] is value


def test_open_files_are_kept_by_reference(tmp_path):
    with (tmp_path / "f").open("w") as file:
        assert copy(file) is file


def test_limits_are_noted():
    copier = Copier(limit_bytes=100)
    small, large = np.ones(2), np.ones(100)
    assert copier.copy(small) is not small
    assert copier.copy(large) is large
    assert copier.notes == ["an array of 100 is not copied: it passes the size limit"]
    copier = Copier(limit_objects=10)
    copier.copy([[i] for i in range(100)])
    assert copier.notes == ["some objects are not copied: there are too many"]
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    copier = Copier()
    copier.copy(deep)
    assert copier.notes == ["values nested deeper than 150 are not copied"]


def test_what_is_nested_too_deeply_is_still_there():
    deep: object = "bottom"
    for _ in range(200):
        deep = [deep]
    twin = copy(deep)
    while isinstance(twin, list):
        (twin,) = twin
    assert twin == "bottom"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (math.nan, float("nan")),
        (0.0, -0.0),
        (np.array([np.nan, 0.0]), np.array([np.nan, -0.0])),
        (np.float64("nan"), np.float64("nan")),
        (complex(math.nan, 1), complex(math.nan, 1)),
        (np.array(["NaT"], dtype="M8[s]"), np.array(["NaT"], dtype="M8[s]")),
        ([1, {"a": (2,)}], [1, {"a": (2,)}]),
        ({1, 2}, {2, 1}),
        (Point(np.ones(2)), Point(np.ones(2))),
        (np.array([None, [1]], dtype=object), np.array([None, [1]], dtype=object)),
    ],
)
def test_equal(left, right):
    assert equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        (1.0, np.float64(1.0)),
        (np.ones(2), np.ones(2, dtype=np.float32)),
        (np.ones(2), np.ones((2, 1))),
        (np.ones(2), [1.0, 1.0]),
        (np.array([1.0, np.nan]), np.array([1.0, 2.0])),
        (1.0, math.nextafter(1.0, 2.0)),
        ([1, 2], [1, 2, 3]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 2}),
        (Point(1), Point(2)),
        (Point(1), Frozen(1)),
        (np.array([None, [1]], dtype=object), np.array([None, [2]], dtype=object)),
        (np.ma.array([1.0, 2.0], mask=[True, False]), np.ma.array([1.0, 2.0], mask=[False, False])),
        (len, max),
    ],
)
def test_not_equal(left, right):
    assert not equal(left, right)


@pytest.mark.parametrize("item", [[1, 2], (1, [2]), np.ones(2), None, {"a": 1}])
def test_object_arrays_of_every_rank(item):
    for shape in ((), (1,), (2, 1)):
        value = np.empty(shape, dtype=object)
        for index in np.ndindex(shape):
            if shape:
                value[index] = item
            else:
                value.fill(item)
        twin = copy(value)
        assert type(twin[(0,) * len(shape)]) is type(item)
        assert equal(twin, value)
