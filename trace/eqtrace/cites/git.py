"""The `git` command, asked without writing anything; everything works without it too."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from eqtrace.code.git import NoGit, command, environment


class Git:
    """A work tree under git."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def around(cls, folder: Path) -> Git | None:
        """The repository that `folder` lies in; None without one, or without the command."""
        top = cls(folder).output("rev-parse", "--show-toplevel")
        return None if not top else cls(Path(top.rstrip("\n")))

    def output(self, *arguments: str, stdin: str | None = None) -> str | None:
        """What a command prints; None where it fails."""
        try:
            done = subprocess.run(
                [*command(self.root), *arguments],
                cwd=self.root,
                env=environment(),
                input=None if stdin is None else stdin.encode("utf-8", "surrogateescape"),
                stdin=subprocess.DEVNULL if stdin is None else None,
                capture_output=True,
                check=False,
            )
        except (OSError, NoGit):
            return None
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

    def stream(self, *arguments: str, stdin: str = "") -> Iterator[str]:
        """The lines that a command prints, without their ends, as they come; whatever was printed where it fails."""
        try:
            process = subprocess.Popen(
                [*command(self.root), *arguments],
                cwd=self.root,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, NoGit):
            return
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(stdin.encode("utf-8", "surrogateescape"))
            process.stdin.close()
            for line in process.stdout:
                yield line.decode("utf-8", "replace").rstrip("\n")

    def files(self) -> tuple[str, ...] | None:
        """What git tracks or would add."""
        listed = self.output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return None if listed is None else tuple(path for path in listed.split("\0") if path)

    def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        found = self.output("rev-parse", "--verify", "--quiet", "HEAD")
        return found.strip() if found else None

    def shallow(self) -> frozenset[str]:
        """The commits at which a shallow clone ends."""
        place = self.output("rev-parse", "--git-path", "shallow")
        try:
            return frozenset((self.root / (place or "").strip()).read_text().split()) if place else frozenset()
        except OSError:
            return frozenset()

    def remotes(self) -> frozenset[str]:
        """`owner/name` of each remote."""
        listed = self.output("config", "--get-regexp", r"^remote\..*\.url$") or ""
        urls = (line.partition(" ")[2].strip().removesuffix("/").removesuffix(".git") for line in listed.splitlines())
        return frozenset("/".join(url.replace(":", "/").split("/")[-2:]) for url in urls)

    def blob(self, revision: str, path: str) -> str | None:
        """A file's text at a commit."""
        return self.output("cat-file", "blob", f"{revision}:{path}")

    def blobs(self, wanted: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], str]]:
        """Texts of files at commits, those that are there and are text, one at a time: together they may be large."""
        keys = [key for key in sorted(set(wanted)) if "\n" not in key[1]]
        if not keys:
            return
        try:
            process = subprocess.Popen(
                [*command(self.root), "cat-file", "--batch"],
                cwd=self.root,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, NoGit):
            return
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            for commit, path in keys:
                try:  # unbuffered, so that nothing is left to be written where git has ended
                    os.write(process.stdin.fileno(), f"{commit}:{path}\n".encode("utf-8", "surrogateescape"))
                except OSError:
                    return
                head = process.stdout.readline()
                if not head:
                    return
                words = head.split()
                if len(words) == 3 and words[2].isdigit():
                    content = process.stdout.read(int(words[2]) + 1)[:-1]
                    if words[1] == b"blob":
                        yield (commit, path), content.decode("utf-8", "replace")


def literal(paths: Sequence[str]) -> str:
    """Paths for a command that reads them from its input, after the revisions."""
    return "--\n" + "".join(f"{path}\n" for path in paths)
