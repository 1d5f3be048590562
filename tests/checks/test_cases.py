"""Every check on small projects: cases that must fire, at their exact place, and cases that must stay silent.

`cases/<name>.txt` holds the cases of one check. Its first line is the check: `CODE name severity`. Then, for each case,

    --- fires: TITLE | COMMAND | PATH:LINE:COLUMN
    key: value
    === PATH
    the file, in place of the base project's
    === change PATH
    - a line of it, once in the file
    + the line that stands there instead
    === bytes PATH
    the file with Python's escapes (\\xff)
    === link PATH
    where the symbolic link leads

or `--- silent: TITLE | COMMAND`. A case is laid over `base/`. The findings of a case are exactly those it names:

    shows: the text that stands at the place              related: PATH:LINE:COLUMN, the place in the code
    says: a part of the message                           hint: a part of the hint
    exit: 0 (1 unless given; a silent case's is 0)        severity: where it is not the check's own
    also: CODE name PATH:LINE:COLUMN, one more finding    fixed: PATH, which `fix` then changes, and which is clean then
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eqtrace.cli.main import run

HERE = Path(__file__).parent
TITLE = re.compile(r"--- (fires|silent): ")


@dataclass
class Case:
    """One case. `files` are (how, path, text) in their order."""

    check: str  # 'CODE name severity'
    fires: bool
    title: str
    command: str
    place: str
    said: dict[str, list[str]] = field(default_factory=dict)
    files: list[tuple[str, str, str]] = field(default_factory=list)

    def one(self, key: str, default: str = "") -> str:
        return self.said.get(key, [default])[-1]


def read(path: Path) -> Iterator[Case]:
    text = path.read_text("utf-8")
    check = text.split("\n", 1)[0]
    blocks = re.split(r"^(?=--- )", text, flags=re.MULTILINE)[1:]
    for block in blocks:
        head, *files = re.split(r"^=== ", block, flags=re.MULTILINE)
        title, *lines = head.strip().split("\n")
        assert TITLE.match(title), title
        fires = title.startswith("--- fires")
        words, command, *place = (part.strip() for part in TITLE.sub("", title).split("|"))
        case = Case(check, fires, words, command, place[0] if place else "")
        assert fires == bool(case.place), title
        for line in lines:
            key, _, value = line.partition(": ")
            case.said.setdefault(key, []).append(value)
        assert case.said.keys() <= KEYS, title
        for each in files:
            first, _, content = each.partition("\n")
            how, _, name = first.rpartition(" ")
            case.files.append((how, name, content))
        yield case


KEYS = {"shows", "related", "says", "hint", "exit", "severity", "also", "fixed"}
CASES = [case for path in sorted((HERE / "cases").glob("*.txt")) for case in read(path)]


def lay(case: Case, root: Path) -> None:
    """Writes the case's project."""
    shutil.copytree(HERE / "base", root, ignore=shutil.ignore_patterns("__pycache__"))
    for how, name, content in case.files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if how == "link":
            path.symlink_to(content.strip())
        elif how == "bytes":
            path.write_bytes(content.encode("latin-1").decode("unicode_escape").encode("latin-1"))
        elif how == "change":
            path.write_text(changed(path.read_text("utf-8"), content), "utf-8")
        else:
            assert not how, how
            path.write_text(content, "utf-8")


def changed(text: str, hunks: str) -> str:
    """A text after the changes: runs of `- ` lines, each followed by the `+ ` lines that replace it."""
    for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)*)", hunks, re.MULTILINE):
        before, after = (re.sub(r"^[-+] ?", "", part, flags=re.MULTILINE) for part in (old, new))
        assert f"\n{text}".count(f"\n{before}") == 1, f"not there once: {before}"
        text = f"\n{text}".replace(f"\n{before}", f"\n{after}")[1:]
    return text


def report(command: str, root: Path) -> tuple[int, list[dict[str, Any]]]:
    """A command's exit status and its findings, from its JSON report."""
    output = root.parent / "report.json"
    name, *options = shlex.split(command)
    where = ["--config", str(root / "pyproject.toml"), "--output-file", str(output)]
    status = run([name, *options, *where, "--format", "json"])
    findings = json.loads(output.read_text("utf-8"))["findings"]
    return status, findings


def place(row: dict[str, Any]) -> str:
    return f"{row['path']}:{row['line']}:{row['column']}"


def text_at(path: Path, line: int, column: int) -> str:
    """What stands at a place, control characters as `?`; '' where the file leads out of the project."""
    if path.is_symlink():
        return ""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f]", "?", lines[line - 1][column - 1 :])


@pytest.mark.usefixtures("quick_workers")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.check.split()[1]}: {case.title}")
def test_case(case: Case, tmp_path: Path) -> None:
    root = tmp_path / "project"
    lay(case, root)
    sources = {path: path.read_bytes() for path in root.rglob("*.py")}
    status, findings = report(case.command, root)
    found = sorted(f"{row['code']} {row['name']} {place(row)}" for row in findings)
    code, name, severity = case.check.split()
    expected = case.said.get("also", []) + ([f"{code} {name} {case.place}"] if case.fires else [])
    assert found == sorted(expected), "\n\n".join(f"{place(row)} {row['name']} {row['message']}" for row in findings)
    assert status == int(case.one("exit", "1" if case.fires else "0"))
    assert all(row["message"].strip() and row["hint"].strip() for row in findings)
    assert {path: path.read_bytes() for path in root.rglob("*.py")} == sources
    if not case.fires:
        return
    (row,) = (row for row in findings if row["name"] == name and place(row) == case.place)
    assert row["severity"] == case.one("severity", severity)
    shown = text_at(root / row["path"], row["line"], row["column"])
    assert shown.startswith(case.one("shows"))
    assert bool(shown) == ("shows" in case.said)
    assert case.one("says") in row["message"]
    assert case.one("hint") in row["hint"]
    assert [place(each) for each in row["related"]] == case.said.get("related", [])
    if "fixed" in case.said:
        fix(case, root)


def fix(case: Case, root: Path) -> None:
    """`fix` changes places of lines in the named files and nothing else; the audit is clean then."""
    before = {path: path.read_text("utf-8") for path in root.rglob("*") if path.is_file()}
    assert run(["fix", "--config", str(root / "pyproject.toml")]) == 0
    after = {path: path.read_text("utf-8") for path in root.rglob("*") if path.is_file()}
    rewritten = [path.relative_to(root).as_posix() for path in after if before.get(path) != after[path]]
    assert rewritten == case.said["fixed"]
    places = re.compile(r"[\w/]+\.py:\d+")
    assert {path: places.sub("", text) for path, text in before.items()} == {
        path: places.sub("", text) for path, text in after.items()
    }
    assert report("audit", root) == (0, [])
