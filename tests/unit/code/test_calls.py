from __future__ import annotations

import pytest

from eqtrace.code.calls import CallGraph
from eqtrace.code.entity import FunctionRef
from eqtrace.code.index import Index

OPS = """\
import numpy as np

def linear(x, w):
    return x @ w

def softmax(x):
    return np.exp(x)

def twice(f, x):
    return f(f(x))

def pick():
    return softmax

class Adam:
    def __init__(self, lr=0.1):
        self.rule = Rule()

    def step(self, g):
        return self.scaled(g) + self.rule.apply(g)

    def scaled(self, g):
        return linear(g, g)

    @property
    def rate(self):
        return softmax(0)

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def fixed(x):
        return x

class Rule:
    def apply(self, g):
        return g

class Derived(Adam):
    def step(self, g):
        return super().step(g)

    def scaled(self, g):
        return softmax(g)
"""


def calls(index: Index, path: str, line: int) -> set[str]:
    graph = CallGraph(index)
    file = index.file(path)
    assert file is not None
    found: set[FunctionRef] = set()
    for statement in file.statements:
        if statement.line == line:
            found |= graph.calls_in(path, statement.node)
    return {ref.qualname for ref in found}


@pytest.mark.parametrize(
    ("code", "called"),
    [
        ("from impl.ops import linear\nlinear(1, 2)", {"linear"}),
        ("from impl.ops import linear as lin\ny = 1 + lin(1, 2) * 2", {"linear"}),
        ("import impl.ops as o\no.linear(1, 2)", {"linear"}),
        ("import impl.ops\nimpl.ops.linear(1, 2)", {"linear"}),
        ("from impl import ops\nops.linear(1, 2)", {"linear"}),
        ("from . import ops\nops.linear(1, 2)", {"linear"}),
        ("from .ops import linear\nlinear(1, 2)", {"linear"}),
        ("from impl import linear\nlinear(1, 2)", {"linear"}),
        ("from impl import *\nlinear(1, 2)", {"linear"}),
        ("from impl.ops import *\nlinear(1, 2)", {"linear"}),
        ("from .ops import linear; f = linear\nf(1, 2)", {"linear"}),
        ("from .ops import linear, softmax; f = linear if a else softmax\nf(1)", {"linear", "softmax"}),
        ("from .ops import linear; fs = {'a': linear}\nfs['a'](1)", {"linear"}),
        ("from .ops import softmax, twice\ntwice(softmax, 1)", {"twice"}),
        ("from .ops import softmax, twice\ntwice(lambda x: softmax(x), 1)", {"twice", "softmax"}),
        ("from .ops import softmax\ny = [softmax(x) for x in z]", {"softmax"}),
        ("from .ops import pick\npick()(1)", {"pick", "softmax"}),
        ("from .ops import linear; from functools import partial; f = partial(linear, 1)\nf(2)", {"linear"}),
        ("from .ops import Adam\na = Adam()", {"Adam", "Adam.__init__"}),
        ("from .ops import Adam; a = Adam()\na.step(1)", {"Adam.step"}),
        ("from .ops import Adam\nAdam(0.1).step(1)", {"Adam", "Adam.__init__", "Adam.step"}),
        ("from .ops import Adam\nAdam.make().step(1)", {"Adam.make", "Adam.step"}),
        ("from .ops import Adam; a = Adam()\na.rule.apply(1)", {"Rule.apply"}),
        ("from .ops import Derived; d = Derived()\nd.rule.apply(1)", {"Rule.apply"}),
        ("from .ops import Derived\nd = Derived()", {"Derived", "Adam.__init__"}),
        ("def f(a: 'Adam | None'):\n    a.step(1)\nfrom .ops import Adam", {"Adam.step"}),
        ("def g(x): return x\ng(1)", {"g"}),
        ("def g(x):\n    return inner(x)\n    def inner(y): return y", {"g.inner"}),
        ("def g(rule):\n    rule.apply(1)", {"Rule.apply"}),  # unknown receiver, the only method of that name
        ("def g(a):\n    a.step(1)", set()),  # unknown receiver, two methods of that name
        ("from .ops import linear\nlinear", set()),
        ("import numpy as np\nnp.linear(1)", set()),
        ("from .none import linear\nlinear(1)", set()),
        ("from .ops import linear\nif linear(1):\n    softmax()", {"linear"}),
        ("from impl.loop import f\nf(1)", set()),
    ],
)
def test_calls_resolved_through_imports(project, code: str, called: set[str]) -> None:
    loop = "from impl.loop import g as f\nfrom impl.loop import f as g\n"
    files = {"impl/__init__.py": "from .ops import linear\n", "impl/ops.py": OPS, "impl/loop.py": loop}
    index = project(files | {"impl/use.py": code})
    assert calls(index, "impl/use.py", 2) == called


TESTS = """\
import pytest
from impl import ops
from impl.ops import Adam, Derived, linear, softmax

TABLE = linear(1, 2)

@pytest.fixture
def made():
    return Adam()

@pytest.fixture(name="other")
def _other():
    yield softmax(1)

def helper(x):
    return softmax(x)

def unused(x):
    return linear(x, x)

def test_direct():
    assert linear(1, 2) == 2

def test_helper():
    helper(1)

def test_fixture(made):
    made.step(1)

def test_named(other):
    pass

@pytest.mark.parametrize(("f", "x"), [(softmax, 1), pytest.param(linear, 2)])
def test_parametrised(f, x):
    f(x)

def test_passed():
    ops.twice(softmax, 1)

def test_table():
    assert TABLE

def test_nothing():
    assert 1 + 1 == 2

def test_derived():
    Derived().step(1)

def test_property(made):
    assert made.rate

class TestAdam:
    def setup_method(self):
        self.adam = Adam()

    def test_step(self):
        self.adam.step(1)

    def check(self):
        pass
"""


@pytest.fixture
def graph(project) -> CallGraph:
    return CallGraph(project({"impl/__init__.py": "", "impl/ops.py": OPS, "tests/test_ops.py": TESTS}))


@pytest.mark.parametrize(
    ("test", "reached", "not_reached"),
    [
        ("test_direct", {"linear"}, {"softmax", "Adam"}),
        ("test_helper", {"softmax"}, {"linear"}),
        ("test_fixture", {"Adam", "Adam.step", "Adam.scaled", "linear", "Rule.apply"}, {"twice"}),
        ("test_named", {"softmax"}, {"linear"}),
        ("test_parametrised", {"softmax", "linear"}, {"Adam"}),
        ("test_passed", {"twice", "softmax"}, {"linear"}),
        ("test_table", {"linear"}, {"softmax"}),
        ("test_nothing", set(), {"linear", "softmax", "Adam"}),
        ("test_derived", {"Derived.step", "Adam.step", "Derived.scaled", "softmax"}, {"twice"}),
        ("test_property", {"softmax"}, {"twice"}),
        ("TestAdam.test_step", {"Adam", "Adam.step", "linear"}, {"twice"}),
    ],
)
def test_reaches(graph: CallGraph, test: str, reached: set[str], not_reached: set[str]) -> None:
    start = FunctionRef("tests/test_ops.py", test)
    for name in reached:
        assert graph.reaches(start, FunctionRef("impl/ops.py", name)), name
    for name in not_reached:
        assert not graph.reaches(start, FunctionRef("impl/ops.py", name)), name


def test_tests_and_what_they_reach(graph: CallGraph) -> None:
    names = {ref.qualname for ref in graph.tests}
    assert "TestAdam.test_step" in names
    assert "test_direct" in names
    assert not names & {"helper", "TestAdam.check", "made"}
    assert graph.is_tested(FunctionRef("tests/test_ops.py", "helper"))
    assert not graph.is_tested(FunctionRef("tests/test_ops.py", "unused"))
    assert not graph.is_tested(FunctionRef("impl/ops.py", "pick"))


def test_callers_are_call_statements_of_the_sources(graph: CallGraph) -> None:
    assert [
        (site.path, site.function, site.source) for site in graph.callers(FunctionRef("impl/ops.py", "linear"))
    ] == [("impl/ops.py", "Adam.scaled", "return linear(g, g)")]


def test_testers_name_the_way(graph: CallGraph) -> None:
    sites = {site.function: site.source for site in graph.testers(FunctionRef("impl/ops.py", "softmax"))}
    assert sites["test_helper"] == "helper(1)"
    assert sites["test_passed"] == "ops.twice(softmax, 1)"
    assert "test_direct" not in sites


def test_functions_named_in_a_topic(graph: CallGraph, project) -> None:
    assert graph.function("impl/ops.py::Adam.step") == ("impl/ops.py", "Adam.step")
    assert graph.function("impl/ops.py::Derived.rate") == ("impl/ops.py", "Adam.rate")
    assert graph.function("impl/ops.py::none") is None
    assert graph.function("impl/none.py::linear") is None
    assert graph.function("impl/ops.py") is None


def test_conftest_fixtures_and_helper_modules(project) -> None:
    index = project(
        {
            "src/p.py": "def f(x):\n    return x\n",
            "tests/conftest.py": "import pytest\nfrom p import f\n\n@pytest.fixture\ndef value():\n    return f(1)\n",
            "tests/unit/checks.py": "from p import f\n\ndef check():\n    f(1)\n",
            "tests/unit/test_p.py": """\
                from checks import check

                def test_a(value):
                    pass

                def test_b():
                    check()
                """,
        }
    )
    graph = CallGraph(index)
    for test in ("test_a", "test_b"):
        assert graph.reaches(FunctionRef("tests/unit/test_p.py", test), FunctionRef("src/p.py", "f"))


def test_a_recorded_run_shows_what_a_test_enters(project, tmp_path):
    (tmp_path / "reach.json").write_text(
        '{"schema": 1, "tests": {"tests/test_a.py::test_f": ["impl/a.py::Box.put", "impl/a.py::gone"]}}'
    )
    files = {
        "impl/a.py": "class Box:\n    def put(self): pass\n",
        "tests/test_a.py": "def test_f(): pass\ndef test_g(): pass\n",
    }
    graph = CallGraph(project(files, testers="reach.json"))
    test = FunctionRef("tests/test_a.py", "test_f")
    assert graph.ran(test, FunctionRef("impl/a.py", "Box.put"))
    assert graph.ran(test, FunctionRef("impl/a.py", "Box"))
    assert not graph.ran(test, FunctionRef("impl/a.py", "gone"))
    assert not graph.ran(FunctionRef("tests/test_a.py", "test_g"), FunctionRef("impl/a.py", "Box.put"))


def test_recorded_testers_stand_at_their_definitions(project, tmp_path):
    (tmp_path / "reach.json").write_text(
        '{"schema": 1, "tests": {"tests/test_a.py::test_g": ["impl/a.py::f"],'
        ' "tests/test_a.py::test_gone": ["impl/a.py::f"]}}'
    )
    files = {
        "impl/a.py": "def f(): pass\ndef unused(): pass\n",
        "tests/test_a.py": "def test_f(): pass\n\n\ndef test_g(): pass\n",
    }
    graph = CallGraph(project(files, testers="reach.json"))
    found = graph.recorded_testers(FunctionRef("impl/a.py", "f"))
    assert [(site.path, site.line, site.function) for site in found or ()] == [("tests/test_a.py", 4, "test_g")]
    assert graph.recorded_testers(FunctionRef("impl/a.py", "unused")) == ()


def test_without_a_record_nothing_is_said_of_one(project):
    assert CallGraph(project({"impl/a.py": "def f(): pass\n"})).recorded_testers(FunctionRef("impl/a.py", "f")) is None
