"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from eqtrace.cli.ratchet import Baseline
    from eqtrace.model.results import Results

_Command = TypeVar("_Command", bound=Callable[..., Any])

EXIT_CODES = """\b
Exit codes: 0 no errors, 1 errors found, 2 unusable input or nothing checked, 3 a fault of eqtrace.
"""

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@dataclass(frozen=True, slots=True)
class Reporting:
    """How a command reports, and what fails it."""

    format: str
    output_file: Path | None
    fail_on: tuple[str, ...]
    exit_zero: bool
    baseline: Baseline | None = None  # whose findings pass
    narrowed: Callable[[Results], Results] | None = None  # to what a difference touches


def selection(command: _Command) -> _Command:
    """Positional SELECT and --config."""
    decorated = click.option(
        "--config",
        "config_file",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Settings file with [tool.eqtrace]; otherwise pyproject.toml here or in a folder above.",
    )(command)
    return click.argument("select", nargs=-1)(decorated)


FORMATS = ("full", "concise", "json", "sarif", "junit", "github", "gitlab")
OWN_FORMATS = ("full", "concise", "json")  # of commands whose findings have no codes


def reporting(command: _Command) -> _Command:
    """--format, --output-file, --fail-on and --exit-zero."""
    return _reporting(command, FORMATS)


def reporting_own(command: _Command) -> _Command:
    """The same, without the formats of services."""
    return _reporting(command, OWN_FORMATS)


def _reporting(command: _Command, formats: tuple[str, ...]) -> _Command:
    more = "; the others for the services that read them" if formats is FORMATS else ""
    for option in reversed(
        (
            click.option(
                "--format",
                "form",
                type=click.Choice(formats),
                default="full",
                show_default=True,
                help=f"full: with excerpts and a summary; concise: one line a finding; json: for programs{more}.",
            ),
            click.option(
                "--output-file",
                metavar="FILE",
                type=click.Path(path_type=Path, dir_okay=False),
                help="Write the report there; one closing line still goes to standard error.",
            ),
            click.option(
                "--fail-on",
                metavar="CODE",
                multiple=True,
                help="Let this code or check name fail the run even as a warning; can be repeated.",
            ),
            click.option("--exit-zero", is_flag=True, help="Exit 0 even where errors were found (not for 2 and 3)."),
        )
    ):
        command = option(command)
    return command


def touching(command: _Command) -> _Command:
    """--changed."""
    return click.option(
        "--changed",
        is_flag=False,
        flag_value="HEAD",
        metavar="[REVISION]",
        help="Only what stands on lines, or cites files, that differ from REVISION (HEAD).",
    )(command)


def ratcheting(command: _Command) -> _Command:
    """--baseline, --write-baseline and --shrink-baseline."""
    file = click.Path(path_type=Path, dir_okay=False)
    text = "Hold back the errors and warnings that FILE knows; new ones fail as ever."
    shrink = "Remove from the --baseline file what is mended; nothing new gets in."
    command = click.option("--shrink-baseline", is_flag=True, help=shrink)(command)
    command = click.option("--write-baseline", is_flag=True, help="Write today's findings to the --baseline file.")(
        command
    )
    return click.option("--baseline", metavar="FILE", type=file, help=text)(command)


class Jobs(click.ParamType):  # type: ignore[type-arg]  # older ones take none
    """A number of processes, or a dask cluster."""

    name = "jobs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the text that names a cluster."""
        if isinstance(value, int):
            return value
        if value.isascii() and value.isdecimal() and int(value) >= 1:
            return int(value)
        from eqtrace.run.jobs import is_dask

        if not is_dask(value):
            self.fail(f"{value!r} is no number from 1, and neither `dask` nor `dask://HOST:PORT`", param, ctx)
        return value


def running(command: _Command) -> _Command:
    """-j, --seed, --timeout and --no-cache."""
    command = caching(command)
    for option in reversed(
        (
            click.option(
                "-j",
                "--jobs",
                metavar="N",
                type=Jobs(),
                help="Worker processes, otherwise as many as there are processors to use; or a dask cluster: "
                "dask://HOST:PORT, or dask for one on this machine.",
            ),
            click.option(
                "--seed",
                type=click.IntRange(min=0),
                default=0,
                show_default=True,
                help="Seed of every random draw; the same seed repeats a run.",
            ),
            click.option(
                "--timeout",
                metavar="SECONDS",
                type=click.FloatRange(min=0, min_open=True),
                default=60.0,
                show_default=True,
                help="Time limit of one equation's method; running out of it is a finding, never a pass.",
            ),
        )
    ):
        command = option(command)
    return command


def caching(command: _Command) -> _Command:
    """--no-cache."""
    text = "Run everything again, and keep no result for the next run."
    return click.option("--no-cache", is_flag=True, help=text)(command)
