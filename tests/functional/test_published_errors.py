"""Formulas that real packages published wrong: refuted as they stood, verified as the code has them.

`python -m pytest tests/functional/test_published_errors.py -v` names each with the place where it was reported.
"""

import json
from pathlib import Path

import pytest
import yaml

from tests.functional.conftest import Run

PUBLISHED = Path(__file__).parent / "projects" / "published" / "errors.yaml"
ERRORS = yaml.safe_load(PUBLISHED.read_text("utf-8"))
PACKAGES = sorted({each["target"].split(".")[0] for each in ERRORS})
each_error = pytest.mark.parametrize("error", ERRORS, ids=lambda each: f"{each['source']} {each['target']}")


@pytest.fixture(scope="module")
def verified(opened, once):
    """The runs on the formulas as they stood, and as they are right."""

    def run(root, version):
        (root / "spec").mkdir(parents=True)
        settings = f'[tool.eqtrace]\nspec = ["spec/*.yaml"]\npackages = {PACKAGES}\ncoverage = "off"\n'
        (root / "pyproject.toml").write_text(settings, "utf-8")
        entries = {each["target"]: {**each["entry"], "sympy": each[version]} for each in ERRORS}
        (root / "spec" / f"{version}.yaml").write_text(yaml.safe_dump(entries), "utf-8")
        made = opened(root).verify("-j", "2", timeout=300)
        (root / "run.json").write_text(json.dumps([made.exit, made.stdout, made.stderr]), "utf-8")

    folder = once("published", lambda folder: [run(folder / version, version) for version in ("wrong", "right")])
    return {path.name: Run(*json.loads((path / "run.json").read_text("utf-8"))) for path in folder.iterdir()}


def test_there_are_enough():
    assert len({each["target"] for each in ERRORS}) == len(ERRORS) >= 15
    assert all(each["source"] and each["what"] for each in ERRORS)


@each_error
def test_the_published_formula_is_refuted(verified, error):
    run = verified["wrong"]
    assert run.verdicts[error["target"]] == "refuted"
    (finding,) = run.of(error["target"])
    assert finding["name"] == "value-mismatch"
    assert "inputs: " in finding["hint"]


@each_error
def test_the_right_formula_is_verified(verified, error):
    run = verified["right"]
    assert run.verdicts[error["target"]].removesuffix("-to-constants") == "certified"
    assert run.of(error["target"]) == []
