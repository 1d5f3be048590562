"""Anchors on released versions of public packages, followed to a release a year or more later.

Statements are drawn from the older release and looked for in the newer one: by eqtrace without git, by eqtrace in a
repository of two commits, and by `git blame -C -C -M` in the same repository. What is right is told by an independent
method, difflib's mapping of lines, see `truth`; and for 100 of those of which it says nothing, or another place, by
reading them: `relocation_read.yaml`. Prints a table, and every place where eqtrace says another one.

Wheels are downloaded by pip, once, into --folder.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import yaml

from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import same
from eqtrace.link import relocate
from eqtrace.link.anchor_code import parse_code
from eqtrace.link.match import match
from eqtrace.link.relocate import Homes
from eqtrace.model.anchor import Anchor, Role, Status
from eqtrace.model.span import Span

PACKAGES = (
    ("click", "7.1.2", "8.1.7"),
    ("flask", "1.1.4", "3.0.0"),
    ("requests", "2.20.0", "2.32.3"),
    ("jinja2", "2.11.3", "3.1.4"),
    ("attrs", "19.3.0", "23.2.0"),
    ("rich", "9.13.0", "13.7.1"),
    ("networkx", "2.5", "3.3"),
    ("httpx", "0.16.1", "0.27.0"),
    ("mpmath", "1.2.1", "1.4.1"),
    ("werkzeug", "1.0.1", "3.0.3"),
)
_CONTEXT = 3  # lines in a row that difflib must have matched for one of them to be believed
_TELLING = 20  # characters of a line that is believed because its text stands once in each release
_READ = Path(__file__).with_name("relocation_read.yaml")
_METHODS = ("eqtrace, no git", "eqtrace, git", "git blame")

Place = tuple[str, int]


@dataclass(frozen=True)
class Release:
    """The Python files of a release, by their path from the folder that holds the packages."""

    files: dict[str, list[str]]


def main() -> int:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "eqtrace-relocation"))
    parser.add_argument("--statements", type=int, default=200, help="how many of each package (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="show also where eqtrace gives up")
    options = parser.parse_args()
    relocate.SECONDS = 3600.0  # what is measured is where anchors go, and not how long git takes on this machine
    totals: dict[str, Counter[str]] = {name: Counter() for name in _METHODS}
    wrong: list[str] = []
    for name, old, new in PACKAGES:
        try:
            folders = [fetched(options.folder, name, version) for version in (old, new)]
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{name}: left out, it could not be downloaded ({error})", file=sys.stderr)
            continue
        counts = measured(name, folders, options, wrong)
        for method, each in counts.items():
            totals[method] += each
        print(f"{name} {old} -> {new}: " + "; ".join(f"{method}: {shown(each)}" for method, each in counts.items()))
    print()
    print(f"{'':18} {'right':>6} {'wrong':>6} {'given up':>9} {'unsure':>7}   of those that still exist")
    for method, each in totals.items():
        exist = each["right"] + each["wrong"] + each["given up"]
        share = f"{each['right'] / exist:.1%} right, {each['wrong']} wrong" if exist else "none"
        print(f"{method:18} {each['right']:6} {each['wrong']:6} {each['given up']:9} {each['unsure']:7}   {share}")
    print("unsure: found, where difflib tells nothing. To be looked at by hand:")
    print("\n".join(wrong) or "nothing")
    return 0


def whole(anchor: Anchor, mapping: dict[Place, Place]) -> Place | None:
    """Where all lines of a statement went together; None where one of them is gone, or difflib tells nothing of one."""
    first = mapping.get((anchor.path, anchor.line))
    last = anchor.line + anchor.code.count("\n")
    went = [mapping.get((anchor.path, line)) for line in range(anchor.line, last + 1)]
    if first is None or went != [(first[0], first[1] + step) for step in range(len(went))]:
        return None
    return first


def read() -> dict[tuple[str, str, str], Place | None]:
    """What was read by hand: where a statement of a package and release is in the newer one; None where it is gone."""
    found: dict[tuple[str, str, str], Place | None] = {}
    for row in yaml.safe_load(_READ.read_text(encoding="utf-8")):
        place = row["now"] if row["verdict"] == "right" else row["is"]
        path, _, line = (place or "").rpartition(":")
        found[row["package"], row["old"], row["at"]] = (path, int(line)) if place else None
    return found


def shown(counts: Counter[str]) -> str:
    """Counts in short."""
    return ", ".join(f"{counts[word]} {word}" for word in ("right", "wrong", "given up", "unsure"))


def fetched(folder: Path, name: str, version: str) -> Path:
    """A release's wheel, unpacked; its metadata aside."""
    target = folder / f"{name}-{version}"
    if not target.exists():
        with tempfile.TemporaryDirectory() as work:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            subprocess.run([*command, "--dest", work, f"{name}=={version}"], check=True, capture_output=True)
            (wheel,) = Path(work).glob("*.whl")
            unpacked = Path(work, "unpacked")
            zipfile.ZipFile(wheel).extractall(unpacked)
            for info in unpacked.glob("*.dist-info"):
                shutil.rmtree(info)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(unpacked, target)
    return target


def measured(name: str, folders: list[Path], options: argparse.Namespace, wrong: list[str]) -> dict[str, Counter[str]]:
    """What each method says of a package's statements, held against the truth."""
    old, new = (Release(files(folder)) for folder in folders)
    anchors = drawn(folders[0], random.Random(f"{name} {options.seed}"), options.statements)
    mapping = truth(old, new)
    said = {"eqtrace, no git": followed(folders[1], anchors)}
    with tempfile.TemporaryDirectory() as work:
        repository(Path(work), folders)
        said["eqtrace, git"] = followed(Path(work), anchors)
        said["git blame"] = blamed(Path(work), anchors, new)
    by_hand, version = read(), folders[0].name.removeprefix(f"{name}-")
    counts: dict[str, Counter[str]] = {}
    for method in _METHODS:
        counts[method] = Counter()
        for anchor in anchors:
            key, found = (name, version, f"{anchor.path}:{anchor.line}"), said[method][anchor.id]
            right = by_hand[key] if key in by_hand else whole(anchor, mapping)
            unsure = right is None and key not in by_hand
            word = "unsure" if found and unsure else "right" if found == right else "wrong"
            word = ("given up" if right else "gone") if found is None else word
            counts[method][word] += 1
            if method != "git blame" and (word in ("wrong", "unsure") or (options.show and word == "given up")):
                place = f"{name} {method}: {word}: {anchor.path}:{anchor.line} `{anchor.code.splitlines()[0][:70]}`"
                wrong.append(f"{place} is at {found and f'{found[0]}:{found[1]}'}, right: {right}")
    return counts


def files(folder: Path) -> dict[str, list[str]]:
    """The lines of all Python files that can be read."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        try:
            found[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError:
            continue
    return found


def index_of(folder: Path) -> Index:
    """An index of all its files."""
    settings = {"root": folder, "sources": (".",), "tests": (), "packages": (), "pythonpath": (".",)}
    return Index(SimpleNamespace(**settings))  # type: ignore[arg-type]


def drawn(folder: Path, rng: random.Random, wanted: int) -> list[Anchor]:
    """Anchors to random statements in functions, such as a reader would cite."""
    index = index_of(folder)
    every: list[tuple[SourceFile, Statement]] = []
    for path in index.sources():
        file = index.file(path)
        if file is not None:
            every += [(file, item) for item in file.statements if item.function in file.functions and item.function]
    citable = [
        (file, item)
        for file, item in every
        if not isinstance(item.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and parse_code(item.source).node is not None
    ]
    anchors = []
    for number, (file, item) in enumerate(rng.sample(citable, min(wanted, len(citable)))):
        equal = [each for each in file.statements_in(item.function) if same(each.node, item.node)]
        occurrence = equal.index(item) if len(equal) > 1 else None
        anchors.append(
            Anchor(
                f"e{number}/computes/0",
                Role.COMPUTES,
                file.path,
                item.line,
                item.function,
                item.source,
                Span("spec.yaml", 1),
                occurrence=occurrence,
            )
        )
    return anchors


def truth(old: Release, new: Release) -> dict[Place, Place]:
    """Where lines went, by difflib: in rows of equal lines, or as the one line of that text in both releases."""
    found: dict[Place, Place] = {}
    for path, lines in old.files.items():
        other = path if path in new.files else _renamed(path, lines, new)
        if other is None:
            continue
        matcher = difflib.SequenceMatcher(None, lines, new.files[other], autojunk=False)
        for block in matcher.get_matching_blocks():
            if sum(bool(line.strip()) for line in lines[block.a : block.a + block.size]) >= _CONTEXT:
                for step in range(block.size):
                    found[path, block.a + step + 1] = other, block.b + step + 1
    once_old, once_new = _once(old), _once(new)
    for text, place in once_old.items():
        if place not in found and text in once_new:
            found[place] = once_new[text]
    return found


def _renamed(path: str, lines: list[str], new: Release) -> str | None:
    """The file of the newer release that has most of a file's lines."""
    mine = {line.strip() for line in lines if line.strip()}
    shares = {
        other: len(mine & {line.strip() for line in theirs}) / max(1, len(mine)) for other, theirs in new.files.items()
    }
    best = max(shares, key=lambda each: shares[each], default=None)
    return best if best is not None and shares[best] > 0.5 else None


def _once(release: Release) -> dict[str, Place]:
    """Lines whose text stands once in a release."""
    seen: dict[str, Place | None] = {}
    for path, lines in release.files.items():
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if len(text) >= _TELLING:
                seen[text] = None if text in seen else (path, number)
    return {text: place for text, place in seen.items() if place is not None}


def followed(folder: Path, anchors: list[Anchor]) -> dict[str, Place | None]:
    """Where eqtrace says that anchors are: what it is sure of, and would write."""
    index = index_of(folder)
    homes = Homes(index, anchors)
    found: dict[str, Place | None] = {}
    for anchor in anchors:
        result = match(anchor, index, homes)
        sure = result.status in (Status.OK, Status.MOVED) and result.span is not None
        found[anchor.id] = (result.span.path, result.span.line) if sure and result.span is not None else None
    return found


def repository(folder: Path, releases: list[Path], beside: Mapping[str, str] | None = None) -> None:
    """A repository with a commit for each release, and the files that stand beside both."""
    git(folder, "init", "--quiet")
    for release in releases:
        for path in folder.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(release, folder, dirs_exist_ok=True)
        for path, text in (beside or {}).items():
            Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, path).write_text(text, encoding="utf-8")
        git(folder, "add", "--all")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "release")


def blamed(folder: Path, anchors: list[Anchor], new: Release) -> dict[str, Place | None]:
    """Where git's blame says that the anchors' lines went."""
    found = blame(folder, new)
    return {anchor.id: found.get((anchor.path, anchor.line)) for anchor in anchors}


def blame(folder: Path, new: Release) -> dict[Place, Place]:
    """Where git's blame says that the lines of the older release went; the first of several places."""
    older = git(folder, "rev-parse", "HEAD~1").strip()
    found: dict[Place, Place] = {}
    for path in new.files:
        for line in git(folder, "blame", "-C", "-C", "-M", "--line-porcelain", "HEAD", "--", path).split("\n"):
            words = line.split(" ")
            if len(words) in (3, 4) and len(words[0]) == 40 and words[1].isdecimal():
                commit, source, target = words[0], int(words[1]), int(words[2])
            elif line.startswith("filename ") and commit == older:
                found.setdefault((line.removeprefix("filename "), source), (path, target))
    return found


def git(folder: Path, *arguments: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
