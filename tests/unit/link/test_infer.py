"""What the code tells: where installed packages are, and which parameters symbols stand for."""

from dataclasses import replace

import pytest

from eqtrace.code.index import Index
from eqtrace.config import load
from eqtrace.link.infer import at_defaults, complete
from eqtrace.link.match import match
from eqtrace.model.anchor import Status
from eqtrace.spec.load import load as read

TOPIC = """
topic: steps
title: Steps
page: steps
status: implemented
direction: neither
functions: ['elsewhere/deep/ops.py::f']
what: 'A step.'
why: 'It is one.'
symbols:
  x: {meaning: 'A number', code: x, shape: []}
  y: {meaning: 'Its double', code: y, shape: []}
equations:
  - id: steps.double
    label: Double
    latex: 'y = 2 x'
    sympy: 'Eq(y, 2*x)'
    method: [value]
    anchors:
      - {role: computes, at: 'elsewhere/deep/ops.py:2', in: f, code: 'y = 2 * x'}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    installed = tmp_path / "installed" / "elsewhere" / "deep"
    installed.mkdir(parents=True)
    (installed.parent / "__init__.py").write_text("")
    (installed / "ops.py").write_text("def f(x):\n    y = 2 * x\n    return y\n")
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    root = tmp_path / "project"
    (root / "spec").mkdir(parents=True)
    (root / "spec" / "steps.yaml").write_text(TOPIC)
    (root / "pyproject.toml").write_text('[tool.eqtrace]\nspec = ["spec/*.yaml"]\npackages = ["elsewhere"]\n')
    return root


def completed(root, **settings):
    config = replace(load(root), **settings)
    index = Index(config)
    return complete(read(config), index), index


def test_a_path_from_a_named_package_down_is_where_it_is_installed(project):
    specification, index = completed(project)
    (equation,) = specification.equations
    (anchor,) = equation.anchors
    place = (project.parent / "installed" / "elsewhere" / "deep" / "ops.py").as_posix()
    assert anchor.path == place
    assert anchor.at.value == "elsewhere/deep/ops.py:2"
    assert match(anchor, index).status is Status.OK
    assert [each.value for each in specification.topics[0].functions] == [f"{place}::f"]


def test_a_file_of_the_project_comes_first(project):
    own = project / "elsewhere" / "deep"
    own.mkdir(parents=True)
    (own / "ops.py").write_text("def f(x):\n    y = 2 * x\n    return y\n")
    specification, index = completed(project)
    assert specification.equations[0].anchors[0].path == "elsewhere/deep/ops.py"
    assert index.installed_path("elsewhere/other.py").endswith("installed/elsewhere/other.py")


def test_packages_that_are_not_named_are_no_place_to_look(project):
    specification, index = completed(project, packages=())
    assert specification.equations[0].anchors[0].path == "elsewhere/deep/ops.py"
    assert index.installed_path("elsewhere/deep/ops.py") is None


CODE = """
def f(x, flag=None, n=2, *, axis=-1, unit="m"):
    return 2 * x


def slope(x, mode="sum"):
    return 2 * x


def height(x, mode="sum"):
    return float(x**2)


def only(flag=False):
    return 1


class Spring:
    def force(self, x, out=None):
        return x

    @staticmethod
    def free(out=None, x=1.0):
        return x


def by_place(x, flag=None, y=1.0, /):
    return x * y
"""


@pytest.mark.parametrize(
    ("entry", "symbols", "kept"),
    [
        ("m:f: {sympy: '2*x'}", ["x", "n"], {"flag": "None", "axis": "-1", "unit": "'m'"}),
        ("m:f: {sympy: '2*x + 0*axis'}", ["x", "n", "axis"], {"flag": "None", "unit": "'m'"}),
        ("m:f: {sympy: '2*x', where: 'flag > 0'}", ["x", "flag", "n"], {"axis": "-1", "unit": "'m'"}),
        ("m:f: {sympy: '2*x', let: {y: 2*unit}}", ["x", "n", "unit"], {"flag": "None", "axis": "-1"}),
        ("m:f: {sympy: '2*x', domain: {axis: {integer: true}}}", ["x", "n", "axis"], {"flag": "None", "unit": "'m'"}),
        ("m:f: {sympy: '2*x', shapes: {unit: [3]}}", ["x", "n", "unit"], {"flag": "None", "axis": "-1"}),
        ("m:f: {sympy: '2*x', domain: {x: {max: axis}}}", ["x", "n", "axis"], {"flag": "None", "unit": "'m'"}),
        ("m:f: {sympy: '2*x', call: 'f(x, flag=flag)'}", ["x", "flag", "n", "axis", "unit"], {}),
        ("m:f: {sympy: '2*x', method: [discrete]}", ["x", "flag", "n", "axis", "unit"], {}),
        ("m:slope: {gradient_of: height}", ["x"], {"mode": "'sum'"}),
        ("m:only: {sympy: '1'}", ["flag"], {}),  # else nothing is left to draw
        ("m:Spring.force: {sympy: 'x'}", ["x"], {"out": "None"}),
        ("m:Spring.free: {sympy: 'x'}", ["x"], {"out": "None"}),
        ("m:by_place: {sympy: 'x*y'}", ["x", "flag", "y"], {}),
    ],
)
def test_a_flag_that_nothing_names_keeps_its_default(tmp_path, entry, symbols, kept):
    (tmp_path / "m.py").write_text(CODE)
    (tmp_path / "e.yaml").write_text(entry.replace("m:", "'m:", 1).replace(": {", "': {", 1) + "\n")
    (tmp_path / "pyproject.toml").write_text('[tool.eqtrace]\nspec = ["e.yaml"]\nsources = ["m.py"]\n')
    (equation,) = at_defaults(completed(tmp_path)[0]).equations
    assert sorted(equation.symbols) == sorted(symbols)
    assert equation.defaults == kept
