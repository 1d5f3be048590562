import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from impl import talk
from impl.checkpoint import save_checkpoint
from impl.config import ModelConfig
from impl.tokenizer import build_tokenizer
from impl.transformer import init_params

ROOT = Path(talk.__file__).parents[1]


@pytest.fixture
def model(tmp_path):
    tokenizer = build_tokenizer("Zoë rings the bell, and the sea says what the wind says.", 10)
    config = ModelConfig(vocab_size=tokenizer.vocab_size, emb_dim=4, ff_dim=5, num_layers=1, new_tokens=7)
    save_checkpoint(tmp_path / "model.npz", init_params(config, np.random.default_rng(0)), config, tokenizer)
    return str(tmp_path / "model.npz")


def test_main_continues_a_prompt(model, capsys):
    assert talk.main([model, "--prompt", "Zoë rings", "--seed", "1"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("Zoë rings")
    assert len(first) > len("Zoë rings\n")
    talk.main([model, "--prompt", "Zoë rings", "--seed", "1"])
    assert capsys.readouterr().out == first


def test_main_continues_each_line_of_standard_input(model, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("the sea\n\n the wind"))
    assert talk.main([model, "--new-tokens", "0"]) == 0
    assert capsys.readouterr().out == "the sea\n the wind\n"


def test_main_takes_the_options_before_the_configuration(model, capsys):
    greedy = [model, "--prompt", "the", "--temperature", "0"]
    talk.main(greedy)
    assert talk.main([*greedy, "--new-tokens", "9", "--top-k", "3", "--top-p", "0.5"]) == 0
    short, long = capsys.readouterr().out.splitlines()
    assert long.startswith(short)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prompt", ""], "the prompt is empty"),
        (["--prompt", "a", "--top-p", "2"], "top_p must be above 0 and at most 1, and is 2.0"),
        (["--prompt", "a", "--top-k", "-1"], "top_k must not be negative, and is -1"),
    ],
)
def test_main_says_in_one_line_what_is_wrong(model, capsys, arguments, message):
    assert talk.main([model, *arguments]) == 2
    assert capsys.readouterr().err == f"impl.talk: error: {message}\n"


def test_main_names_a_missing_or_damaged_checkpoint(tmp_path, capsys):
    assert talk.main([str(tmp_path / "nowhere.npz"), "--prompt", "a"]) == 2
    assert capsys.readouterr().err == f"impl.talk: error: {tmp_path / 'nowhere.npz'}: No such file or directory\n"
    (tmp_path / "damaged.npz").write_bytes(b"PK\x03\x04 and no more")
    assert talk.main([str(tmp_path / "damaged.npz"), "--prompt", "a"]) == 2
    assert "damaged.npz is not a checkpoint, or is damaged" in capsys.readouterr().err


def command(model, stdin):
    return subprocess.run(
        [sys.executable, "-m", "impl.talk", model, "--new-tokens", "0"],
        input=stdin, capture_output=True, cwd=ROOT, env={"LC_ALL": "C", "PATH": ""}, check=False, timeout=60,
    )  # fmt: skip


def test_the_command_reads_and_writes_utf8_in_any_locale(model):
    done = command(model, "Zoë\nthe sea\n".encode())
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "Zoë\nthe sea\n", b"")


def test_the_command_ends_quietly_where_nobody_reads_on(model):
    process = subprocess.Popen(
        [sys.executable, "-m", "impl.talk", model, "--prompt", "the"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 1
    process.stderr.close()


def test_the_command_refuses_other_bytes(model):
    done = command(model, b"the\nZo\xeb\n")
    assert (done.returncode, done.stderr) == (2, b"impl.talk: error: the prompt is not UTF-8\n")
