"""Earlier versions of files, from git: read-only, bounded in time and size, and safe in a repository that isn't ours.

Plumbing is called where it can be (`rev-list`, `cat-file`): it converts no text. See `code.git` for what is off.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from eqtrace.code import git

COMMITS = 200  # that touched one file
RENAMES = 1000  # commits that are looked through for renamed files
SECONDS = 5.0  # for all questions of one run together
_LARGEST = 2**21  # bytes of a version that is read
_LONGEST = 4096  # characters of a path


class NoHistory(Exception):
    """Why git can't be asked, or can't be asked any further."""


class History:
    """The history of the repository that holds a folder."""

    def __init__(self, root: Path, seconds: float | None = None, asked: Callable[[], None] | None = None) -> None:
        self._asked = asked  # called when git is
        self._root = root.resolve()
        self._ends = time.monotonic() + (SECONDS if seconds is None else seconds)
        self._command: list[str] = []

    def versions(self, path: str) -> Iterator[tuple[str, bytes]]:
        """The versions of a file (relative to the folder), newest first and each content once, with their commits.

        Raises:
            NoHistory: git is not there, takes too long, or knows nothing of the folder.
        """
        if len(path) > _LONGEST or os.path.isabs(path) or "\n" in path:
            return
        commits = self._ask("rev-list", "--full-history", f"--max-count={COMMITS}", "HEAD", "--", path).split()
        if not commits:
            return
        names = "".join(f"{commit.decode()}:./{path}\n" for commit in commits)
        answers = self._ask("cat-file", "--batch-check", given=names.encode("utf-8", "surrogateescape"))
        seen = set()
        for commit, answer in zip(commits, answers.split(b"\n"), strict=False):
            name, _, rest = answer.partition(b" ")
            kind, _, size = rest.partition(b" ")
            if kind == b"blob" and name not in seen and int(size) <= _LARGEST:
                seen.add(name)
                yield commit.decode()[:10], self._ask("cat-file", "blob", name.decode())

    def at(self, commit: str, path: str) -> bytes | None:
        """A file as a commit had it; None where it had none.

        Raises:
            NoHistory: git can't be asked.
        """
        if len(path) > _LONGEST or os.path.isabs(path) or "\n" in path:
            return None
        answer = self._ask("cat-file", "--batch", given=f"{commit}:./{path}\n".encode("utf-8", "surrogateescape"))
        head, _, rest = answer.partition(b"\n")
        kind = head.split()[1:2]
        return rest[:-1] if kind == [b"blob"] else None

    def renames(self) -> dict[str, str]:
        """Files that were renamed, in commits or since the last one: old path to new, both relative to the folder.

        Raises:
            NoHistory: git can't be asked.
        """
        options = ("--find-renames", "--diff-filter=R", "--name-status", "-z", "--relative", "--no-ext-diff")
        committed = self._ask("log", f"--max-count={RENAMES}", "--format=", *options)
        found: dict[str, str] = {}
        # Newest first: where a file went on to is known before how it came there.
        for said in (self._ask("diff", *options, "HEAD"), committed):
            words = [each for each in said.decode("utf-8", "surrogateescape").split("\0") if each]
            for _, old, new in zip(words[::3], words[1::3], words[2::3], strict=False):
                found.setdefault(old, found.get(new, new))
        return found

    def is_shallow(self) -> bool:
        """Whether older commits were left out when the repository was cloned."""
        return self._ask("rev-parse", "--is-shallow-repository").strip() == b"true"

    def merges_by_union(self, path: str) -> bool:
        """Whether `.gitattributes` has both sides' lines of a file kept in a merge.

        Raises:
            NoHistory: git can't be asked.
        """
        return self._ask("check-attr", "merge", "--", path).strip().endswith(b": union")

    def _ask(self, *arguments: str, given: bytes = b"") -> bytes:
        if self._asked is not None:
            self._asked()
        left = self._ends - time.monotonic()
        if left <= 0:
            raise NoHistory("git took too long")
        try:
            self._command = self._command or git.command(self._root)
        except git.NoGit as error:
            raise NoHistory(str(error)) from None
        import subprocess  # takes long, and is not needed where all is in its place

        try:
            done = subprocess.run(
                [*self._command, *arguments],
                cwd=self._root,
                env=git.environment(),
                input=given,
                capture_output=True,
                timeout=left,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoHistory("git took too long") from None
        except (OSError, ValueError) as error:
            raise NoHistory(f"git can't be run: {error}") from None
        if done.returncode:
            raise NoHistory(_reason(done.stderr))
        return done.stdout


def _reason(said: bytes) -> str:
    first = said.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
    if "not a git repository" in first:
        return "this is no git repository"
    if "bad revision 'HEAD'" in first or "ambiguous argument 'HEAD'" in first:
        return "nothing is committed yet"
    return f"git said: {first}" if first else "git failed"
