"""Sampling: the next token from one row of logits, and a text token by token."""

from collections.abc import Sequence

import numpy as np

from impl import ops
from impl.arrays import Array, Params
from impl.config import ModelConfig
from impl.transformer import forward


def sample_next(logits: Array, temperature: float, top_k: int, top_p: float, rng: np.random.Generator) -> int:
    """Draw the next token's id from logits (V,).

    A temperature below 1e-6 takes the largest logit. Otherwise softmax at that temperature; then top-k (0: all; ties
    at the k-th value stay; Fan et al., 2018); then top-p (1: all; at least one token; Holtzman et al., 2020); one draw.
    Computes greedy_guard.greedy, temperature.tempered_softmax, top_k.kth_value, .filter and .renormalise, top_p.sort,
    .cumulative, .nucleus and .renormalise, and random_choice.draw.

    Raises:
        ValueError: where top_k is negative, or a probability is not a number.
    """
    if top_k < 0:
        raise ValueError(f"top_k must not be negative, and is {top_k}")
    V = len(logits)
    if temperature < 1e-6:
        return int(np.argmax(logits))
    p = ops.softmax_forward(logits / temperature)
    if top_k > 0:
        k = min(top_k, V)
        c = np.sort(p)[-k]
        p = np.where(p >= c, p, 0.0)
        p = p / p.sum()
    if top_p < 1.0:
        order = np.argsort(-p, kind="stable")
        cum = np.cumsum(p[order])
        keep = order[: np.searchsorted(cum, top_p) + 1]
        q = np.zeros_like(p)
        q[keep] = p[keep] / p[keep].sum()
        p = q
    return int(rng.choice(V, p=p))


def generate(
    prompt: Sequence[int],
    new_tokens: int,
    params: Params,
    config: ModelConfig,
    rng: np.random.Generator,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
) -> list[int]:
    """Return the prompt's ids followed by new_tokens sampled ones; each sees the last seq_len ids.

    Computes generation_loop.context_crop, generation_loop.last_logits and generation_loop.append_sample.

    Raises:
        ValueError: where the prompt is empty.
    """
    ids = list(prompt)
    if not ids:
        raise ValueError("the prompt is empty")
    w = config.seq_len
    for _ in range(new_tokens):
        x = ids[-w:]
        logits, _ = forward(np.array(x, dtype=np.int64), params, config)
        z = logits[-1]
        token = sample_next(z, temperature, top_k, top_p, rng)
        ids.append(token)
    return ids
