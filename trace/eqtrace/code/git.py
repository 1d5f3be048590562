"""How the `git` command is called: without writing, and safely in a repository that isn't ours.

It starts no pager, hook, external diff, filter or file-system monitor, fetches nothing and takes no lock. Variables
that a hook was given lead it to no other repository, and files within one that look like a repository are none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.quotePath=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "submodule.recurse=false",
    "-c",
    "diff.ignoreSubmodules=all",
)
_FILTERS = re.compile(r"filter\..+\.(clean|smudge|process|required)")
_OTHERS = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
)
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}


class NoGit(Exception):
    """Why the command can't be called."""


def command(root: Path) -> list[str]:
    """The program and the options that each call begins with; never a program that the repository itself brings.

    Raises:
        NoGit: there is none.
    """
    found = shutil.which("git")
    if found is None:
        raise NoGit("git is not installed")
    if not os.path.isabs(found) or Path(found).is_relative_to(root):
        raise NoGit(f"the git on the path, {found}, belongs to the project")
    return [found, *_OPTIONS, *_without_filters(found, root)]


@lru_cache(maxsize=64)
def _without_filters(git: str, root: Path) -> tuple[str, ...]:
    """Options that switch off the programs through which a repository's own settings send the contents of files."""
    asked = [git, *_OPTIONS, "config", "--show-scope", "--null", "--name-only", "--get-regexp", r"^filter\."]
    try:
        done = subprocess.run(asked, cwd=root, env=environment(), capture_output=True, check=False)
    except OSError:
        return ()
    scopes = iter(done.stdout.decode("utf-8", "replace").split("\0"))
    found = [name for scope, name in zip(scopes, scopes, strict=False) if scope in ("local", "worktree")]
    off = [f"{name}={'false' if name.endswith('required') else ''}" for name in found if _FILTERS.fullmatch(name)]
    return tuple(part for option in off for part in ("-c", option))


def environment() -> dict[str, str]:
    """The variables that it is called with."""
    return {key: value for key, value in os.environ.items() if key not in _OTHERS} | _QUIET
