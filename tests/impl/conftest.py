import numpy as np
import pytest

from impl.arrays import Ids, Params
from impl.config import ModelConfig
from impl.transformer import init_params


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def config() -> ModelConfig:
    """Sizes that are small and all different, so that a swapped axis shows."""
    return ModelConfig(vocab_size=11, seq_len=5, context_len=7, emb_dim=6, ff_dim=9, num_heads=2, num_layers=2)


@pytest.fixture
def params(config: ModelConfig, rng: np.random.Generator) -> Params:
    """Parameters away from their starting values: no bias is zero, no scale is one."""
    return {name: W + rng.normal(scale=0.3, size=W.shape) for name, W in init_params(config, rng).items()}


@pytest.fixture
def ids() -> Ids:
    """Five ids, one of them twice."""
    return np.array([3, 0, 7, 3, 10])


@pytest.fixture
def targets() -> Ids:
    return np.array([0, 7, 3, 10, 2])
