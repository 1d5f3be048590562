"""Every number that is chosen and not learnt, in one frozen dataclass."""

from dataclasses import dataclass, field
from typing import TypeVar

Value = TypeVar("Value")

SIZES = ("vocab_size", "seq_len", "emb_dim", "ff_dim", "num_heads", "batch_size", "context_len", "num_layers")
AT_LEAST_ONE = (*SIZES, "epochs", "stride", "grad_check_samples")
ABOVE_ZERO = ("ln_eps", "lr_max", "adam_eps", "clip_norm", "grad_check_step", "grad_check_eps")
COUNTS = ("warmup_steps", "num_merges", "top_k", "new_tokens")
NOT_NEGATIVE = (*COUNTS, "seed", "lr_min", "weight_decay", "temperature")


def setting(default: Value, meaning: str) -> Value:
    """A dataclass field with a default and the sentence that the command line shows for it."""
    described: Value = field(default=default, metadata={"help": meaning})
    return described


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the model, and the settings of training, gradient checking and sampling.

    `vocab_size` has no default: it comes from the tokenizer. That a sequence fits into the position table
    (T <= Tmax) is checked where sequences are seen: in `transformer.forward`, and by `python -m impl.train`.

    Raises:
        ValueError: where a setting is out of its range, or num_heads does not divide emb_dim.
    """

    vocab_size: int
    seq_len: int = setting(16, "T, the longest window of tokens the model is trained on")
    emb_dim: int = setting(32, "d, the width of the residual stream")
    ff_dim: int = setting(128, "F, the hidden width of the feed-forward network")
    num_heads: int = setting(2, "H, the number of attention heads; must divide emb_dim")
    batch_size: int = setting(16, "B, the windows of one optimiser step")
    context_len: int = setting(32, "Tmax, the rows of the position table")
    num_layers: int = setting(2, "L, the number of blocks")
    seed: int = setting(42, "the seed of every random draw")
    ln_eps: float = setting(1e-5, "LayerNorm's epsilon, inside the root")

    lr_max: float = setting(3e-3, "the peak learning rate")
    lr_min: float = setting(3e-4, "the learning rate at the last step")
    warmup_steps: int = setting(40, "the steps of linear warmup")
    beta1: float = setting(0.9, "AdamW's decay rate of the first moment")
    beta2: float = setting(0.999, "AdamW's decay rate of the second moment")
    adam_eps: float = setting(1e-8, "AdamW's epsilon, outside the root")
    weight_decay: float = setting(0.1, "AdamW's decoupled weight decay, of matrices only")
    clip_norm: float = setting(1.0, "the largest global L2 norm of a gradient")
    epochs: int = setting(15, "E, the passes over the training windows")
    stride: int = setting(4, "k, the distance between the starts of two windows")
    val_share: float = setting(0.1, "rho, the share of the ids, at the end, that is held out")
    num_merges: int = setting(200, "the most byte-pair merges that the tokenizer learns")

    grad_check_step: float = setting(1e-5, "h, the step of the central differences")
    grad_check_eps: float = setting(1e-5, "the least denominator of a relative error")
    grad_check_samples: int = setting(8, "S, the entries that are checked of each parameter")

    temperature: float = setting(0.8, "the softmax temperature while sampling; 0 takes the likeliest token")
    top_k: int = setting(40, "sample from the k likeliest tokens; 0 for all")
    top_p: float = setting(0.95, "sample from the shortest list of tokens with this share; 1 for all")
    new_tokens: int = setting(60, "the tokens that are generated")

    def __post_init__(self) -> None:
        for name in AT_LEAST_ONE:
            self._require(name, getattr(self, name) >= 1, "must be at least 1")
        for name in ABOVE_ZERO:
            self._require(name, getattr(self, name) > 0, "must be above 0")
        for name in NOT_NEGATIVE:
            self._require(name, getattr(self, name) >= 0, "must not be negative")
        for name in ("beta1", "beta2"):
            self._require(name, 0 <= getattr(self, name) < 1, "must be at least 0 and below 1")
        self._require("val_share", 0 < self.val_share < 1, "must be between 0 and 1")
        self._require("top_p", 0 < self.top_p <= 1, "must be above 0 and at most 1")
        self._require("lr_min", self.lr_min <= self.lr_max, f"must not exceed lr_max ({self.lr_max})")
        self._require("num_heads", self.emb_dim % self.num_heads == 0, f"must divide emb_dim ({self.emb_dim})")

    def _require(self, name: str, holds: bool, what: str) -> None:
        if not holds:
            raise ValueError(f"{name} {what}, and is {getattr(self, name)}")
