import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from impl import train
from impl.checkpoint import load_checkpoint
from impl.config import ModelConfig
from impl.ops import cross_entropy_forward
from impl.transformer import forward, loss_and_grads

TEXT = "the sea says what the wind says, and the wind says that Zoë rings the bell. " * 12
QUICK = ["--seq-len", "8", "--context-len", "8", "--emb-dim", "8", "--ff-dim", "16", "--num-layers", "1"]
QUICK += ["--num-merges", "30", "--stride", "8", "--warmup-steps", "2"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(corpus, *options):
    return train.main(["--corpus", str(corpus), "--out", str(corpus.parent / "model.npz"), *QUICK, *options])


@pytest.fixture
def batch(rng, config):
    return rng.integers(0, config.vocab_size, (3, 5)), rng.integers(0, config.vocab_size, (3, 5))


def test_batch_loss_and_grads_are_means_over_the_rows_there_are(batch, params, config):
    xb, yb = batch
    single = [loss_and_grads(x, y, params, config) for x, y in zip(xb, yb, strict=True)]
    loss, grads = train.batch_loss_and_grads(xb, yb, params, config)
    assert config.batch_size != 3
    assert loss == pytest.approx(sum(loss_i for loss_i, _ in single) / 3, rel=1e-14)
    for name, g in grads.items():
        assert_allclose(g, sum(g_i[name] for _, g_i in single) / 3, rtol=1e-12, atol=1e-15)


def test_batch_loss_and_grads_change_nothing(batch, params, config):
    xb, yb = batch
    kept = {name: W.copy() for name, W in params.items()}
    first = train.batch_loss_and_grads(xb, yb, params, config)
    second = train.batch_loss_and_grads(xb, yb, params, config)
    assert first[0] == second[0]
    for name, W in params.items():
        assert_array_equal(W, kept[name])
        assert_array_equal(first[1][name], second[1][name])


def test_validation_loss_is_the_mean_over_windows(batch, params, config):
    inputs, targets = batch
    losses = [cross_entropy_forward(forward(x, params, config)[0], y)[0] for x, y in zip(inputs, targets, strict=True)]
    assert train.validation_loss(inputs, targets, params, config) == pytest.approx(np.mean(losses), rel=1e-14)


def test_validation_loss_of_no_windows(params, config):
    with pytest.raises(ValueError, match="no windows"):
        train.validation_loss(np.zeros((0, 5), dtype=int), np.zeros((0, 5), dtype=int), params, config)


@pytest.mark.parametrize(("W", "B", "E", "expected"), [(35, 16, 3, (3, 9)), (32, 16, 3, (2, 6)), (1, 16, 1, (1, 1))])
def test_count_steps_counts_a_short_last_batch(W, B, E, expected):
    config = ModelConfig(vocab_size=2, batch_size=B, epochs=E)
    assert train.count_steps(W, config) == expected


def test_main_trains_shows_progress_and_writes_a_checkpoint(corpus, capsys):
    assert run(corpus, "--epochs", "3") == 0
    out = capsys.readouterr().out
    windows, steps = map(int, re.search(r"windows +(\d+) to train on, \d+ held out; (\d+) steps", out).groups())
    assert steps == 3 * -(-windows // 16)
    assert len(re.findall(r"epoch +\d/3  loss [\d.]+  validation loss [\d.]+  perplexity [\d.]+", out)) == 3
    params, config, tokenizer = load_checkpoint(corpus.parent / "model.npz")
    assert config.emb_dim == 8
    assert config.vocab_size == tokenizer.vocab_size == len(params["tok_emb"])
    assert "ë" in tokenizer.itos
    assert not list(corpus.parent.glob("*.tmp"))


def test_main_halves_the_loss(corpus, capsys):
    assert run(corpus, "--epochs", "40", "--lr-max", "0.02", "--batch-size", "4") == 0
    start, end = (float(x) for x in re.findall(r"^at (?:start|end) +loss ([\d.]+)", capsys.readouterr().out, re.M))
    assert end < start / 2


def test_main_repeats_itself_with_one_seed_only(corpus):
    models = []
    for seed in ("1", "1", "2"):
        assert run(corpus, "--epochs", "1", "--seed", seed) == 0
        models.append(load_checkpoint(corpus.parent / "model.npz")[0])
    assert all(np.array_equal(models[0][name], models[1][name]) for name in models[0])
    assert not np.array_equal(models[0]["head_w"], models[2]["head_w"])


def test_the_default_corpus_is_large_enough_and_not_all_ascii():
    data = train.CORPUS.read_bytes()
    assert len(data) >= 6000
    assert not data.isascii()


def failure(capsys, *arguments):
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("impl.train: error: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_main_names_a_missing_corpus(tmp_path, capsys):
    assert "nowhere.txt: No such file" in failure(capsys, tmp_path / "nowhere.txt")


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_main_refuses_an_empty_corpus(corpus, capsys, text):
    corpus.write_text(text)
    assert "is empty" in failure(capsys, corpus)


def test_main_refuses_a_corpus_that_is_too_short(corpus, capsys):
    corpus.write_text("the sea says what the wind says.")
    assert "too short" in failure(capsys, corpus)
    corpus.write_text(TEXT)
    assert "for validation" in failure(capsys, corpus, "--val-share", "0.01")
    assert "for training" in failure(capsys, corpus, "--val-share", "0.99")


def test_main_refuses_a_corpus_that_is_not_utf8(corpus, capsys):
    corpus.write_bytes(TEXT.encode("latin-1"))
    assert "is not UTF-8" in failure(capsys, corpus)


def test_main_refuses_windows_longer_than_the_position_table(corpus, capsys):
    assert "longer than the position table (8 rows)" in failure(capsys, corpus, "--seq-len", "9")


def test_main_refuses_a_width_that_the_heads_do_not_divide(corpus, capsys):
    assert "num_heads must divide emb_dim (8), and is 3" in failure(capsys, corpus, "--num-heads", "3")


def test_main_refuses_to_write_over_the_corpus_or_into_nothing(corpus, capsys):
    assert "place of the corpus" in failure(capsys, corpus, "--out", str(corpus))
    assert "no directory" in failure(capsys, corpus, "--out", str(corpus.parent / "no" / "model.npz"))
    assert "is a directory" in failure(capsys, corpus, "--out", str(corpus.parent))
    assert corpus.read_text(encoding="utf-8") == TEXT


def test_main_stops_where_the_loss_is_no_number(corpus, capsys, monkeypatch):
    monkeypatch.setattr(train, "loss_and_grads", lambda x, y, p, c: (float("nan"), {k: W * 0 for k, W in p.items()}))
    assert run(corpus, "--epochs", "1") == 1
    assert "the loss is nan at step 1" in capsys.readouterr().err


def test_main_says_where_the_model_is_when_it_is_stopped(corpus, capsys, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "batch_loss_and_grads", stop)
    assert run(corpus, "--epochs", "1") == 130
    assert "model.npz" in capsys.readouterr().err


def test_read_corpus_drops_a_byte_order_mark(tmp_path):
    path = tmp_path / "bom.txt"
    path.write_bytes(b"\xef\xbb\xbfZo\xc3\xab")
    assert train.read_corpus(path) == "Zoë"


def test_every_setting_has_an_option(config):
    args = train.parse_arguments(["--top-k", "5", "--beta2", "0.99"])
    assert train.make_config(args, 11) == replace(type(config)(vocab_size=11), top_k=5, beta2=0.99)
