"""Hypothesis draws depend on their seed alone."""

import random
import sys
import types

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from eqtrace.run.draws import from_seed_alone

LIMITS = settings(
    max_examples=400, database=None, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)


@pytest.fixture
def telling(tmp_path, monkeypatch):
    """A module of the user's, with a number in its source that nothing would find by chance."""
    file = tmp_path / "telling.py"
    file.write_text("SECRET = 918273645\n")
    module = types.ModuleType("telling")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "telling", module)


def search():
    return find(st.integers(), lambda each: each == 918273645, settings=LIMITS, random=random.Random(0))


def test_sources_are_not_looked_at(telling):
    with from_seed_alone(), pytest.raises(NoSuchExample):
        search()


def test_afterwards_all_is_as_it_was(telling):
    from hypothesis.internal.conjecture import providers

    before = getattr(providers, "_get_local_constants", None)
    with from_seed_alone():
        pass
    assert getattr(providers, "_get_local_constants", None) is before
