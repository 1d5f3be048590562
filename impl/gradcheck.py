"""Checking hand-written gradients against central differences."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from impl.arrays import Array, Ids, Params
from impl.config import ModelConfig
from impl.ops import cross_entropy_forward
from impl.transformer import forward, loss_and_grads

Index = tuple[int, ...]


def numerical_grad(
    f: Callable[[Array], float], x: Array, h: float = 1e-5, entries: Iterable[Index] | None = None
) -> Array:
    """Return the central differences of f at x (...), by the listed entries or all; zero elsewhere.

    Computes central_difference.central_difference. x itself is not changed.
    """
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape) if entries is None else entries:
        e = np.zeros_like(x)
        e[i] = 1.0
        g[i] = (f(x + h * e) - f(x - h * e)) / (2.0 * h)
    return g


def relative_error(a: Array, b: Array, eps: float) -> Array:
    """Return the difference of a (...) and b (...) over the larger of them, or over eps where both are smaller.

    Computes relative_error.relative_error.
    """
    return np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), eps)


def check_params(
    ids: Ids, targets: Ids, params: Params, config: ModelConfig, rng: np.random.Generator
) -> dict[str, float]:
    """Return the largest relative error of each parameter's gradient, over S randomly drawn entries.

    Computes check_params.worst_error, for the window ids (T,), targets (T,). The parameters are not changed.
    """
    _, grads = loss_and_grads(ids, targets, params, config)
    worst: dict[str, float] = {}
    for name, W in params.items():
        samples = rng.choice(W.size, size=min(config.grad_check_samples, W.size), replace=False)
        entries = [tuple(int(axis) for axis in np.unravel_index(i, W.shape)) for i in samples]
        loss_of = partial(_loss_with, name, ids, targets, params, config)
        numeric = numerical_grad(loss_of, W, config.grad_check_step, entries)
        exact, estimated = grads[name].ravel(), numeric.ravel()
        worst[name] = relative_error(exact[samples], estimated[samples], config.grad_check_eps).max()
    return worst


def _loss_with(name: str, ids: Ids, targets: Ids, params: Params, config: ModelConfig, W: Array) -> float:
    """The loss with one parameter replaced by W."""
    logits, _ = forward(ids, {**params, name: W}, config)
    loss, _ = cross_entropy_forward(logits, targets)
    return loss
