"""Prose that cites released versions of public packages, followed to a release a year or more later.

The packages and the truth are those of `relocation.py`. A repository of two commits holds the older release and a
document that cites it, then the newer release: 100 definitions by name, 100 statements of which nothing is said, and 50
definitions that the document misses by a few lines from the start. Beside `eqtrace cites` stands `git blame -C -C -M`,
which knows of no wrong beginnings. Prints a table, and every place where cites would write another line than the truth.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import relocation
from relocation import Place, Release

from eqtrace.cites.outline import Outline

KINDS = ("definitions by name", "lines without a name", "wrong from the start")
METHODS = ("cites: written or as it is", "cites: shown", "git blame")


@dataclass(frozen=True)
class Cited:
    """A citation: where the document says, and what it is about."""

    kind: str
    path: str
    line: int
    meant: int
    text: str


def main() -> int:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "eqtrace-relocation"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    totals: dict[tuple[str, str], Counter[str]] = {(kind, method): Counter() for kind in KINDS for method in METHODS}
    wrong: list[str] = []
    for name, old, new in relocation.PACKAGES:
        try:
            folders = [relocation.fetched(options.folder, name, version) for version in (old, new)]
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{name}: left out, it could not be downloaded ({error})", file=sys.stderr)
            continue
        for key, counts in measured(name, folders, random.Random(f"{name} {options.seed}"), wrong).items():
            totals[key] += counts
        print(f"{name} {old} -> {new}: done", file=sys.stderr)
    print(f"{'':22} {'':28} {'right':>6} {'wrong':>6} {'given up':>9} {'gone':>5} {'unsure':>7}")
    for (kind, method), each in totals.items():
        words = [each[word] for word in ("right", "wrong", "given up", "gone", "unsure")]
        exist = sum(words[:3])
        row = f"{words[0]:6} {words[1]:6} {words[2]:9} {words[3]:5} {words[4]:7}"
        print(f"{kind:22} {method:28} {row}   {words[0] / max(1, exist):.1%} of those that difflib follows")
    print("\n".join(wrong) or "nothing wrong would be written")
    return 0


def measured(
    name: str, folders: list[Path], rng: random.Random, wrong: list[str]
) -> dict[tuple[str, str], Counter[str]]:
    """What each method says of a package's citations, held against the truth."""
    old, new = (Release(relocation.files(folder)) for folder in folders)
    cited = drawn(old, rng)
    mapping = relocation.truth(old, new)
    with tempfile.TemporaryDirectory() as work:
        judged, blamed = followed(Path(work), folders, cited, new)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for each in cited:
        right = mapping.get((each.path, each.meant))
        verdict = judged[each.text]
        said = {
            METHODS[0]: written(verdict),
            METHODS[1]: shown(verdict),
            METHODS[2]: blamed.get((each.path, each.line)),
        }
        for method, place in said.items():
            word = scored(place, right)
            counts.setdefault((each.kind, method), Counter())[word] += 1
            if method == METHODS[0] and word in ("wrong", "unsure") and verdict["fixable"]:
                wrong.append(
                    f"{name} {each.kind}: {word}: {each.path}:{each.meant} ({each.text}) to {place}, not {right}"
                )
    return counts


def scored(place: Place | None, right: Place | None) -> str:
    """How a place compares with the truth; `unsure` where difflib tells nothing of the line."""
    if place is None:
        return "gone" if right is None else "given up"
    return "unsure" if right is None else "right" if place == right else "wrong"


def drawn(release: Release, rng: random.Random) -> list[Cited]:
    """Citations of random definitions and statements."""
    found: list[Cited] = []
    named = [
        (path, each.name, each.line)
        for path, lines in sorted(release.files.items())
        for each in Outline(path, lines).definitions
        if lines[each.line - 1].lstrip().startswith(("def ", "class ", "async def "))
    ]
    told = [
        (path, number)
        for path, lines in sorted(release.files.items())
        for number, line in enumerate(lines, 1)
        if len(line.strip()) >= relocation._TELLING and not line.lstrip().startswith("#")
    ]
    taken = set()
    for path, name, line in rng.sample(named, min(100, len(named))):
        found.append(Cited(KINDS[0], path, line, line, f"- `{name}` (`{path}:{line}`) does the work"))
        taken.add((path, line))
    for path, line in rng.sample(told, min(100, len(told))):
        found.append(Cited(KINDS[1], path, line, line, f"- one more of them is at `{path}:{line}`, as it was"))
    for path, name, line in rng.sample(named, min(50, len(named))):
        number = max(1, min(len(release.files[path]), line + rng.choice([-30, -7, -3, 3, 5, 40])))
        found.append(Cited(KINDS[2], path, number, line, f"- the start is `{name}` (`{path}:{number}`)"))
    seen: set[tuple[str, int]] = set()
    return [each for each in found if not ((each.path, each.line) in seen or seen.add((each.path, each.line)))]


def followed(
    work: Path, releases: list[Path], cited: list[Cited], new: Release
) -> tuple[dict[str, dict], dict[Place, Place]]:
    """What cites says of each citation, and where blame says that lines went."""
    relocation.repository(
        work, releases, {"docs/notes.md": "# Notes\n\n" + "".join(f"{each.text}\n" for each in cited)}
    )
    command = [sys.executable, "-m", "eqtrace", "cites", "docs", "--format", "json"]
    done = subprocess.run(command, cwd=work, env=os.environ, capture_output=True, check=False)
    by_line = {each["line"]: each for each in json.loads(done.stdout)["citations"]}
    judged = {each.text: by_line[number] for number, each in enumerate(cited, 3)}
    return judged, relocation.blame(work, new)


def written(verdict: dict) -> Place | None:
    """Where a citation stands once `--fix` has run: as it is where it is found sound."""
    place = verdict["proposed"] if verdict["fixable"] else verdict["target"] if verdict["status"] == "ok" else None
    return None if place is None or place["path"] is None else (place["path"], place["line"])


def shown(verdict: dict) -> Place | None:
    """Where it is said to stand, for a reader to look."""
    place = verdict["proposed"] or (verdict["target"] if verdict["status"] == "ok" else None)
    return None if place is None or place["line"] is None else (place["path"], place["line"])


if __name__ == "__main__":
    sys.exit(main())
