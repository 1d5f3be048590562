"""Mutants of impl/ops.py: what the specification notices, what torch.autograd.gradcheck, what central differences.

Each mutant of a cited line of a function that has a gradient is given to all three. The specification is what `eqtrace
mutate` does. gradcheck (slow mode, its own tolerances) and central differences (steps of 1e-5, a random cotangent,
wrong where more than 1e-5 of the largest entry) run forward and backward at one point each. A mutant that raises is
counted apart for each. Those two check that a backward belongs to its forward: a pair that is wrong together passes.
"""

from __future__ import annotations

import sys
import types
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gradients import Pair, differentiated, gradcheck, has_torch, inputs, pairs

from eqtrace import mutating, runner
from eqtrace.code.mutation.generate import text_with
from eqtrace.config import load
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.project import read_project
from eqtrace.run.jobs import processors

ROOT = Path(__file__).resolve().parents[2]
OPS = "impl/ops.py"
STEP = TOLERANCE = 1e-5
CAUGHT, RAISED, MISSED = "caught", "raised", "missed"
EQUATIONS = {
    "linear": "linear_backward.grad_weight",
    "relu": "relu_backward.masked_gradient",
    "softmax": "softmax_backward.grad_input",
    "cross_entropy": "cross_entropy_backward.combined_gradient",
    "layer_norm": "layer_norm_backward.grad_input",
}


def central_differences(pair: Pair, values: Mapping[str, Any]) -> bool:
    """Whether central differences agree with the backward, by every input."""
    forward, backward = pair
    given = [each.copy() for each in differentiated(values)]
    output, cache = forward(*given)
    cotangent = np.random.default_rng(1).standard_normal(np.shape(output))
    for each, gradient in zip(given, backward(cache, cotangent), strict=True):
        if np.shape(gradient) != each.shape:
            return False
        found = np.empty_like(each)
        for index in np.ndindex(each.shape):
            kept, sides = each[index], []
            for step in (STEP, -STEP):
                each[index] = kept + step
                sides.append(float(np.sum(forward(*given)[0] * cotangent)))
            each[index] = kept
            found[index] = (sides[0] - sides[1]) / (2 * STEP)
        if not np.abs(found - gradient).max() <= TOLERANCE * max(np.abs(found).max(), 1.0):
            return False
    return True


def by_torch(pair: Pair, values: Mapping[str, Any]) -> bool:
    """Whether gradcheck lets it pass."""
    from torch.autograd.gradcheck import GradcheckError

    try:
        return gradcheck(pair, values)()
    except GradcheckError:
        return False


def module_with(project: runner.Project, mutant: Mutant) -> Any:
    """The module with a mutant in it."""
    file = project.index.file(OPS)
    assert file is not None
    module = types.ModuleType("ops_with_a_mutant")
    exec(compile(text_with(file, mutant), OPS, "exec"), vars(module))
    return module


def tried(check: Callable[[Pair, Mapping[str, Any]], bool], pair: Pair, values: Mapping[str, Any]) -> str:
    """What a check says."""
    try:
        with np.errstate(all="ignore"):
            return MISSED if check(pair, values) else CAUGHT
    except Exception:
        return RAISED


def fate(judged: Judged) -> str:
    """What the specification says."""
    words = {Status.KILLED: CAUGHT, Status.CRASH: RAISED, Status.TIMEOUT: RAISED}
    return words.get(judged.status, MISSED)


def main() -> None:
    """Prints a line for each of the three, and what they miss."""
    sys.path.insert(0, str(ROOT))
    project = read_project(load(ROOT), None)
    family = {f"{name}_{way}": equation for name, equation in EQUATIONS.items() for way in ("forward", "backward")}
    wanted = [each for each in mutating.all_mutants(project) if each.span.path == OPS and each.function in family]
    judged = mutating.judge(project, wanted, runner.Running(processors(), 0, 10.0, None), 10.0, cache=False)[0]
    judged = [each for each in judged if each.status is not Status.EQUIVALENT]
    checks: dict[str, Callable[[Pair, Mapping[str, Any]], bool]] = {}
    if has_torch():
        checks["torch.autograd.gradcheck"] = by_torch
    checks["central differences at 1e-5"] = central_differences
    points = inputs(np.random.default_rng(0))
    found = {"the specification": [fate(each) for each in judged]}
    for name, check in checks.items():
        found[name] = []
        for each in judged:
            equation = family[each.mutant.function]
            found[name].append(tried(check, pairs(module_with(project, each.mutant))[equation], points[equation]))
    equivalent = len(wanted) - len(judged)
    print(f"\nmutants of {OPS}: {len(judged)}, beside {equivalent} that are proved to compute the same")
    for name, words in found.items():
        counts = Counter(words)
        print(f"{name:32} {counts[CAUGHT]:4} caught {counts[RAISED]:4} raised {counts[MISSED]:4} missed")
    for name, words in found.items():
        missed = [each.mutant for each, word in zip(judged, words, strict=True) if word == MISSED]
        if missed:
            print(f"missed by {name}, the first of {len(missed)}:")
            for mutant in missed[:5]:
                print(f"    {mutant.span.path}:{mutant.span.line}: {mutant.new}")
    if not has_torch():
        print("(torch is not installed: gradcheck was left out; pip install torch)")


if __name__ == "__main__":
    main()
