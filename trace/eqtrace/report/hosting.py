"""Links to where the sources are hosted, at one commit; only for files that are at that commit as they are here."""

from __future__ import annotations

import subprocess
from hashlib import new as new_hash
from pathlib import Path
from urllib.parse import quote, urlsplit

from eqtrace.code import git
from eqtrace.config import Config
from eqtrace.errors import EqtraceError

_SECONDS = 30.0
_HEX = set("0123456789abcdef")


class Host:
    """The configured repository at its commit.

    Raises:
        EqtraceError: git does not know that commit, so that links to it would lead nowhere.
    """

    def __init__(self, config: Config) -> None:
        assert config.repository is not None
        self._config = config
        self.url = config.repository.url
        wanted = config.repository.commit
        self.commit = self._asked("HEAD" if wanted == "git" else wanted)
        self._prefix = self._git("rev-parse", "--show-prefix").decode("utf-8", "replace").strip()
        self._blobs = self._listed()
        self.differing: dict[str, str] = {}  # files without links, and why
        self._same: set[str] = set()

    def line(self, path: str, start: int, end: int = 0) -> str | None:
        """The address of lines of a file; None where the file is not so at the commit."""
        if not self._is_same(path):
            return None
        where = quote(self._prefix + path, safe="/-._~")
        host = urlsplit(self.url).netloc
        if "gitlab" in host:
            return f"{self.url}/-/blob/{self.commit}/{where}#L{start}" + (f"-{end}" if end > start else "")
        if "bitbucket" in host:
            return f"{self.url}/src/{self.commit}/{where}#lines-{start}" + (f":{end}" if end > start else "")
        return f"{self.url}/blob/{self.commit}/{where}#L{start}" + (f"-L{end}" if end > start else "")

    def _is_same(self, path: str) -> bool:
        if path in self._same or path in self.differing:
            return path in self._same
        blob = self._blobs.get(path)
        try:
            same = blob is not None and _blob(self._config.root / path, len(blob)) == blob
        except OSError:
            same = False
        if same:
            self._same.add(path)
        else:
            self.differing[path] = "is not there" if blob is None else "was another"
        return same

    def _asked(self, commit: str) -> str:
        try:
            found = self._git("rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").decode().strip()
        except EqtraceError as error:
            place = f"{self._config.pyproject}:{self._config.line('repository', 'commit')}"
            hint = "write an id that `git log` shows, or 'git' for the commit that is checked out"
            raise EqtraceError(f"{place}: repository.commit: git knows no commit '{commit}'", hint) from error
        if not found or not set(found) <= _HEX:
            raise EqtraceError(f"git gave no commit for '{commit}'")
        return found

    def _listed(self) -> dict[str, str]:
        """The blobs of the commit below the project's folder, by path."""
        said = self._git("ls-tree", "-r", "-z", self.commit).decode("utf-8", "surrogateescape")
        entries = (entry.partition("\t") for entry in said.split("\0") if entry)
        return {path: head.split()[2] for head, _, path in entries if head.split()[1] == "blob"}

    def _git(self, *arguments: str) -> bytes:
        root = self._config.root.resolve()
        try:
            done = subprocess.run(
                [*git.command(root), *arguments],
                cwd=root,
                env=git.environment(),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (git.NoGit, OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise EqtraceError(f"links to the repository need git: {error}", "or leave out `repository`") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
            raise EqtraceError(f"links to the repository need git, which said: {said}", "or leave out `repository`")
        return done.stdout


def _blob(path: Path, length: int) -> str:
    """The id that git gives a file's content."""
    content = path.read_bytes()
    made = new_hash("sha1" if length == 40 else "sha256", usedforsecurity=False)
    made.update(b"blob %d\0" % len(content) + content)
    return made.hexdigest()
