"""Certifies gradients and runs torch.autograd.gradcheck (slow mode) over the same NumPy functions, side by side.

Ours is the adjoint identity by every input at one point, in balls of 128 bits: one forward on dual numbers, one
backward, both sides compared. gradcheck takes central differences and the full Jacobian at one point. Neither counts
what is done once: imports, rewriting, tracing. Without torch only ours is printed.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from eqtrace.config import load
from eqtrace.project import read_project
from eqtrace.run.gradient.identity import Shown
from eqtrace.run.sample import Draw
from eqtrace.run.session import Session
from eqtrace.working import work_of

ROOT = Path(__file__).resolve().parents[2]
RUNS = 15
PARAMETERS = tuple(f"{kind}{name}" for name in "qkvo" for kind in ("W", "b"))


def inputs(rng: np.random.Generator) -> dict[str, dict[str, Any]]:
    """The inputs of each gradient, by the equation that it is certified for."""

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape)

    attention = {name: normal(4, 4) if name[0] == "W" else normal(4) for name in PARAMETERS}
    return {
        "linear_backward.grad_weight": {"X": normal(3, 4), "W": normal(4, 5), "b": normal(5)},
        "relu_backward.masked_gradient": {"Z": normal(3, 4)},
        "softmax_backward.grad_input": {"x": normal(3, 4)},
        "cross_entropy_backward.combined_gradient": {"logits": normal(3, 4), "y": np.array([0, 3, 1])},
        "layer_norm_backward.grad_input": {"X": normal(3, 4), "gamma": normal(4), "beta": normal(4), "eps": 1e-5},
        "attention_gradient.weights": {"Xn": normal(3, 4), **attention},
    }


def seconds(work: Callable[[], object]) -> float:
    """The median time of a call, after two that are not counted."""
    times = []
    for _ in range(RUNS + 2):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times[2:])


def certifiers(points: Mapping[str, dict[str, Any]]) -> dict[str, Callable[[], object]]:
    """For each gradient a call that certifies it at its point."""
    config = load(ROOT)
    project = read_project(replace(config, spec=(*config.spec, "tests/benchmarks/attention.yaml")), None)
    session = Session(work_of(project, 0), lambda _: None, {})
    found = {}
    for name, values in points.items():
        plan = session.gradients.plan(session.work.equations[name])
        plan = replace(plan, entries=tuple(entry for entry in plan.entries if entry.start is None))
        identity, draw = session.gradients.identity(plan), Draw(values, {}, "benchmark")

        def certify(identity: Any = identity, draw: Draw = draw) -> None:
            shown = identity.at(draw, np.random.default_rng(0)).shown
            assert set(shown.values()) == {Shown.CERTIFIED}, shown

        found[name] = certify
    return found


Pair = tuple[Callable[..., Any], Callable[..., Any]]
"""A forward that gives its output and a cache, and a backward that gives the gradients from cache and cotangent."""


def pairs(ops: Any) -> dict[str, Pair]:
    """The gradients of a module like impl.ops, by the equation that each is certified for."""
    targets, eps = np.array([0, 3, 1]), 1e-5
    return {
        "linear_backward.grad_weight": (
            lambda X, W, b: (ops.linear_forward(X, W, b), (X, W)),
            lambda cache, dY: ops.linear_backward(*cache, dY),
        ),
        "relu_backward.masked_gradient": (
            lambda Z: (ops.relu_forward(Z), Z),
            lambda Z, dA: (ops.relu_backward(Z, dA),),
        ),
        "softmax_backward.grad_input": (
            lambda x: (ops.softmax_forward(x),) * 2,
            lambda y, dY: (ops.softmax_backward(y, dY),),
        ),
        "cross_entropy_backward.combined_gradient": (
            lambda logits: ops.cross_entropy_forward(logits, targets),
            lambda probs, dL: (ops.cross_entropy_backward(probs, targets) * dL,),
        ),
        "layer_norm_backward.grad_input": (
            lambda X, gamma, beta: ops.layer_norm_forward(X, gamma, beta, eps),
            lambda cache, dY: ops.layer_norm_backward(cache, dY),
        ),
    }


def differentiated(values: Mapping[str, Any]) -> list[Any]:
    """Those of a gradient's inputs that it is taken by."""
    return [each for each in values.values() if np.asarray(each).dtype.kind == "f" and np.ndim(each)]


def gradcheck(pair: Pair, values: Mapping[str, Any]) -> Callable[[], bool]:
    """A call of torch.autograd.gradcheck, slow mode, over a forward and a backward of NumPy.

    Raises:
        ImportError: torch is not installed.
    """
    import torch

    torch.set_num_threads(1)
    forward, backward = pair

    class Wrapped(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *given: Any) -> Any:
            out, ctx.cache = forward(*(each.detach().numpy() for each in given))
            return torch.from_numpy(np.asarray(out))

        @staticmethod
        def backward(ctx: Any, cotangent: Any) -> Any:
            return tuple(torch.from_numpy(np.asarray(each)) for each in backward(ctx.cache, cotangent.numpy()))

    tensors = tuple(torch.from_numpy(each.copy()).requires_grad_() for each in differentiated(values))
    return lambda: torch.autograd.gradcheck(Wrapped.apply, tensors, fast_mode=False)


def has_torch() -> bool:
    """Whether there is a torch to compare with."""
    return importlib.util.find_spec("torch") is not None


def checkers(points: Mapping[str, dict[str, Any]]) -> dict[str, Callable[[], object]]:
    """For each gradient a call of gradcheck over the same functions; none without torch."""
    if not has_torch():
        return {}
    from impl import ops, transformer

    def attend(Xn: Any, *given: Any) -> tuple[Any, Any]:
        params = {f"b0.{name.lower()}": each for name, each in zip(PARAMETERS, given, strict=True)}
        out, cache = transformer.attention_forward(Xn, params, "b0.", 2)
        return out, (cache, params)

    def attend_back(cache: Any, dOut: Any) -> Any:
        grads = {name: np.zeros_like(each) for name, each in cache[1].items()}
        dXn = transformer.attention_backward(cache[0], cache[1], "b0.", dOut, grads)
        return (dXn, *(grads[f"b0.{name.lower()}"] for name in PARAMETERS))

    found = {**pairs(ops), "attention_gradient.weights": (attend, attend_back)}
    return {name: gradcheck(found[name], points[name]) for name in points}


def main() -> None:
    """Prints one line a gradient."""
    points = inputs(np.random.default_rng(0))
    ours, theirs = certifiers(points), checkers(points)
    print(f"\none gradient certified at one point ({RUNS} runs each; medians)")
    for name, certify in ours.items():
        mine = seconds(certify)
        line = f"{name:48} {1e3 * mine:9.3f} ms"
        if theirs:
            other = seconds(theirs[name])
            line += f"   gradcheck {1e3 * other:9.3f} ms   ratio {mine / other:6.2f}"
        print(line)
    if not theirs:
        print("(torch is not installed: nothing to compare with; pip install torch)")


if __name__ == "__main__":
    main()
