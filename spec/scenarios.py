"""Runs of the model that execute the cited lines, at the sizes of a verification run.

Every public function here is a scenario. It takes a generator and the sizes H, dh, d, F, V, T, Tmax and L; all models
are built at these sizes, so that no two axes are equally long. Two scenarios give tables that pages show.
"""

import contextlib
import io
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from impl import gradcheck, ops, train
from impl.arrays import Array, Ids, Params
from impl.config import ModelConfig
from impl.generate import sample_next
from impl.optim import AdamW, clip_grad_norm, lr_schedule
from impl.transformer import init_params, loss_and_grads

Sizes = Mapping[str, int]
Row = dict[str, str | float]


def training_window(rng: np.random.Generator, sizes: Sizes) -> None:
    """Loss and gradients of one window, forward and backward through the whole model."""
    config, params = _model(rng, sizes)
    x, y = _window(rng, sizes)
    loss, _ = loss_and_grads(x, y, params, config)
    ops.perplexity(loss)


def sampling(rng: np.random.Generator, sizes: Sizes) -> None:
    """One token drawn from random logits, at a temperature, with top-k and top-p."""
    sample_next(rng.normal(scale=3.0, size=sizes["V"]), 0.8, sizes["V"] - 1, 0.9, rng)


def optimiser_steps(rng: np.random.Generator, sizes: Sizes) -> None:
    """Clipping, schedule and AdamW on the output head, six steps long: warmup and its end, cosine, last step, floor."""
    shapes = {"head_w": (sizes["d"], sizes["V"]), "head_b": (sizes["V"],)}
    params = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    optimiser = AdamW(params, eps=1e-3, weight_decay=0.1)
    for step in range(1, 7):
        size = (0.01, 1.0, 30.0)[step % 3]  # below the limit, about it, above it
        grads = {name: rng.normal(scale=size, size=shape) for name, shape in shapes.items()}
        grads["head_b"][0] = 0.0
        clip_grad_norm(grads, 5.0)
        optimiser.step(params, grads, lr_schedule(step, 3e-3, 3e-4, 2, 5))
    clip_grad_norm({"head_w": np.array([[3.0, 0.0]]), "head_b": np.array([-4.0])}, 5.0)  # just at the limit


def gradient_check(rng: np.random.Generator, sizes: Sizes) -> None:
    """The loss as the gradient check sees it, once; a whole check would take it hundreds of times."""
    config, params = _model(rng, sizes)
    x, y = _window(rng, sizes)
    gradcheck._loss_with("head_b", x, y, params, config, params["head_b"] + config.grad_check_step)


def training_run(rng: np.random.Generator, sizes: Sizes) -> None:
    """The training command, from a text over V - 1 characters to a checkpoint: one block, one epoch, one window.

    Of the other scenarios' sizes only the number of blocks is not kept, to save time.
    """
    alphabet = [chr(ord("a") + i) for i in range(sizes["V"] - 1)]
    length = max(2 * sizes["T"] + 4, len(alphabet))
    text = "".join([*alphabet, *rng.choice(alphabet, length - len(alphabet))])
    settings = {
        "seq-len": sizes["T"],
        "emb-dim": sizes["d"],
        "ff-dim": sizes["F"],
        "num-heads": sizes["H"],
        "context-len": sizes["Tmax"],
        "num-layers": 1,
        "stride": length,
        "val-share": 0.5,
        "epochs": 1,
        "num-merges": 0,
    }
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        corpus = Path(folder, "corpus.txt")
        corpus.write_text(text, encoding="utf-8")
        options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
        code = train.main(["--corpus", str(corpus), "--out", str(Path(folder, "model.npz")), *options])
    if code != 0:
        raise RuntimeError(f"training ended with exit code {code}")


def xavier_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Half-width and drawn values of a small matrix and of the model's, each from a fresh generator of seed 42."""
    d, F, Tmax = sizes["d"], sizes["F"], sizes["Tmax"]
    shapes = {
        "2 x 3": (2, 3),
        "pos_emb": (Tmax, d),
        "wq, wk, wv, wo": (d, d),
        "ff1_w": (d, F),
        "ff2_w": (F, d),
    }
    return [
        {
            "matrix": name,
            "fan_in": rows,
            "fan_out": columns,
            "a": float(np.sqrt(6.0 / (rows + columns))),
            **_summary(ops.xavier_uniform(rows, columns, np.random.default_rng(42))),
        }
        for name, (rows, columns) in shapes.items()
    ]


def starting_values(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Every parameter of a tiny model as it starts, from one generator of seed 42."""
    config = ModelConfig(vocab_size=5, context_len=3, emb_dim=4, num_heads=2, ff_dim=6, num_layers=1)
    params = init_params(config, np.random.default_rng(42))
    return [
        {"parameter": name, "shape": " x ".join(map(str, values.shape)), **_summary(values)}
        for name, values in params.items()
    ]


def _model(rng: np.random.Generator, sizes: Sizes) -> tuple[ModelConfig, Params]:
    """A model whose parameters are away from their starting values: no bias is zero, no scale is one."""
    config = ModelConfig(
        vocab_size=sizes["V"],
        seq_len=sizes["T"],
        emb_dim=sizes["d"],
        ff_dim=sizes["F"],
        num_heads=sizes["H"],
        context_len=sizes["Tmax"],
        num_layers=sizes["L"],
    )
    params = init_params(config, rng)
    return config, {name: values + rng.normal(scale=0.3, size=values.shape) for name, values in params.items()}


def _window(rng: np.random.Generator, sizes: Sizes) -> tuple[Ids, Ids]:
    """Ids and the ids that follow them."""
    ids = rng.integers(0, sizes["V"], sizes["T"] + 1)
    return ids[:-1], ids[1:]


def _summary(values: Array) -> Row:
    """Smallest, largest and mean value, and variance."""
    return {
        "smallest": float(values.min()),
        "largest": float(values.max()),
        "mean": float(values.mean()),
        "variance": float(values.var()),
    }
