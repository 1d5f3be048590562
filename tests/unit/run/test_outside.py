"""What user code takes from outside."""

import ctypes
import os
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from eqtrace.run.outside import Outside, is_installed


@pytest.fixture(scope="module")
def hooked():
    return Outside()  # audit hooks stay for good


@pytest.fixture
def outside(hooked):
    hooked.clear()
    return hooked


def test_files_that_are_read_are_named(outside, tmp_path):
    (tmp_path / "a.txt").write_text("1")
    np.save(tmp_path / "b.npy", np.ones(2))
    np.savetxt(tmp_path / "c.txt", np.ones(2))
    os.chdir(tmp_path)
    with outside.watched():
        Path("a.txt").read_text()
        np.load(tmp_path / "b.npy")
        np.fromfile(tmp_path / "c.txt", sep=" ")
        os.close(os.open(os.fsencode(tmp_path / "a.txt"), os.O_RDONLY))
    (tmp_path / "a.txt").read_text()
    assert outside.files == {str(tmp_path / name) for name in ("a.txt", "b.npy", "c.txt")}
    assert not outside.unknowable


def test_a_missing_file_is_named_too(outside, tmp_path):
    with outside.watched(), pytest.raises(FileNotFoundError):
        (tmp_path / "none.txt").read_text()
    assert outside.files == {str(tmp_path / "none.txt")}


def test_what_the_run_wrote_itself_is_not_from_outside(outside, tmp_path):
    with outside.watched():
        (tmp_path / "w.txt").write_text("1")
        os.replace(tmp_path / "w.txt", tmp_path / "v.txt")
        (tmp_path / "v.txt").read_text()
        with tempfile.TemporaryDirectory() as folder:
            np.savez(f"{folder}/a.npz", x=np.ones(2))
            np.load(f"{folder}/a.npz")["x"]
            os.listdir(folder)
    assert (outside.files, outside.folders, outside.unknowable) == (set(), set(), "")


def test_what_an_earlier_run_wrote_cannot_be_relied_on(outside, tmp_path):
    with outside.watched():
        (tmp_path / "w.txt").write_text("1")
    outside.clear()
    with outside.watched():
        (tmp_path / "w.txt").read_text()
    assert "earlier run wrote" in outside.unknowable


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_a_file_that_is_added_to_cannot_be_relied_on(outside, tmp_path, mode):
    (tmp_path / "log").write_text("1")
    with outside.watched(), open(tmp_path / "log", mode):
        pass
    assert "in place" in outside.unknowable


def test_folders_that_are_listed_are_named(outside, tmp_path):
    with outside.watched():
        list(tmp_path.iterdir())
        list(os.scandir(tmp_path))
    assert outside.folders == {str(tmp_path) + "/"}


def test_imports_and_installed_files_are_not_files(outside, tmp_path, monkeypatch):
    (tmp_path / "fresh_module.py").write_text("x = 1")
    monkeypatch.syspath_prepend(tmp_path)
    with outside.watched():
        import fresh_module  # type: ignore[import-not-found]  # noqa: F401

        Path(np.__file__).read_bytes()
        Path(os.__file__).read_bytes()
    assert (outside.files, outside.folders) == (set(), set())
    assert outside.loaded == {str(tmp_path / "fresh_module.py")}


def test_data_that_the_import_system_reads_is_among_what_it_loads(outside, tmp_path, monkeypatch):
    (tmp_path / "with_data").mkdir()
    (tmp_path / "with_data" / "__init__.py").write_text("")
    (tmp_path / "with_data" / "a.txt").write_text("1")
    monkeypatch.syspath_prepend(tmp_path)
    with outside.watched():
        assert pkgutil.get_data("with_data", "a.txt") == b"1"
    assert str(tmp_path / "with_data" / "a.txt") in outside.loaded


def test_what_is_asked_for_is_named(outside, tmp_path):
    (tmp_path / "there").mkdir()
    plain = os.stat
    with outside.watched():
        (tmp_path / "none").exists()
        os.path.isfile("there")
        os.path.isdir(tmp_path / "there")
        os.path.exists(np.__file__)
        os.stat(0)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a").exists()
    assert outside.asked == {str(tmp_path / "none"), os.path.abspath("there"), str(tmp_path / "there")}
    assert os.stat is plain
    (tmp_path / "after").exists()
    assert len(outside.asked) == 3


def test_variables_that_are_read_are_named(outside, monkeypatch):
    monkeypatch.setenv("EQTRACE_TEST_A", "1")
    os.environ["EQTRACE_TEST_A"]
    assert not outside.variables
    with outside.watched():
        os.environ["EQTRACE_TEST_W"] = "1"
        assert os.getenv("EQTRACE_TEST_A") == "1"
        assert "EQTRACE_TEST_B" not in os.environ
    assert outside.variables == {"EQTRACE_TEST_A", "EQTRACE_TEST_B"}
    del os.environ["EQTRACE_TEST_W"]
    with outside.watched():
        dict(os.environ)
    assert "*" in outside.variables


def test_modules_that_are_looked_for_in_vain_leave_their_places(outside, tmp_path):
    outside.missed("before", [str(tmp_path)])
    with outside.watched():
        outside.missed("a", [str(tmp_path), os.path.dirname(np.__path__[0])])
        outside.missed("b.c", [str(tmp_path / "b")])
    assert outside.places == {str(tmp_path / "a"), str(tmp_path / "b" / "c")}
    assert outside.absent == {"a"}


def test_libraries_that_are_linked_are_files(outside, tmp_path):
    with outside.watched(), pytest.raises(OSError):
        ctypes.CDLL(str(tmp_path / "none.so"))
    with outside.watched():
        ctypes.CDLL(None)
    assert outside.files == {str(tmp_path / "none.so")}


def test_other_programs_and_forks_are_unknowable(outside):
    with outside.watched():
        subprocess.run([sys.executable, "-c", ""], check=True)
    assert "another program" in outside.unknowable
    outside.clear()
    with outside.watched():
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    assert outside.unknowable == "it forked"


def test_what_is_installed(tmp_path):
    assert is_installed(np.__file__)
    assert is_installed(os.__file__)
    assert is_installed("/x/lib/python3/dist-packages/a.py")
    assert not is_installed(str(tmp_path / "a.py"))


def test_who_asks_whether_a_file_may_be_read_is_noticed(outside, tmp_path):
    with outside.watched():
        os.access(tmp_path / "a", os.R_OK)
    assert outside.asked == {str(tmp_path / "a")}
    assert os.access.__module__ == "posix"


def test_variables_are_noticed_by_their_bytes(outside):
    with outside.watched():
        os.environb.get(b"EQTRACE_NOT_THERE")
    assert outside.variables == {"EQTRACE_NOT_THERE"}
