"""A project that the toolkit knows nothing of is verified as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

CERTIFIED = [
    "counting.rate",
    "counting.deviation",
    "counting.net",
    "counting.histogram",
    "counting.smoothing",
    "counting.interval",
    "counting.squares",
    "counting.spread",
    "counting.running_mean",
    "detector.height",
    "detector.mean_life",
    "detector.half_life",
    "halflife.decay:decay_constant",
    "halflife.decay:activity",
    "halflife.decay:surviving_fraction",
    "halflife.decay:age",
    "halflife.decay:daughter_population",
    "halflife.decay:Nuclide.population",
    "halflife.decay:Nuclide.specific_activity",
    "halflife.densities:normal_density",
    "halflife.densities:poisson_log_probability",
    "halflife.densities:logistic",
    "halflife.densities:softplus",
    "halflife.densities:kernel_density",
    "halflife.counting:weighted_mean",
    "halflife.counting:sample_variance",
    "halflife.counting:chi_square",
    "halflife.slopes:chi_square_slope",
    "halflife.counting:entropy",
    "halflife.detector:Detector.true_rate",
    "halflife.detector:Detector.paralysable_rate",
    "halflife.detector:Detector.detected",
    "halflife.detector:peak_width",
    "halflife.detector:channel",
    "halflife.detector:phase",
    "halflife.detector:trapezoid",
    "halflife.detector:huber_loss",
    "halflife.detector:calibrated",
    "halflife.detector:legendre",
    "halflife.detector:binomial",
]
TESTED = ["counting.lengths", "detector.live", "detector.dither", "detector.calibration"]
REASONS = {
    "halflife.densities:normal_log_density": ("certified-to-constants", "exact but for constants"),
    "halflife.decay:Nuclide.decay_constant": ("sampled", "reads self.mean_life, rounded before it"),
    "halflife.densities:erf_approximation": ("sampled", "within the declared tolerance"),
}


@pytest.fixture(scope="module")
def verified(copy_to, tmp_path_factory):
    """A run, the project, and its files' hashes before it."""
    project = copy_to(tmp_path_factory.mktemp("verified") / "halflife")
    before = project.hashes()
    return project.verify("-j", "2", "--seed", "11"), project, before


def test_every_verdict(verified):
    run, _, _ = verified
    expected = dict.fromkeys(CERTIFIED, "certified") | dict.fromkeys(TESTED, "tested")
    expected |= {equation: verdict for equation, (verdict, _) in REASONS.items()}
    expected["detector.dead_time_slope"] = "proved"
    assert run.verdicts == expected
    assert (run.exit, run.stderr) == (0, "")


@pytest.mark.parametrize("equation", REASONS)
def test_a_lesser_verdict_has_its_reason(verified, equation):
    run, _, _ = verified
    (method,) = [each["methods"]["value"] for each in run.report["equations"] if each["id"] == equation]
    assert REASONS[equation][1] in method["detail"]


def test_nothing_is_found(verified):
    run, _, _ = verified
    assert run.report["findings"] == []


def test_every_cited_line_is_executed(verified):
    run, _, _ = verified
    anchors = [anchor for equation in run.report["equations"] for anchor in equation["anchors"]]
    assert {anchor["status"] for anchor in anchors} == {"ok"}
    assert all(anchor["executions"] is None for anchor in anchors if anchor["role"] in ("tests", "explains"))
    assert all(anchor["executions"] >= 32 for anchor in anchors if anchor["role"] == "inline")
    fewest = {"detector.calibration": 8}
    for equation in run.report["equations"]:
        for anchor in equation["anchors"]:
            if anchor["role"] == "computes":
                assert anchor["executions"] >= fewest.get(equation["id"], 32), equation["id"]


def test_the_summary_adds_up(verified):
    run, _, _ = verified
    summary = run.report["summary"]
    assert summary["verdicts"]["certified"] == len(CERTIFIED)
    assert summary["coverage"]["equations"] == {"covered": 48, "total": 48, "waived": 0}
    statements = summary["coverage"]["statements"]
    assert statements["covered"] + statements["waived"] == statements["total"]
    assert summary["findings"] == {"error": 0, "warning": 0, "note": 0}


def test_the_sources_are_as_they_were(verified):
    _, project, before = verified
    assert project.hashes() == before


def test_bytecode_that_is_left_behind_is_of_plain_code(verified):
    _, project, _ = verified
    look = (
        "import halflife.decay as m\nimport sys\n"
        "seen = [f.__code__.co_consts for f in (m.activity, m.decay_constant, m.Nuclide.population)]\n"
        "sys.exit('eqtrace' in repr(seen))"
    )
    done = subprocess.run([sys.executable, "-c", look], cwd=project.root / "src", check=False)
    assert done.returncode == 0
    for file in project.root.rglob("*.pyc"):
        assert b"eqtrace" not in file.read_bytes()


def test_the_same_seed_gives_the_same_report_with_any_number_of_workers(verified):
    run, project, _ = verified
    again = project.verify("-j", "1", "--seed", "11", "--no-cache")
    for report in (run.report, again.report):
        report["summary"]["seconds"] = 0
    assert again.report == run.report


def test_another_seed_draws_other_inputs_and_shows_the_same(verified):
    run, project, _ = verified
    other = project.verify("-j", "2", "--seed", "12")
    assert other.verdicts == run.verdicts
    assert other.report != run.report


def test_a_folder_with_spaces_and_letters_of_any_script(tmp_path, copy_to):
    project = copy_to(tmp_path / "Größe 半減期 of it")
    run = project.verify("counting.*", "halflife.decay:*")
    assert (run.exit, set(run.verdicts.values())) == (
        0,
        {"certified", "tested", "sampled"},
    )


def test_audit_imports_nothing(project):
    """Every module would leave a mark if it were imported."""
    mark = project.root / "imported"
    for module in project.root.rglob("*.py"):
        text = module.read_text("utf-8")
        module.write_text(f"{text}\n\nopen({str(mark)!r}, 'w').close()\n", "utf-8")
    assert project.run("audit").exit == 0
    assert not mark.exists()
    assert project.verify("halflife.detector:phase").exit == 0
    assert mark.exists()


def test_the_projects_own_tests_pass(project):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", "pyproject.toml"]
    done = subprocess.run([*command, "tests"], cwd=project.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_toolkit_knows_nothing_of_it():
    import eqtrace

    package = Path(eqtrace.__file__).parent
    assert not [file for file in package.rglob("*.py") if "halflife" in file.read_text("utf-8")]
