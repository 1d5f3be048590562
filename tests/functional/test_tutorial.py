"""Every file, command and output of the tutorial and of the API's page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<file>\S+))?\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str) -> list[tuple[str, str, str]]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [(each["kind"], each["file"] or "", each["body"]) for each in _FENCE.finditer(text)]


@pytest.fixture
def shell(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, called in (("eqtrace", "-m eqtrace"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {called} "$@"\n')
        (programs / name).chmod(0o755)
    path = os.pathsep.join([str(ROOT / "trace"), str(tmp_path / "work")])
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": path, "NO_COLOR": "1"}
    (tmp_path / "work").mkdir()

    def call(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", command], cwd=tmp_path / "work", env=environment, capture_output=True, text=True, timeout=120
        )

    call.folder = tmp_path / "work"
    return call


def write(folder: Path, name: str, body: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(body, "utf-8")


def test_the_tutorial_says_what_happens(shell):
    commands = 0
    for kind, file, body in blocks("tutorial.md"):
        if file:
            write(shell.folder, file, body)
            continue
        assert kind == "console", f"a block of {kind} that nothing runs"
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, *expected = part.splitlines()
            ran = shell(command)
            shown = ran.stdout + ran.stderr
            assert ran.returncode == 0, f"{command}\n{shown}"
            for line in expected:
                assert line in shown, f"{command}\n{shown}"
            commands += 1
    assert commands == 11


def test_the_api_page_runs(shell):
    for _, file, body in blocks("tutorial.md"):
        if file:
            write(shell.folder, file, body)
    assert shell("eqtrace init").returncode == 0
    for _, file, body in blocks("api.md"):
        write(shell.folder, file, body)
    ran = shell("python example.py")
    assert ran.stdout.splitlines() == ["['shapes:bell', 'shapes:energy']", "0 True", "0.19947114020071635"], ran.stderr


def test_the_api_page_names_every_public_name():
    import eqtrace

    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert [each for each in eqtrace.__all__ if each != "__version__" and f"`{each}" not in text] == []
