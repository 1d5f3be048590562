import subprocess
import sys

import click
import pytest

from eqtrace import __version__
from eqtrace.cli.main import cli
from eqtrace.errors import EqtraceError

COMMANDS = ["add", "audit", "cites", "explain", "fix", "init", "mutate", "review", "schema", "site", "verify"]


def test_help_teaches_with_examples_and_exit_codes(eqtrace) -> None:
    shown = eqtrace("--help")
    assert shown.code == 0
    assert "eqtrace explain EQ501" in shown.out
    assert "2  unusable input, or nothing was checked" in shown.out
    assert sorted(cli.commands) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples_and_all_options_described(eqtrace, command: str) -> None:
    shown = eqtrace(command, "--help")
    assert shown.code == 0
    assert f"eqtrace {command}" in shown.out.split("Examples:")[1]
    for parameter in cli.commands[command].params:
        assert not isinstance(parameter, click.Option) or parameter.help


def test_commands_say_what_they_never_do(eqtrace) -> None:
    assert "never imports or runs your code" in " ".join(eqtrace("audit", "--help").out.split())
    assert "never runs it" in " ".join(eqtrace("fix", "--help").out.split())
    assert "never edits your code" in " ".join(eqtrace("verify", "--help").out.split())
    assert "made in memory only" in " ".join(eqtrace("mutate", "--help").out.split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["verify", "--help"], ["no-such-command"]])
def test_help_imports_nothing_slow(arguments: list[str]) -> None:
    slow = ["pydantic", "numpy", "flint", "hypothesis", "jinja2", "rich", "yaml", "pygments", "math_core", "sympy"]
    program = f"""
import sys
from eqtrace.cli.main import run
run({arguments!r})
print("IMPORTED", [name for name in {slow!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.endswith("IMPORTED []\n")


def test_version(eqtrace) -> None:
    assert eqtrace("--version").out == f"eqtrace {__version__}\n"


def test_an_unknown_command_or_option_exits_2_with_the_nearest(eqtrace) -> None:
    shown = eqtrace("aduit")
    assert shown.code == 2
    assert "audit" in shown.err
    assert eqtrace("audit", "--sed", "1").code == 2
    assert eqtrace().code == 2


def test_unusable_input_exits_2_with_its_hint(eqtrace, parts) -> None:
    parts.error = EqtraceError("pyproject.toml:3: unknown key 'soruces'", "nearest: sources")
    shown = eqtrace("audit")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == "eqtrace: pyproject.toml:3: unknown key 'soruces'\n  hint: nearest: sources\n"


def test_an_unexpected_exception_exits_3_and_asks_for_a_report(eqtrace, parts) -> None:
    parts.error = RuntimeError("kaputt")
    shown = eqtrace("verify")
    assert shown.code == 3
    assert "Traceback" in shown.err
    assert "RuntimeError: kaputt" in shown.err
    assert "Please report it" in shown.err


def test_an_interrupt_exits_130(eqtrace, parts) -> None:
    parts.error = KeyboardInterrupt()
    shown = eqtrace("verify")
    assert shown.code == 130
    assert "Traceback" not in shown.err


def test_a_reader_that_leaves_is_no_fault() -> None:
    program = "from eqtrace.cli.main import main; import sys; sys.argv[1:] = ['schema', '--results']; main()"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
