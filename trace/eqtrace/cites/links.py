"""Whether permalinks lead into this repository."""

from __future__ import annotations

from dataclasses import dataclass

from eqtrace.cites.tree import Tree
from eqtrace.model.citation import Citation


@dataclass(frozen=True, slots=True)
class Remote:
    """The names that this repository goes by on hosts; none without git."""

    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, tree: Tree) -> Remote:
        """What the remotes of a work tree say."""
        return cls(frozenset(name.lower() for name in tree.git.remotes()) if tree.git is not None else frozenset())


def here(citation: Citation, remote: Remote, tree: Tree) -> bool:
    """Whether a permalink leads to a file of this repository."""
    name = (citation.revision or "").partition("@")[0].lower()
    if remote.names:
        return name in remote.names and tree.exists(citation.file)
    return name.rpartition("/")[2] == tree.root.name.lower() and tree.exists(citation.file)
