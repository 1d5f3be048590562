"""The `eqtrace` command: its group, and what becomes of errors.

Only click and eqtrace.errors are imported here and at the head of the command modules, so that `--help` is quick.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import click

from eqtrace import __version__
from eqtrace.cli.add import add
from eqtrace.cli.audit import audit
from eqtrace.cli.cites import cites
from eqtrace.cli.explain import explain
from eqtrace.cli.fix import fix
from eqtrace.cli.init import init
from eqtrace.cli.mutate import mutate
from eqtrace.cli.review import review
from eqtrace.cli.schema import schema
from eqtrace.cli.site import site
from eqtrace.cli.verify import verify
from eqtrace.errors import EqtraceError

_HELP = """Shows that documented equations are what the code computes, line by line.

Equations stand in YAML files, each with the lines of code that compute, repeat, call, test and state it. eqtrace
confirms that each cited line is still there and plays its role (audit), runs the code and compares it with the
formula (verify), and writes the reference site (site). Settings are read from [tool.eqtrace] in pyproject.toml, found
in this folder or one above.

\b
Examples:
  eqtrace init                        settings and drafts for this project
  eqtrace audit                       are all cited lines where they say?
  eqtrace verify                      does the code compute its equations?
  eqtrace verify linear.linear        one equation; also 'linear.*' or a file
  eqtrace fix --diff                  what moved, and what fix would write
  eqtrace review                      what changed since somebody read both ends
  eqtrace mutate                      would verification notice a wrong line?
  eqtrace explain EQ501               what a finding means and how to mend it
  eqtrace site                        the reference site, as HTML files
  eqtrace cites                       line citations in any repository's prose; needs no settings

\b
Exit codes:
  0  no errors (warnings do not fail a run; see --fail-on)
  1  errors were found
  2  unusable input, or nothing was checked
  3  a fault of eqtrace itself
"""


class _Group(click.Group):
    """Names the nearest command where there is none, which only the newest versions of click do themselves."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.list_commands(ctx), 1)
            if type(error) is not click.UsageError or not near:  # one of its own kind names the nearest already
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from None


@click.group(cls=_Group, help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="eqtrace", message="%(prog)s %(version)s")
def cli() -> None:
    """The group that holds the commands."""


for _command in (init, add, audit, verify, fix, review, mutate, site, cites, explain, schema):
    cli.add_command(_command)


def main() -> None:
    """The console script: runs a command and exits with its code."""
    code = run(sys.argv[1:])
    gc.freeze()  # or the interpreter would look through all that an audit has read before it goes
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; whatever goes wrong is said on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(args=list(arguments), prog_name="eqtrace", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2
    except EqtraceError as error:
        return _unusable(error)
    except (KeyboardInterrupt, click.Abort):
        click.echo("eqtrace: interrupted", err=True)
        return 130
    except (BrokenPipeError, SystemExit):
        # The reader of a pipe has left (click exits then); Python must not complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:  # the last resort: a user must never meet a bare traceback
        return _internal(error)
    return code if isinstance(code, int) else 0


def _unusable(error: EqtraceError) -> int:
    click.echo(told(error), err=True)
    return 2


def told(error: EqtraceError) -> str:
    """What is said of unusable input; whatever of it is somebody's text steers neither a terminal nor a service."""
    from eqtrace.report import styled

    return styled.lines(f"eqtrace: {error}" + (f"\n  hint: {error.hint}" if error.hint else ""))


def _internal(error: Exception) -> int:
    import platform
    import traceback

    traceback.print_exception(error)
    click.echo(
        f"\neqtrace: a fault of eqtrace {__version__} (Python {platform.python_version()}), not of your project: "
        f"{type(error).__name__}.\nPlease report it with the lines above and the command you ran.",
        err=True,
    )
    return 3
