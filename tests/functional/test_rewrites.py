"""Other ways to write the same: all of them at once in one copy, and none may be reported."""

from dataclasses import dataclass

import pytest

DECAY, DENSITIES, COUNTING, DETECTOR = (
    f"src/halflife/{name}.py" for name in ("decay", "densities", "counting", "detector")
)


@dataclass(frozen=True)
class Rewrite:
    equation: str
    path: str
    old: str
    new: str
    verdict: str = "certified"


REWRITES = [
    Rewrite(
        "halflife.decay:decay_constant",
        DECAY,
        "return LN2 / half_life\n\n\ndef activity",
        "return 1 / (half_life / LN2)\n\n\ndef activity",
    ),
    Rewrite("halflife.decay:activity", DECAY, "return rate * remaining", "return n0 * rate * 2 ** (-t / half_life)"),
    Rewrite(
        "halflife.decay:surviving_fraction",
        DECAY,
        "return 0.5 ** (t / half_life)",
        "return math.exp(-t * math.log(2) / half_life)",
    ),
    Rewrite("halflife.decay:age", DECAY, "-math.log2(ratio)", "math.log(1 / ratio, 2)"),
    Rewrite(
        "halflife.decay:daughter_population",
        DECAY,
        "return gain * (math.exp(-k1 * t) - math.exp(-k2 * t))",
        "return gain * math.exp(-k1 * t) - math.exp(-k2 * t) * gain",
    ),
    Rewrite("halflife.decay:Nuclide.population", DECAY, "n0 * 2.0**-halvings", "pow(0.5, halvings) * n0"),
    Rewrite(
        "halflife.decay:Nuclide.specific_activity",
        DECAY,
        "return LN2 / half_life * atoms",
        "return math.log(2) * atoms / half_life",
    ),
    Rewrite(
        "halflife.densities:normal_density",
        DENSITIES,
        "np.exp(-0.5 * z * z) / (sigma * ROOT_2PI)",
        "np.exp(-np.square(z) / 2) / np.sqrt(2 * np.pi * sigma**2)",
    ),
    Rewrite(
        "halflife.densities:normal_log_density",
        DENSITIES,
        "- math.log(sigma) - HALF_LOG_2PI",
        "- math.log(sigma) - 0.91893853320467274178",
        "certified-to-constants",
    ),
    Rewrite(
        "halflife.densities:poisson_log_probability",
        DENSITIES,
        "k * math.log(mean) - mean - math.lgamma(k + 1)",
        "k * math.log(mean) - (mean + math.lgamma(k + 1))",
    ),
    Rewrite(
        "halflife.densities:logistic",
        DENSITIES,
        "    growth = math.exp(x)\n    return growth / (1.0 + growth)",
        "    return math.exp(x - math.log1p(math.exp(x)))",
    ),
    Rewrite(
        "halflife.densities:softplus",
        DENSITIES,
        "np.logaddexp(0.0, x)",
        "np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))",
    ),
    Rewrite(
        "halflife.densities:kernel_density",
        DENSITIES,
        "return total / (len(samples) * bandwidth)",
        "return float(np.mean(np.exp(-(((x - np.asarray(samples)) / bandwidth) ** 2) / 2))) / (bandwidth * ROOT_2PI)",
    ),
    Rewrite(
        "halflife.counting:weighted_mean",
        COUNTING,
        "return total / norm",
        "return np.dot(weights, values) / np.sum(weights)",
    ),
    Rewrite(
        "halflife.counting:sample_variance",
        COUNTING,
        "return square / (len(values) - 1)",
        "return np.var(values, ddof=1)",
    ),
    Rewrite(
        "halflife.counting:chi_square",
        COUNTING,
        "return sum(map(lambda o, e: (o - e) ** 2 / e, observed, expected))",
        "return np.sum((np.asarray(observed) - expected) ** 2 / expected)",
    ),
    Rewrite(
        "halflife.counting:entropy",
        COUNTING,
        "return -sum(share * math.log(share) for share in p if share > 0)",
        "return -np.einsum('i,i->', p[p > 0], np.log(p[p > 0]))",
    ),
    Rewrite("halflife.detector:Detector.true_rate", DETECTOR, "live = 1.0 - busy", "live = -busy + 1"),
    Rewrite(
        "halflife.detector:Detector.paralysable_rate",
        DETECTOR,
        "rate * math.exp(-rate * dead_time)",
        "math.exp(-dead_time * rate) * rate",
    ),
    Rewrite(
        "halflife.detector:peak_width",
        DETECTOR,
        "FWHM_PER_SIGMA * math.sqrt(variance)",
        "FWHM_PER_SIGMA * math.hypot(math.sqrt(fano * energy), noise)",
    ),
    Rewrite(
        "halflife.detector:channel",
        DETECTOR,
        "math.floor((voltage - offset) / width)",
        "int((voltage - offset) // width)",
    ),
    Rewrite("halflife.detector:phase", DETECTOR, "t % period", "t - period * math.floor(t / period)"),
    Rewrite(
        "halflife.detector:trapezoid",
        DETECTOR,
        "    if t <= rise + flat:\n        return 1.0\n    return max(0.0, (2 * rise + flat - t) / rise)",
        "    return max(0.0, min(1.0, (2 * rise + flat - t) / rise))",
    ),
    Rewrite(
        "halflife.detector:huber_loss",
        DETECTOR,
        "return np.where(size <= delta, 0.5 * residual**2, delta * (size - 0.5 * delta))",
        "return np.minimum(size, delta) * (size - np.minimum(size, delta) / 2)",
    ),
    Rewrite(
        "halflife.detector:calibrated",
        DETECTOR,
        "    for coefficient in reversed(coefficients):\n        energy = energy * channel_number + coefficient\n",
        "    for i, coefficient in enumerate(coefficients):\n        energy += coefficient * channel_number**i\n",
    ),
    Rewrite(
        "halflife.detector:legendre",
        DETECTOR,
        "    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(n - 2, x)) / n",
        "    last, this = 1.0, x\n    for m in range(2, n + 1):\n"
        "        last, this = this, (2 - 1 / m) * x * this - (1 - 1 / m) * last\n    return this",
    ),
    Rewrite(
        "halflife.detector:binomial",
        DETECTOR,
        "    ways = 1\n    for i in range(k):\n        ways = ways * (n - i) // (i + 1)\n    return ways",
        "    return math.comb(n, k)",
    ),
    Rewrite(
        "counting.rate", COUNTING, "gross_rate = gross / gross_time\n", "gross_rate = np.divide(gross, gross_time)\n"
    ),
    Rewrite(
        "counting.net",
        COUNTING,
        "return gross_rate - background_rate, deviation",
        "return -(background_rate - gross_rate), deviation",
    ),
    Rewrite(
        "counting.smoothing",
        COUNTING,
        "level = alpha * value + (1.0 - alpha) * level",
        "level += alpha * (value - level)",
    ),
    Rewrite(
        "counting.histogram",
        COUNTING,
        "np.add.at(counts, channels, weights)",
        "counts += (channels == np.arange(len(counts))[:, None]).astype(float) @ weights",
    ),
    Rewrite(
        "counting.running_mean",
        COUNTING,
        "self.mean += (value - self.mean) / self.count",
        "self.mean = (self.mean * (self.count - 1) + value) / self.count",
    ),
    Rewrite("counting.interval", COUNTING, "low = mean - k * deviation", "low = mean + -deviation * k"),
    Rewrite(
        "counting.squares",
        COUNTING,
        "weight * (value - centre) ** 2",
        "weight * abs(centre - value) * abs(value - centre)",
    ),
    Rewrite("counting.spread", COUNTING, "return math.fsum(squares)", "return sum(reversed(squares))"),
    Rewrite(
        "counting.lengths", COUNTING, "if len(values) != len(weights):", "if not len(weights) == len(values):", "tested"
    ),
    Rewrite("detector.height", DETECTOR, "peak.area / peak.width", "peak.area * peak.width**-1"),
    Rewrite(
        "detector.mean_life", DECAY, "self.mean_life = half_life / LN2", "self.mean_life = half_life / math.log(2)"
    ),
    Rewrite(
        "detector.dither", DETECTOR, "rng.uniform(-0.5 * step, 0.5 * step, n)", "step * (rng.random(n) - 0.5)", "tested"
    ),
    Rewrite("detector.calibration", DETECTOR, "np.ones(degree)", "np.full(degree, 1.0)", "tested"),
]


@pytest.fixture(scope="module")
def rewritten(copy_to, tmp_path_factory):
    project = copy_to(tmp_path_factory.mktemp("rewritten") / "halflife")
    for each in REWRITES:
        project.edit(each.path, each.old, each.new)
        if ":" not in each.equation:
            spec = project.root / f"spec/{each.equation.partition('.')[0]}.yaml"
            spec.write_text(spec.read_text("utf-8").replace(each.old.strip(), each.new.strip()), "utf-8")
    project.edit("pyproject.toml", 'coverage = "error"', 'coverage = "report"')  # some loops are not used any more
    assert project.run("fix").exit == 0
    return project.verify("-j", "2")


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.equation)
def test_a_rewrite_is_silent(rewritten, rewrite):
    assert rewritten.of(rewrite.equation) == []
    assert rewritten.verdicts[rewrite.equation] == rewrite.verdict


def test_the_run_passes(rewritten):
    assert (rewritten.exit, rewritten.codes) == (0, []), rewritten.findings
