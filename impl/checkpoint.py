"""A trained model in one .npz file: parameters, and configuration and tokenizer as JSON. Nothing is pickled."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from impl.arrays import Params
from impl.config import ModelConfig
from impl.tokenizer import UNKNOWN, Tokenizer
from impl.transformer import count_params, init_params

HEADER = "header"
FORMAT = "impl-checkpoint-1"


def save_checkpoint(path: Path, params: Params, config: ModelConfig, tokenizer: Tokenizer) -> None:
    """Write the model to path, whole or not at all: to a file beside it, which then takes its place.

    Raises:
        OSError: where the file cannot be written; the one at path, if any, is as it was.
    """
    text = json.dumps({"format": FORMAT, "config": asdict(config), "tokenizer": asdict(tokenizer)})
    header = np.frombuffer(text.encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {HEADER: header, **params}
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def load_checkpoint(path: Path) -> tuple[Params, ModelConfig, Tokenizer]:
    """Return what save_checkpoint wrote, bit for bit.

    Raises:
        OSError: where there is no such file, or it cannot be read.
        ValueError: where the file is no checkpoint, or a damaged one.
    """
    with path.open("rb") as file:
        try:
            return _read(file)
        except Exception as error:  # a damaged zip file raises nearly anything
            raise ValueError(f"{path} is not a checkpoint, or is damaged ({_reason(error)})") from error


def _read(file: Any) -> tuple[Params, ModelConfig, Tokenizer]:
    with np.load(file, allow_pickle=False) as archive:
        params = {name: archive[name] for name in archive.files}
    header = json.loads(params.pop(HEADER).tobytes().decode())
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']!r}, not {FORMAT!r}")
    config = ModelConfig(**header["config"])
    merges = tuple((a, b) for a, b in header["tokenizer"]["merges"])
    tokenizer = Tokenizer(merges, tuple(header["tokenizer"]["itos"]))
    if tokenizer.vocab_size != config.vocab_size or UNKNOWN not in tokenizer.stoi:
        raise ValueError("its vocabulary does not fit its configuration")
    if sum(W.size for W in params.values()) != count_params(config):
        raise ValueError("its parameters do not fit its configuration")
    expected = init_params(config, np.random.default_rng(0))
    if [(k, W.shape, W.dtype) for k, W in params.items()] != [(k, W.shape, W.dtype) for k, W in expected.items()]:
        raise ValueError("its parameters do not fit its configuration")
    return params, config, tokenizer


def _reason(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words if len(words) <= 120 else type(error).__name__
