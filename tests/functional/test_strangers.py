"""Somebody's repository, made to attack whoever audits it, through the installed command.

Each attack is laid into a small project that is sound. Whatever comes of it, no code of the project is run, nothing
outside of it is read or written, nothing is waited for, and what is printed steers neither a terminal nor a service.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BASE = Path(__file__).parents[1] / "checks" / "base"
SECRET = "the-secret-of-another-project"
RUN = 'import pathlib\npathlib.Path("{mark}").touch()\n'
_STEERS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|^\s*::(?!\w+ file=)|##\w*\[", re.M
)


class Stranger:
    """A project below `root`, and beside it what is none of its business."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.outside = folder / "outside"
        self.mark = folder / "ran"
        shutil.copytree(BASE, self.root, ignore=shutil.ignore_patterns("__pycache__"))
        self.outside.mkdir()
        for name in ("secret.yaml", "secret.py", "secret.json", "secret.toml"):
            (self.outside / name).write_text(f"{SECRET}: {{{SECRET}\n", "utf-8")
        for path in self.root.rglob("*.py"):
            path.write_text(path.read_text("utf-8") + RUN.format(mark=self.mark), "utf-8")

    def write(self, path: str, text: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text("utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def settings(self, text: str) -> None:
        self.write("pyproject.toml", (self.root / "pyproject.toml").read_text("utf-8") + text)

    def replace(self, path: str, make: Callable[[Path], None]) -> None:
        target = self.root / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        make(target)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        if "PYTHONPATH" in environment:
            entries = environment["PYTHONPATH"].split(os.pathsep)
            environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
        environment.pop("GITHUB_STEP_SUMMARY", None)
        done = subprocess.run(
            [sys.executable, "-m", "eqtrace", *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            timeout=30,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30)),
        )
        return subprocess.CompletedProcess((), done.returncode, done.stdout.decode(), done.stderr.decode())

    def outside_as_it_was(self) -> bool:
        return not self.mark.exists() and sorted(each.name for each in self.outside.iterdir()) == [
            "secret.json",
            "secret.py",
            "secret.toml",
            "secret.yaml",
        ]


def link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def links(path: str, target: str) -> Callable[[Stranger], None]:
    return lambda each: each.replace(path, link(target.format(outside=each.outside)))


def anchored(at: str, **more: str) -> Callable[[Stranger], None]:
    def attack(each: Stranger) -> None:
        each.edit("spec/linear.yaml", "'lab/ops.py:5'", f"'{at.format(outside=each.outside)}'")

    return attack


def spec(old: str, new: str) -> Callable[[Stranger], None]:
    return lambda each: each.edit("spec/linear.yaml", old, new)


def source(content: bytes) -> Callable[[Stranger], None]:
    return lambda each: each.write("lab/ops.py", content)


def named(name: str, content: str = "a: [\n") -> Callable[[Stranger], None]:
    return lambda each: each.write(name, content)


def keyed(key: str, make: Callable[[Path], None]) -> Callable[[Stranger], None]:
    def attack(each: Stranger) -> None:
        each.settings(f'{key} = "own"\n')
        each.replace("own", make)

    return attack


CODE = b"def linear(X, W, b):\n    return X @ W + b\n"
LAUGHS = "a: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)
)
FORM = "'Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])'"
ATTACKS: dict[str, Callable[[Stranger], None]] = {
    "a specification is a link out of the root": links("spec/linear.yaml", "{outside}/secret.yaml"),
    "a folder of specifications is a link out of the root": links("spec", "{outside}"),
    "a specification is a link to itself": links("spec/linear.yaml", "linear.yaml"),
    "a specification is a device": links("spec/linear.yaml", "/dev/zero"),
    "a specification is a pipe": lambda each: each.replace("spec/linear.yaml", os.mkfifo),
    "a source is a link out of the root": links("lab/ops.py", "{outside}/secret.py"),
    "a folder of sources is a link out of the root": links("lab", "{outside}"),
    "a folder of sources is a link to itself": links("lab", "lab"),
    "a folder of sources holds itself": links("lab/lab", "."),
    "a source is a device": links("lab/ops.py", "/dev/zero"),
    "a source is a pipe": lambda each: each.replace("lab/ops.py", os.mkfifo),
    "a companion is a link out of the root": links("pages.yaml", "{outside}/secret.yaml"),
    "a companion is a device": links("literature.yaml", "/dev/urandom"),
    "the ledger is a link out of the root": lambda each: (
        each.settings('reviews = "own"\n'),
        each.replace("own", link(f"{each.outside}/secret.yaml")),
    ),
    "the ledger is a pipe": keyed("reviews", os.mkfifo),
    "the ledger is a device": keyed("reviews", link("/dev/zero")),
    "the record of tests is a pipe": keyed("testers", os.mkfifo),
    "the record of tests is a folder": keyed("testers", Path.mkdir),
    "settings leave the root": lambda each: each.settings('references = "../outside/secret.py"\n'),
    "settings name an absolute path": lambda each: each.settings(f'testers = "{each.outside}/secret.json"\n'),
    "settings hold control characters": lambda each: each.settings('testers = "\\u001b[2J\\n::error::owned"\n'),
    "settings have a key that is a command": lambda each: each.settings('"\\u001b[2J\\n::error::owned" = 1\n'),
    "the cache is a link out of the root": links(".eqtrace", "{outside}"),
    "an anchor leaves the root": anchored("../outside/secret.py:1"),
    "an anchor is absolute": anchored("{outside}/secret.py:1"),
    "an anchor is a device": anchored("/dev/zero:1"),
    "an anchor is a descriptor": anchored("/proc/self/fd/0:1"),
    "a target is a module of the library": named("spec/short.yaml", "os:\n  system: {sympy: 'x'}\n"),
    "a target is a builtin": named("spec/short.yaml", "builtins:\n  eval: {sympy: 'source'}\n"),
    "a target leaves the root": named("spec/short.yaml", "'../outside/secret.py':\n  f: {sympy: 'x'}\n"),
    "a target has dunder names": named("spec/short.yaml", "lab.ops:\n  linear.__globals__: {sympy: '__import__'}\n"),
    "a form calls": spec(FORM, """'__import__("os").system("true")'"""),
    "a form has attributes": spec(FORM, "'().__class__.__bases__[0].__subclasses__()'"),
    "a form is a number of a billion digits": spec(FORM, "'9**9**9**9**9'"),
    "a form is nested deep": spec(FORM, "'" + "(" * 5000 + "X" + ")" * 5000 + "'"),
    "a bind calls": spec("{Y: result}", """{Y: '__import__("os").system("true")'}"""),
    "a bind has dunder names": spec("{Y: result}", "{Y: 'X.__class__.__init__.__globals__'}"),
    "a call of an equation runs": spec("    anchors:", """    call: '__import__("os").mkdir("x")'\n    anchors:"""),
    "a tag makes objects": spec("why: '", "more: !!python/object/apply:os.system ['true']\nwhy: '"),
    "aliases are a billion deep": named("spec/laughs.yaml", LAUGHS),
    "a line has ten million characters": named("spec/long.yaml", "a: '" + "x" * 10_000_000 + "'\n"),
    "a source has a line of ten million characters": source(CODE + b"x = '" + b"x" * 10_000_000 + b"'\n"),
    "a source has a NUL": source(CODE + b"x = '\0'\n"),
    "a source is UTF-16": source(CODE.decode().encode("utf-16")),
    "a source has a coding line that lies": source(b"# coding: utf-16\n" + CODE),
    "a source has a coding that runs": source(b"# coding: unicode_escape\n" + CODE + b"#\\x0aimport os\n"),
    "a source is Latin-1": source(b"# coding: latin-1\n" + CODE + b"x = '\xe9'\n"),
    "a source is no text": source(CODE + b"x = '\xff\xfe'\n"),
    "a source is nested deep": source(CODE + b"x = " + b"(" * 50_000 + b"1" + b")" * 50_000 + b"\n"),
    "a source is one long sum": source(CODE + b"x = " + b"1+" * 100_000 + b"1\n"),
    "a source holds escapes": source(CODE.replace(b"+ b", b"- b  # \x1b[2J ::error::owned ##[error]owned")),
    "a specification's name is a command": named("spec/::error file=x::owned.yaml"),
    "a specification's name is an old command": named("spec/##[error]owned.yaml"),
    "a specification's name holds escapes": named("spec/\x1b[2Jx.yaml"),
    "a specification's name has two lines": named("spec/x\n::error::owned.yaml"),
    "a specification's name is no text": lambda each: (each.root / os.fsdecode(b"spec/\xff\xfe.yaml")).write_text(
        "a: ["
    ),
    "a key of YAML is a command": named("spec/keys.yaml", '"::error::owned": {"\\e[2J": 1}\n"\\n::error::owned": 1\n'),
    "a value is a command": spec(
        "label: Product plus bias", 'label: "x\\n::error::owned"\n    status: "\\n::error::owned"'
    ),
    "settings have a pattern without end": lambda each: each.edit(
        "pyproject.toml", "spec/*.yaml", "**/" * 60 + "*.yaml"
    ),
    "modules stand in our modules' places": lambda each: [
        each.write(f"{name}.py", RUN.format(mark=each.mark))
        for name in ("yaml", "click", "json", "numpy", "pydantic", "tomllib", "ast", "rich", "sitecustomize", "site")
    ],
    "a package stands in a package's place": lambda each: (
        each.settings('packages = ["lab", "numpy", "owned"]\n'),
        each.write("owned/__init__.py", RUN.format(mark=each.mark)),
        each.write("numpy/__init__.py", RUN.format(mark=each.mark)),
    ),
    "templates leave the root": lambda each: each.settings('[tool.eqtrace.site]\ntemplates = "../outside"\n'),
}


@pytest.fixture
def stranger(tmp_path: Path) -> Stranger:
    return Stranger(tmp_path)


QUIET = {  # nothing of it is wrong for an audit, or nothing of it is needed
    "a folder of sources holds itself",
    "the cache is a link out of the root",
    "the record of tests is a pipe",
    "the record of tests is a folder",
    "a call of an equation runs",
    "a source is Latin-1",
    "a source is one long sum",
    "a source holds escapes",
    "modules stand in our modules' places",
    "a package stands in a package's place",
    "settings have a pattern without end",
    "templates leave the root",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_audit_of_a_hostile_project(stranger: Stranger, name: str) -> None:
    """What can't be read or isn't allowed is a finding or unusable input, never silence."""
    ATTACKS[name](stranger)
    for form in ("full", "github", "concise"):
        done = stranger.run("audit", "--format", form)
        said = done.stdout + done.stderr
        assert done.returncode in ((0, 1, 2) if name in QUIET else (1, 2)), said
        assert "Traceback" not in said
        assert SECRET not in said
        assert (found := _STEERS.search(said)) is None, said[max(0, found.start() - 200) : found.end() + 200]
        assert stranger.outside_as_it_was(), name


def test_the_project_without_an_attack_is_sound(stranger: Stranger) -> None:
    assert stranger.run("audit").returncode == 0
    assert stranger.outside_as_it_was()


@pytest.mark.parametrize("name", ["a source is a link out of the root", "a specification is a link out of the root"])
@pytest.mark.parametrize("command", [("fix",), ("fix", "--diff"), ("review",), ("review", "--accept"), ("cites",)])
def test_other_commands_that_run_nothing(stranger: Stranger, name: str, command: tuple[str, ...]) -> None:
    ATTACKS[name](stranger)
    done = stranger.run(*command)
    assert done.returncode in (0, 1, 2), done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert stranger.outside_as_it_was()


def git(root: Path, *arguments: str) -> None:
    quiet = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", *quiet, *arguments], cwd=root, check=True, capture_output=True)


@pytest.mark.parametrize(
    "command", [("audit",), ("audit", "--changed"), ("cites",), ("cites", "--changed"), ("review",)]
)
def test_a_repositorys_settings_start_no_program(stranger: Stranger, command: tuple[str, ...]) -> None:
    """File-system monitor, hooks, pagers, filters, external and textual differences, submodules."""
    root = stranger.root
    stranger.settings('reviews = "reviews.yaml"\n')
    stranger.write("notes.md", "See `lab/ops.py:5`.\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    (root / "lab/ops.py").rename(root / "lab/moved.py")
    stranger.write("notes.md", "See `lab/ops.py:5` and `lab/moved.py:5`.\n")
    program = root / "program"
    program.write_text(f"#!/bin/sh\ntouch {stranger.mark}\ncat\n", "utf-8")
    program.chmod(0o755)
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass"),
        *(
            "diff.external",
            "diff.x.textconv",
            "diff.x.command",
            "filter.x.smudge",
            "filter.x.clean",
            "filter.x.process",
        ),
        *("gpg.program", "pager.log", "pager.diff", "interactive.diffFilter", "alias.ls-files", "sequence.editor"),
    ):
        git(root, "config", key, str(program))
    git(root, "config", "filter.x.required", "true")
    stranger.write(".gitattributes", "* diff=x filter=x\n")
    hooks = root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        shutil.copy(program, hooks / hook)
    stranger.write(".gitmodules", f'[submodule "x"]\n path = sub\n url = ext::{program}\n update = !{program}\n')
    stranger.mark.unlink(missing_ok=True)
    done = stranger.run(*command)
    assert done.returncode in (0, 1, 2), done.stderr
    assert stranger.outside_as_it_was()


def test_a_folder_that_looks_like_a_repository_is_none(stranger: Stranger) -> None:
    """A bare repository can be committed as plain files, with settings of its own."""
    inner = stranger.root / "docs"
    git(stranger.root, "init", "-q", "--bare", "docs")
    git(inner, "config", "core.bare", "false")
    git(inner, "config", "core.worktree", "..")
    git(inner, "config", "core.fsmonitor", f"touch {stranger.mark}")
    stranger.root = inner
    stranger.write("notes.md", "See `ops.py:5`.\n")
    for arguments in (("cites",), ("cites", "--changed")):
        assert stranger.run(*arguments).returncode in (0, 1, 2)
        assert stranger.outside_as_it_was()
