"""Faults in hand-written gradients, each found at its line by method vjp; and other ways to write them, none reported.

The anchors that quote a line are edited alike, so that only the method can refute it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eqtrace.model.finding import Finding, Severity
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict
from eqtrace.spec.load import load as load_specification

if TYPE_CHECKING:
    from conftest import Copy

OPS, MODEL = "impl/ops.py", "impl/transformer.py"
LINEAR = "spec/linear-relu-initialisation/linear_backward.yaml"
ATTENTION = Path(__file__).parents[2] / "benchmarks" / "attention.yaml"

WEIGHT, BIAS, INPUT = "dW = X.T @ dY", "db = dY.sum(axis=0)", "dX = dY @ W.T"
RELU = "return dA * (Z > 0)"
SOFTMAX = "dx: Array = y * (dY - (y * dY).sum(axis=-1, keepdims=True))"
ONE_HOT, COMBINED = "one_hot[np.arange(T), targets] = 1.0", "return (probs - one_hot) / T"
CACHE = "return Y, (Xhat, s, gamma)"
NORMALISED = "dXhat = dY * gamma"
LAYER_NORM = (
    "dX = s * (dXhat - dXhat.mean(axis=-1, keepdims=True) - Xhat * (dXhat * Xhat).mean(axis=-1, keepdims=True))"
)
GAMMA, BETA = "dgamma = (dY * Xhat).sum(axis=0)", "dbeta = dY.sum(axis=0)"
OUTPUT, OUTPUT_BIAS = 'grads[p + "wo"] += O.T @ dOut', 'grads[p + "bo"] += dOut.sum(axis=0)'
WEIGHTS, VALUES = "dA = dOh @ Vh.transpose(0, 2, 1)", "dVh = A.transpose(0, 2, 1) @ dOh"


@dataclass(frozen=True)
class Fault:
    equation: str
    old: str
    new: str
    codes: tuple[str, ...] = ("EQ501", "EQ601")  # that must be among the findings
    path: str = OPS
    bind: Mapping[str, str] = field(default_factory=dict)
    cited: bool = True
    says: str = ""  # a part of the adjoint-mismatch's message
    verdict: Verdict = Verdict.REFUTED


FAULTS = {
    "scaled": Fault("linear_backward.grad_weight", WEIGHT, "dW = X.T @ dY * 0.9999", says="by W: <dY, J dx> = "),
    "scaled beyond float64": Fault("linear_backward.grad_weight", WEIGHT, "dW = X.T @ dY * (1 + 1e-25)"),
    # Sizes are distinct, so that an untransposed W raises.
    "not transposed": Fault(
        "linear_backward.grad_input", INPUT, "dX = dY @ W", ("EQ903",), verdict=Verdict.NOT_CHECKED
    ),
    "other axis": Fault(
        "linear_backward.grad_bias", BIAS, "db = dY.sum(axis=1)", ("EQ401", "EQ601"), says="result[2] has shape"
    ),
    "mean for sum": Fault("linear_backward.grad_bias", BIAS, "db = dY.mean(axis=0)"),
    "not strict": Fault("relu_backward.masked_gradient", RELU, "return dA * (Z >= 0)", ("EQ501",)),
    "leaky": Fault("relu_backward.masked_gradient", RELU, "return dA * np.where(Z > 0, 1.0, 1e-6)"),
    "softmax without its sum": Fault("softmax_backward.grad_input", SOFTMAX, "dx: Array = y * dY"),
    # The line computes its formula on what it is handed; only the identity sees that this is another s.
    "without epsilon": Fault(
        "layer_norm_backward.grad_input",
        CACHE,
        "return Y, (Xhat, 1.0 / np.sqrt(var), gamma)",
        ("EQ601",),
        cited=False,
        says="by X: ",
    ),
    "one degree less": Fault(
        "layer_norm_backward.grad_input",
        LAYER_NORM,
        LAYER_NORM.replace("dXhat.mean(axis=-1, keepdims=True)", "dXhat.sum(-1, keepdims=True) / (Xhat.shape[-1] - 1)"),
    ),
    "without the first mean": Fault(
        "layer_norm_backward.grad_input", LAYER_NORM, LAYER_NORM.replace("dXhat.mean(axis=-1, keepdims=True)", "0")
    ),
    "without the second mean": Fault(
        "layer_norm_backward.grad_input", LAYER_NORM, "dX = s * (dXhat - dXhat.mean(axis=-1, keepdims=True))"
    ),
    "value on the way": Fault(
        "layer_norm_backward.grad_normalised", NORMALISED, "dXhat = dY * gamma * 1.0001", says="dXhat of "
    ),
    "scale's gradient": Fault("layer_norm_backward.grad_gamma", GAMMA, "dgamma = (dY * Xhat).mean(axis=0)"),
    "not averaged": Fault("cross_entropy_backward.combined_gradient", COMBINED, "return (probs - one_hot)"),
    "probabilities changed": Fault(
        "cross_entropy_backward.combined_gradient",
        COMBINED,
        "probs -= one_hot\nreturn probs / T",
        ("EQ502",),
        cited=False,
    ),
    "assigned, not added": Fault(
        "attention_gradient.output",
        OUTPUT,
        'grads[p + "wo"] = O.T @ dOut',
        ("EQ601",),
        MODEL,
        {"dW": "O.T @ dOut"},
        says="grads did not start at 0, and is overwritten where it should be added to",
    ),
    "added twice": Fault(
        "attention_gradient.output", OUTPUT_BIAS, f"{OUTPUT_BIAS}\n{OUTPUT}", ("EQ601",), MODEL, cited=False
    ),
    "attention's weights": Fault(
        "attention_gradient.attention_weights", WEIGHTS, f"{WEIGHTS} * 1.0001", path=MODEL, says="by A: "
    ),
    "values, seen from the weights' gradient": Fault(
        "attention_gradient.weights", VALUES, f"{VALUES} / 2", ("EQ601",), MODEL, cited=False, says='grads[p + "wv"]'
    ),
}


def copied(copies: Callable[[str], Copy], name: str = "copy") -> Copy:
    copy = copies(name)
    (copy.root / "spec" / "attention").mkdir(exist_ok=True)
    shutil.copy(ATTENTION, copy.root / "spec" / "attention")
    return copy


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_at_its_line(copies: Callable[[str], Copy], fault: Fault) -> None:
    copy = copied(copies)
    line = copy.edit(fault.path, fault.old, fault.new)
    if fault.cited:
        assert copy.edit_anchors(fault.path, fault.old, fault.new, fault.bind)
    copy.fix()
    found = copy.verify(fault.equation)
    errors = [
        each
        for each in found.findings
        if each.severity is Severity.ERROR and each.code[:3] in ("EQ5", "EQ6") and not each.name.startswith("example-")
    ]
    codes = [each.code for each in found.findings if each.method == "vjp"]
    assert set(fault.codes) <= set(codes), shown(found)
    assert set(codes) <= {*fault.codes, "EQ501", "EQ603", "EQ604"} or fault.codes == ("EQ502",), shown(found)
    for each in errors:
        assert (each.equation, each.method) == (fault.equation, "vjp")
    if fault.cited and errors:
        places = {(related.span.path, related.span.line) for each in errors for related in each.related}
        assert (fault.path, line) in places
    for each in errors:
        if each.code == "EQ601":
            assert fault.says in each.message
            assert "seed 0" in each.hint
            assert "inputs: " in each.hint
    assert verdict(found, fault.equation) is fault.verdict


def test_a_form_that_differs_from_its_gradient(copies: Callable[[str], Copy]) -> None:
    copy = copied(copies)
    copy.replace(LINEAR, "Eq(db[j], Sum(dY[t, j], t))", "Eq(db[j], Sum(dY[t, j], t)/T)")
    found = copy.verify("linear_backward.grad_bias")
    assert {"EQ501", "EQ602"} <= {each.code for each in found.findings}
    assert verdict(found, "linear_backward.grad_bias") is Verdict.REFUTED


TOPICS = {
    "linear_backward",
    "relu_backward",
    "softmax_backward",
    "cross_entropy_backward",
    "layer_norm_backward",
    "layer_norm_derivation",
    "attention_gradient",
}

# Each edit of one line; those of a set are made together.
REWRITES: tuple[dict[tuple[str, str], str], ...] = (
    {
        (OPS, WEIGHT): "dW = (dY.T @ X).T",
        (OPS, BIAS): "db = np.ones(len(dY)) @ dY",
        (OPS, INPUT): 'dX = np.einsum("tc,ac->ta", dY, W)',
        (OPS, RELU): "return np.where(Z > 0, dA, 0.0)",
        (OPS, SOFTMAX): "dx: Array = y * dY - y * np.sum(y * dY, axis=-1)[..., None]",
        (OPS, COMBINED): "return probs / T - one_hot / T",
        (OPS, NORMALISED): "dXhat = np.multiply(gamma, dY)",
        (OPS, LAYER_NORM): (
            "dX = s / Xhat.shape[-1] * (Xhat.shape[-1] * dXhat - dXhat.sum(-1, keepdims=True)"
            " - Xhat * (dXhat * Xhat).sum(-1, keepdims=True))"
        ),
        (OPS, GAMMA): 'dgamma = np.einsum("td,td->d", dY, Xhat)',
        (OPS, BETA): "dbeta = np.sum(dY, 0)",
        (MODEL, OUTPUT): 'grads[p + "wo"] += (dOut.T @ O).T',
        (MODEL, WEIGHTS): 'dA = np.einsum("htk,huk->htu", dOh, Vh)',
    },
    {
        (OPS, WEIGHT): "dW = np.tensordot(X, dY, axes=(0, 0))",
        (OPS, BIAS): "db = np.add.reduce(dY, axis=0)",
        (OPS, INPUT): "dX = (W @ dY.T).T",
        (OPS, RELU): "return dA * (Z > 0).astype(float)",
        (OPS, SOFTMAX): "dx: Array = y * (dY - np.einsum('...i,...i->...', y, dY)[..., np.newaxis])",
        (OPS, ONE_HOT): "one_hot[range(T), targets] += 1",
        (OPS, NORMALISED): "dXhat = gamma * dY",
        (OPS, GAMMA): "dgamma = np.sum(Xhat * dY, axis=0)",
        (OPS, BETA): "dbeta = np.ones(len(dY)) @ dY",
        (MODEL, OUTPUT): 'grads[p + "wo"] += np.tensordot(O, dOut, axes=(0, 0))',
    },
)


@pytest.mark.parametrize("edits", REWRITES, ids=("once", "and again"))
def test_other_ways_to_write_it_stay_silent(copies: Callable[[str], Copy], edits: dict[tuple[str, str], str]) -> None:
    copy = copied(copies)
    for (path, old), new in edits.items():
        copy.edit(path, old, new)
        assert copy.edit_anchors(path, old, new)
    copy.fix()
    every = load_specification(copy.config).equations
    equations = [each.id for each in every if "vjp" in each.methods and each.topic in TOPICS]
    found = copy.verify(*equations)
    problems = [each for each in found.findings if each.severity is not Severity.NOTE and each.method == "vjp"]
    assert not problems, shown(found)
    for equation in equations:
        assert verdict(found, equation) is Verdict.CERTIFIED, equation


def verdict(found: Results, equation: str) -> Verdict:
    (result,) = (each for each in found.methods[equation] if each.method == "vjp")
    return result.verdict


def shown(found: Results) -> str:
    return "\n".join(map(one_line, found.findings))


def one_line(finding: Finding) -> str:
    return f"{finding.span}: {finding.code} {finding.message} ({finding.hint})"
