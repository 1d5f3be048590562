"""Every fenced block of the documentation: files are written, commands are run, what they say is held against the page.

The words behind a fence's language say what becomes of a block:

    file=PATH            it is written there; with file=+PATH appended
    console              each line behind `$` is run, and the lines below it must occur in what it says, in any place;
                         with numbers=any whatever numbers it says, with in=repository in this repository's folder
    check=spec|pages|config   a part of such a file, which is read as one

A page is one project: its blocks run in their order, in a folder that is empty at first. What stands for itself is
marked by a comment before it, which gives the reason: <!-- not run: ... -->. A page may start with a copy of a folder
of this repository: <!-- starts with a copy of FOLDER -->.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from inspect import Parameter, signature
from pathlib import Path
from typing import get_args

import pytest

import eqtrace
from eqtrace.cli.main import cli
from eqtrace.config import load_file
from eqtrace.model.verdict import Verdict
from eqtrace.project import LOSING
from eqtrace.spec.schema import Method

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", *(str(each.relative_to(ROOT)) for each in sorted(ROOT.glob("docs/**/*.md"))))
_MADE = shutil.ignore_patterns("__pycache__", ".eqtrace")
PROGRAMS = {"eqtrace": "-m eqtrace", "python": "", "sphinx-build": "-m sphinx"}
_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")
_COPY = re.compile(r"<!-- starts with a copy of (?P<folder>\S+) -->")
_EXCUSE = re.compile(r"<!-- not run: (?P<reason>.{10,}) -->")


@dataclass
class Block:
    """A fenced block, the words behind its language, and why it is not run ('' where it is)."""

    page: str
    line: int
    kind: str
    words: dict[str, str]
    body: str
    excuse: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass
class Place:
    """A folder with a shell in it."""

    folder: Path
    environment: dict[str, str]
    ran: list[str] = field(default_factory=list)

    def call(self, command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        self.ran.append(command)
        return subprocess.run(
            ["sh", "-c", command],
            cwd=folder or self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )


def blocks(page: str) -> Iterator[Block]:
    lines = (ROOT / page).read_text("utf-8").split("\n")
    number = 0
    while number < len(lines):
        opened = _FENCE.match(lines[number])
        if opened is None:
            number += 1
            continue
        end = next(each for each in range(number + 1, len(lines)) if lines[each].strip() == "```")
        before = next((each for each in reversed(lines[:number]) if each.strip()), "")
        excuse = _EXCUSE.search(before)
        kind, *words = opened["info"].split() or [""]
        body = "".join(f"{each.removeprefix(opened['indent'])}\n" for each in lines[number + 1 : end])
        told = dict(word.split("=", 1) for word in words)
        yield Block(page, number + 1, kind, told, body, excuse["reason"] if excuse else "")
        number = end + 1


@pytest.fixture
def place(tmp_path: Path) -> Place:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, called in PROGRAMS.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {called} "$@"\n')
        (programs / name).chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    path = os.pathsep.join([str(ROOT / "trace"), str(folder)])
    author = {f"GIT_{who}_{what}": "me@me.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": path, "NO_COLOR": "1"}
    return Place(folder, {**environment, **author, "GIT_CONFIG_GLOBAL": "/dev/null", "COLUMNS": "120"})


def written(block: Block, place: Place) -> None:
    name = block.words["file"]
    path = place.folder / name.removeprefix("+")
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text("utf-8") if name.startswith("+") else ""
    path.write_text(before + block.body, "utf-8")


def ran(block: Block, place: Place) -> None:
    folder = {"": None, "repository": ROOT}[block.words.get("in", "")]
    plain = {"": str, "any": lambda text: re.sub(r"\d+(\.\d+)?(e[+-]\d+)?", "0", text)}[block.words.get("numbers", "")]
    parts = re.split(r"^\$ ", block.body, flags=re.MULTILINE)
    assert not parts[0].strip(), f"{block}: lines before the first command"
    assert parts[1:], f"{block}: no command"
    for part in parts[1:]:
        command, *expected = part.splitlines()
        while command.endswith("\\"):
            command = command[:-1] + expected.pop(0).strip()
        done = place.call(command, folder)
        shown = done.stdout + done.stderr
        assert done.returncode == 0, f"{block}: {command}\n{shown}"
        for line in expected:
            assert plain(line.strip()) in plain(shown), f"{block}: {command}\nnot said: {line}\n{shown}"


def checked(block: Block, place: Place) -> None:
    folder = place.folder.parent / "check"
    folder.mkdir(exist_ok=True)
    kind = block.words["check"]
    settings = {"spec": 'spec = ["part.yaml"]', "pages": 'pages = "part.yaml"'}
    text = block.body if kind == "config" else f"[tool.eqtrace]\n{settings[kind]}\n"
    (folder / "pyproject.toml").write_text(text, "utf-8")
    (folder / "part.yaml").write_text(block.body, "utf-8")
    config = load_file(folder / "pyproject.toml")
    if kind != "config":
        faults = [each for each in eqtrace.load(config).faults if each.kind in LOSING]
        assert not faults, f"{block}: {[each.message for each in faults]}"


def handler(block: Block) -> Callable[[Block, Place], None] | None:
    if "file" in block.words:
        return written
    if block.kind == "console":
        return ran
    return checked if "check" in block.words else None


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_run_or_says_why_not(page: str, place: Place) -> None:
    if copied := _COPY.search((ROOT / page).read_text("utf-8")):
        shutil.copytree(ROOT / copied["folder"], place.folder, dirs_exist_ok=True, ignore=_MADE)
    for block in blocks(page):
        act = handler(block)
        assert (act is None) == bool(block.excuse), f"{block}: nothing runs this block, and nothing says why"
        if act is not None:
            act(block, place)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if target.startswith("https://"):
            continue
        path, _, heading = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), f"{page}: {target}"
        if heading:
            found = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), flags=re.MULTILINE)
            assert heading in [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in found], target


def test_methods_and_verdicts_have_their_sections() -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / "docs/methods.md").read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    parts = dict(re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE))
    assert re.findall(r"^### (.*)$", parts["Methods"], re.MULTILINE) == list(get_args(Method))
    assert re.findall(r"^### (.*)$", parts["Verdicts"], re.MULTILINE) == [each.value for each in Verdict]


def test_every_command_has_its_page() -> None:
    assert {each.stem for each in (ROOT / "docs" / "howto").glob("*.md")} == {*cli.commands}


def test_the_api_page_is_what_is_exported() -> None:
    """Its first cells are the public names, with the parameters and defaults that they have."""
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w.]+)(\(.*?\))?` \|", text, flags=re.MULTILINE)
    members = {name for name, _ in rows if "." in name}
    assert {name for name, _ in rows} - members == {*eqtrace.__all__} - {"strategies"}
    assert members == {"strategies.inputs", "strategies.equation"}
    for name, arguments in rows:
        found = eqtrace
        for part in name.split("."):
            found = getattr(found, part)
        if arguments:
            shown = [each.replace(annotation=each.empty) for each in signature(found).parameters.values()]
            assert f"({_written(shown)})" == arguments, name


def test_what_the_api_page_lists_of_a_type_is_there() -> None:
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    section = text[text.index("## What they give") : text.index("## In tests")]
    for name, told in re.findall(r"^\| `(\w+)` \| (.*) \|$", section, flags=re.MULTILINE):
        found = getattr(eqtrace, name)
        if isinstance(found, type):
            wanted = set(re.findall(r"`([A-Za-z_]+)(?:\(\w+\))?`", told)) - {"path", "line", "column"}
            known = {*dir(found), *getattr(found, "__dataclass_fields__", ()), "hint"}
            assert wanted <= known, f"{name}: {wanted - known}"
            if issubclass(found, Enum):
                assert wanted == {each.name for each in found}


def _written(parameters: list[Parameter]) -> str:
    parts: list[str] = []
    for each in parameters:
        if each.kind is Parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(each.name if each.default is each.empty else f"{each.name}={json.dumps(each.default)}")
    return ", ".join(parts).replace("null", "None").replace("true", "True")
