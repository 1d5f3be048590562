"""`eqtrace init`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eqtrace.cli.options import SETTINGS
from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.code.lift.project import Found
    from eqtrace.drafting import Drafts

Texts = Mapping[str, tuple[str, str]]  # by file: its text before and after
_FILE = "equations.yaml"
_TOLD = 60  # functions without a draft that are told one by one
_HELP = """Sets a project up: the table [tool.eqtrace], and drafts of entries.

Finds the packages and the tests, adds the table at the end of pyproject.toml (nothing else in it changes), and writes
a file of entries in short form: formulas that docstrings print, functions and methods whose return value can be written
as a form, gradients by their names. Shapes and bounds are those that annotations, docstrings and code tell. What is
drafted from the code says so: it agrees with the code, and whether it agrees with the paper only a reader can tell.
Your code is parsed, never run.

Where pyproject.toml has the table already, it stays as it is: functions without an entry get one, where their module
has entries, else in the file that `spec` or --to names.

\b
Examples:
  eqtrace init --dry-run     what would be written
  eqtrace init
  eqtrace verify             then this

\b
Exit codes: 0 done, 2 it can't be set up, or the file is there already, 3 a fault of eqtrace.
"""


@click.command(help=_HELP, short_help="Sets a project up: settings, and drafts of entries.", context_settings=SETTINGS)
@click.option("--dry-run", "--diff", "dry", is_flag=True, help="Write nothing; show what would be written.")
@click.option("--to", "name", metavar="FILE", help=f"The file of entries, otherwise {_FILE} or what `spec` names.")
def init(dry: bool, name: str | None) -> int:
    """Writes settings and drafts."""
    from eqtrace.report import atomic

    root = Path.cwd()
    pyproject = root / "pyproject.toml"
    before = pyproject.read_bytes() if pyproject.is_file() else b""
    if _has_table(before):
        made, files = _more(pyproject, name)
        settings = before
    else:
        made, files, settings = _new(root, name or _FILE, before)
    if dry:
        if settings != before:
            _show(pyproject.name, before.decode("utf-8"), settings.decode("utf-8"))
        for file, texts in files.items():
            _show(file, *texts)
    else:
        for file, (_, text) in files.items():
            atomic.write(root / file, text.encode())
        atomic.write(pyproject, settings)
        wrote = ["[tool.eqtrace] into pyproject.toml"] * (settings != before)
        wrote += [f"{_count(len(made.made))} into {', '.join(files)}"] * bool(files)
        if not files:
            click.echo("no function is drafted that has no entry")
        if wrote:
            click.echo(f"wrote {', and '.join(wrote)}")
    _tell(made)
    if not dry:
        click.echo("next: eqtrace verify" if made.made else _by_hand(name or _FILE, made), err=True)
    return 0


def _new(root: Path, name: str, before: bytes) -> tuple[Drafts, Texts, bytes]:
    """What is written for a project that has no settings, and pyproject.toml with them."""
    from eqtrace.code.lift.project import find
    from eqtrace.config import Config
    from eqtrace.drafting import drafts, rendered

    _refuse(root, name)
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
    return made, {name: ("", rendered(made.made))} if made.made else {}, after


def _more(pyproject: Path, name: str | None) -> tuple[Drafts, Texts]:
    """What is written for a project with settings: entries of functions without one, by module."""
    from eqtrace.config import load_file
    from eqtrace.drafting import drafts, entered, rendered
    from eqtrace.spec.files import covers
    from eqtrace.spec.load import load
    from eqtrace.spec.read import read as text_of

    config = load_file(pyproject)
    if not config.sources:
        raise EqtraceError("`sources` in [tool.eqtrace] names no code to draft from")
    specification = load(config)
    if specification.faults:
        fault = specification.faults[0]
        raise EqtraceError(f"the specification has errors: {fault.span}: {fault.message}", "`eqtrace audit` tells all")
    plain = [each for each in config.spec if not set("*?[") & set(each)]
    given = next((each for each in plain if not (config.root / each).exists()), plain[0] if plain else _FILE)
    name = os.path.normpath(name or given)
    known = {equation.id for equation in specification.equations}
    cited = {(each.path, each.function) for equation in specification.equations for each in equation.anchors}
    made = drafts(replace(config, spec=(name,)), known, cited)
    homes = {topic.id: topic.span.path for topic in specification.topics if topic.short}
    files: dict[str, tuple[str, str]] = {}
    for file in dict.fromkeys(homes.get(each.module, name) for each in made.made):
        own = [each for each in made.made if homes.get(each.module, name) == file]
        _refuse(config.root, file, new=False)
        if not (config.root / file).exists():
            files[file] = "", rendered(own)
            continue
        read = text_of(config.root.resolve(), file)
        if not isinstance(read, str):
            raise EqtraceError(f"{file}: {read.message}", read.hint)
        before = text = (config.root / file).read_bytes().decode("utf-8")
        for each in own:
            text = entered(file, text, each)[1]
        files[file] = before, text
    if name in files and not any(covers(each, name) for each in config.spec):
        hint = f"name a file with --to: it has {', '.join(config.spec)}"
        raise EqtraceError(f"`spec` in [tool.eqtrace] does not cover {name}", hint)
    return made, files


def _by_hand(name: str, made: Drafts) -> str:
    example = f", like\n  {made.left[0].skeleton}" if made.left else ""
    return f"next: write a formula into {name}{example}"


def _refuse(root: Path, name: str, new: bool = True) -> None:
    """Refuses to write a file outside of the project, or over another.

    Raises:
        EqtraceError: why not.
    """
    target = root / name
    if not target.resolve().is_relative_to(root.resolve()) or target.suffix != ".yaml" or not target.parent.is_dir():
        raise EqtraceError(f"--to {name}: a .yaml file in a folder of this project is wanted")
    if target.exists() and (new or not target.is_file()):
        raise EqtraceError(f"{name} is there already", "choose another file with --to")


def _has_table(text: bytes) -> bool:
    import tomllib

    try:
        tool = tomllib.loads(text.decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EqtraceError(f"pyproject.toml is not valid TOML: {error}") from error
    return isinstance(tool, dict) and "eqtrace" in tool


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
        said = "drafted from code whose docstring says something else, or prints a formula that is not read"
        click.echo(f"{_count(len(unread))} {said}", err=True)
    for each in unread:
        output.say(f"  {each.path}:{each.line}: {each.function}: {each.unread}", err=True)
    if made.left:
        click.echo(f"without a draft: {len(made.left)}", err=True)
    documented_first = sorted(made.left, key=lambda other: "; its docstring" not in other.reason)
    for other in documented_first[:_TOLD]:
        output.say(f"  {other.path}:{other.line}: {other.function}: {other.reason}", err=True)
    if (more := len(made.left) - _TOLD) > 0:
        click.echo(f"  and {more} more: `eqtrace add FILE:LINE` tells the reason of one", err=True)
