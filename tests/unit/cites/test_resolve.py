"""What a written path means."""

import subprocess
from pathlib import Path

import pytest

from eqtrace.cites.git import Git
from eqtrace.cites.resolve import Resolution, resolve
from eqtrace.cites.tree import Tree

FILES = {
    "README.md": 3,
    "docs/guide.md": 3,
    "docs/README.md": 3,
    "src/app/main.py": 50,
    "src/app/core/state/store.py": 90,
    "src/app/core/target/store.py": 20,
    "lib/main.py": 5,
    "web/[id]/page.tsx": 5,
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for path, lines in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n" * lines)
    return Tree(tmp_path, None)


@pytest.mark.parametrize(
    ("written", "document", "line", "expected"),
    [
        ("guide.md", "docs/README.md", 1, "docs/guide.md"),  # beside the document
        ("README.md", "docs/guide.md", 1, "docs/README.md"),
        ("README.md", "src/notes.md", 1, "README.md"),  # from the root
        ("../src/app/main.py", "docs/guide.md", 9, "src/app/main.py"),
        ("./src/app/main.py", "docs/guide.md", 9, "src/app/main.py"),
        ("app/main.py", "docs/guide.md", 9, "src/app/main.py"),  # an end of the path
        ("app/state/store.py", "docs/guide.md", 9, "src/app/core/state/store.py"),  # a subsequence of it
        ("main.py", "docs/guide.md", 9, "src/app/main.py"),  # the other is too short
        ("store.py", "docs/guide.md", 30, "src/app/core/state/store.py"),
        ("/elsewhere/repo/src/app/main.py", "docs/guide.md", 9, "src/app/main.py"),
        ("web/[id]/page.tsx", "docs/guide.md", 2, "web/[id]/page.tsx"),
    ],
)
def test_one_file(tree: Tree, written: str, document: str, line: int, expected: str) -> None:
    assert resolve(written, document, line, tree).path == expected


def test_several_files_are_said(tree: Tree) -> None:
    found = resolve("store.py", "docs/guide.md", 9, tree)
    assert found.paths == ("src/app/core/state/store.py", "src/app/core/target/store.py")
    assert found.path is None


def test_the_one_that_the_document_spells_out(tree: Tree) -> None:
    assert resolve("store.py", "docs/guide.md", 9, tree, ("core/target/store.py", "store.py")).path == (
        "src/app/core/target/store.py"
    )


def test_too_short_for_the_line(tree: Tree) -> None:
    assert set(resolve("main.py", "docs/guide.md", 99, tree).short) == {"src/app/main.py", "lib/main.py"}
    assert resolve("lib/main.py", "docs/guide.md", 9, tree) == Resolution((), ("lib/main.py",), True)


def test_not_here(tree: Tree) -> None:
    assert resolve("src/app/gone.py", "docs/guide.md", 9, tree) == Resolution((), (), True)
    assert resolve("Python/ceval.c", "docs/guide.md", 9, tree) == Resolution((), (), False)
    assert resolve("../../../etc/passwd.txt", "docs/guide.md", 1, tree).path is None


def files_of(root: Path, versioned: bool) -> set[str]:
    """The files of a folder's tree, which git knows or not."""
    if versioned:
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return {path for path in Tree(root, Git(root) if versioned else None).files if ".git/" not in path}


@pytest.mark.parametrize("versioned", [True, False])
def test_a_virtual_environment_is_no_part_of_the_tree_whatever_its_name(tmp_path: Path, versioned: bool) -> None:
    for path in ("pyvenv.cfg", "src/a.py", "my env/pyvenv.cfg", "my env/lib/b.py", "deep/e/pyvenv.cfg", "deep/e/c.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n")
    assert files_of(tmp_path, versioned) == {"pyvenv.cfg", "src/a.py"}


@pytest.mark.parametrize("versioned", [True, False])
def test_what_eqtrace_wrote_is_no_part_of_the_tree(tmp_path: Path, versioned: bool) -> None:
    """Neither a site, wherever it is, nor the ledger: both repeat what they found."""
    site = ("reports/site/equations.schema.json", "reports/site/pages/a.html", "reports/site/README.md")
    for path in ("src/a.py", "README.md", ".eqtrace/cites.yaml", *site):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n")
    assert files_of(tmp_path, versioned) == {"src/a.py", "README.md"}
