from __future__ import annotations

from collections.abc import Callable

import pytest

from eqtrace.model.anchor import Role
from eqtrace.model.span import Span
from eqtrace.model.topic import Specification

SHORT = """lmfit.lineshapes:
  gaussian: {sympy: 'amplitude*x', where: 'sigma > 0'}
  voigt: {states: docstring}
scipy.optimize:
  rosen_der: {gradient_of: rosen, by: x, shapes: {x: [n]}, where: 'n >= 3', domain: {x: {min: 0}, y: {integer: true}}}
sklearn.gaussian_process.kernels:
  RBF.__call__: {call: 'RBF(l)(X)', sympy: 'r', let: {r: 'l + 1'}, title: Kernel}
src/pkg/mod.py:
  f: {sympy: 'x**2', derived: true}
'pkg/other.py::g': {sympy: x}
'pkg.mod:h': {sympy: x, method: [value, discrete]}
"""


@pytest.fixture
def short(spec: Callable[..., Specification]) -> Specification:
    return spec({"short.yaml": SHORT})


def test_ids_and_topics(short: Specification) -> None:
    assert short.faults == ()
    assert [topic.id for topic in short.topics] == [
        "lmfit.lineshapes",
        "scipy.optimize",
        "sklearn.gaussian_process.kernels",
        "src/pkg/mod.py",
        "pkg/other.py",
        "pkg.mod",
    ]
    assert all(topic.short for topic in short.topics)
    assert [equation.id for equation in short.equations] == [
        "lmfit.lineshapes:gaussian",
        "lmfit.lineshapes:voigt",
        "scipy.optimize:rosen_der",
        "sklearn.gaussian_process.kernels:RBF.__call__",
        "src/pkg/mod.py::f",
        "pkg/other.py::g",
        "pkg.mod:h",
    ]


def test_the_whole_function_is_the_anchor(short: Specification) -> None:
    for equation in short.equations:
        (anchor,) = equation.anchors
        assert equation.whole
        assert (anchor.id, anchor.target, anchor.role) == (f"{equation.id}/computes/0", equation.id, Role.COMPUTES)
        assert anchor.function == equation.id.rpartition(":")[2]
    by_path = short.equations[4].anchors[0]
    assert (by_path.path, by_path.line, by_path.at) == ("src/pkg/mod.py", 0, None)
    assert short.equations[0].anchors[0].path == ""
    assert short.equations[0].span == Span("short.yaml", 2, 3, 2, 11)


def test_keys(short: Specification) -> None:
    gaussian, voigt, rosen, kernel, derived, _, h = short.equations
    assert gaussian.where is not None
    assert (gaussian.statements[0].value, gaussian.where.value, gaussian.label) == (
        "amplitude*x",
        "sigma > 0",
        "gaussian",
    )
    assert voigt.states is not None
    assert (voigt.states.value, voigt.statements) == ("docstring", ())
    assert rosen.gradient_of is not None
    assert (rosen.gradient_of.value, rosen.gradient_by, rosen.methods) == ("rosen", "x", ("vjp",))
    assert [text.value for text in rosen.symbols["x"].shape or ()] == ["n"]
    assert rosen.symbols["x"].domain.minimum is not None
    assert rosen.symbols["y"].domain.integer
    assert rosen.symbols["y"].code == {"": "y"}
    assert kernel.call is not None
    assert (kernel.call.value, kernel.let["r"].value, kernel.label) == ("RBF(l)(X)", "l + 1", "Kernel")
    assert derived.derived
    assert h.methods == ("value", "discrete")


def test_lines_may_be_given(spec: Callable[..., Specification]) -> None:
    text = """m:
  f:
    sympy: x
    symbols: {x: {meaning: M, code: xx}}
    direction: forward
    anchors:
      - {role: computes, at: 'm.py:2', in: f, code: 'return x'}
  g:
    sympy: x
    anchors: [{role: tests, at: 't.py:2', in: t, code: 'assert x'}]
"""
    loaded = spec({"a.yaml": text})
    f, g = loaded.equations
    assert loaded.faults == ()
    assert (f.whole, [anchor.role for anchor in f.anchors]) == (False, [Role.COMPUTES])
    assert f.symbols["x"].code == {"": "xx"}
    assert (g.whole, [anchor.id for anchor in g.anchors]) == (True, ["m:g/computes/0", "m:g/tests/0"])


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("m: {f: {where: x}}", "`f` has no formula", 1, 5),
        ("m: {f: {sympyy: x}}", "the key `sympyy` is not known here", 1, 9),
        ("m: {f: 3}", "a mapping is wanted, not the number 3", 1, 8),
        ("m: 3", "`m`: a mapping from function", 1, 4),
        ("m: {sympy: x}", "no function is named", 1, 4),
        ("a b: {f: {sympy: x}}", "neither a module nor a file", 1, 1),
        ("m: {'f g': {sympy: x}}", "qualified name", 1, 5),
        ("'m:f g': {sympy: x}", "qualified name", 1, 1),
        ("title: x\nequations: []\ntopics: y", "no key `topic`", 1, 1),
        ("- 1", "a mapping is wanted", 1, 1),
        ("", "the file is empty", 1, 1),
        ("# nothing", "the file is empty", 1, 1),
    ],
)
def test_faults(spec: Callable[..., Specification], text: str, message: str, line: int, column: int) -> None:
    (fault,) = spec({"a.yaml": text}).faults
    assert fault.kind == "schema"
    assert message in fault.message
    assert (fault.span.line, fault.span.column) == (line, column)


def test_a_broken_entry_leaves_the_others(spec: Callable[..., Specification]) -> None:
    loaded = spec({"a.yaml": "m: {f: {sympy: 3}, g: {sympy: x}}\nn: {h: {given: [{equation: 'm:f'}], sympy: x}}"})
    assert [equation.id for equation in loaded.equations] == ["m:g", "n:h"]
    assert [fault.message for fault in loaded.faults] == [
        "`sympy`: `3` is read as the number 3, but a text or a list of texts is wanted"
    ]
