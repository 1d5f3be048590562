import os
from pathlib import Path

import pytest

from eqtrace.regular import content


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert content(tmp_path / "a", 5) == b"12345"
    with pytest.raises(OSError, match="larger than"):
        content(tmp_path / "a", 4)


def test_nothing_else_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            content(path)
    with pytest.raises(FileNotFoundError):
        content("a\0b")
