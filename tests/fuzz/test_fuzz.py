"""A bounded run of each target; `make fuzz` runs many more inputs. What was found once is a named test of its unit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).with_name("fuzz.py")
NAMES = (
    *("topics", "short-form", "companions", "pages", "sources", "drafts-and-mutants", "settings", "forms", "binds"),
    *("latex", "documentation", "docstrings", "steps", "selections", "citations", "baselines", "caches"),
)
EXAMPLES = os.environ.get("EQTRACE_FUZZ", "150")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, FUZZ, *arguments], capture_output=True, text=True, timeout=3000, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_no_input_breaks_a_promise(name: str) -> None:
    done = run("--examples", EXAMPLES, name)
    assert done.returncode == 0, done.stdout + done.stderr
    inputs = int(done.stdout.split()[1].replace(",", ""))
    assert inputs >= 9


def test_every_target_is_run_here() -> None:
    assert f"{{{','.join(NAMES)}}}" in "".join(run("--help").stdout.split())
