"""Train the model on a text: `python -m impl.train --corpus FILE --out CHECKPOINT`."""

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from impl.arrays import Ids, Params
from impl.checkpoint import save_checkpoint
from impl.command_line import FAILED, STOPPED, fail, run
from impl.config import ModelConfig
from impl.data import iterate_batches, make_windows, split_ids
from impl.ops import cross_entropy_forward, perplexity
from impl.optim import AdamW, clip_grad_norm, lr_schedule
from impl.tokenizer import build_tokenizer
from impl.transformer import count_params, forward, init_params, loss_and_grads

PROGRAM = "impl.train"
CORPUS = Path(__file__).parent / "corpus.txt"
CHECKPOINT = Path("checkpoint.npz")
SECONDS_BETWEEN_LINES = 5.0
LOSS_SAMPLE = 256  # the training windows whose loss is shown at start and at end

Windows = tuple[Ids, Ids]
"""Inputs and targets, (W, T) each."""


def batch_loss_and_grads(xb: Ids, yb: Ids, params: Params, config: ModelConfig) -> tuple[float, Params]:
    """Return the mean loss of the windows xb, yb (B, T), and its gradient by every parameter.

    Computes batch_loss_and_grads.batch_size, .accumulate_loss, .accumulate_grads and, over the loop, .mean_loss and
    .mean_grads.
    """
    B = xb.shape[0]
    loss = 0.0
    grads = {k: np.zeros_like(w) for k, w in params.items()}
    for x, y in zip(xb, yb, strict=True):
        loss_i, g = loss_and_grads(x, y, params, config)
        loss += loss_i / B
        for k in grads:
            grads[k] += g[k] / B
    return loss, grads


def validation_loss(inputs: Ids, targets: Ids, params: Params, config: ModelConfig) -> float:
    """Return the mean loss of the held-out windows (W, T). Computes validation_loss.validation_mean.

    Raises:
        ValueError: where there are no windows.
    """
    W = len(inputs)
    if W == 0:
        raise ValueError("there are no windows to validate on")
    total = 0.0
    for x, y in zip(inputs, targets, strict=True):
        logits, _ = forward(x, params, config)
        loss, _ = cross_entropy_forward(logits, y)
        total += loss
    return total / W


def count_steps(W: int, config: ModelConfig) -> tuple[int, int]:
    """Return the optimiser steps of one epoch and of all epochs, for W training windows.

    Computes step_counts.steps_per_epoch and step_counts.total_steps.
    """
    steps_per_epoch = math.ceil(W / config.batch_size)
    total_steps = config.epochs * steps_per_epoch
    return steps_per_epoch, total_steps


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the options say, and return the exit code: 2 for unusable input, 1 where training fails."""
    args = parse_arguments(argv)
    try:
        text = read_corpus(args.corpus)
        tokenizer = build_tokenizer(text, args.num_merges)
        config = make_config(args, tokenizer.vocab_size)
        train_windows, held_out = cut_windows(tokenizer.encode(text), config)
        check_output(args.out, args.corpus)
    except (OSError, ValueError) as error:
        return fail(PROGRAM, error)

    W = len(train_windows[0])
    _, total_steps = count_steps(W, config)
    rng = np.random.default_rng(config.seed)
    params = init_params(config, rng)
    print(f"corpus      {args.corpus}: {len(text)} characters, V = {tokenizer.vocab_size} tokens")
    print(f"model       {count_params(config)} parameters")
    print(f"windows     {W} to train on, {len(held_out[0])} held out; {total_steps} steps")
    sample = train_windows[0][:LOSS_SAMPLE], train_windows[1][:LOSS_SAMPLE]
    start_loss = validation_loss(*sample, params, config)
    print(f"at start    loss {start_loss:.4f}, ln V {math.log(config.vocab_size):.4f}", flush=True)
    try:
        for epoch, loss in train(train_windows, params, config, total_steps, rng):
            val_loss = validation_loss(*held_out, params, config)
            save_checkpoint(args.out, params, config, tokenizer)
            print(
                f"epoch {epoch:3d}/{config.epochs}  loss {loss:.4f}  validation loss {val_loss:.4f}"
                f"  perplexity {perplexity(val_loss):.2f}",
                flush=True,
            )
    except KeyboardInterrupt:
        print(f"\nstopped; {args.out} holds the last whole epoch, if there was one", file=sys.stderr)
        return STOPPED
    except FloatingPointError as error:
        fail(PROGRAM, error)
        return FAILED
    except OSError as error:
        return fail(PROGRAM, error)
    end_loss = validation_loss(*sample, params, config)
    print(f"at end      loss {end_loss:.4f}, {end_loss / start_loss:.0%} of the loss at start")
    print(f"checkpoint  {args.out}")
    return 0


def train(
    windows: Windows, params: Params, config: ModelConfig, total_steps: int, rng: np.random.Generator
) -> Iterator[tuple[int, float]]:
    """Train params in place, and yield after each epoch its number and its mean loss.

    Raises:
        FloatingPointError: where the loss is no longer finite.
    """
    optimiser = AdamW(params, config.beta1, config.beta2, config.adam_eps, config.weight_decay)
    started = last_line = time.perf_counter()
    step = 0
    for epoch in range(1, config.epochs + 1):
        total = 0.0
        for xb, yb in iterate_batches(*windows, config.batch_size, rng):
            step += 1
            with np.errstate(over="ignore", invalid="ignore"):
                loss, grads = batch_loss_and_grads(xb, yb, params, config)
            if not math.isfinite(loss):
                raise FloatingPointError(f"the loss is {loss} at step {step}; a lower --lr-max may help")
            norm = clip_grad_norm(grads, config.clip_norm)
            lr = lr_schedule(step, config.lr_max, config.lr_min, config.warmup_steps, total_steps)
            optimiser.step(params, grads, lr)
            total += loss * len(xb)
            now = time.perf_counter()
            if now - last_line >= SECONDS_BETWEEN_LINES:
                last_line = now
                print(
                    f"step {step}/{total_steps}  loss {loss:.4f}  gradient norm {norm:.3f}  learning rate {lr:.2e}"
                    f"  {now - started:.0f} s",
                    flush=True,
                )
        yield epoch, total / len(windows[0])


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the options: two files, and one for each setting of ModelConfig."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {PROGRAM}",
        description="Train a small transformer on any UTF-8 text.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="the text to learn from, UTF-8")
    parser.add_argument("--out", type=Path, default=CHECKPOINT, help="the checkpoint to write after each epoch")
    for setting in fields(ModelConfig):
        if setting.name != "vocab_size":
            option = "--" + setting.name.replace("_", "-")
            parser.add_argument(
                option, type=type(setting.default), default=setting.default, help=setting.metadata["help"]
            )
    return parser.parse_args(argv)


def read_corpus(path: Path) -> str:
    """Return the text of a UTF-8 file; a byte order mark is dropped.

    Raises:
        OSError: where the file cannot be read.
        ValueError: where it is not UTF-8, or empty.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    if not text.strip():
        raise ValueError(f"the corpus {path} is empty")
    return text


def make_config(args: argparse.Namespace, vocab_size: int) -> ModelConfig:
    """Return the configuration that the options give.

    Raises:
        ValueError: where a setting is out of range, or the windows are longer than the position table.
    """
    options = {s.name: getattr(args, s.name) for s in fields(ModelConfig) if s.name != "vocab_size"}
    config = ModelConfig(vocab_size=vocab_size, **options)
    if config.seq_len > config.context_len:
        raise ValueError(f"seq_len ({config.seq_len}) is longer than the position table ({config.context_len} rows)")
    return config


def cut_windows(ids: list[int], config: ModelConfig) -> tuple[Windows, Windows]:
    """Return the windows to train on and the held-out ones.

    Raises:
        ValueError: where the corpus is too short for one window of each.
    """
    parts = split_ids(np.array(ids, dtype=np.int64), config.val_share)
    for name, part in zip(("training", "validation"), parts, strict=True):
        if len(part) <= config.seq_len:
            raise ValueError(
                f"the corpus is too short: {len(part)} of its {len(ids)} tokens are for {name}, and one window takes"
                f" {config.seq_len + 1}"
            )
    train_part, held_out_part = (make_windows(part, config.seq_len, config.stride) for part in parts)
    return train_part, held_out_part


def check_output(out: Path, corpus: Path) -> None:
    """See before the training, not after it, that the checkpoint can be written.

    Raises:
        ValueError: where it cannot, or would take the corpus's place.
    """
    if out.is_dir():
        raise ValueError(f"{out} is a directory")
    if not os.access(out.parent, os.W_OK):
        raise ValueError(f"{out.parent} is no directory that can be written to")
    if out.exists() and out.samefile(corpus):
        raise ValueError(f"the checkpoint would take the place of the corpus {corpus}")


if __name__ == "__main__":
    run(main)
