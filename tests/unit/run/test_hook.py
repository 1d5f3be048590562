import importlib
import importlib.resources
import inspect
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from eqtrace.errors import EqtraceError
from eqtrace.run import hook
from eqtrace.run.record import Recorder

SOURCE = '''"""A module."""
def area(w, h):
    a = w * h
    return a
def fails():
    a = 1 / 0
'''


@pytest.fixture
def project(tmp_path, monkeypatch, sites):
    """Writes files; installs the hook for sites in one of them; afterwards everything is as before."""
    path, modules, finders = list(sys.path), dict(sys.modules), list(sys.meta_path)

    class Project:
        root = tmp_path / "project"
        recorder = Recorder()

        def write(self, name, text=SOURCE):
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            return file

        def install(self, file, *cites, pythonpath=None):
            cites = cites or (("a = w", {"w": "w", "h": "h"}, {"a": "a"}),)
            found = sites(file.read_text(), cites, str(file))
            return hook.install(found, self.recorder, [self.root] if pythonpath is None else pythonpath)

    yield Project()
    sys.path[:], sys.meta_path[:] = path, finders
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.modules.update(modules)
    importlib.invalidate_caches()


def test_a_module_is_instrumented_at_import(project):
    file = project.write("shapes/flat.py")
    project.write("shapes/__init__.py", "")
    project.write("shapes/note.txt", "a resource")
    project.install(file)
    flat = importlib.import_module("shapes.flat")
    with project.recorder.recording() as recording:
        assert flat.area(2, 3) == 6
    assert recording.events["a"][0].outputs == {"a": 6}
    assert recording.events["a"][0].module == "shapes.flat"
    assert flat.__file__ == str(file)
    assert flat.__doc__ == "A module."
    assert flat.__spec__.origin == str(file)
    assert flat.__spec__.loader is flat.__loader__
    assert isinstance(flat.__loader__, importlib.machinery.SourceFileLoader)
    assert flat.__package__ == "shapes"
    assert inspect.getsource(flat) == SOURCE
    assert inspect.getsource(flat.area) == SOURCE.split("def fails")[0].split('"""\n')[1]
    assert importlib.resources.files("shapes").joinpath("note.txt").read_text() == "a resource"
    assert flat.area.__code__.co_filename == str(file)
    with pytest.raises(ZeroDivisionError) as caught:
        flat.fails()
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.line) == (str(file), 6, "a = 1 / 0")


def test_other_modules_are_loaded_as_always(project):
    file = project.write("one.py")
    project.write("two.py")
    project.install(file)
    two = importlib.import_module("two")
    assert type(two.__loader__) is importlib.machinery.SourceFileLoader
    assert not isinstance(two.__loader__, hook.Loader)


def test_packages_and_reload(project):
    file = project.write("pack/__init__.py")
    project.install(file)
    pack = importlib.import_module("pack")
    assert pack.__path__ == [str(file.parent)]
    pack = importlib.reload(pack)
    with project.recorder.recording() as recording:
        pack.area(1, 2)
    assert len(recording.events["a"]) == 1


def test_a_linked_folder(project, tmp_path):
    project.write("real/flat.py")
    (tmp_path / "link").symlink_to(project.root / "real")
    project.install(project.root / "real" / "flat.py", pythonpath=[tmp_path / "link"])
    flat = importlib.import_module("flat")
    with project.recorder.recording() as recording:
        flat.area(1, 2)
    assert len(recording.events["a"]) == 1


def test_the_root_wins_over_installed_packages(project, tmp_path, monkeypatch):
    installed = tmp_path / "site"
    (installed / "impl").mkdir(parents=True)
    (installed / "impl" / "__init__.py").write_text("where = 'installed'")
    monkeypatch.syspath_prepend(installed)
    file = project.write("impl/__init__.py", "where = 'root'\n")
    project.install(file, ("where", {}, {"w": "where"}))
    assert importlib.import_module("impl").where == "root"


def test_an_imported_module_is_an_error(project):
    file = project.write("early.py")
    sys.path.insert(0, str(project.root))
    importlib.import_module("early")
    before = list(sys.meta_path)
    with pytest.raises(EqtraceError, match=r"imported already: early \(.*early\.py\)"):
        project.install(file)
    assert sys.meta_path == before


def test_a_syntax_error_is_the_users(project):
    file = project.write("broken.py")
    project.install(file)
    file.write_text("def f(:\n")
    with pytest.raises(SyntaxError) as caught:
        importlib.import_module("broken")
    assert caught.value.filename == str(file)


def test_uninstall(project):
    file = project.write("one.py")
    finder = project.install(file)
    hook.uninstall(finder)
    assert finder not in sys.meta_path
    assert not isinstance(importlib.import_module("one").__loader__, hook.Loader)


PLAIN = "import one; print(one.area(2, 3), one.__cached__)"
INSTRUMENTED = """
import sys
from eqtrace.run import hook
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site
recorder = Recorder()
root = sys.argv[1]
site = Site("a", "one.py", root + "/one.py", 3, 5, 3, 14, inputs={"w": "w"}, outputs={"a": "a"})
hook.install([site], recorder, [root])
import one, two
with recorder.recording() as recording:
    print(one.area(2, 3), len(recording.events["a"]), recorder.problems, hasattr(two, "area"))
"""


def python(code, *arguments, cwd):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
    environment["PYTHONPATH"] = str(Path(hook.__file__).parents[2])
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout


def test_bytecode_files_are_neither_written_nor_read(project):
    """The prototype's mistake: instrumented bytecode in __pycache__ poisons the next plain run, and a plain run's
    bytecode hides the probes."""
    file = project.write("one.py")
    project.write("two.py")
    cache = project.root / "__pycache__"

    def cached():
        return sorted(entry.name.split(".")[0] for entry in cache.iterdir()) if cache.exists() else []

    assert python(INSTRUMENTED, str(project.root), cwd=project.root) == "6 1 {} True\n"
    assert cached() == ["two"]
    assert python(PLAIN, cwd=project.root).startswith("6 ")
    assert cached() == ["one", "two"]
    plain = next(cache.glob("one.*")).read_bytes()
    assert python(INSTRUMENTED, str(project.root), cwd=project.root) == "6 1 {} True\n"
    assert next(cache.glob("one.*")).read_bytes() == plain
    # Bytecode that claims to belong to the source but holds something else must not be believed.
    other = SOURCE.replace("w * h", "w + h")
    stamp = file.stat()
    file.write_text(other)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert python(PLAIN, cwd=project.root).startswith("6 ")
    assert python(INSTRUMENTED, str(project.root), cwd=project.root) == "5 1 {} True\n"
    assert file.read_text() == other


SHADOWED = """
import sys
from eqtrace.run import hook
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site
import random, statistics, yaml, colorsys
root = sys.argv[1]
site = Site("a", "random.py", root + "/random.py", 3, 5, 3, 14, inputs={"w": "w"}, outputs={"a": "a"})
recorder = Recorder()
hook.install([site], recorder, [root])
kept = random, statistics, yaml
import random, statistics, yaml, os, io
print([module.__file__.startswith(root) for module in (random, statistics, yaml, os, io)])
print(kept[0].random() < 1, kept[2].safe_load("[1, 2]"))
with recorder.recording() as recording:
    print(random.area(2, 3), len(recording.events["a"]))
import numpy as np
print(np.random.default_rng(0).random() < 1)
"""


def test_the_users_files_may_be_named_as_what_eqtrace_uses(project):
    for name in ("random", "statistics", "yaml", "os", "io", "eqtrace"):
        project.write(f"{name}.py")
    shown = python(SHADOWED, str(project.root), cwd="/").splitlines()
    assert shown == ["[True, True, True, False, False]", "True [1, 2]", "6 1", "True"]
