"""Method vjp on small layers: what is certified, refuted, a kink, or not checked, and why."""

from collections.abc import Callable
from typing import Any

import pytest

Verify = Callable[..., Any]

SCALE = """
    symbols:
      x: {shape: [n], code: x}
      y: {shape: [n], code: null}
      dy: {shape: [n], code: dy}
      dx: {shape: [n], code: dx}
    indices: {i: n}
"""


def of_two(symbols: str, gives: str = "wrt: {x: 'result[0]', z: 'result[1]'}") -> str:
    """The symbols, with a second input z, and the gradient by both."""
    inputs = symbols.replace("      y: {shape", "      z: {shape: [n], code: z}\n      y: {shape")
    functions = "forward: 'layers.py::forward', backward: 'layers.py::backward', cotangent: dy"
    return f"{inputs}    gradient: {{{functions}, {gives}}}"


def scaled(
    forward: str, backward: str, formula: str = "2*dy[i]", gradient: str = "", symbols: str = SCALE, before: str = ""
) -> tuple[str, str]:
    """A layer of one input: its code and its specification."""
    code = f"import numpy as np\n{before}\ndef forward(x):\n    return {forward}\n\ndef backward(x, dy):\n"
    code += f"    dx = {backward}\n    return dx\n"
    line = code[: code.index("dx = ")].count("\n") + 1
    gradient = gradient or "wrt: {x: result}"
    spec = f"""{symbols}
    gradient: {{forward: 'layers.py::forward', backward: 'layers.py::backward', cotangent: dy, {gradient}}}
    equations:
      - id: layer.gradient
        method: [vjp]
        sympy: 'Eq(dx[i], {formula})'
        anchors:
          - {{role: computes, at: 'layers.py:{line}', in: backward, code: 'dx = {backward}'}}
    """
    return code, spec


def test_a_gradient_is_certified(verified: Verify) -> None:
    found = verified(*scaled("np.sin(x)", "np.cos(x) * dy", "cos(x[i])*dy[i]"))
    assert found.verdict == "certified"
    assert found.findings == []
    assert "adjoint identity by x shown in dual balls at 20 of 20 points" in found.method.evidence.detail
    assert "central differences agree at" in found.method.evidence.detail


@pytest.mark.parametrize(
    ("forward", "backward", "formula"),
    [
        ("np.sin(x)", "np.cos(x) * dy * (1 + 1e-12)", "cos(x[i])*dy[i]*(1 + 1e-12)"),
        ("x**2", "2 * x * abs(dy)", "2*x[i]*Abs(dy[i])"),  # not linear in the cotangent
        ("x**2 + x[::-1]", "2 * x * dy + dy", "2*x[i]*dy[i] + dy[i]"),
        ("np.log1p(x**2)", "2 * x * dy / (1 + x**2) + 1e-20", "2*x[i]*dy[i]/(1 + x[i]**2) + 1e-20"),
        (
            "np.exp(x)",
            "np.exp(np.where(abs(x) < 1e3, x, 0)) * dy",
            "exp(Piecewise((x[i], Abs(x[i]) < 1000), (0, True)))*dy[i]",
        ),
    ],
    ids=("factor", "not linear", "reversed", "added", "an edge"),
)
def test_code_and_form_wrong_alike_are_refuted(verified: Verify, forward: str, backward: str, formula: str) -> None:
    """The value half holds: only the identity tells."""
    found = verified(*scaled(forward, backward, formula))
    assert found.verdict == "refuted"
    assert set(found.codes) <= {"EQ601", "EQ603"}
    (mismatch,) = (each for each in found.findings if each.code == "EQ601")
    assert "result of backward is not the gradient of forward by x: <dY, J dx> = " in mismatch.message
    assert mismatch.related[0].span.path == "layers.py"
    assert "inputs: x = [" in mismatch.hint
    assert "seed 0" in mismatch.hint


# Kinks


RELU = ("np.maximum(0, x)", "dy * (x > 0)", "dy[i]*Piecewise((1, x[i] > 0), (0, True))")


def test_kinks_are_counted_and_said(verified: Verify) -> None:
    found = verified(*scaled(*RELU))
    assert found.verdict == "certified"
    assert "points lie on a kink" in found.limits
    points, certified = found.method.evidence.points, found.method.evidence.certified
    assert certified < points


def test_at_a_kink_the_form_decides_exactly(verified: Verify) -> None:
    code, spec = scaled("np.maximum(0, x)", "dy * (x >= 0)", RELU[2])
    found = verified(code, spec)
    assert found.verdict == "refuted"
    assert found.codes == ["EQ501"]
    assert "x = [0.0" in found.findings[0].hint or "x = [-0.0" in found.findings[0].hint


def test_a_run_that_is_all_kinks_is_not_checked(verified: Verify) -> None:
    symbols = SCALE.replace("code: x}", "code: x, domain: {one_of: [0]}}")
    found = verified(*scaled(*RELU, symbols=symbols))
    assert found.verdict == "not-checked"
    assert "EQ507" in found.codes
    (fault,) = (each for each in found.findings if each.code == "EQ507")
    assert "the adjoint identity was shown at fewer than 8 points: " in fault.message
    assert "points on a kink" in fault.message


@pytest.mark.parametrize(
    ("forward", "backward", "formula"),
    [
        ("x - x.max()", "dy - (np.arange(len(x)) == np.argmax(x)) * dy.sum()", ""),
        ("np.sort(x)", "dy[np.argsort(np.argsort(x, kind='stable'), kind='stable')]", ""),
        ("np.abs(x)", "np.sign(x) * dy", ""),
        ("x - np.floor(x)", "dy * 1", ""),
        ("np.where(x > 1, x**2, 2 * x - 1)", "dy * np.where(x > 1, 2 * x, 2)", ""),  # smooth at its case
    ],
)
def test_functions_with_cases(verified: Verify, forward: str, backward: str, formula: str) -> None:
    code, spec = scaled(forward, backward)
    code = code.replace("backward", "slope")
    spec = """
    layers:
      slope: {gradient_of: total, by: x, shapes: {x: [n]}}
    """
    code += f"\n\ndef total(x):\n    return ({forward}) @ np.arange(1, len(x) + 1)\n\n"
    code = code.replace("def slope(x, dy):\n", "def slope(x):\n    dy = np.arange(1, len(x) + 1)\n")
    found = verified(code, spec, "layers:slope", short=True)
    assert found.verdict == "certified", (found.findings, found.limits)


def test_the_derivative_of_a_root_at_0_is_not_finite(verified: Verify) -> None:
    symbols = SCALE.replace("code: x}", "code: x, domain: {min: 0}}")
    found = verified(*scaled("np.sqrt(x)", "dy / (2 * np.sqrt(x))", "dy[i]/(2*sqrt(x[i]))", symbols=symbols))
    assert "points where a derivative is not finite" in found.limits


# Constants


LOG2 = "0.6931471805599453"


@pytest.mark.parametrize(
    ("other", "verdict"),
    [(LOG2, "certified-to-constants"), ("0.69314718055994540", "sampled"), ("0.69314718056", "refuted")],
)
def test_constants(verified: Verify, other: str, verdict: str) -> None:
    before = f"A = {LOG2}\nB = {other}\n"
    found = verified(*scaled("x * A", "dy * B", "log(2)*dy[i]", before=before))
    assert found.verdict == verdict, (found.findings, found.limits)


def test_one_constant_in_both(verified: Verify) -> None:
    found = verified(*scaled("x * A", "dy * A", "log(2)*dy[i]", before=f"A = {LOG2}\n"))
    assert found.verdict == "certified-to-constants"


# What does not run


def test_what_does_not_run_in_balls_is_sampled(verified: Verify) -> None:
    found = verified(*scaled("np.polyval([1.0, 0.0, 3.0], x)", "2 * x * dy", "2*x[i]*dy[i]"))
    assert found.verdict == "sampled"
    assert "backward: the adjoint identity does not run in balls: NotExact: np.polyval" in found.limits
    assert "central differences agree at" in found.method.evidence.detail


def test_code_that_raises_is_a_finding(verified: Verify) -> None:
    found = verified(*scaled("x @ np.ones((1, 1, 1, len(x) + 1))", "2 * dy"))
    assert found.verdict == "not-checked"
    assert "EQ903" in found.codes


def test_an_argument_that_is_changed(verified: Verify) -> None:
    code, spec = scaled("x * x", "dy * x * 2", "2*x[i]*dy[i]")
    found = verified(code.replace("    return dx", "    x *= 2\n    return dx"), spec)
    assert found.verdict == "refuted"
    assert found.codes == ["EQ502"]
    assert "backward changes its argument `x`" in found.findings[0].message


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_a_gradient_that_loses_digits(verified: Verify, kind: str) -> None:
    code, spec = scaled("x * x", f"(dy * x * 2).astype(np.{kind})", "2*x[i]*dy[i]")
    found = verified(code, spec)
    assert found.verdict == "refuted"
    assert any(f"result of backward is {kind}" in each.message for each in found.findings if each.code == "EQ601")


def test_a_gradient_of_as_few_digits_as_it_is_given(verified: Verify) -> None:
    code, spec = scaled("x * x", "dy * x * 2", "2*x[i]*dy[i]")
    assert "EQ601" not in verified(code, spec).codes


def test_a_forward_that_changes_its_argument(verified: Verify) -> None:
    code, spec = scaled("np.add(x, 1, out=x) - 1", "dy * 1", "dy[i]")
    found = verified(code, spec)
    assert found.verdict == "refuted"
    assert "EQ502" in found.codes
    assert any("forward changes its argument `x` in place" in each.message for each in found.findings)


def test_state_between_calls(verified: Verify) -> None:
    code, spec = scaled("x * x", "dy * x * 2", "2*x[i]*dy[i]", before="SEEN = []\n")
    found = verified(code.replace("    return dx", "    SEEN.append(1)\n    return dx * (len(SEEN) % 2)"), spec)
    assert "EQ604" in found.codes


# Where things are


CLASS = """
import numpy as np

class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def forward(self, X):
        self.X = X
        H = X @ self.W
        Y = np.tanh(H + self.b)
        self.Y = Y
        return Y

    def backward(self, dY):
        dH = dY * (1 - self.Y**2)
        self.dW = self.X.T @ dH
        self.db = dH.sum(axis=0)
        return dH @ self.W.T
"""
CLASS_SPEC = """
symbols:
  X: {shape: [T, a], code: self.X}
  W: {shape: [a, c], code: self.W}
  b: {shape: [c], code: null}
  Y: {shape: [T, c], code: self.Y}
  H: {shape: [T, c], code: H}
  dY: {shape: [T, c], code: dY}
  dH: {shape: [T, c], code: dH}
  dX: {shape: [T, a], code: null}
  dW: {shape: [a, c], code: self.dW}
  db: {shape: [c], code: self.db}
indices: {t: T, k: a, j: c}
call: 'Layer(W, b).backward(dY)'
gradient:
  forward: 'layers.py::Layer.forward'
  backward: 'layers.py::Layer.backward'
  call: 'Layer(W, b).forward(X)'
  cotangent: dY
  after: {H: 'H = X @ self.W'}
  wrt: {X: result, W: self.dW, b: self.db, H: dH}
equations:
  - id: layer.hidden
    method: [vjp]
    sympy: 'Eq(dH[t, j], dY[t, j]*(1 - Y[t, j]**2))'
    anchors: [{role: computes, at: 'layers.py:15', in: Layer.backward, code: 'dH = dY * (1 - self.Y**2)'}]
  - id: layer.gradient
    method: [vjp]
    sympy: 'Eq(dW[k, j], Sum(X[t, k]*dH[t, j], t))'
    anchors: [{role: computes, at: 'layers.py:16', in: Layer.backward, code: 'self.dW = self.X.T @ dH'}]
"""


@pytest.mark.parametrize("equation", ["layer.hidden", "layer.gradient"])
def test_gradients_that_an_object_keeps(verified: Verify, equation: str) -> None:
    spec = CLASS_SPEC.replace("call: 'Layer(W, b).backward(dY)'\n", "")
    found = verified(CLASS, spec, equation)
    assert "shown in dual balls at 20 of 20 points" in found.method.evidence.detail, (found.findings, found.limits)
    wrong = verified(CLASS.replace("self.X.T @ dH", "self.X.T @ dY"), spec, "layer.gradient")
    assert "EQ601" in wrong.codes


ADDS = """
import numpy as np

def forward(x, params, p):
    h = x * params[p + "w"]
    return h.sum(), (x, h)

def backward(cache, params, p, grads):
    x, h = cache
    grads[p + "w"] += x
    return params[p + "w"] * 1
"""
ADDS_SPEC = """
symbols:
  x: {shape: [n], code: x}
  w: {shape: [n], code: null}
  dw: {shape: [n], code: null}
indices: {i: n}
gradient:
  forward: 'layers.py::forward'
  backward: 'layers.py::backward'
  call: 'forward(x, {"a.w": w, "b.w": x}, "a.")'
  cotangent: '1'
  cache: 'result[1]'
  accumulates: grads
  wrt: {x: result, w: 'grads[p + "w"]'}
equations:
  - id: layer.gradient
    method: [vjp]
    sympy: 'Eq(dw[i], x[i])'
    anchors:
      - {role: computes, at: 'layers.py:9', in: backward, code: 'grads[p + "w"] += x', bind: {dw: operand}}
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", ""),
        ('grads[p + "w"] += x', 'grads[p + "w"] = x', "grads did not start at 0, and is overwritten"),
        ('grads[p + "w"] += x', 'grads[p + "w"] += x + grads[p + "w"]', "<dY, J dx> = "),
        ('grads[p + "w"] += x', 'grads[p + "w"] += 2 * x', "<dY, J dx> = "),
    ],
)
def test_gradients_that_are_added(verified: Verify, old: str, new: str, says: str) -> None:
    found = verified(ADDS.replace(old, new) if old else ADDS, ADDS_SPEC)
    if not old:
        assert "shown in dual balls at 20 of 20 points" in found.method.evidence.detail, found.findings
        assert not {"EQ601", "EQ603", "EQ902"} & set(found.codes)
    else:
        assert any(each.code == "EQ601" and says in each.message for each in found.findings), found.findings


# Keys that do not fit


@pytest.mark.parametrize(
    ("gradient", "says"),
    [
        ("wrt: {}", "the gradient's `wrt` is empty"),
        ("wrt: {q: result}", "`q` is no input of forward, and no cited statement of it makes it"),
        ("wrt: {x: dz}", "`dz` is neither `result`, a parameter of backward, nor bound by an anchor in it"),
        ("wrt: {x: 'f(x)'}", "`f(x)` is no place"),
        ("wrt: {x: result}, cache: result", "backward has no parameter for the cache `result`"),
        ("wrt: {x: result}, accumulates: dz", "`dz`, which accumulates, is no parameter of the backward"),
        ("wrt: {x: result}, call: 'g(x)'", "`g(x)` does not call forward"),
        ("wrt: {x: result}, call: 'forward(x'", "is no expression"),
        ("wrt: {x: result, y: dx}, after: {y: 'y = x +'}", "neither an anchor's name nor a statement"),
        ("wrt: {x: result, y: dx}, after: {y: 'y = x + 1'}", "0 such statements in forward"),
        ("wrt: {x: result, y: dx}, after: {y: 'layer.gradient/computes/0'}", "0 such statements in forward"),
    ],
)
def test_a_key_that_does_not_fit(verified: Verify, gradient: str, says: str) -> None:
    found = verified(*scaled("2 * x", "2 * dy", gradient=gradient))
    assert found.verdict == "not-checked"
    (fault,) = (each for each in found.findings if each.code == "EQ902")
    assert says in fault.message


def test_other_words_that_do_not_fit(verified: Verify) -> None:
    code, spec = scaled("2 * x", "2 * dy")
    for old, new, says in (
        ("layers.py::forward", "layers.py::forwards", "`layers.py::forwards`: "),
        ("cotangent: dy", "cotangent: dq", "the cotangent `dq` is no parameter of the backward"),
        ("cotangent: dy", "cotangent: '1'", "`dy` of backward is neither an input of the forward nor the cotangent"),
    ):
        found = verified(code, spec.replace(old, new))
        assert any(says in each.message for each in found.findings if each.code == "EQ902"), found.findings
    found = verified(code.replace("def forward(x)", "def forward(x, z)"), spec)
    assert any("no symbol stands for the parameter `z` of forward" in each.message for each in found.findings)
    lines = [line for line in spec.split("\n") if "gradient: {" not in line]
    found = verified(code, "\n".join(lines))
    assert any("method vjp needs a `gradient`" in each.message for each in found.findings)


def test_a_statement_that_runs_twice_has_no_one_tangent(verified: Verify) -> None:
    code = """
    def forward(x):
        y = x
        for _ in range(2):
            y = y * x
        return y

    def backward(x, dy):
        dx = 3 * x**2 * dy
        return dx
    """
    spec = f"""{SCALE}
    gradient:
      forward: 'layers.py::forward'
      backward: 'layers.py::backward'
      cotangent: dy
      wrt: {{x: result, y: dx}}
      after: {{y: 'y = y * x'}}
    equations:
      - id: layer.gradient
        method: [vjp]
        sympy: 'Eq(dx[i], 3*x[i]**2*dy[i])'
        anchors: [{{role: computes, at: 'layers.py:8', in: backward, code: 'dx = 3 * x**2 * dy'}}]
    """
    found = verified(code, spec)
    assert "the statement that makes y ran more than once in one forward run" in found.limits


def test_gradient_of_a_function_that_is_not_there(verified: Verify) -> None:
    found = verified("def f(x):\n    return x\n", "layers:\n  f: {gradient_of: g}\n", "layers:f", short=True)
    assert found.verdict == "not-checked"
    assert "`g` is not found" in found.findings[0].message


def test_a_third_party_function(verified: Verify, tmp_path: Any) -> None:
    pytest.importorskip("scipy")
    spec = "scipy.optimize:\n  rosen_der: {gradient_of: rosen, by: x, shapes: {x: [n]}, where: 'n >= 3'}\n"
    from eqtrace.config import load
    from eqtrace.runner import verify

    (tmp_path / "spec.yaml").write_text(spec)
    (tmp_path / "pyproject.toml").write_text("[tool.eqtrace]\nspec = ['spec.yaml']\npackages = ['scipy']\n")
    results = verify(load(tmp_path), None)
    assert [str(each.verdict) for each in results.methods["scipy.optimize:rosen_der"]] == ["certified"]
    assert results.findings == ()


def test_a_literal_of_full_length_in_one_function_alone(verified: Verify) -> None:
    found = verified(*scaled("x * np.log(2)", "dy * 0.6931471805599453", "log(2)*dy[i]"))
    assert found.verdict == "certified-to-constants", (found.findings, found.limits)


def test_one_of_several_entries_is_wrong_where_another_has_a_kink(verified: Verify) -> None:
    code = """
    import numpy as np

    def forward(x, z):
        return np.maximum(x, 0) + z

    def backward(x, z, dy):
        dx = dy * (x > 0)
        return dx, 2 * dy
    """
    symbols = SCALE.replace("x: {shape: [n], code: x}", "x: {shape: [n], code: x, domain: {one_of: [0]}}")
    spec = f"""{of_two(symbols)}
    equations:
      - id: layer.gradient
        method: [vjp]
        wrt: [x, z]
        sympy: 'Eq(dx[i], dy[i]*Piecewise((1, x[i] > 0), (0, True)))'
        anchors: [{{role: computes, at: 'layers.py:7', in: backward, code: 'dx = dy * (x > 0)'}}]
    """
    found = verified(code, spec)
    assert found.verdict == "refuted"
    assert any(each.code == "EQ601" and "by z" in each.message for each in found.findings)
    assert not any(each.code == "EQ601" and "by x" in each.message for each in found.findings)


@pytest.mark.parametrize(("dx", "dz", "wrong"), [("1e3 * dy", "dy + 1e-29", "z"), ("1e3 * dy + 1e-26", "dy", "x")])
def test_the_wrong_one_of_several_entries_is_told(verified: Verify, dx: str, dz: str, wrong: str) -> None:
    """However much smaller its error is than what the others come to."""
    code = f"""
    def forward(x, z):
        return 1e3 * x + z

    def backward(x, z, dy):
        dx = {dx}
        return dx, {dz}
    """
    spec = f"""{of_two(SCALE)}
    equations:
      - id: layer.gradient
        method: [vjp]
        wrt: [x, z]
        sympy: 'Eq(dx[i], {dx.replace("dy", "dy[i]")})'
        anchors: [{{role: computes, at: 'layers.py:5', in: backward, code: 'dx = {dx}'}}]
    """
    found = verified(code, spec)
    assert found.verdict == "refuted"
    told = [each.message for each in found.findings if each.code == "EQ601"]
    assert [f"by {name}" in " ".join(told) for name in "xz"] == [wrong == "x", wrong == "z"], told


def test_a_small_entry_is_not_hidden_by_a_large_one(verified: Verify) -> None:
    """Though its gradient is far below what half an ulp of the other's constant comes to."""
    code = """
    E = 1.602176634e-19

    def forward(x, z):
        return E * x + E * E * z

    def backward(x, z, dy):
        dx = 2 * E * E * dy
        return E * dy, dx
    """
    spec = f"""{of_two(SCALE)}
    equations:
      - id: layer.gradient
        method: [vjp]
        wrt: [z]
        sympy: 'Eq(dx[i], 2*1.602176634e-19**2*dy[i])'
        anchors: [{{role: computes, at: 'layers.py:7', in: backward, code: 'dx = 2 * E * E * dy'}}]
    """
    found = verified(code, spec)
    assert found.verdict == "refuted"
    assert "EQ601" in found.codes


def test_accumulators_of_one_shape_start_at_different_values(verified: Verify) -> None:
    """What is mixed up between them would show nowhere else."""
    code = """
    def forward(x, z):
        return x + 3 * z

    def backward(x, z, dy, grads):
        mix = 1e-9 * (grads["x"] - grads["z"])
        dx = 3 * dy
        grads["z"] = grads["z"] + dx + mix
        grads["x"] = grads["x"] + dy
    """
    spec = f"""{of_two(SCALE, '''accumulates: grads, wrt: {x: 'grads["x"]', z: 'grads["z"]'}''')}
    equations:
      - id: layer.gradient
        method: [vjp]
        wrt: [z]
        sympy: 'Eq(dx[i], 3*dy[i])'
        anchors: [{{role: computes, at: 'layers.py:6', in: backward, code: 'dx = 3 * dy'}}]
    """
    assert "EQ601" in verified(code, spec).codes
    assert "EQ601" not in verified(code.replace("1e-9", "0.0"), spec).codes


def test_integers_are_not_differentiated_by(verified: Verify) -> None:
    symbols = SCALE.replace("code: x}", "code: x, domain: {integer: true}}")
    found = verified(*scaled("2 * x", "2 * dy", symbols=symbols))
    assert any("`x` holds integers" in each.message for each in found.findings)


def test_a_gradient_on_the_way_that_does_not_run_in_balls_has_no_cross_check(verified: Verify) -> None:
    code = """
    import numpy as np

    def forward(x):
        y = np.polyval([1.0, 0.0, 3.0], x)
        return 2 * y

    def backward(x, dy):
        dx = 2 * dy
        return 2 * x * dx
    """
    spec = f"""{SCALE}
    gradient:
      forward: 'layers.py::forward'
      backward: 'layers.py::backward'
      cotangent: dy
      wrt: {{x: result, y: dx}}
      after: {{y: 'y = np.polyval([1.0, 0.0, 3.0], x)'}}
    equations:
      - id: layer.gradient
        method: [vjp]
        wrt: [y]
        sympy: 'Eq(dx[i], 2*dy[i])'
        anchors: [{{role: computes, at: 'layers.py:8', in: backward, code: 'dx = 2 * dy'}}]
    """
    found = verified(code, spec)
    assert found.verdict == "not-checked"
    assert any("neither the adjoint identity nor a central difference" in each.message for each in found.findings)


FORWARD = """
      - id: layer.value
        sympy: 'Eq(y[i], FORM)'
        anchors: [{role: computes, at: 'layers.py:4', in: forward, code: 'return 2 * x', bind: {y: result}}]
"""


def with_forward(form: str, gradient: str = "2*dy[i]", backward: str = "2 * dy") -> tuple[str, str]:
    code, spec = scaled("2 * x", backward, gradient)
    spec = spec.replace("      - id: layer.gradient", FORWARD.replace("FORM", form) + "      - id: layer.gradient")
    return code, spec.replace(
        "        sympy: 'Eq(dx", "        given: [{equation: layer.value}]\n        sympy: 'Eq(dx"
    )


def test_the_form_is_proved(verified: Verify) -> None:
    found = verified(*with_forward("2*x[i]"))
    assert found.verdict == "certified"
    assert "the form is the derivative of the forward's form: proved for all sizes" in found.method.evidence.detail


def test_a_form_that_is_another_derivative(verified: Verify) -> None:
    found = verified(*with_forward("2*x[i]", "3*dy[i]", "3 * dy"))
    assert found.verdict == "refuted"
    assert {"EQ601", "EQ602"} <= set(found.codes)


def test_where_the_code_is_shown_the_forwards_form_is_to_blame(verified: Verify) -> None:
    found = verified(*with_forward("3*x[i]"))
    assert found.verdict == "certified"
    assert "the forward's forms have another derivative than the code's forward" in found.limits


def test_a_forward_without_a_form_proves_and_refutes_nothing(verified: Verify) -> None:
    found = verified(*scaled("2 * x", "2 * dy"))
    assert found.verdict == "certified"
    assert "no form of the forward says how y depends on x" in found.limits


# Lines that do not say by themselves how their value came about


LOOP = """
    def forward(x, W):
        return x @ W["a"] + x @ W["b"]

    def backward(x, W, dy):
        dx = 0.0
        for n in ("a", "b"):
            dx = dx + {turn}
        return dx
"""
LOOP_SPEC = """
    symbols:
      x: {{shape: [n], code: x}}
      A: {{shape: [n, m], code: 'W["a"]'}}
      B: {{shape: [n, m], code: 'W["b"]'}}
      y: {{shape: [m], code: null}}
      dy: {{shape: [m], code: dy}}
      dx: {{shape: [n], code: dx}}
    indices: {{i: n, j: m}}
    call: 'backward(x, {{"a": A, "b": B}}, dy)'
    gradient:
      forward: 'layers.py::forward'
      backward: 'layers.py::backward'
      call: 'forward(x, {{"a": A, "b": B}})'
      cotangent: dy
      wrt: {{x: result}}
    equations:
      - id: layer.gradient
        method: [vjp]
        sympy: 'Eq(dx[i], {form})'
        anchors:
          - {{role: computes, at: 'layers.py:8', in: backward, code: 'return dx', bind: {{dx: result}}}}
"""
PATHS = "Sum(dy[j]*A[i, j], j) + Sum(dy[j]*B[i, j], j)"


def looped(turn: str = "W[n] @ dy", form: str = PATHS) -> tuple[str, str]:
    return LOOP.format(turn=turn), LOOP_SPEC.format(form=form)


def test_a_line_that_reads_what_was_rounded_is_seen_in_exact_runs(verified: Verify) -> None:
    found = verified(*looped())
    assert (found.verdict, found.findings) == ("certified", [])
    assert "8 executions compared in exact runs" in found.method.evidence.detail


@pytest.mark.parametrize(
    ("turn", "form"),
    [
        ("W[n] @ dy * (1 + 1e-17)", PATHS),
        ("W[n] @ dy", f"(1 + 1e-17)*({PATHS})"),
    ],
    ids=("code", "form"),
)
def test_what_is_wrong_below_rounding_is_seen_in_exact_runs(verified: Verify, turn: str, form: str) -> None:
    found = verified(*looped(turn, form))
    assert found.verdict == "refuted"
    assert any("in an exact run of backward it differs from" in each.message for each in found.findings)


def test_what_does_not_run_exactly_is_sampled(verified: Verify) -> None:
    found = verified(*looped("np.asarray(np.linalg.multi_dot([W[n], dy[:, None]]))[:, 0]"))
    assert found.verdict in ("sampled", "not-checked")
