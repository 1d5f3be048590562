"""Talk to a trained model: `python -m impl.talk CHECKPOINT`. Each line typed, or piped in, is continued."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from impl.checkpoint import load_checkpoint
from impl.command_line import STOPPED, fail, run
from impl.generate import generate

PROGRAM = "impl.talk"
SETTINGS = ("new_tokens", "temperature", "top_k", "top_p")


def main(argv: Sequence[str] | None = None) -> int:
    """Continue each prompt, and return the exit code: 2 for unusable input."""
    args = parse_arguments(argv)
    given = {name: value for name in SETTINGS if (value := getattr(args, name)) is not None}
    try:
        params, config, tokenizer = load_checkpoint(args.checkpoint)
        config = replace(config, **given)
        rng = np.random.default_rng(args.seed)
        for prompt in prompts(args.prompt):
            ids = tokenizer.encode(prompt)
            ids = generate(ids, config.new_tokens, params, config, rng, config.temperature, config.top_k, config.top_p)
            print(tokenizer.decode(ids), flush=True)
    except KeyboardInterrupt:
        print()
        return STOPPED
    except UnicodeDecodeError:
        return fail(PROGRAM, ValueError("the prompt is not UTF-8"))
    except (OSError, ValueError) as error:
        return fail(PROGRAM, error)
    return 0


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the options; what is not given is as the checkpoint's configuration says."""
    parser = argparse.ArgumentParser(prog=f"python -m {PROGRAM}", description="Sample from a trained transformer.")
    parser.add_argument("checkpoint", type=Path, help="a file that impl.train wrote")
    parser.add_argument("--prompt", help="continue this text and stop, instead of reading lines")
    parser.add_argument("--new-tokens", type=int, metavar="N", help="generate N tokens")
    parser.add_argument("--temperature", type=float, metavar="X", help="0 takes the likeliest token each time")
    parser.add_argument("--top-k", type=int, metavar="N", help="sample from the N likeliest tokens; 0 for all")
    parser.add_argument("--top-p", type=float, metavar="X", help="sample from the shortest list of this share")
    parser.add_argument("--seed", type=int, metavar="N", help="make the draws repeatable")
    return parser.parse_args(argv)


def prompts(given: str | None) -> Iterator[str]:
    """Yield the given prompt alone, or else each line of standard input that is not empty."""
    if given is not None:
        yield given
        return
    interactive = sys.stdin.isatty()
    while True:
        try:
            line = input("> " if interactive else "")
        except EOFError:
            return
        if line.strip():
            yield line


if __name__ == "__main__":
    run(main)
