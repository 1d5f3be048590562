"""What the docstrings of installed packages say, held against what their functions compute."""

import shutil
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "projects" / "documented"
CERTIFIED = {
    "lmfit.lineshapes": [
        "gaussian", "gaussian2d", "lorentzian", "moffat", "breit_wigner", "logistic", "lognormal", "sine", "expsine",
        "powerlaw", "linear", "parabolic", "pearson7", "expgaussian", "exponential",
    ],
    "lmfit.models": ["pvoigt", "damped_oscillator", "skewed_gaussian", "linear", "dho"],
    "scipy.stats._continuous_distns": [
        f"{name}_gen._pdf" for name in ("norm", "cauchy", "laplace", "maxwell", "gamma", "fisk", "pareto")
    ],
    "scipy.optimize._optimize": ["rosen"],
    "scipy.signal.windows._windows": ["hann", "general_hamming"],
    "scipy.special._logsumexp": ["softmax"],
}  # fmt: skip
REFUTED = {
    "lmfit.lineshapes:dho": "amplitude*sigma*pi *",
    "lmfit.lineshapes:fermi": "1/(amplitude *exp(",
    "lmfit.lineshapes:bose": "amplitude/(exp(",
    "lmfit.lineshapes:students_t": "gamma((sigma+1)/2)",
    "scipy.stats._continuous_distns:genhalflogistic_gen._pdf": r"\frac{2 (1 - c x)^{1/(c-1)}}",
    "scipy.signal.windows._windows:blackman": r"0.5 \cos(2\pi n/M)",
}
NOT_READ = {
    "lmfit.lineshapes:doniach": ("( is never closed", "(pi*gamma/2"),
    "lmfit.lineshapes:damped_oscillator": (") closes nothing", ")"),
    "lmfit.lineshapes:split_lorentzian": ("stands where", "] *"),
    "lmfit.lineshapes:voigt": ("z is not declared", "z)"),
    "lmfit.models:lognormal": ("what a quotient's bar takes in is open", r"\sigma^2"),
    "scipy.stats._continuous_distns:johnsonsu_gen._pdf": (r"\phi is not declared", r"\phi"),
}


@pytest.fixture(scope="module")
def verified(opened, tmp_path_factory):
    root = tmp_path_factory.mktemp("documented") / "project"
    shutil.copytree(PROJECT, root)
    return opened(root).verify("-j", "2", timeout=300)


def test_every_verdict(verified):
    expected = {f"{module}:{name}": "certified" for module, names in CERTIFIED.items() for name in names}
    expected |= dict.fromkeys(REFUTED, "refuted") | dict.fromkeys(NOT_READ, "not-checked")
    assert verified.verdicts_but_for_constants == expected
    assert verified.exit == 1


def test_the_summary_counts_what_is_read(verified):
    summary = verified.report["summary"]["states"]
    assert (summary["total"], summary["is_form"], summary["not_read"]) == (43, 37, len(NOT_READ))


@pytest.mark.parametrize("equation", REFUTED)
def test_a_disagreement_has_a_counterexample_and_leads_to_the_documentation(verified, equation):
    (stated,) = next(each["states"] for each in verified.report["equations"] if each["id"] == equation)
    assert REFUTED[equation] in stated["text"]
    (finding,) = verified.of(equation)
    assert finding["name"] == "value-mismatch"
    assert "inputs: " in finding["hint"]
    place = finding["related"][-1]
    assert place["message"] == "the documentation that states the form"
    lines = Path(place["path"]).read_text("utf-8").split("\n")
    first = stated["text"].split("\n")[0]
    assert lines[place["line"] - 1][place["column"] - 1 :].startswith(first)


@pytest.mark.parametrize("equation", NOT_READ)
def test_what_is_not_read_is_told_at_its_place(verified, equation):
    reason, text = NOT_READ[equation]
    (finding,) = verified.of(equation)
    assert finding["name"] == "documented-form-not-read"
    assert reason in finding["message"]
    line = Path(finding["path"]).read_text("utf-8").split("\n")[finding["line"] - 1]
    assert line[finding["column"] - 1 :].startswith(text)
