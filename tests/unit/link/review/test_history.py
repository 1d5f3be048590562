from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from eqtrace.link.review import history
from eqtrace.link.review.history import History, NoHistory


def texts(root: Path, path: str = "lin.yaml") -> list[str]:
    return [content.decode() for _, content in History(root).versions(path)]


def test_versions_newest_first_each_once(bench) -> None:
    for text in ("one\n", "two\n", "one\n", "three\n"):
        bench.write("lin.yaml", text)
        bench.commit()
    assert texts(bench.root) == ["three\n", "one\n", "two\n"]
    commit, _ = next(History(bench.root).versions("lin.yaml"))
    assert bench.git("rev-parse", "HEAD").startswith(commit)


def test_of_a_branch_that_was_merged(bench) -> None:
    bench.commit()
    bench.git("checkout", "-q", "-b", "side")
    bench.write("lin.yaml", "side\n")
    bench.commit()
    bench.git("checkout", "-q", "main")
    bench.write("lin.yaml", "main\n")
    bench.commit()
    bench.git("merge", "-q", "-s", "ours", "side", "-m", "ours")
    assert "side\n" in texts(bench.root)


def test_in_a_folder_of_a_repository(bench) -> None:
    bench.write("inner/lin.yaml", "inner\n")
    bench.commit()
    assert texts(bench.root / "inner") == ["inner\n"]


@pytest.mark.parametrize("path", ["none.yaml", "/etc/hostname", "../x.yaml\n", "x" * 5000, ":(glob)**", "--all"])
def test_paths_that_name_nothing(bench, path: str) -> None:
    bench.commit()
    assert texts(bench.root, path) == []


def test_why_there_is_none(bench, monkeypatch, tmp_path) -> None:
    def reason() -> str:
        with pytest.raises(NoHistory) as raised:
            list(History(bench.root).versions("lin.yaml"))
        return str(raised.value)

    assert reason() == "this is no git repository"
    bench.git("init", "-q")
    assert reason() == "nothing is committed yet"
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert reason() == "git is not installed"
    with monkeypatch.context() as patch:
        patch.setattr(history, "SECONDS", 0.0)
        assert reason() == "git took too long"
    bench.write("bin/git", "#!/bin/sh\ntouch owned\n")
    os.chmod(bench.root / "bin/git", 0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{bench.root}/bin{os.pathsep}{os.environ['PATH']}")
        assert "belongs to the project" in reason()
    assert not (bench.root / "owned").exists()


def test_a_hostile_repository_runs_nothing(bench, monkeypatch) -> None:
    bench.commit()
    program = bench.root / "program"
    program.write_text(f"#!/bin/sh\ntouch {bench.root}/owned\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "filter.x.smudge",
        "filter.x.clean",
        "gpg.program",
        "core.sshCommand",
        "core.editor",
        "pager.rev-list",
        "pager.cat-file",
    ):
        bench.git("config", key, str(program))
    bench.git("config", "log.showSignature", "true")
    bench.write(".gitattributes", "* diff=x filter=x\n")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_PAGER", str(program))
    (bench.root / "owned").unlink(missing_ok=True)
    before = sorted(bench.root.glob(".git/*"))
    assert len(texts(bench.root)) == 1
    assert History(bench.root).merges_by_union("lin.yaml") is False
    assert not (bench.root / "owned").exists()
    assert sorted(bench.root.glob(".git/*")) == before


def test_variables_of_a_hook_name_no_other_repository(bench, monkeypatch, tmp_path) -> None:
    bench.commit()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert len(texts(bench.root)) == 1


def test_how_a_file_merges(bench) -> None:
    bench.write(".gitattributes", "reviews.yaml merge=union\n")
    bench.commit()
    assert History(bench.root).merges_by_union("reviews.yaml")
    assert not History(bench.root).merges_by_union("lin.yaml")


def test_a_shallow_clone(bench, tmp_path) -> None:
    for text in ("one\n", "two\n"):
        bench.write("lin.yaml", text)
        bench.commit()
    clone = tmp_path / "clone"
    bench.git("clone", "-q", "--depth", "1", f"file://{bench.root}", str(clone))
    assert History(clone).is_shallow()
    assert not History(bench.root).is_shallow()
    assert texts(clone) == ["two\n"]
