"""A branch that is added to its input: its gradient is proved with the branch as an unknown function."""

from eqtrace.config import load
from eqtrace.runner import verify

CODE = """
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Options:
    factor: float

    def __post_init__(self):
        if self.factor <= 0:
            raise ValueError("factor")


def branch(x):
    return np.exp(x) * x


def forward(x, options):
    b = options.factor * branch(x)
    y = x + b
    return y, x


def backward(x, dy, options):
    db = dy
    dx_branch = options.factor * db * np.exp(x) * (1 + x)
    dx = dy + dx_branch
    return dx
"""
FORWARD = """
topic: forward
title: Forward
page: none
status: implemented
direction: forward
functions: ['layers.py::forward']
what: w
why: w
symbols: {x: {shape: [n]}, b: {shape: [n]}, y: {shape: [n]}, c: {shape: [], code: options.factor, domain: {min: 1}}}
indices: {i: n}
equations:
  - id: forward.branch
    sympy: 'Eq(b[i], c*B(x)[i])'
    method: [composition]
    functions: {B: {equation: branch.branch, args: [x]}}
    anchors: [{role: computes, at: 'layers.py:20', in: forward, code: 'b = options.factor * branch(x)'}]
  - id: forward.sum
    sympy: 'Eq(y[i], x[i] + b[i])'
    anchors: [{role: computes, at: 'layers.py:21', in: forward, code: 'y = x + b'}]
"""
BRANCH = """
topic: branch
title: Branch
page: none
status: implemented
direction: neither
functions: ['layers.py::branch']
what: w
why: w
symbols: {x: {shape: [n]}, r: {shape: [n], code: null}}
indices: {i: n}
equations:
  - id: branch.branch
    sympy: 'Eq(r[i], exp(x[i])*x[i])'
    anchors:
      - {role: computes, at: 'layers.py:16', in: branch, code: 'return np.exp(x) * x', bind: {r: result}}
"""
BACKWARD = """
topic: backward
title: Backward
page: none
status: implemented
direction: backward
functions: ['layers.py::backward']
what: w
why: w
symbols:
  x: {shape: [n], code: x}
  c: {shape: [], code: null, domain: {min: 1}}
  b: {shape: [n], code: null}
  y: {shape: [n], code: null}
  dy: {shape: [n], code: dy}
  dx_branch: {shape: [n], code: dx_branch}
  dx: {shape: [n], code: dx}
indices: {i: n, j: n}
gradient:
  forward: 'layers.py::forward'
  backward: 'layers.py::backward'
  call: 'forward(x, Options(c))'
  cotangent: dy
  wrt: {x: result}
equations:
  - id: backward.branch
    sympy: 'Eq(dx_branch[i], Sum(dy[j]*Derivative(b[j], x[i]), j))'
    method: [derivative]
    functions: {b: {equation: forward.branch, args: [x]}}
    anchors: [{role: explains, at: 'layers.py:28', in: backward, code: 'dx = dy + dx_branch'}]
  - id: backward.sum
    sympy: 'Eq(dx[i], dy[i] + dx_branch[i])'
    method: [vjp]
    functions: {b: {equation: forward.branch, args: [x]}}
    given: [{equation: backward.branch}]
    anchors: [{role: computes, at: 'layers.py:28', in: backward, code: 'dx = dy + dx_branch'}]
"""


def verified(root, code=CODE, backward=BACKWARD):
    (root / "layers.py").write_text(code.lstrip("\n"))
    for name, text in (("forward", FORWARD), ("branch", BRANCH), ("backward", backward)):
        (root / f"{name}.yaml").write_text(text.lstrip("\n"))
    settings = "[tool.eqtrace]\nspec = ['*.yaml']\nsources = ['layers.py']\ncoverage = 'off'\n"
    (root / "pyproject.toml").write_text(settings + "scenarios = 'scenarios.py'\n")
    (root / "scenarios.py").write_text(
        "from layers import Options, backward, forward\n\n\ndef run(rng, sizes):\n"
        "    x, options = rng.normal(size=3), Options(2.0)\n"
        "    forward(x, options)\n    backward(x, rng.normal(size=3), options)\n"
    )
    results = verify(load(root), frozenset(["backward.sum"]))
    return results, next(each for each in results.methods["backward.sum"] if each.method == "vjp")


def test_the_branch_is_a_function_that_a_proof_does_not_look_into(tmp_path):
    results, method = verified(tmp_path)
    assert [each.message for each in results.findings if each.method == "vjp"] == []
    assert str(method.verdict) == "certified", method.evidence
    assert "proved for all sizes >= 1 (forward: backward.branch, forward.sum)" in method.evidence.detail


def test_a_dataclass_is_made_in_exact_runs(tmp_path):
    _, method = verified(tmp_path, CODE.replace("options.factor * db", "1.001 * options.factor * db"))
    assert str(method.verdict) == "refuted"
    assert "does not run in balls" not in "; ".join(method.evidence.limits)


def test_a_dropped_branch_or_skip_path_is_refuted(tmp_path):
    for form in ("dy[i]", "dx_branch[i]", "dy[i] - dx_branch[i]"):
        backward = BACKWARD.replace("Eq(dx[i], dy[i] + dx_branch[i])", f"Eq(dx[i], {form})")
        code = CODE.replace("dx = dy + dx_branch", f"dx = {form.replace('[i]', '')}")
        backward = backward.replace("code: 'dx = dy + dx_branch'", f"code: 'dx = {form.replace('[i]', '')}'")
        results, method = verified(tmp_path, code, backward)
        assert str(method.verdict) == "refuted", form
        assert {"EQ601", "EQ602"} <= {each.code for each in results.findings if each.method == "vjp"}
