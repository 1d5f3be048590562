from dataclasses import FrozenInstanceError

import pytest

from impl.config import ModelConfig


def test_the_fixed_defaults():
    config = ModelConfig(vocab_size=100)
    assert (config.seq_len, config.emb_dim, config.ff_dim, config.num_heads) == (16, 32, 128, 2)
    assert (config.batch_size, config.context_len, config.seed, config.grad_check_step) == (16, 32, 42, 1e-5)


def test_vocab_size_is_required():
    with pytest.raises(TypeError, match="vocab_size"):
        ModelConfig()  # type: ignore[call-arg]


def test_it_is_frozen():
    with pytest.raises(FrozenInstanceError):
        ModelConfig(vocab_size=5).emb_dim = 64  # type: ignore[misc]


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match=r"num_heads must divide emb_dim \(32\), and is 5"):
        ModelConfig(vocab_size=5, num_heads=5)


@pytest.mark.parametrize(
    "setting",
    [
        {"vocab_size": 0},
        {"seq_len": 0},
        {"stride": 0},
        {"ln_eps": 0.0},
        {"lr_max": float("nan")},
        {"lr_min": 1.0},
        {"beta1": 1.0},
        {"beta2": -0.1},
        {"weight_decay": -0.1},
        {"val_share": 0.0},
        {"val_share": 1.0},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"top_k": -1},
        {"temperature": -0.5},
        {"seed": -1},
    ],
)
def test_a_setting_out_of_range_is_named(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        ModelConfig(**{"vocab_size": 5, **setting})


@pytest.mark.parametrize(
    "setting", [{"top_p": 1.0}, {"top_k": 0}, {"temperature": 0.0}, {"warmup_steps": 0}, {"seq_len": 1}, {"beta1": 0.0}]
)
def test_a_setting_at_the_edge_is_accepted(setting):
    assert ModelConfig(**{"vocab_size": 5, **setting})
