"""What the configuration makes of a site: links to a repository, colours, and templates of the project."""

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.config import Config, Repository, Theme
from eqtrace.errors import EqtraceError
from eqtrace.model.results import Results
from eqtrace.report.hosting import Host
from eqtrace.report.site import build, render
from eqtrace.report.theme import DEFAULTS, contrast, sheet

URL = "https://example.org/some/project"


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def hosted(config: Config, commit: str = "git", url: str = URL) -> Config:
    return replace(config, repository=Repository(url, commit))


@pytest.fixture
def committed(config: Config) -> str:
    """The commit that holds the project's sources as they are."""
    git(config.root, "init", "--quiet")
    git(config.root, "add", ".")
    git(config.root, "commit", "--quiet", "-m", "first")
    return git(config.root, "rev-parse", "HEAD")


def test_code_is_linked_at_the_commit(config: Config, results: Results, committed: str) -> None:
    files = dict(render(hosted(config), results))
    page = files["pages/layers.html"].decode()
    assert f'href="{URL}/blob/{committed}/ops.py#L6-L8"' in page
    assert f"at commit <code>{committed[:12]}</code>" in page
    assert f'href="{URL}/blob/{committed}/model.py#L1-L10"' in files["source/model.py.html"].decode()
    data = json.loads(files["equations.json"])
    assert data["commit"] == committed
    assert data["equations"][0]["anchors"][0]["repository"] == f"{URL}/blob/{committed}/ops.py#L8"


def test_the_commit_is_evidence(config: Config, results: Results, committed: str) -> None:
    """Without a repository there is none; a file that is another at the commit is named; a new commit shows."""
    folder = build(config, results).folder
    page = folder / "pages/layers.html"
    assert "<dt>Commit</dt><dd>none is configured</dd>" in page.read_text()
    build(hosted(config), results)
    assert page.read_text().count(f"<dt>Commit</dt><dd>{committed[:12]}</dd>") == 4
    (config.root / "model.py").write_text((config.root / "model.py").read_text() + "\n")
    build(hosted(config), results)
    words = f"<dt>Commit</dt><dd>{committed[:12]}, but for model.py, which was checked as it is here</dd>"
    assert page.read_text().count(words) == 1
    git(config.root, "commit", "--quiet", "--all", "-m", "second")
    build(hosted(config), results)
    assert words not in page.read_text()
    assert dict(render(hosted(config), results))["pages/layers.html"] == page.read_bytes()


def test_a_file_that_is_another_at_the_commit_has_no_link(config: Config, results: Results, committed: str) -> None:
    (config.root / "model.py").write_text((config.root / "model.py").read_text() + "\nLATER = 1\n")
    files = dict(render(hosted(config, committed[:9]), results))
    source = files["source/model.py.html"].decode()
    assert "/model.py#L" not in source
    assert "No link to the repository: the file there" in source
    assert f"/blob/{committed}/ops.py#L" in files["source/ops.py.html"].decode()


def test_a_project_in_a_folder_of_its_repository(config: Config, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    assert str(Host(hosted(config)).line("ops.py", 3)).endswith("/project/ops.py#L3")


@pytest.mark.parametrize("commit", ["0" * 40, "no-such-branch", "--help"])
@pytest.mark.usefixtures("committed")
def test_an_unknown_commit_is_an_error(config: Config, results: Results, commit: str) -> None:
    with pytest.raises(EqtraceError, match=re.escape(f"git knows no commit '{commit}'")):
        build(hosted(config, commit), results)
    assert not (config.root / "out").exists()


def test_without_git_links_are_refused_and_said_to_be(config: Config, results: Results) -> None:
    with pytest.raises(EqtraceError):
        build(hosted(config), results)
    page = dict(render(config, results))["index.html"].decode()
    assert "No repository is configured, so code is linked within these pages only." in page


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://github.com/a/b", "https://github.com/a/b/blob/{}/ops.py#L2-L4"),
        ("https://gitlab.com/a/b", "https://gitlab.com/a/b/-/blob/{}/ops.py#L2-4"),
        ("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/src/{}/ops.py#lines-2:4"),
    ],
)
def test_each_host_has_addresses_of_its_own(config: Config, committed: str, url: str, wanted: str) -> None:
    assert Host(hosted(config, url=url)).line("ops.py", 2, 4) == wanted.format(committed)


def themed(config: Config, **colours: tuple[str, str]) -> Config:
    return replace(config, site=replace(config.site, theme=Theme("dark", colours)))


def test_colours_stand_in_a_style_sheet_of_their_own(config: Config, results: Results) -> None:
    files = dict(render(themed(config, link=("#00467f", "#9fd0ff")), results))
    assert "--link: light-dark(#00467f, #9fd0ff);" in files["static/theme.css"].decode()
    assert '<html lang="en" data-theme="dark">' in files["index.html"].decode()
    assert dict(render(config, results))["static/theme.css"] == b""


def test_colours_that_cannot_be_read_are_refused(config: Config) -> None:
    with pytest.raises(EqtraceError, match=r"`link` on `ground` has a contrast of 1\.\d+ in the light scheme"):
        sheet(themed(config, link=("#eeeeee", "#84bdea")))


def test_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=1e-3)


def test_the_defaults_are_those_of_the_style_sheet(config: Config, results: Results) -> None:
    css = dict(render(config, results))["static/site.css"].decode()
    for name, (light, dark) in DEFAULTS.items():
        assert f"--{name}: light-dark({light}, {dark});" in css


def with_templates(config: Config, **texts: str) -> Config:
    folder = config.root / "templates"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return replace(config, site=replace(config.site, templates="templates"))


def test_a_template_of_the_project_stands_in_for_one_of_the_package(config: Config, results: Results) -> None:
    own = with_templates(
        config,
        source='{% extends "base.html" %}{% block main %}<h1>Mine: {{ view.path }} {{ "<b>" }}</h1>{% endblock %}',
    )
    files = dict(render(own, results))
    assert "<h1>Mine: ops.py &lt;b&gt;</h1>" in files["source/ops.py.html"].decode()
    assert b"Mine" not in files["index.html"]


@pytest.mark.parametrize(
    "text",
    [
        "{% if %}",
        "{{ nobody }}",
        "{{ view.path.__class__.__mro__ }}",
        "{% include 'missing.html' %}",
        "{{ pages.append(1) }}",
    ],
)
def test_a_template_that_is_wrong_or_reaches_out_is_an_error(config: Config, results: Results, text: str) -> None:
    with pytest.raises(EqtraceError, match="templates"):
        build(with_templates(config, source=text), results)


def test_a_template_that_is_a_link_out_of_the_project_is_an_error(
    config: Config, results: Results, tmp_path: Path
) -> None:
    (tmp_path / "secret.html").write_text("secret")
    own = with_templates(config)
    (config.root / "templates/source.html").symlink_to(tmp_path / "secret.html")
    with pytest.raises(EqtraceError, match="leaves"):
        build(own, results)


def test_a_folder_of_templates_that_is_missing_is_an_error(config: Config, results: Results) -> None:
    with pytest.raises(EqtraceError, match="there is no folder `nowhere`"):
        build(replace(config, site=replace(config.site, templates="nowhere")), results)
