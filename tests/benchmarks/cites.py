"""Citations in repositories made by replaying edits: how many are relocated right, wrong, or given up.

    python tests/benchmarks/cites.py [REPOSITORIES] [COMMITS]

Each repository starts from modules of Python's standard library and a document that cites their lines: definitions by
name, other lines by what stands there, lines without a word about them, and definitions a few lines off, wrong from the
start: in words that may mean a line within (`the start is`), in words that mean the definition, and in a section that
was written for another version of the file, so that all of it is as far off. Then edits are replayed, one a commit:
lines added, deleted and changed, functions moved, renamed and wrapped, files renamed, documents wrapped anew. Every
line keeps a tag, which is the truth; the tool never sees it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

MODULES = (
    "argparse",
    "csv",
    "textwrap",
    "shlex",
    "configparser",
    "fractions",
    "queue",
    "sched",
    "cmd",
    "bdb",
    "pprint",
)
PLANTED = "planted"
DEFINED = "planted, 'is defined at'"
SHIFTED = "planted, all as far off"
WRONG = (PLANTED, DEFINED, SHIFTED)


@dataclass
class Line:
    """A line of code; its identity is the truth."""

    text: str
    edited: bool = False


@dataclass
class Cited:
    """A citation as it was written: what it is really about, and whether its number was right then."""

    kind: str
    module: str
    number: int
    meant: Line


@dataclass
class Made:
    """A repository in the making."""

    root: Path
    rng: random.Random
    files: dict[str, list[Line]] = field(default_factory=dict)
    cited: dict[str, Cited] = field(default_factory=dict)

    def git(self, *arguments: str) -> None:
        who = {f"GIT_{w}_{k}": "b@example.org" for w in ("AUTHOR", "COMMITTER") for k in ("NAME", "EMAIL")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=self.root, env={**os.environ, **who, **quiet}, check=True)

    def commit(self) -> None:
        for name, lines in self.files.items():
            (self.root / "src").mkdir(exist_ok=True)
            (self.root / "src" / name).write_text("".join(f"{line.text}\n" for line in lines))
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "edit")


def definitions(lines: list[Line]) -> list[tuple[str, int, int]]:
    """Name, first and last line of each function and class."""
    try:
        tree = ast.parse("\n".join(line.text for line in lines))
    except SyntaxError:
        return []
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [(node.name, node.lineno, node.end_lineno or 0) for node in ast.walk(tree) if isinstance(node, kinds)]


def begin(root: Path, rng: random.Random) -> Made:
    made = Made(root, rng)
    made.git("init", "-q", "-b", "main")
    for module in rng.sample(MODULES, 3):
        source = Path(__import__(module).__file__).read_text().rstrip("\n").split("\n")
        made.files[f"{module}.py"] = [Line(text) for text in source]
    made.commit()
    text = ["# Notes", ""]
    for module in list(made.files):
        text += ["", f"## Notes on {module}", ""]
        text += rows(made, module)
    older = ["# Older notes"]
    for module in list(made.files):
        older += ["", f"## Older notes on {module}", "", *shifted(made, module)]
    (root / "docs").mkdir()
    (root / "docs" / "older.md").write_text("\n".join(older) + "\n")
    (root / "docs" / "notes.md").write_text("\n".join(text) + "\n")
    made.commit()
    return made


def rows(made: Made, module: str) -> list[str]:
    lines, rng = made.files[module], made.rng
    found = []
    once = Counter(name for name, _, _ in definitions(lines))
    named = [each for each in definitions(lines) if once[each[0]] == 1]
    for name, first, _ in rng.sample(named, min(8, len(named))):
        found.append(row(made, "named", module, first, lines[first - 1], f"- `{name}` (`%s`) does the work"))
    for name, first, _ in rng.sample(named, min(5, len(named))):
        number = max(1, min(len(lines), first + rng.choice([-30, -7, -3, 3, 5, 40])))
        found.append(row(made, PLANTED, module, number, lines[first - 1], f"- the start is `{name}` (`%s`)"))
    for name, first, _ in rng.sample(named, min(3, len(named))):
        number = max(1, min(len(lines), first + rng.choice([-30, -7, -3, 3, 5, 40])))
        found.append(row(made, DEFINED, module, number, lines[first - 1], f"- `{name}` is defined at `%s`"))
    told = [n for n, line in enumerate(lines, 1) if len(line.text.strip()) > 20]
    bare = "- one more of them is at `%s`, as it was"
    found += [row(made, "bare", module, number, lines[number - 1], bare) for number in rng.sample(told, 8)]
    return [each for each in found if each]


def shifted(made: Made, module: str) -> list[str]:
    """Definitions that a document cites as they were before lines were added above: as far off all of them."""
    lines, rng = made.files[module], made.rng
    once = Counter(name for name, _, _ in definitions(lines))
    named = [each for each in definitions(lines) if once[each[0]] == 1]
    far = rng.choice([2, 3, 4, 6, 11])
    chosen = [each for each in rng.sample(named, min(8, len(named))) if each[1] > far]
    rows = [
        row(made, SHIFTED, module, first - far, lines[first - 1], f"- `{name}` (`%s`) comes next")
        for name, first, _ in chosen
    ]
    return [each for each in rows if each]


def row(made: Made, kind: str, module: str, number: int, meant: Line, form: str) -> str:
    text = f"{module}:{number}"
    if text in made.cited:
        return ""
    made.cited[text] = Cited(kind, module, number, meant)
    return form % text


def edit(made: Made) -> None:
    rng = made.rng
    lines = made.files[rng.choice(list(made.files))]
    rng.choice([insert, insert, insert, delete, change, change, move, rename, wrap])(lines, rng)
    if rng.random() < 0.1:
        path = made.root / "docs" / "notes.md"
        path.write_text(
            path.read_text().replace("# Notes\n", "# Notes\n\nAnd a word.\n", 1).replace(" (`", "\n  (`", 1)
        )


def insert(lines: list[Line], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    lines[at:at] = [Line(f"# a remark of {rng.randrange(10**6)}") for _ in range(rng.randint(1, 12))]


def delete(lines: list[Line], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    del lines[at : at + rng.randint(1, 6)]


def change(lines: list[Line], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    if lines[at].text.strip() and "def " not in lines[at].text:
        lines[at].text += f"  # {rng.randrange(1000)}"
        lines[at].edited = True


def move(lines: list[Line], rng: random.Random) -> None:
    """A function goes elsewhere."""
    found = definitions(lines)
    if not found:
        return
    _, first, last = rng.choice(found)
    if last - first > 60:
        return
    block = lines[first - 1 : last]
    del lines[first - 1 : last]
    others = [each[2] for each in definitions(lines)] or [len(lines)]
    at = rng.choice(others)
    lines[at:at] = [Line(""), *block]


def rename(lines: list[Line], rng: random.Random) -> None:
    found = definitions(lines)
    if not found:
        return
    name, first, _ = rng.choice(found)
    for line in lines:
        if name in line.text:
            line.text = line.text.replace(name, f"{name}_{rng.randrange(100)}")
            line.edited = True
    lines[first - 1].edited = True


def wrap(lines: list[Line], rng: random.Random) -> None:
    at = rng.randrange(len(lines) - 1)
    for line in lines[at : at + rng.randint(1, 8)]:
        if line.text.strip():
            line.text = "    " + line.text


def judged(made: Made) -> Counter[tuple[str, str]]:
    run = subprocess.run(
        [sys.executable, "-m", "eqtrace", "cites", "--format", "json"], cwd=made.root, capture_output=True, text=True
    )
    tally: Counter[tuple[str, str]] = Counter()
    for each in json.loads(run.stdout)["citations"]:
        cited = made.cited[each["text"]]
        lines = made.files[cited.module]
        truth = next((n for n, line in enumerate(lines, 1) if line is cited.meant), None)
        outcome = judgement(each, cited, truth)
        tally[cited.kind, outcome] += 1
        if outcome.startswith("WRONG"):
            print(made.root.name, cited.kind, each["text"], "means", truth, json.dumps(each)[:900])
    return tally


def judgement(found: dict, cited: Cited, truth: int | None) -> str:
    proposed, status = found["proposed"], found["status"]
    place = proposed["line"] if proposed else None
    if found["fixable"]:
        return "fixed right" if place == truth else "WRONG fix"
    if status == "ok":
        right = truth == cited.number
        return "ok right" if right else ("ok, but planted" if cited.kind in WRONG else "ok, but gone or elsewhere")
    if place is not None:
        return "shown right" if place == truth else "shown, not right"
    if status in ("changed", "missing", "past-end", "mismatch"):
        return "said gone, right" if truth is None or cited.meant.edited else "given up"
    return "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="?", type=int, default=10)
    parser.add_argument("commits", nargs="?", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.repositories):
            root = Path(folder) / f"r{number}"
            root.mkdir()
            made = begin(root, random.Random(given.seed * 1000 + number))
            for _ in range(given.commits):
                edit(made)
                made.commit()
            total += judged(made)
    for kind in ("named", "bare", *WRONG):
        print(f"{kind}: {sum(n for (k, _), n in total.items() if k == kind)} citations")
        for (_, outcome), count in sorted(
            ((key, n) for key, n in total.items() if key[0] == kind), key=lambda row: -row[1]
        ):
            print(f"  {count:6} {outcome}")
    fixes = sum(n for (_, outcome), n in total.items() if outcome in ("fixed right", "WRONG fix"))
    wrong = sum(n for (_, outcome), n in total.items() if outcome == "WRONG fix")
    print(f"offered for fixing: {fixes}, wrong: {wrong}")


if __name__ == "__main__":
    main()
