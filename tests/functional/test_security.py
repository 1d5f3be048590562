"""SECURITY.md names the tests that show each promise: they are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")


def test_every_test_that_is_named_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+)`", TEXT))
    assert len(named) > 10
    assert [each for each in sorted(named) if not (ROOT / each).exists()] == []


def test_each_command_is_said_to_run_code_or_not() -> None:
    commands = {path.stem for path in (ROOT / "trace/eqtrace/cli").glob("*.py")} - {"__init__", "main"}
    commands -= {"options", "output", "ratchet", "settings", "watching"}  # what commands share
    table = TEXT.split("| command |")[1].split("\n\n")[0]
    assert [each for each in sorted(commands) if f"`{each}`" not in table] == []


def test_no_address_is_made_up() -> None:
    assert "@" not in TEXT
