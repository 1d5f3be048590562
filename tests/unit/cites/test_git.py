"""Texts of files at commits, as `git cat-file` gives them."""

from __future__ import annotations

import subprocess

import pytest

from eqtrace.cites.git import Git
from eqtrace.cites.history import History, Wanted
from eqtrace.cites.scan import Options, scan
from eqtrace.cites.tree import Tree


@pytest.fixture
def commit(tmp_path):
    def run(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)
        return done.stdout.decode()

    def save(**files: str | bytes) -> str:
        if not (tmp_path / ".git").exists():
            run("init", "-q")
        for name, content in files.items():
            text = content if isinstance(content, bytes) else content.encode()
            (tmp_path / name.replace("_", ".")).write_bytes(text)
        run("add", "-A")
        run("commit", "-q", "-m", "as it is")
        return run("rev-parse", "HEAD").strip()

    return save


def test_the_blobs_that_are_there(tmp_path, commit):
    first = commit(a_py="one\n", b_py="", c_py=b"\xff\x00\n")
    second = commit(a_py="two\n" * 100_000)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in it.py").write_text("deep")
    third = commit()
    wanted = [(first, "a.py"), (second, "a.py"), (first, "b.py"), (first, "c.py"), (third, "folder/in it.py")]
    none = [(first, "no.py"), (first, "in it is missing 12"), ("0" * 40, "a.py"), (third, "folder"), (first, "a\nb")]
    assert dict(Git(tmp_path).blobs([*none, *wanted, *wanted])) == {
        (first, "a.py"): "one\n",
        (second, "a.py"): "two\n" * 100_000,
        (first, "b.py"): "",
        (first, "c.py"): "\ufffd\x00\n",
        (third, "folder/in it.py"): "deep",
    }


def test_blobs_without_a_repository(tmp_path):
    assert list(Git(tmp_path).blobs([("0" * 40, "a.py")])) == []
    assert list(Git(tmp_path / "none").blobs([("0" * 40, "a.py")])) == []
    assert list(Git(tmp_path).blobs([])) == []


def test_not_all_blobs_need_be_read(tmp_path, commit):
    first = commit(a_py="one\n", b_py="two\n" * 100_000)
    blobs = Git(tmp_path).blobs([(first, "a.py"), (first, "b.py")])
    assert next(blobs) == ((first, "a.py"), "one\n")
    blobs.close()


def test_versions_of_a_file_share_their_lines(tmp_path, commit):
    lines = [f"line {number} of the file" for number in range(50)]
    commit(a_py="\n".join(lines), one_md="See `a.py:3`.\n")
    commit(a_py="\n".join(["new", *lines]), two_md="See `a.py:4`.\n")
    tree = Tree(tmp_path, Git(tmp_path))
    history = History.of(tree)
    assert history is not None
    wanted = [Wanted(each.citation, "a.py") for each in scan(tree, (), Options()).citations]
    ((_, traces),) = history.traces(wanted)
    (one, two) = (traces[each.citation] for each in wanted)
    assert (one.first, two.first) == (4, 4)
    assert one.then[2] is two.then[3]
