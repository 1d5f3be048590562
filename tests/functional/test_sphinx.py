"""Documentation built by Sphinx, with equations in it: what pages show, where links lead, and what fails a build."""

import os
import pickle
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

LAYERS = Path(__file__).parent / "projects" / "layers"


class Documentation:
    """A copy of the project, and builds of its documentation."""

    def __init__(self, root: Path) -> None:
        shutil.copytree(LAYERS, root, ignore=shutil.ignore_patterns("__pycache__"))
        self.root = root

    def build(self, *options: str, builder: str = "html") -> "Built":
        environment = {**os.environ, "NO_COLOR": "1"}
        if "PYTHONPATH" in environment:
            entries = environment["PYTHONPATH"].split(os.pathsep)
            environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
        command = [sys.executable, "-m", "sphinx", "-b", builder, "--keep-going", *options, "docs", f"out/{builder}"]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=120)
        return Built(self.root / "out" / builder, done.returncode, done.stdout, done.stderr)

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        text = file.read_text("utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), "utf-8")

    def set(self, line: str) -> None:
        with (self.root / "docs" / "conf.py").open("a") as file:
            file.write(f"{line}\n")


class Built:
    """What a build made and said."""

    def __init__(self, folder: Path, exit: int, said: str, warnings: str) -> None:
        self.folder, self.exit, self.said, self.warnings = folder, exit, said, warnings

    def page(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")

    @property
    def changed(self) -> int:
        found = re.search(r"\d+ added, (\d+) changed", self.said)
        assert found is not None, self.said + self.warnings
        return int(found[1])


@pytest.fixture
def documentation(tmp_path: Path) -> Documentation:
    return Documentation(tmp_path / "layers")


def test_a_page_shows_mathematics_verdict_and_code(documentation: Documentation) -> None:
    built = documentation.build("-W")
    assert (built.exit, built.warnings) == (0, "")
    index, more = built.page("index.html"), built.page("more.html")
    assert index.count("<math") == 4
    assert '<span class="eqtrace-verdict eqtrace-certified">✓ certified</span>' in index
    assert re.search(r"\d+ executions of 1 line compared in float64", index)
    assert '<span class="pre">impl/ops.py:8</span>' in index
    assert "tests/test_ops.py" not in index
    assert "tests/test_ops.py:6" in more  # :lines: all
    assert "A smooth step." not in more  # the docstring
    # The role leads to the first place, also from another page; the index and the inventory hold it.
    assert re.search(r'href="#eqtrace-linear.linear" title="Matrix product plus bias: certified"', index)
    assert 'href="more.html#eqtrace-impl.ops-softplus"' in index
    assert 'id="eqtrace-linear.linear"' not in more
    inventory = zlib.decompress((built.folder / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    assert "linear.linear eqtrace:equation 1 index.html#eqtrace-$ -" in inventory
    assert "linear.linear (equation)" in built.page("genindex.html")


def test_mathematics_is_drawn_by_what_draws_all_of_it(documentation: Documentation) -> None:
    documentation.edit("docs/conf.py", 'html_math_renderer = "eqtrace"\n', "")
    for name in ("index", "more"):  # of the second only an equation has mathematics
        page = documentation.build("-W").page(f"{name}.html")
        assert "<math" not in page
        assert "mathjax" in page.lower()
        assert r"\[Y = XW + b\]" in page
    documentation.set('extensions.append("sphinx.ext.imgmath")')  # two that could be meant: Sphinx takes this one
    assert "math" in documentation.build("-b", "dummy").said


def test_builders_without_html_show_the_same(documentation: Documentation) -> None:
    built = documentation.build("-W", builder="text")
    assert (built.exit, built.warnings) == (0, "")
    shown = built.page("index.txt")
    for words in ("linear.linear Matrix product plus bias", "Y = XW + b", "✓ certified", "return X @ W + b"):
        assert words in shown
    latex = documentation.build("-W", builder="latex")
    assert latex.exit == 0, latex.warnings
    assert "Y = XW + b" in next(latex.folder.glob("*.tex")).read_text("utf-8")


def test_what_changed_in_code_or_specification_is_shown_by_the_next_build(documentation: Documentation) -> None:
    assert documentation.build("-W").exit == 0
    assert documentation.build("-W").changed == 0
    documentation.edit("impl/ops.py", '"""Layers."""\n', '"""Layers."""\n\n')  # moves every line
    moved = documentation.build("-W")
    assert (moved.exit, moved.changed) == (0, 2)
    assert "impl/ops.py:9" in moved.page("index.html")
    documentation.edit("spec/short.yaml", "x < 30", "x < 20")  # only one page shows this one, and one links to it
    assert documentation.build("-W").changed == 2
    documentation.edit("spec/linear.yaml", "label: Matrix product plus bias", "label: Product and bias")
    named = documentation.build("-W")
    assert named.changed == 2
    assert 'title="Product and bias: certified"' in named.page("index.html")


def test_a_refuted_equation_is_a_warning_in_every_build(documentation: Documentation) -> None:
    assert documentation.build("-W").exit == 0
    documentation.edit("impl/ops.py", "return X @ W + b", "return X @ W - b")
    built = documentation.build()
    assert built.exit == 0
    assert "✗ refuted" in built.page("index.html")
    assert "docs/index.rst:4: WARNING: spec/linear.yaml:23:9: EQ501 [value-mismatch] impl/ops.py:8" in built.warnings
    assert "EQ202 [statement-changed]" in built.warnings
    assert "docs/more.rst:8: WARNING: spec/linear.yaml:23:9: EQ501" in built.warnings
    assert "softplus" not in built.warnings
    again = documentation.build("-W")  # nothing is read anew
    assert again.exit == 1
    assert again.warnings == built.warnings
    documentation.edit("impl/ops.py", "return X @ W - b", "return X @ W + b")
    assert documentation.build("-W").exit == 0


def test_a_stale_line_is_told_without_running_code(documentation: Documentation) -> None:
    documentation.set("eqtrace_verify = False")
    documentation.edit("impl/ops.py", '"""Layers."""', '"""Layers."""\n\nprint("imported")')
    built = documentation.build("-W")
    assert built.exit == 0, built.warnings
    assert "imported" not in built.said
    assert "? not verified" in built.page("index.html")
    documentation.edit("impl/ops.py", "return X @ W + b", "return b + X @ W")
    built = documentation.build("-W")
    assert built.exit == 1
    assert "EQ202 [statement-changed]" in built.warnings


def test_a_build_fails_by_itself_where_it_is_told_to(documentation: Documentation) -> None:
    documentation.set("eqtrace_fail = True")
    assert documentation.build().exit == 0
    documentation.edit("docs/more.rst", "Again:", "Again: :eqtrace:equation:`linear.liner`")
    built = documentation.build()
    assert built.exit == 1
    assert "docs/more.rst:6: WARNING: no equation is called linear.liner; nearest: linear.linear" in built.warnings
    assert "ERROR: eqtrace: refuted, stale or unknown: linear.liner" in built.warnings


def test_an_unknown_directive_and_a_wrong_option(documentation: Documentation) -> None:
    with (documentation.root / "docs" / "more.rst").open("a") as file:
        file.write("\n.. eqtrace:equation:: none\n\n.. eqtrace:equation:: linear.linear\n   :lines: nonsense\n")
        file.write("\n.. eqtrace:equation:: impl.ops:softplus\n")
    built = documentation.build()
    assert built.exit == 0
    assert "docs/more.rst:12: WARNING: no equation is called none" in built.warnings
    assert "'nonsense' is no role of a line; roles are computes, inline" in built.warnings
    assert built.warnings.count("docs/more.rst:17: WARNING: impl.ops:softplus is shown") == 1


def test_equations_that_no_page_names_count_where_all_do(documentation: Documentation) -> None:
    documentation.edit("docs/more.rst", ".. eqtrace:equation:: impl.ops:softplus", "")
    documentation.edit("docs/index.rst", ":eqtrace:equation:`smooth <impl.ops:softplus>`", "smooth")
    documentation.edit("spec/short.yaml", "log(1 + exp(x))", "log(2 + exp(x))")
    built = documentation.build("-W")
    assert (built.exit, built.warnings) == (0, "")
    documentation.set("eqtrace_all = True")
    built = documentation.build("-W")
    assert built.exit == 1
    assert "WARNING: spec/short.yaml:2:3: EQ501" in built.warnings


def test_links_lead_to_the_site_where_no_page_shows_the_equation(documentation: Documentation) -> None:
    documentation.edit("docs/more.rst", ".. eqtrace:equation:: impl.ops:softplus", "")
    built = documentation.build("-W")
    assert built.exit == 1
    assert "docs/index.rst:4: WARNING: no page shows impl.ops:softplus, and the site has no address" in built.warnings
    with (documentation.root / "pyproject.toml").open("a") as file:
        file.write('\n[tool.eqtrace.site]\nurl = "https://me.example/docs"\n')
    built = documentation.build("-W")
    assert (built.exit, built.warnings) == (0, "")
    assert 'href="https://me.example/docs/pages/short.html#impl.ops:softplus"' in built.page("index.html")
    assert 'href="https://me.example/docs/pages/basics.html#linear.linear">Evidence</a>' in built.page("index.html")


def test_links_lead_to_another_projects_site_by_its_inventory(documentation: Documentation) -> None:
    body = "other.one eqtrace:equation -1 pages/other.html#other.one Another\n"
    head = b"# Sphinx inventory version 2\n# Project: x\n# Version: \n# The remainder is compressed using zlib.\n"
    (documentation.root / "docs" / "site.inv").write_bytes(head + zlib.compress(body.encode()))
    documentation.set('extensions.append("sphinx.ext.intersphinx")')
    documentation.set('intersphinx_mapping = {"eq": ("https://other.example", "site.inv")}')
    documentation.edit("docs/more.rst", "Again:", "Again: :eqtrace:equation:`other.one`")
    built = documentation.build("-W")
    assert (built.exit, built.warnings) == (0, "")
    assert 'href="https://other.example/pages/other.html#other.one"' in built.page("more.html")


def test_code_is_linked_where_a_repository_is_configured(documentation: Documentation) -> None:
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm first"):
        subprocess.run(["git", *command.split()], cwd=documentation.root, check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=documentation.root, capture_output=True, text=True)
    with (documentation.root / "pyproject.toml").open("a") as file:
        file.write('\n[tool.eqtrace.repository]\nurl = "https://github.com/me/layers"\ncommit = "git"\n')
    built = documentation.build("-W")
    assert built.exit == 0, built.warnings
    address = f"https://github.com/me/layers/blob/{commit.stdout.strip()}/impl/ops.py#L8"
    assert f'href="{address}"' in built.page("index.html")


def test_documents_read_by_several_processes_are_the_same(documentation: Documentation) -> None:
    names = [f"page{number}" for number in range(12)]
    for name in names:
        text = f"Page {name}\n===========\n\n:eqtrace:equation:`linear.linear` and :eqtrace:equation:`none`.\n"
        (documentation.root / "docs" / f"{name}.rst").write_text(text)
    documentation.edit("docs/index.rst", "   more\n", "   more\n" + "".join(f"   {name}\n" for name in names))
    shutil.copytree(documentation.root, documentation.root.parent / "serial")
    one = Documentation.__new__(Documentation)
    one.root = documentation.root.parent / "serial"
    serial, parallel = one.build("-j", "1", "-v"), documentation.build("-j", "4", "-v")
    assert parallel.exit == serial.exit == 0
    assert "not declared" not in parallel.warnings
    assert re.search(r"reading sources.*index \.\. ", parallel.said)  # several at a time
    assert sorted(parallel.warnings.replace(str(documentation.root), "").splitlines()) == sorted(
        serial.warnings.replace(str(one.root), "").splitlines()
    )
    assert parallel.warnings.count("no equation is called none") == len(names)
    for name in ("index.html", "more.html", "page3.html"):
        assert parallel.page(name) == serial.page(name)
    with (parallel.folder / ".doctrees" / "environment.pickle").open("rb") as file:
        data = pickle.load(file).domaindata["eqtrace"]
    assert len(data["uses"]["linear.linear"]) == len(names) + 3
    assert documentation.build("-j", "4").changed == 0
    documentation.edit("impl/ops.py", '"""Layers."""\n', '"""Layers."""\n\n')
    assert documentation.build("-j", "4").changed == len(names) + 2


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("pyproject.toml", "[tool.eqtrace]\nnonsense = 1\n", "nonsense: unknown key"),
        ("pyproject.toml", "", "no pyproject.toml with a [tool.eqtrace] table"),
        ("spec/short.yaml", "impl.ops: [\n", "EQ101 [yaml-syntax]"),
    ],
)
def test_a_project_that_cannot_be_read_is_told(documentation: Documentation, file: str, text: str, told: str) -> None:
    (documentation.root / file).write_text(text)
    built = documentation.build("-W")
    assert built.exit != 0
    assert told in built.warnings
    assert "Traceback (most recent call last)" not in built.warnings
