"""The wheel and the source distribution, built and installed as a user would, into environments that hold nothing else.

They need a package index. Without one these tests are left out, which is said at the end of the run; in CI they fail.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEN_LINES = '''"""Line shapes."""
import numpy as np


def gaussian(x, amplitude, center, sigma):
    """A bell that holds `amplitude`."""
    return amplitude / (np.sqrt(2 * np.pi) * sigma) * np.exp(-((x - center) ** 2) / (2 * sigma**2))


def lorentzian(x, amplitude, center, sigma):
    return amplitude / np.pi * sigma / ((x - center) ** 2 + sigma**2)
'''
pytestmark = pytest.mark.long  # environments are made and filled
PLUGIN = "tests/functional/test_pytest_plugin.py"
SELECTED = (
    "tests/checks/test_cases.py",
    "tests/functional/test_foreign_project.py",
    "tests/unit/formula/test_ball.py",
    "tests/unit/report/test_mathml.py",
    "tests/unit/run/methods/test_counterexample.py",
    "tests/unit/cli/test_main.py",
)


class Environment:
    """A virtual environment of its own."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder)
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")

    def run(self, *command: str | Path, cwd: Path, check: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST", "COV"))
        }
        environment.update(more)
        done = subprocess.run(
            [self.bin / command[0], *command[1:]], cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def install(self, *what: str | Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.bin / "python", "install", "--quiet"]
        done = subprocess.run([*pip, *what], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def index(no_index: str) -> None:
    """A package index that answers; else the test is left out, or fails in CI."""
    asked = [sys.executable, "-m", "pip", "index", "versions", "--timeout", "15", "--retries", "0", "iniconfig"]
    done = subprocess.run(asked, capture_output=True, check=False)
    if done.returncode:
        assert os.environ.get("CI") != "true", f"{no_index}: {done.stderr.decode()}"
        pytest.skip(no_index)


@pytest.fixture(scope="session")
def built(index: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, the wheel made from it, and in `direct` the wheel made from the tree."""
    folder = tmp_path_factory.mktemp("built")
    tree = folder / "tree"
    shutil.copytree(
        ROOT,
        tree,
        ignore=shutil.ignore_patterns(
            ".git", ".venv", ".eqtrace", "__pycache__", "*.egg-info", "build", "dist", "reports"
        ),
    )
    tools = Environment(folder / "tools")
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    tools.install("build", *requires)  # and nothing else, so that one environment does for the three builds
    build = ("python", "-m", "build", "--no-isolation")
    tools.run(*build, "--outdir", folder, tree, cwd=folder)
    shutil.rmtree(tree / "build", ignore_errors=True)
    tools.run(*build, "--wheel", "--outdir", folder / "direct", tree, cwd=folder)
    return folder


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as opened:
        return sorted(opened.namelist())


def test_the_wheel_holds_the_toolkit_and_what_it_needs_and_nothing_else(built: Path) -> None:
    found = names(only(built, "*.whl"))
    tops = {name.partition("/")[0] for name in found}
    assert tops == {"eqtrace", "eqtrace-0.1.0.dist-info"}
    package = ROOT / "trace/eqtrace"
    mine = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {f"eqtrace/{path.relative_to(package).as_posix()}" for path in mine} == {
        name for name in found if name.startswith("eqtrace/")
    }
    assert {"eqtrace/py.typed", "eqtrace/spec/schema.json", "eqtrace/report/static/stix-two-math.woff2"} <= set(found)
    assert any(name.endswith("licenses/LICENSE") for name in found)


def test_the_source_distribution_makes_the_same_wheel(built: Path) -> None:
    assert names(only(built, "*.whl")) == names(only(built / "direct", "*.whl"))
    with tarfile.open(only(built, "*.tar.gz")) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "trace/eqtrace/__init__.py"} <= held


def test_the_metadata_are_honest(built: Path) -> None:
    with zipfile.ZipFile(only(built, "*.whl")) as opened:
        told = Parser().parsestr(opened.read("eqtrace-0.1.0.dist-info/METADATA").decode())
    assert {"test", "site", "dask", "sphinx", "watch"} <= set(told.get_all("Provides-Extra") or ())
    assert told["Requires-Python"] == ">=3.11"
    assert "MIT" in str(told["License-Expression"])


@pytest.fixture(scope="session")
def clean(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel, and the newest versions of what it needs."""
    made = Environment(tmp_path_factory.mktemp("clean") / "environment")
    made.install(only(built, "*.whl"))
    return made


def test_from_nothing_to_a_verified_formula(clean: Environment, tmp_path: Path) -> None:
    """As a new user: install, init, audit, verify, site."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "shapes"\nversion = "1"\n', "utf-8")
    (tmp_path / "shapes.py").write_text(TEN_LINES, "utf-8")
    assert clean.run("eqtrace", "--version", cwd=tmp_path).stdout == "eqtrace 0.1.0\n"
    clean.run("eqtrace", "init", cwd=tmp_path)
    clean.run("eqtrace", "audit", cwd=tmp_path)
    done = clean.run("eqtrace", "verify", "--format", "json", cwd=tmp_path)
    verdicts = {each["id"]: each["verdict"] for each in json.loads(done.stdout)["equations"]}
    assert verdicts == {"shapes:gaussian": "certified", "shapes:lorentzian": "certified"}
    clean.run("eqtrace", "site", cwd=tmp_path)
    pages = tmp_path / "reports/site"
    assert "gaussian" in (pages / "equations.html").read_text("utf-8")
    assert (pages / "static/stix-two-math.woff2").stat().st_size > 10_000


def selection(environment: Environment, folder: Path, *more: str) -> None:
    """Runs a small selection of the tests on what is installed, in a copy without the sources."""
    for name in ("tests", "impl", "spec"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    done = environment.run(
        "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *SELECTED, *more, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr
    assert re.search(r"\d{3} passed", done.stdout)


def test_the_newest_versions_of_all_dependencies(clean: Environment, tmp_path: Path) -> None:
    clean.install("pytest", "pytest-xdist")
    # Few of the plugin: the whole run has the newest pytest too.
    few = ("every_method_of_every_equation_is_an_item_beside_all_plugins", "xdist_runs_the_same_items_in_shares")
    selection(clean, tmp_path, *(f"{PLUGIN}::test_{each}" for each in few))


def test_the_lowest_versions_of_all_dependencies(
    built: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """Those that pyproject.toml says are enough."""
    lowest = Environment(tmp_path_factory.mktemp("lowest") / "environment")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("".join(f"{_lowest(each)}\n" for each in wanted), "utf-8")
    lowest.install("--constraint", constraints, only(built, "*.whl"), *project["optional-dependencies"]["test"])
    (tmp_path / "run").mkdir()
    selection(lowest, tmp_path / "run", PLUGIN)


def _lowest(requirement: str) -> str:
    found = re.match(r"(?P<name>[\w.-]+)>=(?P<version>[\d.]+)", requirement)
    assert found, f"{requirement} has no lower bound"
    return f"{found['name']}=={found['version']}"


@pytest.mark.parametrize("extra", ["watch"])
def test_an_extra_brings_what_its_command_needs(clean: Environment, built: Path, tmp_path: Path, extra: str) -> None:
    clean.install(f"{only(built, '*.whl')}[{extra}]")
    clean.run("python", "-c", "import watchfiles", cwd=tmp_path)
