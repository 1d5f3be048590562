import json
import os

import numpy as np
import pytest

from impl import checkpoint
from impl.checkpoint import load_checkpoint, save_checkpoint
from impl.config import ModelConfig
from impl.tokenizer import build_tokenizer
from impl.transformer import init_params

TEXT = "Zoë says “low” — 低い 🌊 \ud800 lower\n"


@pytest.fixture
def model():
    tokenizer = build_tokenizer(TEXT, 10)
    config = ModelConfig(vocab_size=tokenizer.vocab_size, emb_dim=4, ff_dim=5, context_len=16, num_layers=1, lr_max=0.1)
    return init_params(config, np.random.default_rng(0)), config, tokenizer


@pytest.fixture
def path(tmp_path, model):
    save_checkpoint(tmp_path / "modèle.npz", *model)
    return tmp_path / "modèle.npz"


def same(path, model):
    params, config, tokenizer = load_checkpoint(path)
    return (
        [(k, W.dtype, W.tobytes()) for k, W in params.items()]
        == [(k, W.dtype, W.tobytes()) for k, W in model[0].items()]
        and config == model[1]
        and tokenizer == model[2]
    )


def test_a_checkpoint_reloads_bit_for_bit(path, model):
    assert same(path, model)
    assert load_checkpoint(path)[2].encode(TEXT) == model[2].encode(TEXT)


def test_odd_numbers_survive(tmp_path, model):
    model[0]["head_b"][:5] = [-0.0, np.nan, np.inf, 5e-324, 0.1]
    save_checkpoint(tmp_path / "a", *model)
    assert same(tmp_path / "a", model)


def test_nothing_is_pickled(path):
    with np.load(path, allow_pickle=False) as archive:
        assert {archive[name].dtype.kind for name in archive.files} == {"f", "u"}
        assert json.loads(archive["header"].tobytes())["config"]["emb_dim"] == 4


def test_a_failed_write_leaves_the_old_checkpoint(path, model, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint.np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(path, *model)
    assert os.listdir(path.parent) == [path.name]
    assert same(path, model)


def test_a_missing_file_is_not_called_damaged(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / "nowhere.npz")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"\x80\x04\x95", b"\x93NUMPY\x01\x00"])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npz is not a checkpoint, or is damaged"):
        load_checkpoint(tmp_path / "a.npz")


def test_other_arrays_are_refused(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    np.savez(tmp_path / "many.npz", a=np.zeros(3))
    for name in ("one.npy", "many.npz"):
        with pytest.raises(ValueError, match="is not a checkpoint, or is damaged"):
            load_checkpoint(tmp_path / name)


def test_a_truncated_checkpoint_is_refused(path):
    data = path.read_bytes()
    for length in range(0, len(data), len(data) // 40):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match="damaged"):
            load_checkpoint(path)


def test_a_flipped_byte_is_refused_or_harmless(path, model):
    data = path.read_bytes()
    refused = 0
    for place in np.random.default_rng(0).choice(len(data), 400, replace=False):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            unchanged = same(path, model)
        except ValueError:
            refused += 1
        else:
            assert unchanged
    assert refused > 200


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: header.update(format="other"),
        lambda header, arrays: header.pop("tokenizer"),
        lambda header, arrays: header["config"].update(vocab_size=3),
        lambda header, arrays: header["config"].update(num_layers=2),
        lambda header, arrays: header["config"].update(num_heads=3),
        lambda header, arrays: header["config"].update(unheard_of=1),
        lambda header, arrays: header["tokenizer"]["itos"].__setitem__(0, "?"),
        lambda header, arrays: arrays.pop("head_b"),
        lambda header, arrays: arrays.update(head_b=arrays["head_b"][None]),
        lambda header, arrays: arrays.update(head_b=arrays["head_b"].astype(np.float32)),
        lambda header, arrays: arrays.update(extra=np.zeros(2)),
    ],
)
def test_contents_that_do_not_fit_together_are_refused(path, change):
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays.pop("header").tobytes())
    change(header, arrays)
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)
    with pytest.raises(ValueError, match="damaged"):
        load_checkpoint(path)


def test_a_pickle_inside_is_refused(path):
    np.savez(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="damaged"):
        load_checkpoint(path)
