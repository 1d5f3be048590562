"""The git command: never one of the repository's own, and led to no other repository."""

import shutil

import pytest

from eqtrace.code.git import NoGit, command, environment


def test_the_repositorys_own_program_is_refused(tmp_path, monkeypatch):
    (tmp_path / "git").write_text("#!/bin/sh\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoGit, match="belongs to the project"):
        command(tmp_path)
    assert command(tmp_path / "elsewhere")[0] == str(tmp_path / "git")


def test_without_a_program(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NoGit, match="not installed"):
        command(tmp_path)


def test_a_hooks_variables_lead_nowhere(monkeypatch):
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("HOME", "/here")
    assert "GIT_DIR" not in environment()
    assert (environment()["HOME"], environment()["GIT_NO_LAZY_FETCH"]) == ("/here", "1")
