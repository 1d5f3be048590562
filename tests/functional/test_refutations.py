"""One edit of the code each, which the method itself must refute; an anchor that cites it is edited alike."""

from dataclasses import dataclass

import pytest

DECAY, DENSITIES, COUNTING, DETECTOR = (
    f"src/halflife/{name}.py" for name in ("decay", "densities", "counting", "detector")
)


@dataclass(frozen=True)
class Edit:
    """What is edited, and the finding that must follow."""

    equation: str
    path: str
    old: str
    new: str
    code: str = "EQ501"
    spec: str = ""  # the file whose anchor is edited alike


def edit(equation, path, old, new, code="EQ501"):
    topic = equation.partition(".")[0]
    return Edit(equation, path, old, new, code, "" if ":" in equation else f"spec/{topic}.yaml")


EDITS = [
    # signs, factors, exponents
    edit(
        "halflife.decay:decay_constant", DECAY, "return LN2 / half_life\n\n\ndef a", "return half_life / LN2\n\n\ndef a"
    ),
    edit("halflife.decay:activity", DECAY, "exponent = -rate * t", "exponent = -rate * t * 1.0001"),
    edit("halflife.decay:activity", DECAY, "return rate * remaining", "return remaining"),
    edit("halflife.decay:surviving_fraction", DECAY, "return 0.5 **", "return 0.50000001 **"),
    edit("halflife.decay:age", DECAY, "-math.log2(ratio)", "-math.log(ratio)"),
    edit("halflife.decay:daughter_population", DECAY, "(k2 - k1)", "(k1 - k2)"),
    edit("halflife.decay:daughter_population", DECAY, "return k1 * n0 * t *", "return n0 * t *"),
    edit("halflife.decay:Nuclide.population", DECAY, "n0 * 2.0**-halvings", "n0 * 2.0**halvings"),
    edit("halflife.decay:Nuclide.specific_activity", DECAY, "6.02214076e23", "6.02214086e23"),
    edit("halflife.decay:Nuclide.decay_constant", DECAY, "1.0 / self.mean_life", "1.0 / self.half_life"),
    # a constant that is a little off, and one too exact to see in float64
    edit("halflife.densities:normal_density", DENSITIES, "math.sqrt(2 * math.pi)", "math.sqrt(2 * 3.1416)"),
    edit(
        "halflife.densities:logistic",
        DENSITIES,
        "return growth / (1.0 + growth)",
        "return growth / (1.0 + growth) + 1e-20",
    ),
    edit("halflife.densities:normal_density", DENSITIES, "-0.5 * z * z) /", "-0.5 * z * z * (1 + 1e-19)) /"),
    edit("halflife.densities:erf_approximation", DENSITIES, "1.421413741", "1.421513741"),
    edit("halflife.densities:poisson_log_probability", DENSITIES, "math.lgamma(k + 1)", "math.lgamma(k + 2)"),
    edit("halflife.densities:normal_log_density", "src/halflife/constants.py", "0.9189385332046728", "0.9189385332046"),
    # branches and edges
    edit("halflife.densities:logistic", DENSITIES, "growth / (1.0 + growth)", "growth / (1.0 - growth)"),
    edit("halflife.detector:trapezoid", DETECTOR, "if t <= rise + flat", "if t <= flat"),
    edit("halflife.detector:huber_loss", DETECTOR, "size <= delta", "size <= 2 * delta"),
    edit("halflife.detector:huber_loss", DETECTOR, "np.abs(residual)", "residual"),
    edit("halflife.detector:channel", DETECTOR, "math.floor(", "math.ceil("),
    edit("halflife.detector:phase", DETECTOR, "t % period", "math.fmod(t, period)"),
    edit("halflife.detector:legendre", DETECTOR, "(n - 1) * legendre", "n * legendre"),
    edit("halflife.detector:binomial", DETECTOR, "for i in range(k):", "for i in range(k - 1):"),
    edit("halflife.detector:calibrated", DETECTOR, "in reversed(coefficients)", "in coefficients"),
    edit("halflife.detector:Detector.true_rate", DETECTOR, "live = 1.0 - busy", "live = 1.0 + busy"),
    edit("halflife.detector:peak_width", DETECTOR, "noise**2", "noise"),
    # sums and loops
    edit("halflife.counting:weighted_mean", COUNTING, "norm += weight", "norm += 1.0"),
    edit("halflife.counting:sample_variance", COUNTING, "(len(values) - 1)", "len(values)"),
    edit("halflife.counting:sample_variance", COUNTING, "delta * (value - mean)", "delta * delta"),
    edit("halflife.counting:chi_square", COUNTING, "(o - e) ** 2 / e", "(o - e) ** 2 / o**2"),
    edit("halflife.counting:entropy", COUNTING, "share * math.log(share)", "share * math.log2(share)"),
    edit("halflife.densities:kernel_density", DENSITIES, "-0.5 * u**2", "-0.5 * abs(u)"),
    # cited lines
    edit(
        "counting.rate",
        COUNTING,
        "background_rate = background / background_time",
        "background_rate = background / gross_time",
    ),
    edit("counting.net", COUNTING, "return gross_rate - background_rate,", "return gross_rate + background_rate,"),
    edit("counting.smoothing", COUNTING, "(1.0 - alpha) * level", "(1.0 + alpha) * level"),
    edit("counting.histogram", COUNTING, "np.add.at(counts, channels, weights)", "counts[channels] += weights"),
    edit(
        "counting.running_mean", COUNTING, "(value - self.mean) / self.count", "(value - self.mean) / (self.count + 1)"
    ),
    edit("counting.interval", COUNTING, "high = mean + k * deviation", "high = mean + 2 * deviation"),
    edit("counting.squares", COUNTING, "weight * (value - centre) ** 2", "weight * (value - centre)"),
    edit("detector.height", DETECTOR, "peak.area / peak.width", "peak.width / peak.area"),
    edit("detector.mean_life", DECAY, "self.mean_life = half_life / LN2", "self.mean_life = half_life * LN2"),
    # other methods
    edit(
        "counting.lengths",
        COUNTING,
        '        raise ValueError(f"{len(values)} values',
        '        raise RuntimeError(f"{len(values)} values',
        "EQ504",
    ),
    edit("detector.live", DETECTOR, "if busy >= 1:", "if busy >= 1.5:", "EQ504"),
    edit(
        "detector.live",
        DETECTOR,
        '            raise ValueError(f"the observed',
        '            raise TypeError(f"the observed',
        "EQ504",
    ),
    edit(
        "detector.dither",
        DETECTOR,
        "rng.uniform(-0.5 * step, 0.5 * step, n)",
        "rng.uniform(-0.49 * step, 0.49 * step, n)",
        "EQ505",
    ),
    edit(
        "detector.dither",
        DETECTOR,
        "rng.uniform(-0.5 * step, 0.5 * step, n)",
        "rng.normal(0.0, 0.29 * step, n)",
        "EQ505",
    ),
    edit("detector.calibration", DETECTOR, "np.ones(degree)", "np.zeros(degree)", "EQ506"),
    edit(
        "detector.calibration",
        DETECTOR,
        'table["live_time"] = np.zeros(detectors)',
        'table["livetime"] = np.zeros(detectors)',
        "EQ506",
    ),
    # arguments changed in place
    edit("halflife.counting:entropy", COUNTING, "    return -sum(", "    p.sort()\n    return -sum(", "EQ502"),
    edit(
        "counting.spread",
        COUNTING,
        "return math.fsum(squares)",
        "return math.fsum(squares) + (values.sort() or 0)",
        "EQ502",
    ),
]


@pytest.mark.usefixtures("quick_workers")
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.equation} {edit.new.strip()[:40]}")
def test_an_edit_is_refuted(project, edit):
    project.edit(edit.path, edit.old, edit.new)
    if edit.spec:
        spec = project.root / edit.spec
        spec.write_text(spec.read_text("utf-8").replace(edit.old, edit.new), "utf-8")
    run = project.verify_here(edit.equation, "-j", "1")
    print(run.stdout)
    assert run.exit == 1
    assert run.verdicts == {edit.equation: "refuted"}
    found = [finding for finding in run.findings if finding["code"] == edit.code]
    assert [(each["equation"], each["path"].partition("/")[0]) for each in found] == [(edit.equation, "spec")]
    places = [related["path"] for related in found[0]["related"]]
    if places:
        assert places[0] in (edit.path, DENSITIES)  # the constant's module is not where it is used
