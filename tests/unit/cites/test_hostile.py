"""Documents that nobody writes by hand: they take time in proportion to their size, and nothing waits for them."""

import os
import time
from pathlib import Path

import pytest

from eqtrace.cites.scan import Options, scan
from eqtrace.cites.tree import Tree

CITED = "See `lab/ops.py:5`, lab/ops.py#L9-L11, line 4 of `lab/ops.py` (`linear`), and `lab/ops.py:2, 7`. "
DOCUMENTS = {
    "a paragraph of citations in one line.md": CITED * 3000,
    "a paragraph of citations in many lines.md": (CITED + "\n") * 500,
    "items in items.md": "\n".join(" " * depth + "- " + CITED for depth in range(300)),
    "a string that nothing closes.ipynb": '{"cells": [{"cell_type": "markdown", "source": "lab/ops.py:5'
    + '\\"' * 200_000,
    "scripts that nothing closes.html": "lab/ops.py:5 <script>" * 20_000,
    "directives without a block.rst": "lab/ops.py:5\n" + "a::\n" * 60_000,
    "numbers after one file.md": "`lab/ops.py`\n" + "line 5 and\n" * 2_000,
    "numbers after two files.md": "lab/ops.py tests/test_ops.py\n\n" * 5_000 + "line 5\n\n" * 5_000,
    "spaces after a citation.md": "lab/ops.py:5" + " " * 19_000 + "x",
    "quotes in quotes.md": "lab/ops.py:5\n" + "> " * 9_000,
    "dashes after a citation.md": "lab/ops.py:5 " + "-" * 50 + "~ `linear`, `linear` " + "-" * 50 + "~ lab/ops.py:9",
    "a long line of code.c": "/* lab/ops.py:5 */\n" + "x" * 400_000,
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/ops.py").write_text("def linear(X):\n" + "    X += 1\n" * 10, "utf-8")
    return Tree(tmp_path.resolve(), None)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_made_to_take_long(tree: Tree, name: str) -> None:
    path = tree.root / name.replace(" ", "-")
    path.write_text(DOCUMENTS[name], "utf-8")
    started = time.process_time()
    scan(tree, [path], Options(history=False))
    assert time.process_time() - started < 5


def test_a_line_that_is_too_long_is_told(tree: Tree) -> None:
    (tree.root / "a.md").write_text(f"lab/ops.py:5\n{'x ' * 20_000} lab/ops.py:6\n", "utf-8")
    cited = scan(tree, [tree.root / "a.md"], Options(history=False))
    assert [each.citation.text for each in cited.citations] == ["lab/ops.py:5"]
    assert cited.unreadable == ("a.md",)


def test_a_pipe_and_a_device_are_no_documents(tree: Tree) -> None:
    os.mkfifo(tree.root / "pipe.md")
    (tree.root / "device.md").symlink_to("/dev/zero")
    (tree.root / ".eqtrace").mkdir()
    os.mkfifo(tree.root / ".eqtrace/cites.yaml")
    cited = scan(tree, [], Options(history=False))
    assert cited.unreadable == ("device.md", "pipe.md")
