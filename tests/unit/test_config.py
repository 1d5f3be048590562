from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eqtrace.config import Config, Repository, Theme, load, load_file
from eqtrace.errors import EqtraceError


def project(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, "utf-8")
    return path


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(EqtraceError) as raised:
        load_file(project(folder, text))
    return str(raised.value).splitlines()


EVERYTHING = """\
[tool.other]
spec = 1
[tool.eqtrace]
spec = ["spec/*/*.yaml", "./more/**/*.yml"]
sources = ["impl"]
tests = ["tests/impl"]
packages = ["scipy"]
pythonpath = ["lib"]
scenarios = "spec/scenarios.py"
references = "spec/references.py"
pages = "spec/pages.yaml"
literature = "spec/literature.yaml"
waivers = "spec/waivers.yaml"
reviews = "spec/reviews.yaml"
testers = "testers.json"
coverage = "error"
fail_on = ["line-moved", "EQ205"]
repository = { url = "https://example.org/a/b/", commit = "git" }

[tool.eqtrace.sizes]
T = [3, 9]
H = 2
d = 'H*dh'

[tool.eqtrace.site]
title = "T"
pages = ["a"]
theme = "dark"
output = "out"
sizes = { T = 16, d = "H*dh" }
"""


def test_every_key_is_read(tmp_path: Path) -> None:
    config = load_file(project(tmp_path, EVERYTHING))
    assert config.root == tmp_path.resolve()
    assert config.spec == ("spec/*/*.yaml", "more/**/*.yml")
    assert config.pythonpath == ("lib",)
    assert config.sizes == {"T": (3, 9), "H": (2,), "d": "H*dh"}
    assert config.fail_on == frozenset({"line-moved", "EQ205"})
    assert config.repository == Repository("https://example.org/a/b", "git")
    assert (config.site.title, config.site.pages, config.site.theme, config.site.output) == (
        "T",
        ("a",),
        Theme("dark"),
        "out",
    )
    assert config.site.sizes == {"T": 16, "d": "H*dh"}
    assert pickle.loads(pickle.dumps(config)) == config


def test_lines_of_keys(tmp_path: Path) -> None:
    config = load_file(project(tmp_path, EVERYTHING))
    assert config.line("pages") == 11
    assert config.line("sizes", "H") == 22
    assert config.line("site", "sizes", "T") == 30
    assert Config(root=tmp_path / "nowhere").line("pages") == 1


def test_defaults_follow_the_folders(tmp_path: Path) -> None:
    path = project(tmp_path, "[tool.eqtrace]\n")
    assert load_file(path) == Config(root=tmp_path.resolve())
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    config = load_file(path)
    assert (config.sources, config.tests, config.pythonpath) == (("src",), ("tests",), (".", "src"))


def test_searches_upward_past_files_without_the_table(tmp_path: Path) -> None:
    project(tmp_path, "[tool.eqtrace]\nspec = ['a.yaml']\n")
    inner = tmp_path / "x" / "y"
    inner.mkdir(parents=True)
    project(tmp_path / "x", "[tool.other]\n")
    assert load(inner).spec == ("a.yaml",)
    assert load(inner).root == tmp_path.resolve()


def test_all_faults_at_once_with_lines_and_nearest_keys(tmp_path: Path) -> None:
    text = """\
[tool.eqtrace]
spce = ["a"]
sources = "impl"
coverage = "all"
zzz = 1
fail_on = [1]
[tool.eqtrace.site]
titel = "x"
[tool.eqtrace.sizes]
T = 0
U = [1, true]
'a-b' = 3
"""
    found = faults(tmp_path, text)
    assert found[0] == "pyproject.toml:2: spce: unknown key; did you mean 'spec'?"
    assert found[3].startswith("pyproject.toml:5: zzz: unknown key; known are spec, sources")
    assert found[1] == "pyproject.toml:3: sources: a list of texts is wanted, not one text"
    assert [line.split(":")[1] for line in found] == ["2", "3", "4", "5", "6", "8", "10", "11", "12"]


@pytest.mark.parametrize("value", ["../x", "/etc/passwd", "a/../../b", "C:\\x", "..\\x"])
@pytest.mark.parametrize("key", ["pages", "scenarios", "spec", "sources", "pythonpath"])
def test_paths_stay_inside(tmp_path: Path, key: str, value: str) -> None:
    shown = f"['{value}']" if key in ("spec", "sources", "pythonpath") else f"'{value}'"
    (fault,) = faults(tmp_path, f"[tool.eqtrace]\n\n{key} = {shown}\n")
    assert fault.startswith(f"pyproject.toml:3: {key}: ")
    assert "inside" in fault


def test_links_out_of_the_root_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "within").symlink_to(root)
    (fault,) = faults(root, "[tool.eqtrace]\nspec = ['within/*.yaml', 'out/*.yaml']\n")
    assert "link" in fault


@pytest.mark.parametrize("pattern", [".", "./", "a/b**/*.yaml", "***"])
def test_patterns_that_are_none(tmp_path: Path, pattern: str) -> None:
    (fault,) = faults(tmp_path, f"[tool.eqtrace]\nspec = ['{pattern}']\n")
    assert fault.startswith("pyproject.toml:2: spec: ")


def test_not_usable_at_all(tmp_path: Path) -> None:
    assert "no [tool.eqtrace] table" in faults(tmp_path, "[tool.other]\n")[0]
    assert "not valid TOML" in faults(tmp_path, "[tool.eqtrace\n")[0]
    assert "must be a table" in faults(tmp_path, "[tool]\neqtrace = 1\n")[0]
    assert "not valid TOML" in faults(tmp_path, "a = " + "[" * 5000)[0]
    with pytest.raises(EqtraceError, match="can't be read"):
        load_file(tmp_path / "missing.toml")


def test_nothing_upward(tmp_path: Path) -> None:
    with pytest.raises(EqtraceError, match=r"no pyproject\.toml"):
        load(tmp_path)


@pytest.mark.parametrize(
    "text", ['{ url = "x", commit = "git" }', '{ url = "https://e.org" }', '"git"', "{ hash = 1 }"]
)
def test_bad_repository(tmp_path: Path, text: str) -> None:
    assert all(
        line.startswith("pyproject.toml:2: repository")
        for line in faults(tmp_path, f"[tool.eqtrace]\nrepository = {text}\n")
    )


def test_import_stays_light() -> None:
    code = "import sys, eqtrace.config, eqtrace.model.topic; print({'pydantic', 'yaml', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_link_that_leads_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    found = faults(tmp_path, '[tool.eqtrace]\nspec = ["loop.yaml"]\n')
    assert found[0].startswith("pyproject.toml:2: spec: 'loop.yaml' leads through links that can't be followed")


def test_a_number_of_many_digits_is_told(tmp_path: Path) -> None:
    found = faults(tmp_path, f"[tool.eqtrace]\nspec = {'1' * 5000}\n")
    assert "is not valid TOML" in found[0]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir])
def test_settings_that_are_no_file_are_told_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "settings.toml")
    with pytest.raises(EqtraceError, match="not a regular file"):
        load_file(tmp_path / "settings.toml")


@pytest.mark.parametrize("path", ["x" * 300, "x/" * 2_500 + "y"])
def test_a_path_that_is_too_long_is_told(tmp_path: Path, path: str) -> None:
    found = faults(tmp_path, f'[tool.eqtrace]\ntests = ["{path}"]\npages = "{path}"\n')
    assert len(found) == 2
    assert all("longer than a path can be" in each for each in found)


def test_a_theme_has_a_scheme_and_colours(tmp_path: Path) -> None:
    text = '[tool.eqtrace.site.theme]\nscheme = "light"\nlink = "#00467f"\nmark = ["#ffffff", "#000000"]\n'
    theme = load_file(project(tmp_path, f"[tool.eqtrace]\n{text}")).site.theme
    assert theme == Theme("light", {"link": ("#00467f", "#00467f"), "mark": ("#ffffff", "#000000")})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('theme = "blue"', "site.theme: one of 'auto', 'light', 'dark' is wanted, not 'blue'"),
        ('theme = { lnk = "#000000" }', "site.theme.lnk: unknown key; did you mean 'link'?"),
        ('theme = { link = "red; } body {" }', "site.theme.link: a colour like '#175a8c' is wanted"),
        ('theme = { link = ["#000000"] }', "site.theme.link: a colour like '#175a8c' is wanted"),
        ("theme = 3", "site.theme: a table is wanted, not a number"),
        ('url = "ftp://e.org"', "site.url: an address that starts with https:// is wanted"),
        ('templates = "../mine"', "site.templates: '../mine' must be a path inside"),
    ],
)
def test_bad_settings_of_the_site(tmp_path: Path, text: str, message: str) -> None:
    assert any(message in line for line in faults(tmp_path, f"[tool.eqtrace.site]\n{text}\n[tool.eqtrace]\n"))
