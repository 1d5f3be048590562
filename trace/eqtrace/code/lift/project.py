"""What a folder holds: its packages and its tests, found by their names alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_ASIDE = frozenset(
    {"docs", "doc", "examples", "example", "benchmarks", "benchmark", "scripts", "tools", "build", "dist", "test",
     "tests", "testing", "node_modules", "spec", "venv", "env", "notebooks"}
)  # fmt: skip
_SCRIPTS = frozenset({"setup.py", "conftest.py", "noxfile.py", "tasks.py", "fabfile.py", "manage.py"})


_TESTS = frozenset({"tests", "test", "testing"})
_MOST = 12  # folders of tests inside of packages that settings name


def is_test(path: str) -> bool:
    """Whether a file is one of tests by its name, or by a folder that it is in."""
    *folders, name = path.split("/")
    return not _TESTS.isdisjoint(folders) or name == "conftest.py" or name.startswith("test_")


@dataclass(frozen=True, slots=True)
class Found:
    """Folders and files of code, relative to the root."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    pythonpath: tuple[str, ...]


def find(root: Path) -> Found:
    """The packages below `src`, `lib` or `python`, else those of the root, else its modules; and the tests."""
    names = sorted(each.name for each in root.iterdir())
    tests = tuple(each for each in ("tests", "test", "testing") if (root / each).is_dir())
    if not tests:
        tests = tuple(each for each in names if each.startswith("test_") and each.endswith(".py"))
    for folder in ("src", "lib", "python"):
        if ((root / folder).is_dir() and any((root / folder).glob("*/*.py"))) or any((root / folder).glob("*.py")):
            return Found((folder,), (*tests, *_within(root, (folder,))), (".", folder))
    folders = [each for each in names if each.isidentifier() and each not in _ASIDE and (root / each).is_dir()]
    packages = [each for each in folders if (root / each / "__init__.py").is_file()]
    packages = packages or [each for each in folders if any((root / each).glob("*.py"))]
    modules = [each for each in names if each.endswith(".py") and each not in _SCRIPTS and each not in tests]
    return Found(tuple(packages or modules), (*tests, *_within(root, packages)), (".",))


def _within(root: Path, folders: Iterable[str]) -> tuple[str, ...]:
    """The folders of tests inside of packages, if they are few."""
    found = sorted(
        path.relative_to(root).as_posix()
        for folder in folders
        for name in _TESTS
        for path in (root / folder).rglob(name)
        if path.is_dir() and not path.is_symlink()
    )
    return tuple(found) if len(found) <= _MOST else ()
