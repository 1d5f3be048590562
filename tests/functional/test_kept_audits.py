"""A kept audit is given back only where a cold one would say the same: everything that it rests on is tried here."""

import importlib.util
import json
import os
import random
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eqtrace import auditing, inputs, kept
from eqtrace.cache import Cache
from eqtrace.config import load
from eqtrace.inputs import Inputs
from eqtrace.kept import Kept
from eqtrace.link import latex
from eqtrace.memory import Memory
from eqtrace.report.rows import Rows, rows

FILES = {
    "pyproject.toml": """
        [tool.eqtrace]
        spec = ["spec/*.yaml"]
        sources = ["lab"]
        tests = ["tests"]
        pages = "spec/pages.yaml"
        literature = "spec/literature.yaml"
        waivers = "spec/waivers.yaml"
        reviews = "spec/reviews.yaml"
        testers = "testers.json"
        references = "references.py"
        """,
    "spec/pages.yaml": "- {page: all, title: All, intro: '', topics: [twice]}\n",
    "spec/literature.yaml": "book: {title: Book, authors: [A], year: 2000, doi: '10.1000/182'}\n",
    "spec/waivers.yaml": "- {at: 'lab/more.py:2', in: thrice, code: 'return 3 * x', reason: shown elsewhere}\n",
    "spec/twice.yaml": """
        topic: twice
        title: Twice
        page: all
        status: implemented
        direction: neither
        functions: ['lab/ops.py::twice']
        literature: [{work: book}]
        what: Twice a number.
        why: It is small.
        symbols:
          x: {meaning: A number, shape: []}
          y: {meaning: Twice of it, shape: []}
        equations:
          - id: twice.twice
            latex: 'y = 2 x'
            sympy: 'Eq(y, 2*x)'
            anchors:
              - {role: computes, at: 'lab/ops.py:5', in: twice, code: 'y = 2 * x'}
              - {role: calls, at: 'lab/use.py:5', in: use, code: 'return ops.twice(x)'}
              - {role: calls, at: 'tools/aside.py:5', in: aside, code: 'return twice(x)'}
              - {role: tests, at: 'tests/test_ops.py:5', in: test_twice, code: 'assert doubled(2) == 4'}
              - {role: states, at: 'guide.md:3'}
        """,
    "lab/__init__.py": "",
    "lab/ops.py": '"""Operations."""\n\n\ndef twice(x):\n    y = 2 * x\n    return y\n',
    "lab/more.py": "def thrice(x):\n    return 3 * x\n",
    "lab/use.py": "from lab import ops\n\n\ndef use(x):\n    return ops.twice(x)\n",
    "tools/aside.py": "from lab.ops import twice\n\n\ndef aside(x):\n    return twice(x)\n",
    "tests/test_ops.py": "from doubling import doubled\n\n\ndef test_twice():\n    assert doubled(2) == 4\n",
    "doubling.py": "from lab.ops import twice\n\n\ndef doubled(x):\n    return twice(x)\n",
    "guide.md": "# Guide\n\n$y = 2 x$\n",
    "references.py": '"""None yet."""\n',
    "testers.json": json.dumps({"schema": 1, "tests": {}}),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        write(tmp_path, name, textwrap.dedent(text).lstrip("\n"))
    settled(tmp_path)
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def settled(root: Path) -> None:
    """Waits until what was just written is old enough to be rested on."""
    time.sleep(0.08)


def edit(old: str, new: str, name: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / name).read_text()
        assert old in text
        (root / name).write_text(text.replace(old, new))

    return change


def said(report: Rows) -> tuple[Any, ...]:
    """What an audit says: all but how long it took, and from where it is."""
    summary = replace(report.summary, seconds=0.0, from_cache=0)
    coverage = summary.coverage and (summary.coverage.equations, summary.coverage.statements)
    return replace(summary, coverage=None), coverage, report.findings


def audited(root: Path, asked: tuple[str, ...] = (), fail_on: frozenset[str] = frozenset()) -> tuple[bool, Any]:
    """Whether an audit was kept, and what it says."""
    config = load(root)
    config = replace(config, fail_on=config.fail_on | fail_on)
    known = Kept(config, asked)
    found = known.find(time.perf_counter())
    if found is not None:
        return True, said(found)
    read, clock = Inputs(root.resolve()), time.time_ns()
    report = rows(auditing.audit(config, None, True, read))
    known.keep(report, read, clock)
    return False, said(report)


def cold(root: Path) -> Any:
    return said(rows(auditing.audit(load(root), None)))


def test_an_audit_is_kept_and_says_the_same(root: Path) -> None:
    first, again = audited(root), audited(root)
    assert (first[0], again[0]) == (False, True)
    assert first[1] == again[1] == cold(root)
    assert first[1][0].exit == 0, first[1][2]


def _added(name: str, text: str = "") -> Callable[[Path], None]:
    return lambda root: write(root, name, text)


def _removed(name: str) -> Callable[[Path], None]:
    return lambda root: (root / name).unlink()


def _linked_out(root: Path) -> None:
    """The same content, but by a link that leaves the project."""
    outside = root.parent / f"{root.name}-outside.py"
    (root / "lab/ops.py").rename(outside)
    (root / "lab/ops.py").symlink_to(outside)


def _linked_in(root: Path) -> None:
    (root / "lab/ops.py").rename(root / "moved.py")
    (root / "lab/ops.py").symlink_to(root / "moved.py")


def _folder_instead(root: Path) -> None:
    (root / "guide.md").unlink()
    (root / "guide.md").mkdir()


def _same_size_same_time(root: Path) -> None:
    path = root / "lab/ops.py"
    times = path.stat()
    edit("2 * x", "3 * x", "lab/ops.py")(root)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _latex_kept(root: Path) -> None:
    """What a verification would keep of LaTeX."""
    Cache(root.resolve()).put(latex._base(), {"found": {}})


def _reviewed(root: Path) -> None:
    write(
        root,
        "spec/reviews.yaml",
        f"'twice.twice/computes/0': {{form: {'0' * 64}, prose: {'0' * 64}, code: {'0' * 64}}}\n",
    )


CHANGES = {
    "a cited line": edit("2 * x", "4 * x", "lab/ops.py"),
    "a cited line, its size and time as before": _same_size_same_time,
    "a line above": edit('"""Operations."""', '"""Operations."""\n', "lab/ops.py"),
    "a cited file that is no source": edit("twice(x)", "twice(2 * x)", "tools/aside.py"),
    "an uncited source": _added("lab/new.py", "def f(x):\n    return 4 * x\n"),
    "a source that no longer parses": edit("return 3 * x", "return 3 *", "lab/more.py"),
    "a source that is gone": _removed("lab/more.py"),
    "a test": edit("doubled(2) == 4", "doubled(2) == 5", "tests/test_ops.py"),
    "a module between test and code": edit("return twice(x)", "return x", "doubling.py"),
    "a module that hides another": _added("doubling/__init__.py", "def doubled(x):\n    return x + x\n"),
    "a conftest": _added("tests/conftest.py", "import pytest\n"),
    "a specification": edit("Twice a number.", "Twice any number.", "spec/twice.yaml"),
    "an anchor's line": edit("lab/ops.py:5", "lab/ops.py:6", "spec/twice.yaml"),
    "one more specification": _added("spec/more.yaml", "lab.more:\n  thrice: {sympy: '3*x'}\n"),
    "pages": edit("title: All", "title: Every", "spec/pages.yaml"),
    "literature": edit("book:", "books:", "spec/literature.yaml"),
    "waivers": edit("shown elsewhere", "shown nowhere", "spec/waivers.yaml"),
    "a ledger": _reviewed,
    "documentation": edit("2 x", "3 x", "guide.md"),
    "documentation that is a folder": _folder_instead,
    "references": edit("None yet.", "None.", "references.py"),
    "references that import the code": edit('"""None yet."""', "import lab", "references.py"),
    "settings": edit('tests = ["tests"]', 'tests = ["tests"]\ncoverage = "error"', "pyproject.toml"),
    "a line of the settings": edit("[tool.eqtrace]", "\n[tool.eqtrace]", "pyproject.toml"),
    "a link out of the project": _linked_out,
    "a link within the project": _linked_in,
    "what was kept of LaTeX": _latex_kept,
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_an_audit_rests_on_makes_it_new(root: Path, what: str) -> None:
    assert audited(root)[0] is False
    assert audited(root)[0] is True
    CHANGES[what](root)
    known, found = audited(root)
    assert not known
    assert found == cold(root)


def test_a_record_of_tests_counts_where_it_is_asked(root: Path) -> None:
    """No import leads from this test to the function, so that only a record can tell."""
    edit("from doubling import doubled", "doubled = __import__('doubling').doubled", "tests/test_ops.py")(root)
    settled(root)
    assert audited(root)[1][0].exit == 1
    assert audited(root)[0] is True
    reached = {"tests/test_ops.py::test_twice": ["lab/ops.py::twice"]}
    write(root, "testers.json", json.dumps({"schema": 1, "tests": reached}))
    known, found = audited(root)
    assert not known
    assert found[0].exit == 0


def test_what_is_as_it_was_is_known_again(root: Path) -> None:
    first = audited(root)
    edit("2 * x", "4 * x", "lab/ops.py")(root)
    settled(root)
    changed = audited(root)
    assert not changed[0]
    edit("4 * x", "2 * x", "lab/ops.py")(root)
    assert audited(root) == (True, first[1])
    edit("2 * x", "4 * x", "lab/ops.py")(root)
    assert audited(root) == (True, changed[1])


def test_what_no_audit_rests_on_changes_nothing(root: Path) -> None:
    audited(root)
    write(root, "notes.txt", "Nothing.\n")
    write(root, "lab/__pycache__/ops.py", "nothing")
    (root / "lab/ops.py").touch()
    assert audited(root)[0] is True


def test_what_was_asked_for_counts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited(root)
    assert not audited(root, fail_on=frozenset({"EQ305"}))[0]
    assert not audited(root, ("twice.twice",))[0]
    assert audited(root, ("twice.twice",))[0]
    monkeypatch.chdir(root / "lab")  # patterns may be paths
    assert not audited(root, ("twice.twice",))[0]


def test_another_tool_or_interpreter_keeps_its_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited(root)
    monkeypatch.setattr(kept, "tool", lambda: "another")
    assert not audited(root)[0]


def test_the_tool_is_known_by_its_files_and_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs.tool.cache_clear()
    before = inputs.tool()
    (tmp_path / "other-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    inputs.tool.cache_clear()
    assert inputs.tool() != before
    monkeypatch.undo()
    inputs.tool.cache_clear()
    assert inputs.tool() == before


def test_what_changes_while_it_is_read_is_not_kept(root: Path) -> None:
    config = load(root)
    read, clock = Inputs(root.resolve()), time.time_ns()
    report = rows(auditing.audit(config, None, True, read))
    edit("2 * x", "4 * x", "lab/ops.py")(root)
    Kept(config, ()).keep(report, read, clock)
    assert Kept(config, ()).find(time.perf_counter()) is None


def test_two_readings_that_differ_are_not_kept(root: Path) -> None:
    read = Inputs(root.resolve())
    read.content("lab/ops.py", b"one")
    read.content("lab/ops.py", b"other")
    assert read.unknowable


def test_an_audit_that_asks_git_is_not_kept(root: Path) -> None:
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    edit("def twice", "def double", "lab/ops.py")(root)
    settled(root)
    assert not audited(root)[0]
    assert not audited(root)[0]


@pytest.mark.parametrize("damage", ["cut", "foreign", "other words", "empty", "folder"])
def test_damaged_and_foreign_entries_are_audited_again(root: Path, damage: str) -> None:
    audited(root)
    (entry,) = (root / ".eqtrace/cache").glob("*.json")
    text = entry.read_text()
    if damage == "cut":
        entry.write_text(text[:-100])
    elif damage == "foreign":
        entry.write_text('{"eqtrace": 1}')
    elif damage == "other words":
        entry.write_text(text.replace('"exit":0', '"exit":1'))
    elif damage == "empty":
        entry.write_text("")
    else:
        entry.unlink()
        entry.mkdir()
    known, found = audited(root)
    assert not known
    assert found == cold(root)


@pytest.mark.parametrize("change", ["report", "rests", "summary", "findings", "numbers"])
def test_entries_of_another_form_are_audited_again(root: Path, change: str) -> None:
    """Entries that are whole, but not what this version writes."""
    audited(root)
    (path,) = (root / ".eqtrace/cache").glob("*.json")
    entry = json.loads(path.read_text())
    path.unlink()
    if change in entry:
        entry[change] = {} if change == "report" else {"contents": {}, "places": {}, "facts": {}}
    elif change == "summary":
        del entry["report"]["statuses"]
    elif change == "findings":
        entry["report"]["findings"] = [[["EQ201"], ["a", 1], [], None, None]]
    else:
        entry["report"]["topics"] = True
    Cache(root.resolve()).put(path.name.partition("-")[0], entry)
    assert not audited(root)[0]


def test_everything_that_is_opened_is_recorded(root: Path) -> None:
    """Asked of the interpreter itself, which tells of every file that is opened."""
    read = Inputs(root.resolve())
    opened: set[str] = set()
    watching = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            opened.add(os.path.realpath(os.fsdecode(arguments[0])))

    sys.addaudithook(hook)
    auditing.audit(load(root), None, True, read)
    watching = False
    known = {os.path.realpath(root / path) for path in read.contents} | {os.path.realpath(root / "pyproject.toml")}
    ours = {path for path in opened if Path(path).is_relative_to(os.path.realpath(root)) and ".eqtrace" not in path}
    assert ours <= known
    assert ours


@pytest.fixture
def watching(root: Path) -> Iterator[Callable[[], list[str]]]:
    """Starts `audit --watch`; gives the lines of each audit, without what is said of waiting."""
    pytest.importorskip("watchfiles", reason="an extra")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    command = [sys.executable, "-u", "-m", "eqtrace", "audit", "--watch", "--format", "concise"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=root, env=environment, **pipes) as process:
        assert process.stdout is not None

        def following() -> list[str]:
            lines: list[str] = []
            for line in process.stdout or ():
                if line.startswith("watching "):
                    break
                lines.append(line)
            return lines

        yield following
        process.terminate()


def test_watching_audits_after_each_edit_and_only_then(root: Path, watching: Callable[[], list[str]]) -> None:
    assert watching()[-1].startswith("No errors")
    edit("2 * x", "4 * x", "lab/ops.py")(root)
    assert "EQ202" in watching()[0]
    write(root, "notes.txt", "Nothing that was read.\n")
    edit("[tool.eqtrace]", "[tool.eqtrace", "pyproject.toml")(root)
    assert "not valid TOML" in watching()[0]
    edit("[tool.eqtrace", "[tool.eqtrace]", "pyproject.toml")(root)
    assert "EQ202" in watching()[0]
    edit("4 * x", "2 * x", "lab/ops.py")(root)
    assert watching()[-1].startswith("No errors")


def test_watching_without_its_package_says_what_to_install(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "hidden/watchfiles.py", "raise ImportError\n")
    path = [str(tmp_path / "hidden"), *map(os.path.abspath, sys.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, "-m", "eqtrace", "audit", "--watch"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "eqtrace: --watch needs the package watchfiles, which is not installed",
        "  hint: pip install 'eqtrace[watch]'",
    ]


def test_the_command_says_where_it_comes_from(root: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        command = [sys.executable, "-m", "eqtrace", "audit", *arguments]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)

    first, again, anew = run(), run(), run("--no-cache")
    assert first.returncode == again.returncode == anew.returncode == 0, first.stderr
    assert "from cache  nothing" in first.stdout
    assert "from cache  everything: nothing that it rests on has changed" in again.stdout
    assert "from cache  nothing" in anew.stdout
    assert [*first.stdout.splitlines()[-3:]] == [*again.stdout.splitlines()[-3:]]
    assert run("--format", "concise").stdout == run("--format", "concise", "--no-cache").stdout
    assert json.loads(run("--format", "json").stdout)["summary"]["anchors"] == 5


# --- random edits ----------------------------------------------------------------------------------------------------


def _generator() -> Any:
    path = Path(__file__).resolve().parents[1] / "benchmarks/project.py"
    spec = importlib.util.spec_from_file_location("benchmark_project", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(3))
def test_after_random_edits_warm_says_what_cold_says(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    _generator().write(tmp_path, 100)
    paths = [each for each in sorted(tmp_path.rglob("*")) if each.suffix in (".py", ".yaml")]
    first = {path: path.read_text() for path in paths}
    seen, memory = 0, Memory()
    for _ in range(20):
        for path in rng.sample(paths, rng.choice((0, 1, 1, 2))):
            _edited(path, first[path], rng)
        time.sleep(0.06)
        _, warm = audited(tmp_path)
        known, again = audited(tmp_path)
        read = Inputs(tmp_path.resolve())
        watched = said(rows(auditing.audit(load(tmp_path), None, True, read, memory)))
        assert warm == again == watched == cold(tmp_path)
        seen += known
    assert seen  # an audit that asks git where a function went is never kept


def _edited(path: Path, first: str, rng: random.Random) -> None:
    """One of the edits that people make, or the file as it was at first."""
    if not path.exists():
        path.write_text(first)
        return
    lines = path.read_text().split("\n")
    place = rng.randrange(len(lines))
    match rng.randrange(12):  # the others restore it
        case 0:
            lines.insert(place, "")
        case 1:
            lines.insert(place, "# a comment")
        case 2:
            del lines[place]
        case 3:
            lines[place] = lines[place].replace("2", "3", 1)
        case 4:
            lines[place] = lines[place].replace("eq_", "renamed_")
        case 5:
            path.unlink()
            return
        case _:
            lines = first.split("\n")
    path.write_text("\n".join(lines))
