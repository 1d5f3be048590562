"""Whether modules have changed."""

import sys
import types

import pytest

from eqtrace.run.state import State

SOURCE = """
import functools, collections, threading, weakref
import numpy as np
number, text, table, items, seen, array = 1.5, 'a', {}, [[1]], set(), np.ones(3)
rng = np.random.default_rng(0)
old = np.random.RandomState(0)
queue = collections.OrderedDict()
waiting, raw, big = collections.deque(), bytearray(3), np.zeros(20_000)
user_dictionary = collections.UserDict()
weak = weakref.WeakValueDictionary()
own_thread = threading.local()
later = None

@functools.lru_cache
def memo(x): return x

def keeping():
    kept = {}
    def get(x): return kept.setdefault(x, x)
    return get
get = keeping()

def with_default(x, made=[]): made.append(x)

def with_attribute(): with_attribute.count = getattr(with_attribute, 'count', 0) + 1

class Box:
    boxes = []
    count = 0
    def __init__(self): self.inside = {'a': [1]}
    @functools.cached_property
    def later(self): return 3
box = Box()

class Slots:
    __slots__ = ('__made',)
    def make(self): self.__made = 1
slots = Slots()
"""


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("stately")
    monkeypatch.setitem(sys.modules, "stately", made)
    exec(SOURCE, vars(made))
    return made


def state(module):
    return State([module], frozenset({"stately"}))


@pytest.mark.parametrize(
    "change",
    [
        "number = 2.5",
        "number = 1.0 + 0.25",
        "table['a'] = 1",
        "items[0].append(2)",
        "seen.add(1)",
        "array[0] = 2",
        "rng.normal()",
        "old.normal()",
        "queue['a'] = 1",
        "later = object()",
        "memo(3)",
        "get(1)",
        "with_default(1)",
        "with_attribute()",
        "Box.boxes.append(1)",
        "Box.count = 1",
        "box.inside['a'].append(2)",
        "box.later",
        "slots.make()",
        "waiting.append(1)",
        "raw[0] = 1",
        "big[-1] = 1",
        "user_dictionary['a'] = 1",
        "weak['a'] = box",
        "own_thread.a = 1",
        "new = 1",
        "del text",
    ],
)
def test_changes_show(module, change):
    before = state(module)
    exec(change, vars(module))
    assert state(module) != before


@pytest.mark.parametrize("call", ["pass", "np.sum(array)", "Box()", "number + 1", "memo.cache_info()", "get.__name__"])
def test_what_leaves_nothing_behind_does_not(module, call):
    before = state(module)
    exec(call, vars(module))
    assert state(module) == before


def test_what_holds_itself_is_looked_at_once(module):
    module.items.append(module.items)
    assert state(module) == state(module)
