"""What a difference touches: lines of documents, and files that are cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqtrace.cites.git import Git
from eqtrace.cites.patches import Patches
from eqtrace.errors import EqtraceError
from eqtrace.model.citation import Judged


@dataclass(frozen=True, slots=True)
class Touched:
    """The lines that were added or changed, by file; `whole` are files that are new, gone or renamed."""

    lines: dict[str, frozenset[int]]
    whole: frozenset[str]

    @classmethod
    def since(cls, git: Git | None, revision: str) -> Touched:
        """What differs between a revision and the work tree.

        Raises:
            EqtraceError: there is no git here, or no such revision.
        """
        if git is None:
            raise EqtraceError("--changed needs git", "run it without, or in a work tree of git")
        if revision.startswith("-") or git.output("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") is None:
            raise EqtraceError(f"--changed: no revision '{revision}'")
        lines: dict[str, frozenset[int]] = {}
        new = git.output("ls-files", "-z", "--others", "--exclude-standard") or ""
        whole = {path for path in new.split("\0") if path}
        for change in Patches(git).between(revision):
            whole |= {change.path, change.old} if change.created or change.path != change.old else set()
            added = {hunk.new + n for hunk in change.hunks for n in range(len(hunk.added))}
            lines[change.path] = frozenset(added)
        return cls(lines, frozenset(whole))

    def touches(self, path: str, lines: range | None = None) -> bool:
        """Whether one of the lines is touched, or (without lines) anything of the file."""
        if path in self.whole or lines is None:
            return path in self.whole or path in self.lines
        touched = self.lines.get(path, frozenset())
        return any(line in touched for line in lines)

    def keeps(self, judged: Judged) -> bool:
        """Whether a citation stands on a touched line, or cites a touched file."""
        span, target = judged.citation.span, judged.target
        if self.touches(span.path, range(span.line, span.line + 1)):
            return True
        if target is not None:
            return self.touches(target.path)
        name = judged.citation.file.rpartition("/")[2]
        return any(path.rpartition("/")[2] == name for path in (*self.lines, *self.whole))


def narrowed(judged: Sequence[Judged], touched: Touched) -> list[Judged]:
    """The citations that a difference touches."""
    return [each for each in judged if touched.keeps(each)]
