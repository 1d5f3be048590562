"""The right law is never refuted, an error of scale of 2% always, in 20 seeds each."""

import numpy as np
import pytest

from eqtrace.model.verdict import Verdict
from eqtrace.run.methods import distribution
from eqtrace.run.methods.distribution import DRAWS, FALSE_ALARM, _Mismatch, _test

SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::f']
what: w
why: w
symbols:
  x: {{shape: [n], code: null}}
  p: {{shape: [m], domain: {{probability_row: true}}}}
  k: {{shape: [], code: null}}
  n: {{shape: [], domain: {{integer: true, min: 1}}}}
  a: {{shape: [], domain: {{min: 0.5, max: 2}}}}
indices: {{i: n}}
call: '{call}'
equations:
  - id: t.e
    sympy: '{law}'
    method: [distribution]
    anchors: [{{role: computes, at: 'subject.py:{line}', in: f, code: '{code}', bind: {{{bind}}}}}]
"""


def drawn(verified, source, law="Uniform(x[i], -a, a)", call="f(n, a, rng)", bind="x: result", seed=0):
    lines = source.strip().splitlines()
    code = lines[-1].strip().replace("'", "''")
    spec = SPEC.format(law=law, call=call, bind=bind, line=len(lines), code=code)
    return verified(source.strip() + "\n", spec).result("t.e", "distribution", seed)


@pytest.fixture
def quick(monkeypatch):
    """Fewer draws, for laws that differ by more than 2%."""
    monkeypatch.setattr(distribution, "DRAWS", 60_000)
    monkeypatch.setattr(distribution, "_WHOLE_CALLS", 1_500)


def kinds(result):
    return result.verdict, [fault.kind for fault in result.faults]


TESTED = (Verdict.TESTED, [])
REFUTED = (Verdict.REFUTED, ["distribution-mismatch"])


@pytest.mark.parametrize("seed", range(20))
def test_uniform_values_pass_and_a_scale_2_percent_off_does_not(seed):
    rng = np.random.default_rng([seed, 1])
    right = rng.uniform(-1, 1, DRAWS)
    _test((right + 1) / 2, True, 1e-9)
    for factor in (0.98, 1.02):
        levels = np.clip((right * factor + 1) / 2, 0, 1)  # what lies outside the support is told before
        with pytest.raises(_Mismatch):
            _test(levels, False, 1e-10)


def test_the_code_is_tested_as_it_draws(verified):
    result = drawn(verified, "def f(n, a, rng):\n    return rng.uniform(-a, a, n)")
    assert kinds(result) == TESTED
    assert result.evidence.points >= DRAWS
    assert result.executions["t.e/computes/0"] > 0


@pytest.mark.parametrize(
    "body",
    [
        "rng.uniform(0, a, n)",
        "rng.normal(0, a / 3**0.5, n)",
        "a * np.round(rng.uniform(-1, 1, n), 3)",
        "np.repeat(rng.uniform(-a, a, n), 2)[:n]",
        "np.sort(rng.uniform(-a, a, n))",
        "np.random.default_rng(0).uniform(-a, a, n)",
        "np.random.default_rng().uniform(-a, a, n)",
        "a * np.linspace(-1, 1, n)",
    ],
)
def test_another_law_is_refuted(quick, verified, body):
    assert kinds(drawn(verified, f"import numpy as np\ndef f(n, a, rng):\n    return {body}")) == REFUTED


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_scale_2_percent_off_is_refuted_as_it_is_drawn(verified, factor):
    source = f"def f(n, a, rng):\n    return rng.uniform(-{factor} * a, {factor} * a, n)"
    assert kinds(drawn(verified, source)) == REFUTED


def test_categories(quick, verified):
    law, call, bind = "Categorical(k, p)", "f(p, rng)", "k: result"
    right = drawn(verified, "def f(p, rng):\n    return rng.choice(len(p), p=p)", law, call, bind)
    assert kinds(right) == TESTED


@pytest.mark.parametrize(
    "body",
    [
        "0",
        "rng.integers(0, len(p))",
        "rng.choice(len(p), p=p[::-1])",
        "rng.choice(len(p), p=0.9 * p + 0.1 / len(p))",
        "len(p)",
        "p.argmax()",
    ],
)
def test_other_categories(quick, verified, body):
    found = drawn(verified, f"def f(p, rng):\n    return {body}", "Categorical(k, p)", "f(p, rng)", "k: result")
    assert kinds(found) == REFUTED


def test_one_wrong_line_of_six_is_not_lost_among_the_others(verified):
    lines = "".join(f"    y{number} = rng.uniform(-a, a, n)\n" for number in range(5))
    source = f"def f(n, a, rng):\n{lines}    y5 = rng.uniform(-0.98 * a, 0.98 * a, n)"
    spec = SPEC.format(law="Uniform(x[i], -a, a)", call="f(n, a, rng)", bind="x: y5", line=7, code="-")
    head, _, _ = spec.partition("    anchors:")
    anchors = "".join(
        f"      - {{role: computes, at: 'subject.py:{number + 2}', in: f, code: '{text.strip()}',"
        f" bind: {{x: y{number}}}}}\n"
        for number, text in enumerate(source.splitlines()[1:])
    )
    result = verified(source, f"{head}    anchors:\n{anchors}").result("t.e", "distribution")
    assert kinds(result) == REFUTED


def test_a_line_that_never_draws_is_refuted_and_no_pass(verified):
    source = "def f(n, a, rng):\n    if n < 0:\n        return rng.uniform(-a, a, n)"
    assert drawn(verified, source).verdict is Verdict.REFUTED


def test_a_call_that_is_not_allowed_is_an_error(verified):
    result = drawn(verified, "def f(n, a, rng):\n    return rng.uniform(-a, a, n)", call='open("x")')
    assert (result.verdict, [fault.kind for fault in result.faults]) == (Verdict.NOT_CHECKED, ["form-syntax"])


def test_inputs_that_nothing_allows_are_an_error_and_no_crash(verified):
    source = "def f(n, a, rng):\n    return rng.uniform(-a, a, n)"
    spec = SPEC.format(law="Uniform(x[i], -a, a)", call="f(n, a, rng)", bind="x: result", line=2, code="-")
    spec = spec.replace("code: '-'", "code: 'return rng.uniform(-a, a, n)'").replace("call:", "where: 'a > 5'\ncall:")
    result = verified(source + "\n", spec).result("t.e", "distribution")
    assert (result.verdict, [fault.kind for fault in result.faults]) == (Verdict.NOT_CHECKED, ["value-undecided"])


def test_the_stated_error_rate():
    assert FALSE_ALARM <= 1e-9
