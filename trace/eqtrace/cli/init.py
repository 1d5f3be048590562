"""`eqtrace init`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eqtrace.cli.options import SETTINGS
from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.code.lift.project import Found
    from eqtrace.drafting import Drafts

_HELP = """Sets a project up: the table [tool.eqtrace], and drafts of entries.

Finds the packages and the tests, adds the table at the end of pyproject.toml (nothing else in it changes), and writes
a file of entries in short form: formulas that docstrings print, functions and methods whose return value can be written
as a form, gradients by their names. Shapes and bounds are those that annotations, docstrings and code tell. What is
drafted from the code says so: it agrees with the code, and whether it agrees with the paper only a reader can tell.
Your code is parsed, never run.

\b
Examples:
  eqtrace init --dry-run     what would be written
  eqtrace init
  eqtrace verify             then this

\b
Exit codes: 0 done, 2 the project is set up already or can't be, 3 a fault of eqtrace.
"""


@click.command(help=_HELP, short_help="Sets a project up: settings, and drafts of entries.", context_settings=SETTINGS)
@click.option("--dry-run", "--diff", "dry", is_flag=True, help="Write nothing; show what would be written.")
@click.option("--to", "name", metavar="FILE", default="equations.yaml", show_default=True, help="The file of entries.")
def init(dry: bool, name: str) -> int:
    """Writes settings and drafts."""
    from eqtrace.code.lift.project import find
    from eqtrace.config import Config
    from eqtrace.drafting import drafts, rendered
    from eqtrace.report import atomic

    root = Path.cwd()
    pyproject, target = root / "pyproject.toml", _inside(root, name)
    before = pyproject.read_bytes() if pyproject.is_file() else b""
    _refuse(before, target, name)
    found = find(root)
    if not found.sources:
        hint = "run it where pyproject.toml stands; of an installed package, name it under `packages` in [tool.eqtrace]"
        raise EqtraceError(
            f"no Python package or module is found in {root}", f"{hint}, and `eqtrace add` drafts entries"
        )
    for each in (*found.sources, *found.tests):
        if not (root / each).resolve().is_relative_to(root.resolve()):
            raise EqtraceError(f"{each} is a link that leaves this folder", "run it in the folder that holds the code")
    after = before + _table(found, name, before)
    _refuse_broken(after)
    config = Config(root, spec=(name,), sources=found.sources, tests=found.tests, pythonpath=found.pythonpath)
    made = drafts(config)
    text = rendered(made.made)
    if dry:
        _show(pyproject.name, before.decode("utf-8"), after.decode("utf-8"))
        _show(name, "", text)
    else:
        if text:
            atomic.write(target, text.encode())
        atomic.write(pyproject, after)
        entries = f", and {_count(len(made.made))} into {name}" if text else f"; no function is drafted into {name}"
        click.echo(f"wrote [tool.eqtrace] into pyproject.toml{entries}")
    _tell(made)
    if not dry:
        click.echo("next: eqtrace verify" if made.made else _by_hand(name, made), err=True)
    return 0


def _by_hand(name: str, made: Drafts) -> str:
    example = f", like\n  {made.left[0].skeleton}" if made.left else ""
    return f"next: write a formula into {name}{example}"


def _inside(root: Path, name: str) -> Path:
    target = root / name
    if not target.resolve().is_relative_to(root.resolve()) or target.suffix != ".yaml" or not target.parent.is_dir():
        raise EqtraceError(f"--to {name}: a .yaml file in a folder of this project is wanted")
    return target


def _refuse(before: bytes, target: Path, name: str) -> None:
    import tomllib

    try:
        tool = tomllib.loads(before.decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EqtraceError(f"pyproject.toml is not valid TOML: {error}") from error
    if isinstance(tool, dict) and "eqtrace" in tool:
        raise EqtraceError("pyproject.toml has a table [tool.eqtrace] already", "`eqtrace add TARGET` drafts one entry")
    if target.exists():
        raise EqtraceError(f"{name} is there already", "choose another file with --to")


def _refuse_broken(after: bytes) -> None:
    import tomllib

    try:
        tomllib.loads(after.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise EqtraceError(
            f"[tool.eqtrace] can't be added at the end of pyproject.toml: {error}", "write the table by hand"
        ) from error


def _table(found: Found, name: str, before: bytes) -> bytes:
    lines = ["[tool.eqtrace]", f"spec = [{_quoted([name])}]", f"sources = [{_quoted(found.sources)}]"]
    lines += [f"tests = [{_quoted(found.tests)}]"]
    lines += [f"pythonpath = [{_quoted(found.pythonpath)}]"] if len(found.pythonpath) > 1 else []
    lines += ['coverage = "off"  # "report" lists arithmetic that no entry claims', ""]
    newline = "\r\n" if b"\r\n" in before else "\n"
    gap = ("" if before.endswith(b"\n") else newline) + newline if before else ""
    return (gap + newline.join(lines)).encode()


def _count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


def _quoted(names: list[str] | tuple[str, ...]) -> str:
    import json

    return ", ".join(json.dumps(each, ensure_ascii=False) for each in names)


def _show(name: str, before: str, after: str) -> None:
    import difflib

    from eqtrace.cli import output

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    shown = difflib.unified_diff(old, new, name if before else "/dev/null", name)
    output.show("".join(each if each.endswith("\n") else f"{each}\n" for each in shown))


def _tell(made: Drafts) -> None:
    from eqtrace.cli import output

    unread = [each for each in made.made if each.unread]
    if unread:
        said = "drafted from code whose docstring prints a formula that is not read, and is compared with nothing"
        click.echo(f"{_count(len(unread))} {said}", err=True)
    for each in unread:
        output.say(f"  {each.path}:{each.line}: {each.function}: {each.unread}", err=True)
    if made.left:
        click.echo(f"without a draft: {len(made.left)}", err=True)
    for other in made.left:
        output.say(f"  {other.path}:{other.line}: {other.function}: {other.reason}", err=True)
