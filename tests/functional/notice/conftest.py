"""A copy of the repository's implementation and specification, to be edited and verified."""

from __future__ import annotations

import ast
import functools
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from eqtrace import auditing, runner
from eqtrace.config import Config, load
from eqtrace.link import fix
from eqtrace.model.anchor import Anchor
from eqtrace.model.results import Results
from eqtrace.model.span import Text
from eqtrace.spec import topic
from eqtrace.spec.context import Context
from eqtrace.spec.document import Document
from eqtrace.spec.files import files

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("impl", "spec", "tests/impl")


class Copy:
    """A copy of impl/, spec/, tests/impl/ and pyproject.toml in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in FOLDERS:
            ignored = shutil.ignore_patterns("__pycache__", "reviews.yaml")  # who has reviewed what is left out
            shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", root)

    @property
    def config(self) -> Config:
        return load(self.root)

    def line(self, path: str, text: str) -> int:
        """The one line of a file that is `text`, white space at its ends and a linter's comment aside."""
        lines = [line.partition("  # noqa")[0].strip() for line in self.read(path).splitlines()]
        assert lines.count(text) == 1, f"{path} holds {lines.count(text)} lines {text!r}"
        return lines.index(text) + 1

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        """Replaces the one place of a text in a file."""
        text = self.read(path)
        assert text.count(old) == 1, f"{path} holds {text.count(old)} times {old!r}"
        self.write(path, text.replace(old, new))

    def edit(self, path: str, old: str, new: str) -> int:
        """Replaces one line of the source, its indentation kept (new lines follow it too); returns its number."""
        number = self.line(path, old)
        lines = self.read(path).splitlines(keepends=True)
        line = lines[number - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines[number - 1] = "".join(f"{indent}{part}\n" for part in new.split("\n"))
        self.write(path, "".join(lines))
        return number

    def edit_anchors(self, path: str, old: str, new: str, bind: Mapping[str, str] | None = None) -> int:
        """Writes `new` as the code of every anchor that quotes `old`, and its binds; returns how many there were."""
        texts: list[tuple[Text, str]] = []
        quoting = [
            anchor
            for file in files(self.config)
            for anchor in _anchors(file, self.read(file))
            if anchor.path == path and _same(anchor.code, old)
        ]
        for anchor in quoting:
            texts += [(text, bind[name]) for name, text in anchor.bind.items() if bind and name in bind]
        for file in {anchor.span.path for anchor in quoting}:
            self._scalars(file, [pair for pair in texts if pair[0].span.path == file], old, new)
        return len(quoting)

    def _scalars(self, file: str, binds: list[tuple[Text, str]], old: str, new: str) -> None:
        lines = self.read(file).split("\n")
        for text, value in sorted(binds, key=lambda pair: pair[0].span, reverse=True):
            span = text.span
            line = lines[span.line - 1]
            lines[span.line - 1] = line[: span.column - 1] + _quoted(value) + line[span.end_column - 1 :]
        self.write(file, "\n".join(lines).replace(f"code: {_quoted(old)}", f"code: {_quoted(new)}"))

    def fix(self) -> tuple[str, ...]:
        """Rewrites the lines that moved; returns the files written."""
        results = auditing.audit(self.config, None)
        return fix.apply(self.root, fix.edits([*results.matches.values(), *results.waivers]))[0]

    def audit(self, *equations: str) -> Results:
        return auditing.audit(self.config, frozenset(equations) or None)

    def verify(self, *equations: str) -> Results:
        return runner.verify(self.config, frozenset(equations) or None)


@functools.cache  # of most files, every copy has the same
def _anchors(file: str, text: str) -> tuple[Anchor, ...]:
    """What a file of the specification cites."""
    found = topic.read(Document(file, text), Context())
    assert found is not None, file
    return tuple(anchor for equation in found.equations for anchor in equation.anchors)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _same(left: str, right: str) -> bool:
    try:
        return ast.dump(ast.parse(left)) == ast.dump(ast.parse(right))
    except SyntaxError:
        return left == right


@pytest.fixture
def copy(tmp_path: Path, quick_workers: None) -> Copy:
    return Copy(tmp_path)


@pytest.fixture
def copies(tmp_path: Path, quick_workers: None) -> Callable[[str], Copy]:
    """Several copies, each in its own folder."""
    return lambda name: Copy(tmp_path / name)
