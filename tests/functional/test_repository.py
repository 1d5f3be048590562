"""The repository's own specification: 15 topics over impl/, nothing wrong, and what was shown of each equation."""

import json
from pathlib import Path

import jsonschema

from eqtrace import runner
from eqtrace.config import load
from eqtrace.model.anchor import Role, Status
from eqtrace.model.finding import Severity
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict
from eqtrace.report import json as report

ROOT = Path(__file__).resolve().parents[2]

PAGES = {
    "linear-relu-initialisation": (
        "matmul",
        "linear",
        "linear_backward",
        "relu",
        "relu_backward",
        "xavier_uniform",
        "initial_values",
    ),
    "softmax-cross-entropy": (
        "softmax",
        "softmax_backward",
        "cross_entropy",
        "cross_entropy_backward",
        "perplexity",
    ),
    "layer-norm": ("layer_norm", "layer_norm_backward", "layer_norm_derivation"),
}
VALUES = {
    "cross_entropy.log_softmax",
    "cross_entropy.mean_loss",
    "cross_entropy.probabilities",
    "cross_entropy.shifted_logits",
    "layer_norm.affine",
    "layer_norm.inv_std",
    "layer_norm.normalised",
    "layer_norm.row_mean",
    "layer_norm.row_variance",
    "linear.linear",
    "matmul.linear_entry",
    "matmul.product_entry",
    "perplexity.perplexity",
    "relu.relu",
    "softmax.normalise",
    "softmax.shifted_exp",
    "xavier_uniform.limit",
}
GRADIENTS = {
    "cross_entropy_backward.combined_gradient",
    "layer_norm_backward.grad_beta",
    "layer_norm_backward.grad_gamma",
    "layer_norm_backward.grad_input",
    "layer_norm_backward.grad_normalised",
    "layer_norm_derivation.collected_input_gradient",
    "linear_backward.grad_bias",
    "linear_backward.grad_input",
    "linear_backward.grad_weight",
    "relu_backward.masked_gradient",
    "softmax_backward.grad_input",
}
TESTED = {"initial_values.initial_values", "matmul.shape_rule", "xavier_uniform.draw"}
DERIVATIVES = {
    "cross_entropy_backward.position_gradient",
    "layer_norm_derivation.collected_input_gradient",
    "layer_norm_derivation.inv_std_derivative",
    "layer_norm_derivation.mean_derivative",
    "layer_norm_derivation.normalised_jacobian",
    "layer_norm_derivation.parameter_derivatives",
    "layer_norm_derivation.through_affine",
    "layer_norm_derivation.variance_derivative",
    "linear_backward.local_derivatives",
    "relu_backward.relu_derivative",
    "softmax_backward.jacobian",
}
IDENTITIES = {"softmax.shift_invariance", "xavier_uniform.variance"}
KINKS = {"relu_backward.masked_gradient"}
CONSTANTS: set[str] = set()  # certified up to module constants


def test_audit_is_clean() -> None:
    results = runner.audit(load(ROOT), None)
    told = [
        f"{each.code} {each.span} {each.message}" for each in results.findings if each.severity is not Severity.NOTE
    ]
    assert told == []
    assert results.exit == 0
    pages = {page.id: tuple(topic.value for topic in page.topics) for page in results.specification.pages}
    assert pages == PAGES
    assert {topic.id for topic in results.specification.topics} == {each for page in PAGES.values() for each in page}
    assert set(results.selected) == VALUES | GRADIENTS | TESTED | DERIVATIVES | IDENTITIES
    assert len(results.selected) == 43
    assert {match.status for match in results.matches.values()} == {Status.OK}
    assert results.coverage is not None
    assert (results.coverage.equations.covered, results.coverage.equations.waived) == (43, 0)


def test_everything_is_verified() -> None:
    results = runner.verify(load(ROOT), None, jobs=2, cache=False)
    assert {each.severity for each in results.findings} <= {Severity.NOTE}
    assert results.exit == 0
    _check_verdicts(results)
    _check_executions(results)
    document = json.loads(report.render(results))
    jsonschema.Draft202012Validator(json.loads(report.schema())).validate(document)
    assert document["summary"]["topics"] == 15
    assert document["summary"]["equations"] == 43
    assert document["summary"]["anchors"] == document["summary"]["anchors_ok"] == len(results.matches)


def _check_verdicts(results: Results) -> None:
    for equation in results.selected:
        verdict = results.verdict(equation)
        if equation in VALUES | GRADIENTS:
            assert verdict is (Verdict.CERTIFIED_TO_CONSTANTS if equation in CONSTANTS else Verdict.CERTIFIED), equation
        elif equation in TESTED:
            assert verdict is Verdict.TESTED, equation
        else:
            assert verdict is Verdict.PROVED, equation
        for method in results.methods[equation]:
            if method.method in ("vjp", "derivative", "identity"):
                assert "proved for all sizes" in method.evidence.detail, equation
            assert method.evidence.points > 0, equation
            limits = method.evidence.limits
            assert all("lie on a kink" in each for each in limits) if equation in KINKS else limits == (), equation


def _check_executions(results: Results) -> None:
    roles = (Role.COMPUTES, Role.INLINE, Role.CALLS)
    wanted = [match.anchor for match in results.matches.values() if match.anchor.role in roles]
    assert results.executions is not None
    assert len(wanted) > 140
    for anchor in wanted:
        needed = 32 if anchor.role is not Role.CALLS else 1  # at least 32 draws beside the edge grid
        assert results.executions.get(anchor.id, 0) >= needed, anchor.id
