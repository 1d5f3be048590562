from pathlib import Path

import pytest

from eqtrace.report import atomic


def test_a_file_is_written_whole_with_its_mode_kept(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    assert atomic.write(target, b"one")
    target.chmod(0o640)
    assert atomic.write(target, b"two")
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"two", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_same_bytes_are_not_written_again(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    atomic.write(target, b"one")
    before = target.stat().st_mtime_ns, target.stat().st_ino
    assert not atomic.write(target, b"one")
    assert (target.stat().st_mtime_ns, target.stat().st_ino) == before


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        atomic.write(tmp_path / "folder", b"one")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
