"""A formula beside a test is really checked, both ways."""

import pytest

import eqtrace

CODE = "import numpy as np\n\n\ndef bell(x, s):\n    return np.exp(-(x**2) / (2 * s**2))\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "bellpkg.py").write_text(CODE)
    return tmp_path


def test_the_right_formula_runs_the_test(project):
    @eqtrace.states("bellpkg:bell", "exp(-x**2/(2*s**2))", where="s > 0.1", root=project)
    def test(value):
        return value + 1

    assert test(1) == 2
    assert test.__name__ == "test"
    assert [each.name for each in (project / ".eqtrace").iterdir() if each.name.startswith("states")] == []


def test_the_wrong_formula_fails_with_a_counter_example(project):
    ran = []

    @eqtrace.states("bellpkg:bell", "exp(-x**2/s**2)", where="s > 0.1", root=project)
    def test():
        ran.append(1)

    with pytest.raises(AssertionError, match=r"bellpkg:bell does not state exp[^$]*EQ501[^$]*the form says[^$]*s = "):
        test()
    assert not ran


@pytest.mark.parametrize(
    ("target", "form", "told"),
    [
        ("bellpkg:bel", "x", "anchor-missing"),
        ("bellpkg:bell", "exp(z)", "unknown-symbol"),
        ("bellpkg:bell", "exp(", "form-syntax"),
    ],
)
def test_what_cant_be_read_never_passes(project, target, form, told):
    with pytest.raises(AssertionError, match=told):
        eqtrace.states(target, form, root=project)(lambda: None)()
