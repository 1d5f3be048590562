"""Runs of the model that execute the cited lines, at the sizes of a verification run.

Every public function here is a scenario. It takes a generator and the sizes H, dh, d, F, V, T, Tmax and L; all models
are built at these sizes, so that no two axes are equally long. Those named after tables give what pages show.
"""

import contextlib
import io
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from impl import gradcheck, ops, talk, train
from impl.arrays import Array, Ids, Params
from impl.checkpoint import load_checkpoint
from impl.config import ModelConfig
from impl.data import iterate_batches, make_windows, split_ids
from impl.generate import generate, sample_next
from impl.optim import AdamW, clip_grad_norm, lr_schedule
from impl.tokenizer import build_tokenizer, count_pairs, count_words, merge_tokens, train_bpe
from impl.transformer import count_params, forward, init_params, loss_and_grads

Sizes = Mapping[str, int]
Row = dict[str, str | float]


def training_window(rng: np.random.Generator, sizes: Sizes) -> None:
    """Loss and gradients of one window, forward and backward through the whole model."""
    config, params = _model(rng, sizes)
    x, y = _window(rng, sizes)
    loss, _ = loss_and_grads(x, y, params, config)
    ops.perplexity(loss)


def sampling(rng: np.random.Generator, sizes: Sizes) -> None:
    """Tokens drawn from random logits in every way: greedily, freely, with top-k, top-p and both, and with ties."""
    V = sizes["V"]
    logits = rng.normal(scale=3.0, size=V)
    tied = rng.integers(0, 3, V).astype(float)
    for temperature, top_k, top_p in ((0.0, 0, 1.0), (0.7, 0, 1.0), (1.3, V - 1, 1.0), (1.0, 0, 0.8), (0.8, 2, 0.9)):
        sample_next(logits, temperature, top_k, top_p, rng)
        sample_next(tied, temperature, top_k, top_p, rng)


def generation(rng: np.random.Generator, sizes: Sizes) -> None:
    """Texts that grow past seq_len, greedily, then by top-k, by top-p and by both when hot; one block, to save time."""
    config, params = _model(rng, {**sizes, "L": 1})
    ids = rng.integers(0, sizes["V"], sizes["T"] + 1).tolist()
    texts = [
        generate(ids[: max(1, sizes["T"] - 1)], 2, params, config, rng, 0.0, 2, 0.9),
        generate(ids, 1, params, config, rng, 20.0, 2, 1.0),
        generate(ids, 1, params, config, rng, 20.0, 0, 0.3),
        generate(ids, 1, params, config, rng, 20.0, 3, 0.6),
    ]
    if not all(0 <= token < sizes["V"] for text in texts for token in text):
        raise RuntimeError(f"these are no tokens: {texts}")
    logits, _ = forward(np.array(ids[-sizes["T"] :]), params, config)
    for seed in range(2):
        token = generate(ids, 1, params, config, np.random.default_rng(seed), 20.0, 0, 0.3)[-1]
        if token != sample_next(logits[-1], 20.0, 0, 0.3, np.random.default_rng(seed)):
            raise RuntimeError(f"{token} is not what is drawn from the last row of the logits, with seed {seed}")


def optimiser_steps(rng: np.random.Generator, sizes: Sizes) -> None:
    """Four steps of the output head, and a schedule of warmup, cosine, last step and floor; clipped and not clipped."""
    shapes = {"head_w": (sizes["d"], sizes["V"]), "head_b": (sizes["V"],)}
    params = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    optimiser = AdamW(params, eps=1e-3, weight_decay=0.1)
    schedule = [lr_schedule(step, 3e-3, 3e-4, 3, 7) for step in range(1, 11)]
    lr_schedule(0, 3e-3, 3e-4, 0, 7)  # without warmup
    for lr, scale in zip(schedule[1:5], (30.0, 0.01, 1.0, 30.0), strict=True):  # of the gradient, for a limit of 5
        grads = {name: rng.normal(scale=scale, size=shape) for name, shape in shapes.items()}
        grads["head_b"][0] = 0.0
        clip_grad_norm(grads, 5.0)
        optimiser.step(params, grads, lr)
    clip_grad_norm({"head_b": np.array([0.0, -5.0])}, 5.0)  # just at the limit


def gradient_check(rng: np.random.Generator, sizes: Sizes) -> None:
    """The loss as the gradient check sees it, once; a whole check would take it hundreds of times."""
    config, params = _model(rng, sizes)
    x, y = _window(rng, sizes)
    gradcheck._loss_with("head_b", x, y, params, config, params["head_b"] + config.grad_check_step)


def training_run(rng: np.random.Generator, sizes: Sizes) -> None:
    """The training command, from a text over V - 1 characters to a checkpoint, and a word with what it has learnt.

    One block, one epoch, batches of two windows, the last of one; a step of warmup, the others of the cosine.

    Of the other scenarios' sizes only the number of blocks is not kept, to save time.
    """
    alphabet = [chr(ord("a") + i) for i in range(sizes["V"] - 1)]
    length = 2 * sizes["T"] + 6
    text = "".join([*alphabet, *rng.choice(alphabet, length - len(alphabet))])
    settings = {
        "seq-len": sizes["T"],
        "emb-dim": sizes["d"],
        "ff-dim": sizes["F"],
        "num-heads": sizes["H"],
        "context-len": sizes["Tmax"],
        "num-layers": 1,
        "stride": 1,
        "batch-size": 2,
        "warmup-steps": 1,
        "val-share": 0.5,
        "epochs": 1,
        "num-merges": 0,
    }
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed, _every_step():
        corpus = Path(folder, "corpus.txt")
        corpus.write_text(text, encoding="utf-8")
        options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
        checkpoint = str(Path(folder, "model.npz"))
        code = train.main(["--corpus", str(corpus), "--out", checkpoint, *options])
        if code == 0:
            _require_report(printed.getvalue(), text, Path(checkpoint))
            code = talk.main([checkpoint, "--prompt", text[:2], "--new-tokens", "1", "--seed", "1"])
    if code != 0:
        raise RuntimeError(f"training or talking ended with exit code {code}")


def training_epoch(rng: np.random.Generator, sizes: Sizes) -> None:
    """What the training command does between reading and writing, of one block and one batch of two windows.

    It reaches the lines of training in far less time than the command does, as often as they are to be seen.
    """
    config, params = _model(rng, {**sizes, "L": 1})
    config = replace(config, batch_size=2, warmup_steps=1, epochs=1)
    pairs = [_window(rng, sizes) for _ in range(2)]
    x, y = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    before = train.validation_loss(x[:1], y[:1], params, config)
    with contextlib.redirect_stdout(io.StringIO()):
        losses = [loss for _, loss in train.train((x, y), params, config, train.count_steps(len(x), config)[1], rng)]
    if not (np.isfinite(before) and np.isfinite(losses).all() and count_params(config) > 0):
        raise RuntimeError(f"losses of {before} and {losses} in a model of {count_params(config)} parameters")


@contextlib.contextmanager
def _every_step() -> Iterator[None]:
    """Training prints a line for each step, however quick it is."""
    seconds = train.SECONDS_BETWEEN_LINES
    train.SECONDS_BETWEEN_LINES = 0.0
    try:
        yield
    finally:
        train.SECONDS_BETWEEN_LINES = seconds


def _require_report(printed: str, text: str, checkpoint: Path) -> None:
    """Sees that what training printed is so, from the text and the checkpoint; the windows are cut here again."""
    params, config, tokenizer = load_checkpoint(checkpoint)
    ids, T = np.array(tokenizer.encode(text)), config.seq_len
    cut = len(ids) - len(ids) // 2
    starts = range(cut - T)
    rng = np.random.default_rng(config.seed)
    before = init_params(config, rng)
    first = rng.permutation(len(starts))[: config.batch_size]
    losses = [
        ops.cross_entropy_forward(forward(ids[i : i + T], before, config)[0], ids[i + 1 : i + T + 1])[0] for i in starts
    ]
    number = r"(-?[0-9.]+)"
    wanted = {
        "windows to train on": (rf"windows +{number} to train on", float(len(starts))),
        "windows held out": (rf"on, {number} held out", float(len(ids) - cut - T)),
        "loss at start": (rf"at start +loss {number}", np.mean(losses)),
        "loss of the first step": (rf"step 1/.* loss {number} ", np.mean([losses[i] for i in first])),
    }
    for name, (pattern, value) in wanted.items():
        found = re.search(pattern, printed)
        if found is None or abs(float(found[1]) - value) > 1e-4:
            raise RuntimeError(f"the {name}: {found and found[1]} is printed, {value} is so")
    for name in ("gradient norm", "validation loss", "perplexity", "at end +loss"):
        printed_numbers = re.findall(rf"{name} {number}", printed)
        if not printed_numbers or min(map(float, printed_numbers)) < 0:
            raise RuntimeError(f"{name}: {printed_numbers} is printed")
    if all(np.array_equal(values, before[name]) for name, values in params.items()):
        raise RuntimeError("training has changed no parameter")


def windows_and_batches(rng: np.random.Generator, sizes: Sizes) -> None:
    """A text of ids cut in two, windows of its first part, and these in batches, the last of which is short."""
    T, B = sizes["T"], sizes["H"]
    ids = rng.integers(0, sizes["V"], 4 * (T + 3) + 2)
    part, _ = split_ids(ids, 0.25)
    split_ids(np.zeros(1999, dtype=np.int64), 0.25)
    x, y = make_windows(part, T, sizes["dh"])
    whole = len(x) - (len(x) - 1) % B  # windows that leave one for the last batch
    for _ in iterate_batches(x[:whole], y[:whole], B, rng):
        pass


def tokenizer(rng: np.random.Generator, sizes: Sizes) -> None:
    """A tokenizer learnt from a random text that is not ASCII alone, there and back, with an unknown character too."""
    text = "".join(rng.choice([*"aab é低,\n"], 8 * sizes["dh"]))
    learnt = build_tokenizer(text, sizes["F"])
    again = learnt.decode(learnt.encode(text))
    if again != text:
        raise RuntimeError(f"{text!r} came back as {again!r}")
    learnt.decode(learnt.encode("aß"))


def word_count_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """The pre-tokens of a short text, with their counts."""
    return [{"pre-token": repr(word), "count": n} for word, n in count_words("the sea, the sea").items()]


def merge_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Four merges learnt from four words, with the frequency of each pair when it was chosen."""
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    words = {word: [*word] for word in counts}
    rows: list[Row] = []
    for a, b in train_bpe(counts, 4):
        frequency = count_pairs(words, counts)[a, b]
        words = {word: merge_tokens(tokens, (a, b)) for word, tokens in words.items()}
        rows.append({"a*": a, "b*": b, "f(a*, b*)": frequency, "newest": " ".join(words["newest"])})
    return rows


def merged_tokens_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Short lists of tokens before and after a merge."""
    cases = [("ababc", ("a", "b")), ("aaa", ("a", "a")), ("ba", ("a", "b"))]
    return [
        {"tokens": " ".join(tokens), "a*": a, "b*": b, "merged": " ".join(merge_tokens([*tokens], (a, b)))}
        for tokens, (a, b) in cases
    ]


def vocabulary_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """The vocabulary of a tiny tokenizer."""
    return [{"id": i, "token": repr(token)} for i, token in enumerate(build_tokenizer("cab cab", 3).itos)]


def encoding_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """A text in the tokens of a tiny tokenizer that lacks one of its characters."""
    learnt = build_tokenizer("cab cab", 3)
    words = ["cab", " ", "d", "ab"]
    return [
        {"token": repr(token), "id": i, "decoded": repr(learnt.decode([i]))}
        for token, i in zip(words, learnt.encode("cab dab"), strict=True)
    ]


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


def batch_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Loss and one entry of the gradient of two windows, and what the batch of them gives, from one seed 42."""
    config, params, x, y = _tiny_windows()
    rows: list[Row] = []
    for number, (ids, targets) in enumerate(zip(x, y, strict=True), 1):
        loss, grads = loss_and_grads(ids, targets, params, config)
        rows.append({"window": str(number), "loss": float(loss), "gradient of head_b[0]": float(grads["head_b"][0])})
    loss, grads = train.batch_loss_and_grads(x, y, params, config)
    if not np.isclose(loss, np.mean([row["loss"] for row in rows]), rtol=1e-12):
        raise RuntimeError(f"the loss of the batch, {loss}, is not the mean of its windows'")
    return [*rows, {"window": "batch", "loss": float(loss), "gradient of head_b[0]": float(grads["head_b"][0])}]


def validation_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Loss of two windows, and their validation loss, from one seed 42."""
    config, params, x, y = _tiny_windows()
    losses = [ops.cross_entropy_forward(forward(ids, params, config)[0], t)[0] for ids, t in zip(x, y, strict=True)]
    rows: list[Row] = [{"window": str(number), "loss": float(loss)} for number, loss in enumerate(losses, 1)]
    return [*rows, {"window": "validation", "loss": float(train.validation_loss(x, y, params, config))}]


def central_differences(rng: np.random.Generator, sizes: Sizes) -> None:
    """Central differences of a function of one array."""
    gradcheck.numerical_grad(lambda v: float((v**3).sum()), rng.normal(size=(sizes["T"], sizes["dh"])), 1e-3)


def difference_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Central differences of a sum of cubes with three steps, beside the derivative."""
    x = np.array([-1.0, 0.0, 0.5, 2.0])
    columns = {f"step {h:g}": gradcheck.numerical_grad(lambda v: float((v**3).sum()), x, h) for h in (0.5, 0.125, 1e-5)}
    return [
        {"x": float(value), **{name: float(g[i]) for name, g in columns.items()}, "derivative": float(3 * value**2)}
        for i, value in enumerate(x)
    ]


def check_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """The gradient check of a tiny model, from one seed 42."""
    config, params, x, y = _tiny_windows()
    config = replace(config, grad_check_samples=1)
    worst = gradcheck.check_params(x[0], y[0], params, config, np.random.default_rng(42))
    if max(worst.values()) > 1e-5:
        raise RuntimeError(f"a gradient is wrong: {worst}")
    return [{"parameter": name, "largest relative error": float(error)} for name, error in worst.items()]


def logits_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Logits of a window of three tokens by a tiny model, from one seed 42."""
    config, params, x, _ = _tiny_windows()
    logits, _ = forward(x[0], params, config)
    return [
        {"position": str(t), "id": int(x[0][t]), **{f"token {v}": float(value) for v, value in enumerate(row)}}
        for t, row in enumerate(logits)
    ]


def gradient_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Gradients of the loss of a window by every parameter of a tiny model, from one seed 42."""
    config, params, x, y = _tiny_windows()
    _, grads = loss_and_grads(x[0], y[0], params, config)
    return [
        {"parameter": name, "shape": " x ".join(map(str, values.shape)), **_summary(values)}
        for name, values in grads.items()
    ]


def parameter_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Every parameter of a model of these sizes, as it is made; the number of tokens stays the letter V."""
    config = ModelConfig(
        vocab_size=sizes.get("V", 7),
        emb_dim=sizes["d"],
        ff_dim=sizes["F"],
        num_heads=sizes["H"],
        context_len=sizes["Tmax"],
        num_layers=sizes.get("L", ModelConfig.num_layers),
    )
    distinct = ModelConfig(7, emb_dim=4, ff_dim=9, context_len=5, num_heads=2, num_layers=config.num_layers)
    letters = {7: "V", 4: "d", 9: "F", 5: "Tmax"}
    in_letters = init_params(distinct, np.random.default_rng(42))
    params, wider = (
        init_params(each, np.random.default_rng(42))
        for each in (config, replace(config, vocab_size=config.vocab_size + 1))
    )
    rows: list[Row] = []
    for name, values in params.items():
        dims = [letters[n] for n in in_letters[name].shape]
        shape = ["V" if letter == "V" else str(n) for letter, n in zip(dims, values.shape, strict=True)]
        entries = _count(values.size, wider[name].size, config.vocab_size)
        kind = "ones" if np.all(values == 1) else "zeros" if np.all(values == 0) else "random"
        rows.append(
            {
                "parameter": name,
                "shape": " x ".join(dims),
                "with sizes": " x ".join(shape),
                "entries": entries,
                "start": kind,
            }
        )
    total, more = (sum(values.size for values in each.values()) for each in (params, wider))
    if total != count_params(config):
        raise RuntimeError(f"the arrays hold {total} numbers, and count_params says {count_params(config)}")
    return [*rows, {"parameter": "all", "entries": _count(total, more, config.vocab_size)}]


def _count(entries: int, with_one_more: int, V: int) -> str:
    """A number of entries in V tokens, from those at V and at V + 1."""
    each = with_one_more - entries
    rest = entries - each * V
    parts = ([f"{each:,} V" if each != 1 else "V"] if each else []) + ([f"{rest:,}"] if rest else [])
    return " + ".join(parts)


def learning_table(rng: np.random.Generator, sizes: Sizes) -> list[Row]:
    """Eight steps of training a tiny model on one batch, from one seed 42, as the training loop makes them."""
    config, params, x, y = _tiny_windows()
    optimiser = AdamW(params, config.beta1, config.beta2, config.adam_eps, config.weight_decay)
    rows: list[Row] = []
    first = 0.0
    for step in range(1, 9):
        before = {name: values.copy() for name, values in params.items()}
        loss, grads = train.batch_loss_and_grads(x, y, params, config)
        first = loss if step == 1 else first
        norm = clip_grad_norm(grads, config.clip_norm)
        lr = lr_schedule(step, 0.05, 0.005, 2, 8)
        optimiser.step(params, grads, lr)
        change = max(float(np.abs(params[name] - before[name]).max()) for name in params)
        rows.append(
            {
                "step": str(step),
                "loss": float(loss),
                "length of the gradient": float(norm),
                "learning rate": float(lr),
                "largest change of a parameter": change,
            }
        )
    if not loss < first:
        raise RuntimeError(f"the loss did not fall: {rows}")
    return rows


def _tiny_windows() -> tuple[ModelConfig, Params, Ids, Ids]:
    """A model of one block over five tokens, and two windows of three tokens with their targets."""
    rng = np.random.default_rng(42)
    config = ModelConfig(vocab_size=5, context_len=3, emb_dim=4, num_heads=2, ff_dim=6, num_layers=1)
    params = init_params(config, rng)
    ids = rng.integers(0, config.vocab_size, (2, 4))
    return config, params, ids[:, :-1], ids[:, 1:]


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
