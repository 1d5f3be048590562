"""From one long list of token ids to shuffled batches of training windows."""

import math
from collections.abc import Iterator

import numpy as np

from impl.arrays import Ids


def split_ids(ids: Ids, val_share: float) -> tuple[Ids, Ids]:
    """Cut ids (N,) into the first part, for training, and the rest, for validation.

    Computes train_val_split.cut_index.
    """
    N = len(ids)
    cut = math.floor((1.0 - val_share) * N)
    return ids[:cut], ids[cut:]


def make_windows(ids: Ids, T: int, k: int) -> tuple[Ids, Ids]:
    """Return inputs (W, T) and targets (W, T): windows of ids (N,) that start at 0, k, 2k, ... below N - T.

    Targets are the inputs moved on by one. There are no windows where N <= T. Computes window_count.window_count,
    sliding_windows.window_starts, .window_inputs, .window_targets and, with them, .shift_by_one.

    Raises:
        ValueError: where T or k is below 1.
    """
    if T < 1 or k < 1:
        raise ValueError(f"windows need a length and a stride of at least 1, not {T} and {k}")
    N = len(ids)
    W = math.ceil((N - T) / k)
    starts = k * np.arange(W)
    t = np.arange(T)
    x = ids[starts[:, None] + t]
    y = ids[starts[:, None] + t + 1]
    return x, y


def iterate_batches(x: Ids, y: Ids, batch_size: int, rng: np.random.Generator) -> Iterator[tuple[Ids, Ids]]:
    """Yield the windows x, y (W, T) in a new random order, B at a time: (B, T) each; the last batch may be short.

    Computes shuffling_and_batching.batches_per_epoch.
    """
    W = len(x)
    order = rng.permutation(W)
    batches = math.ceil(W / batch_size)
    for i in range(batches):
        rows = order[i * batch_size : (i + 1) * batch_size]
        yield x[rows], y[rows]
