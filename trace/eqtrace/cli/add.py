"""`eqtrace add`."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eqtrace.cli.options import SETTINGS
from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.code.index import Index
    from eqtrace.config import Config
    from eqtrace.drafting import Draft

_HELP = """Drafts the entry of one function, and adds it to a file in short form.

TARGET is `module:function`, `path/file.py::function`, or FILE:LINE of any line of the function. The entry is added at
the end of the file that has entries of its module, else of the first file in short form; nothing else changes. Your
code is parsed, never run.

\b
Examples:
  eqtrace add mypkg.shapes:gaussian
  eqtrace add mypkg/shapes.py:12 --dry-run

\b
Exit codes: 0 done, 2 there is no such function, or no draft of it (the reason is told), 3 a fault of eqtrace.
"""


@click.command(help=_HELP, short_help="Drafts the entry of one function.", context_settings=SETTINGS)
@click.argument("target")
@click.option("--dry-run", "--diff", "dry", is_flag=True, help="Write nothing; print the entry.")
@click.option("--to", "name", metavar="FILE", help="The file that the entry is added to.")
def add(target: str, dry: bool, name: str | None) -> int:
    """Adds one entry."""
    from eqtrace.code.index import Index
    from eqtrace.config import load
    from eqtrace.drafting import entered, of_functions
    from eqtrace.report import atomic

    config = load(Path.cwd())
    index = Index(config)
    path, function = _function(target, index)
    found = of_functions(config, index, [(path, function)])
    if not found.made:
        if not found.left:
            raise EqtraceError(f"{path}: {function}: is no function")
        left = found.left[0]
        raise EqtraceError(f"{path}: {function}: {left.reason}", f"write its formula by hand: {left.skeleton}")
    draft = found.made[0]
    file, before = _file(config, draft, name)
    entry, after = entered(file, before, draft)
    if dry:
        click.echo(entry, nl=False)
        return 0
    (config.root / file).parent.mkdir(parents=True, exist_ok=True)
    atomic.write(config.root / file, after.encode())
    click.echo(f"{file}: added {draft.target}\n{entry}", nl=False)
    return 0


def _function(target: str, index: Index) -> tuple[str, str]:
    from eqtrace.code.source import Statement
    from eqtrace.link.target import resolve_target

    path, _, line = target.rpartition(":")
    if line.isdigit() and path.endswith(".py"):
        path = _relative(path, index)
        file = index.file(path)
        if file is None:
            problem = index.problem(path)
            raise EqtraceError(f"{path}: {problem.message if problem else 'no such file'}")
        around = [
            (node.lineno, name)
            for name, node in file.functions.items()
            if not isinstance(node, ast.Module) and node.lineno <= int(line) <= (node.end_lineno or 0)
        ]
        if not around:
            raise EqtraceError(f"{path}:{line} stands in no function")
        return path, max(around)[1]
    found = resolve_target(target, index)
    if isinstance(found, Statement):
        return found.file.path, found.function
    near = ", ".join(f"{each.span.path}:{each.span.line} ({each.reason})" for each in found)
    raise EqtraceError(
        f"there is no function `{target}`", f"nearest: {near}" if near else "'package.module:function' is wanted"
    )


def _relative(path: str, index: Index) -> str:
    """A path as it is typed, from the current folder, or from the root."""
    here = (Path.cwd() / path).resolve()
    return here.relative_to(index.root).as_posix() if here.is_relative_to(index.root) and here.is_file() else path


def _file(config: Config, draft: Draft, name: str | None) -> tuple[str, str]:
    """The file that gets an entry, and its text."""
    from eqtrace.spec.files import files
    from eqtrace.spec.load import load
    from eqtrace.spec.read import read

    specification = load(config)
    known = next((each for each in specification.equations if each.id == draft.target), None)
    if known is not None:
        raise EqtraceError(f"{draft.target} has an entry already: {known.span.path}:{known.span.line}")
    short = [topic for topic in specification.topics if topic.short]
    own = [topic.span.path for topic in short if topic.id == draft.module]
    plain = [each for each in config.spec if not set("*?[") & set(each)]
    name = name or next(iter((*own, *(topic.span.path for topic in short), *plain)), None)
    if name is None:
        raise EqtraceError("no file in short form is there yet", "name one that `spec` covers: --to spec/drafts.yaml")
    target = (config.root / name).resolve()
    if not target.is_relative_to(config.root.resolve()) or target.suffix not in (".yaml", ".yml"):
        raise EqtraceError(f"--to {name}: a YAML file inside the project is wanted")
    if name not in files(config) and not target.exists():
        return name, ""
    text = read(config.root.resolve(), name)
    if not isinstance(text, str):
        raise EqtraceError(text.message, text.hint)
    return name, text
