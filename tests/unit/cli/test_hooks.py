"""The hooks that pre-commit finds here name commands that there are."""

import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from eqtrace.cli.main import cli

HOOKS = yaml.safe_load(Path(__file__).parents[3].joinpath(".pre-commit-hooks.yaml").read_text("utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command(hook):
    program, command, *options = shlex.split(hook["entry"])
    assert (program, options, hook["language"], hook["pass_filenames"]) == ("eqtrace", [], "python", False)
    assert CliRunner().invoke(cli, [command, "--help"]).exit_code == 0
