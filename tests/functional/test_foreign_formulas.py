"""Formulas of packages that nobody here wrote, stated by hand and held against their installed sources."""

import shutil
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "projects" / "foreign"
CERTIFIED = {
    "scipy.stats._continuous_distns": [
        *(f"{name}_gen._pdf" for name in (
            "norm", "expon", "gamma", "laplace", "cauchy", "gumbel_r", "logistic", "rayleigh", "pareto", "weibull_min",
            "invgauss", "lognorm", "levy", "hypsecant",
        )),
        *(f"{name}_gen._logpdf" for name in (
            "norm", "expon", "gamma", "beta", "cauchy", "gumbel_r", "gumbel_l", "logistic", "rayleigh", "weibull_min",
            "maxwell", "chi2", "t", "gompertz", "nakagami",
        )),
        "norm_gen._entropy", "laplace_gen._cdf", "cauchy_gen._cdf", "pareto_gen._cdf",
    ],
    "scipy.optimize._optimize": ["rosen", "rosen_der"],
    "scipy.signal.windows._windows": [
        "general_cosine", "general_hamming", "hann", "hamming", "blackman", "tukey", "bartlett", "parzen", "gaussian",
        "cosine", "exponential", "triang",
    ],
    "lmfit.lineshapes": [
        "gaussian", "lorentzian", "split_lorentzian", "pvoigt", "moffat", "pearson7", "doniach", "students_t", "fermi",
        "step", "rectangle", "damped_oscillator",
    ],
    "sklearn.metrics.pairwise": [
        "linear_kernel", "polynomial_kernel", "rbf_kernel", "sigmoid_kernel", "laplacian_kernel", "cosine_similarity",
        "euclidean_distances",
    ],
    "sklearn.gaussian_process.kernels": ["RBF.__call__", "RationalQuadratic.__call__", "DotProduct.__call__"],
    "sklearn.metrics._regression": [
        "mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
        "r2_score", "max_error", "mean_poisson_deviance", "mean_pinball_loss",
    ],
    "sklearn.metrics._classification": ["log_loss", "brier_score_loss"],
}  # fmt: skip
LINES = dict.fromkeys(("left_edge", "first_slope", "deviation", "exponents"), "certified")
# Why no balls: compiled code, complex numbers.
SAMPLED = {"sklearn.metrics.pairwise": ["haversine_distances"], "lmfit.lineshapes": ["thermal_distribution"]}


@pytest.fixture(scope="module")
def verified(opened, tmp_path_factory):
    root = tmp_path_factory.mktemp("foreign") / "project"
    shutil.copytree(PROJECT, root)
    return opened(root).verify("-j", "2", timeout=300)


def test_every_verdict(verified):
    expected = {f"{module}:{name}": "certified" for module, names in CERTIFIED.items() for name in names}
    expected |= {f"{module}:{name}": "sampled" for module, names in SAMPLED.items() for name in names}
    expected |= {f"steps.{name}": verdict for name, verdict in LINES.items()}
    assert verified.verdicts_but_for_constants == expected
    assert len(expected) >= 80


def test_nothing_is_wrong(verified):
    assert [each for each in verified.findings if each["severity"] == "error"] == []
    assert verified.exit == 0


def test_what_is_only_sampled_says_why(verified):
    for equation in verified.report["equations"]:
        if equation["verdict"] == "sampled":
            (method,) = equation["methods"].values()
            assert "does not run in balls" in method["detail"], equation["id"]


def test_a_factor_that_is_off_is_refuted(opened, tmp_path):
    shutil.copytree(PROJECT, tmp_path / "project")
    project = opened(tmp_path / "project")
    project.edit("spec/windows.yaml", "0.54 - 0.46*cos", "0.54 - 0.4601*cos")
    project.edit("spec/learning.yaml", "tanh(gamma*Sum", "tanh(1.0001*gamma*Sum")
    selected = ["scipy.signal.windows._windows:hamming", "sklearn.metrics.pairwise:sigmoid_kernel"]
    run = project.verify(*selected)
    assert {name: run.verdicts[name] for name in selected} == dict.fromkeys(selected, "refuted")
