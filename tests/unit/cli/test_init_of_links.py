"""`eqtrace init` where the code is linked from elsewhere."""

import pytest
from click.testing import CliRunner

from eqtrace.cli.main import cli


@pytest.mark.parametrize("inside", [True, False])
def test_a_link_that_leaves_the_folder_is_no_source(tmp_path, monkeypatch, inside):
    root = tmp_path / "project"
    code = (root if inside else tmp_path) / "real"
    root.mkdir()
    code.mkdir()
    (code / "shapes.py").write_text("def f(x):\n    return 2 * x\n")
    (root / "src").symlink_to(code)
    (root / "pyproject.toml").write_text('[project]\nname = "p"\nversion = "1"\n')
    monkeypatch.chdir(root)
    result = CliRunner().invoke(cli, ["init"])
    assert (result.exit_code == 0) is inside
    assert inside or "src is a link that leaves this folder" in str(result.exception)
    assert ("[tool.eqtrace]" in (root / "pyproject.toml").read_text()) is inside
