"""Records of test runs."""

import pytest

from eqtrace.code.reached import read, render
from eqtrace.errors import EqtraceError


def test_a_record_is_sorted_and_comes_back(tmp_path):
    text = render({"t.py::test_b": ["s.py::g", "s.py::f", "s.py::f"], "t.py::test_a": []})
    (tmp_path / "r.json").write_text(text)
    assert text.index("test_a") < text.index("test_b")
    assert text.index("s.py::f") < text.index("s.py::g")
    assert text.endswith("}\n")
    assert read(tmp_path / "r.json") == {"t.py::test_a": frozenset(), "t.py::test_b": {"s.py::f", "s.py::g"}}


def test_without_a_record_nothing_is_reached(tmp_path):
    assert read(tmp_path / "r.json") == {}


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"schema": 2, "tests": {}}', '{"schema": 1}', '{"schema": 1, "tests": {"a": [1]}}']
)
def test_what_is_no_record_is_refused(tmp_path, text):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(EqtraceError, match=r"testers: r\.json"):
        read(tmp_path / "r.json")
