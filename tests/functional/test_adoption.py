"""`init` and `add` as a new user meets them."""

import pytest

from eqtrace.cli.main import run

SETTINGS = "[tool.eqtrace]\nspec = ['eq.yaml']\nsources = ['mypkg']\ncoverage = 'off'\n"
CODE = '''"""Shapes."""

import numpy as np


def bell(x, s):
    if s <= 0.1:
        raise ValueError("too narrow")
    return np.exp(-(x**2) / (2 * s**2))


def square(x):
    """A square.

    square(x) = x**2
    """
    return x * x


def energy(x):
    return np.sum(x**2) / 2


def energy_grad(x):
    return x


def looped(x):
    for _ in range(3):
        x = x + 1
    return x
'''

SETTINGS = "[tool.eqtrace]\nspec = ['eq.yaml']\nsources = ['mypkg']\ncoverage = 'off'\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "mypkg").mkdir()
    (tmp_path / "mypkg" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "mypkg" / "shapes.py").write_text(CODE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_none.py").write_text("def test_none():\n    assert True\n")  # reaches no function
    (tmp_path / "pyproject.toml").write_bytes(b"# mine\r\n[project]\r\nname = 'mypkg'")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_init_writes_what_audits_and_changes_nothing_else(project, capsys):
    before = (project / "pyproject.toml").read_bytes()
    assert run(["init", "--dry-run"]) == 0
    assert "+[tool.eqtrace]" in capsys.readouterr().out
    assert (project / "pyproject.toml").read_bytes() == before
    assert not (project / "equations.yaml").exists()
    assert run(["init"]) == 0
    told = capsys.readouterr().err
    assert "looped: line 29 has a statement that no form writes" in told
    after = (project / "pyproject.toml").read_bytes()
    assert after.startswith(before)
    assert (
        b'\r\n\r\n[tool.eqtrace]\r\nspec = ["equations.yaml"]\r\nsources = ["mypkg"]\r\ntests = ["tests"]\r\n' in after
    )
    text = (project / "equations.yaml").read_text()
    assert "confirm it against the paper (mypkg/shapes.py:6)\n  bell: {sympy: 'exp(-x ** 2 / (2 * s ** 2))'" in text
    assert "from its docstring (mypkg/shapes.py:12)\n  square: {states: docstring}" in text
    assert "energy_grad: {gradient_of: energy, by: x, shapes: {x: [n]}}" in text
    assert run(["audit", "--no-cache"]) == 0
    assert run(["init"]) == 0
    assert "no function is drafted that has no entry" in capsys.readouterr().out
    assert (project / "pyproject.toml").read_bytes() == after
    assert (project / "equations.yaml").read_text() == text


def test_init_drafts_what_has_no_entry_where_its_module_has_some(project, capsys):
    settings = SETTINGS.replace("'eq.yaml'", "'eq.yaml', 'more/*.yaml'")
    (project / "pyproject.toml").write_text(settings)
    entries = "mypkg.shapes:\n    square: {sympy: 'x**2'}  # mine\n\n# the end\n"
    (project / "eq.yaml").write_text(entries)
    (project / "mypkg" / "other.py").write_text("def halved(x):\n    return x / 2\n")
    (project / "more").mkdir()
    assert run(["init", "--to", "other.yaml"]) == 2
    assert "does not cover other.yaml" in capsys.readouterr().err
    assert run(["init", "--to", "more/other.yaml", "--dry-run"]) == 0
    assert (project / "eq.yaml").read_text() == entries
    assert run(["init", "--to", "more/other.yaml"]) == 0
    assert "wrote 4 entries into more/other.yaml, eq.yaml" in capsys.readouterr().out
    text = (project / "eq.yaml").read_text()
    assert text.startswith(entries.partition("\n\n")[0] + "\n    # ")
    assert text.endswith("\n\n# the end\n")
    assert "\n    bell: {sympy:" in text
    assert text.count("square:") == 1
    assert "mypkg.other:\n" in (project / "more" / "other.yaml").read_text()
    (project / "mypkg" / "third.py").write_text("def doubled(x):\n    return 2 * x\n")
    assert run(["init"]) == 0
    added = (project / "eq.yaml").read_text().removeprefix(text)
    assert added.startswith("\nmypkg.third:\n  # drafted from the code")
    assert (project / "pyproject.toml").read_text() == settings
    assert run(["audit", "--no-cache"]) == 0
    (project / "eq.yaml").write_text("mypkg.shapes:\n  square: [\n")
    assert run(["init", "--to", "more/third.yaml"]) == 2
    assert "the specification has errors: eq.yaml:" in capsys.readouterr().err


def test_init_keeps_to_the_project_and_to_the_ends_of_lines(project, capsys):
    (project / "pyproject.toml").write_text(SETTINGS.replace("'eq.yaml'", "'*.yaml', 'more/**/*.yaml'"))
    outside = project.parent / "outside.yaml"
    outside.write_text("# mine\n")
    (project / "more").mkdir()
    (project / "d.yaml").mkdir()
    (project / "latin.yaml").write_bytes(b"# \xe9\n")
    for name in ("../outside.yaml", "d.yaml", "notes.txt", "none/new.yaml"):
        assert run(["init", "--to", name]) == 2
    assert run(["init", "--to", "latin.yaml"]) == 2
    (project / "latin.yaml").unlink()
    assert outside.read_text() == "# mine\n"
    capsys.readouterr()
    (project / "eq.yaml").write_bytes(b"\xef\xbb\xbfmypkg.shapes:\r\n  square: {sympy: 'x**2'}\r\n# end\r\n")
    assert run(["init", "--to", "./more/new.yaml"]) == 0
    text = (project / "eq.yaml").read_bytes()
    assert text.startswith(b"\xef\xbb\xbfmypkg.shapes:\r\n  square: {sympy: 'x**2'}\r\n  # ")
    assert text.endswith(b"}\r\n# end\r\n")
    assert text.count(b"\n") == text.count(b"\r\n")
    assert text.count(b"mypkg.shapes:") == 1
    assert run(["audit", "--no-cache"]) == 0
    capsys.readouterr()


def test_init_names_modules_as_yaml_reads_them_and_leaves_what_a_topic_cites(project, capsys):
    (project / "pyproject.toml").write_text(SETTINGS.replace("['mypkg']", "['on.py']"))
    (project / "on.py").write_text("def f(x):\n    return 2 * x\n\n\ndef g(x):\n    return 3 * x\n")
    (project / "eq.yaml").write_text("'on:f': {sympy: '2*x'}\n")
    assert run(["init"]) == 0
    assert run(["audit", "--no-cache"]) == 0
    assert "2 of 2 where they say" in capsys.readouterr().out


def test_init_says_what_comes_next(project, capsys):
    (project / "mypkg" / "shapes.py").write_text(
        "def halved(x):\n    return x / 2\n"
    )  # nothing is left without a draft
    assert run(["init"]) == 0
    assert "next: eqtrace verify" in capsys.readouterr().err
    (project / "pyproject.toml").write_text("")
    (project / "equations.yaml").unlink()
    (project / "mypkg" / "shapes.py").write_text("def f(p, raw=False):\n    x, y = p\n    return open(x)\n")
    assert run(["init"]) == 0
    told = capsys.readouterr()
    assert "no function is drafted" in told.out
    hint = "'mypkg.shapes:f': {sympy: '...', shapes: {p: [2]}}"
    assert f"next: write a formula into equations.yaml, like\n  {hint}" in told.err
    assert run(["add", "mypkg.shapes:f"]) == 2
    assert f"write its formula by hand: {hint}" in capsys.readouterr().err


def test_what_init_drafts_is_verified(project, capsys):
    (project / "mypkg" / "__init__.py").write_text("")
    assert run(["init"]) == 0
    assert run(["verify", "-j", "1"]) == 0
    assert "certified                  4" in capsys.readouterr().out
    assert run(["audit", "mypkg.shapes:b*", "mypkg.shapes:s*", "mypkg.shapes:energy"]) == 0
    assert "skipped     1 equation was not selected" in capsys.readouterr().out


def test_a_draft_beside_a_docstring_that_is_not_read_says_so(project, capsys):
    text = [
        'r"""The orbit, :math:`r = a/(1 + e)`."""',
        'r"""The ratio.\n\n    .. math:: q = c/d\n    """',
        '"""Half of x."""',
    ]
    names = ("orbit(a, e)", "ratio(c, b)", "half(x)")
    body = ("a / (1 - e)", "c / b", "x / 2")
    code = "\n\n".join(f"def {n}:\n    {t}\n    return {b}\n" for n, t, b in zip(names, text, body, strict=True))
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    told = capsys.readouterr().err
    assert "2 entries drafted from code whose docstring says something else, or prints a formula that is not" in told
    assert "  mypkg/shapes.py:1: orbit: it says r = a/(1 + e), and the code something else\n" in told
    assert "  mypkg/shapes.py:6: ratio: d is not declared\n" in told
    assert "half" not in told
    said = (project / "equations.yaml").read_text()
    against = "# drafted from the code: confirm it against its docstring, whose formula is not read"
    other = "# drafted from the code: its docstring says something else (r = a/(1 + e)) (mypkg/shapes.py:1)"
    assert f"{other}\n  orbit: {{states: {{holds: 'r ='}}, sympy:" in said
    assert f"{against} (d is not declared) (mypkg/shapes.py:6)\n  ratio: {{states: docstring, sympy:" in said
    assert "# drafted from the code: confirm it against the paper (mypkg/shapes.py:14)\n  half: {sympy:" in said
    assert run(["audit", "--format", "full"]) == 0
    told = capsys.readouterr().out
    assert "mypkg/shapes.py:9:21: EQ705 [documentation-not-read] note: " in told
    assert told.count("EQ705") == 1
    assert "EQ704" not in told  # deciding it takes values, which `verify` works out
    assert "documented  1 of 2 read" in told


SENTENCES = {
    "as it stands": "Its energy, E = m * v**2 / 2.",
    "ticks": "Its energy `E = m * v**2 / 2`.",
    "without a left side": "Computed as ``m * v**2 / 2``.",
    "a role": r"Its energy :math:`E = \frac{m v^2}{2}`.",
    "dollars": r"Computes $\frac12 m v^2$.",
    "parentheses": r"Its energy \(E = \frac12 m v^2\).",
}


@pytest.mark.parametrize("case", SENTENCES)
def test_a_draft_names_a_sentence_that_agrees_and_tells_of_one_that_does_not(project, capsys, case):
    text = SENTENCES[case]
    wrong = text.replace("/ 2", "/ 3").replace("{2}", "{3}").replace("frac12", "frac13")
    code = f'def right(m, v):\n    r"""{text}"""\n    return 0.5 * m * v**2\n\n\n'
    code += f'def wrong(m, v):\n    r"""{wrong}"""\n    return 0.5 * m * v**2\n'
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    told = capsys.readouterr().err
    said = (project / "equations.yaml").read_text()
    assert (
        "# drafted from the code, with which its docstring agrees (mypkg/shapes.py:1)\n  right: {states: {holds:"
        in said
    )
    assert "wrong: it says " in told
    assert "its docstring says something else (" in said
    assert "right" not in told
    assert run(["verify", "-j", "1", "--format", "concise"]) == 0
    told = capsys.readouterr().out
    assert "EQ704 [documentation-differs] warning: the documentation of mypkg.shapes:wrong" in told
    assert "right" not in told
    (project / "mypkg" / "shapes.py").write_text(code.replace(text, wrong))  # it drifts
    assert run(["verify", "-j", "1", "--format", "concise"]) == 0
    told = capsys.readouterr().out
    assert told.count("EQ704 [documentation-differs] warning: ") == 2


ASIDE = [
    "Never returns `x + y`.",
    "This no longer computes `x + y`.",
    "Its negative equals `x + y`.",
    "Returns `x + y`, doubled.",
    "Returns `x + y`. The result is divided by two.",
    "There, z = x + y, halved.",
    "Do not confuse with what returns `y / x`.",
    "Twice the energy equals `3 * x * y`.",
    "The slowness is s = x / y.",
    "Area of a circle of circumference `C = 2 * x * y`.",
    "Given that the area = x * y.",
    "Decays with rate k = 2 * x * y.",
    "In old versions r3 = x / y.",
    "Approximately z = x + 1 * y + 1.",
    "Minus `x + y`.",
    "The square root of $x + y$.",
    "It is not `x + y`, but its negative.",
    r"A number that is at most :math:`x + y`.",
    "The inverse of `z = 2 * (x + y)`.",
    "Equal to `x + y + 1` for negative x, and `x` else.",
    "Proportional to $3 x y$.",
    "The sum, where y = x * 2 + 1.",
    "For example, with x = 2 * a + 1.",
    "It is z = x + y - a product.",
    "It is z = x + 3 % 2.",
    "It is z = x + y * ((x + (y * (x)))).",
    "It is z = x + y + y if x > 0.",
    "For instance z = x * 3 if y is 3.",
    "Computes z = x + 3 * y\n\n    - x: one\n    - y: the other\n    ",
    "An identity, (x - y)(x + y) = x^2 - y^2.",
]


@pytest.mark.parametrize("text", ASIDE)
def test_a_sentence_about_something_else_says_nothing(project, capsys, text):
    (project / "mypkg" / "__init__.py").write_text("")
    code = f'def z(x, y):\n    r"""{text}"""\n    return x + y\n'
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    said = (project / "equations.yaml").read_text()
    assert "with which its docstring agrees" not in said
    assert "from its docstring" not in said
    assert ("says something else" in said) == ("3 * y" in text)  # a line ends as a sentence does
    assert run(["verify", "-j", "1"]) == 0
    capsys.readouterr()


def test_a_formula_of_what_is_returned_is_meant_before_all_others(project, capsys):
    law = 'r"""The law is\n\n    .. math:: y = e^{-k x}\n\n    Returns\n    -------\n    float\n'
    law += '        .. math:: k = -\\ln(y) / x\n    """\n'
    code = f"import math\n\n\ndef rate(x, y):\n    {law}    return -math.log(y) / x\n"
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    said = (project / "equations.yaml").read_text()
    assert "# from its docstring (mypkg/shapes.py:4)\n  rate: {states: docstring" in said
    assert run(["verify", "-j", "1"]) == 0
    capsys.readouterr()


def test_factorials_are_of_whole_numbers(project, capsys):
    code = 'import math\n\n\ndef ways(n, k):\n    r"""Ways.\n\n    .. math:: w = \\frac{n!}{k!(n-k)!}\n    """\n'
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code + "    return math.comb(n, k)\n")
    assert run(["init"]) == 0
    said = (project / "equations.yaml").read_text()
    assert "where: 'n - k >= 0'" in said or "n - k >= 0" in said
    assert "'n': {integer: true, min: 0, max: 9}" in said
    assert run(["verify", "-j", "1"]) == 0
    capsys.readouterr()


def test_a_draft_of_a_method_is_held_against_what_its_class_says(project, capsys):
    code = "".join(
        f'class {name}:\n    r"""A well.\n\n    .. math:: V(x) = {factor} k x^2\n    """\n\n'
        "    def __init__(self, k):\n        self.k = k\n\n    def __call__(self, x):\n"
        f"        return 2 * self.k * x**2\n\n\n"
        for name, factor in (("Right", 2), ("Wrong", 3))
    )
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    assert "Wrong.__call__: it says V(x) = 3 k x^2" in capsys.readouterr().err
    said = (project / "equations.yaml").read_text()
    assert "Right.__call__: {states: {holds: 'V(x) ='}, sympy: '2 * k * x ** 2'" in said
    assert run(["verify", "-j", "1", "--format", "concise"]) == 0
    assert "EQ704 [documentation-differs]" in capsys.readouterr().out


def test_what_a_docstring_needs_to_be_defined_stands_beside_it(project, capsys):
    """The code has a statement that no form writes, so that nothing of it tells."""
    body = "    for _ in range(1):\n        pass\n    return"
    code = "import math\n\n" + "\n\n".join(
        f'def {name}:\n    r"""Something.\n\n    .. math:: y = {text}\n    """\n{body} {value}\n'
        for name, text, value in (
            ("ratio(a, b, c)", r"\\frac{a}{b - c}".replace("\\\\", "\\"), "a / (b - c)"),
            ("level(p, q)", r"\\log_{10}(p) \\sqrt{q}".replace("\\\\", "\\"), "math.log10(p) * math.sqrt(q)"),
            ("plain(u)", "2 u^2", "2 * u**2"),
        )
    )
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    said = (project / "equations.yaml").read_text()
    assert "ratio: {states: docstring, where: 'Ne(b - c, 0)'}" in said
    assert "level: {states: docstring, where: 'p > 0, q >= 0'}" in said
    assert "plain: {states: docstring}" in said
    assert run(["verify", "-j", "1"]) == 0
    capsys.readouterr()


def test_a_function_without_a_draft_tells_why_its_docstring_is_none(project, capsys):
    code = 'r"""Shapes."""\n\ndef f(x, k):\n    r"""It.\n\n    .. math:: y = k z\n    """\n'
    (project / "mypkg" / "shapes.py").write_text(code + "    for _ in range(3):\n        x += k\n    return x\n")
    assert run(["init"]) == 0
    told = capsys.readouterr().err
    assert "f: line 8 has a statement that no form writes" in told
    assert "; its docstring's formula is not read: z is not declared\n" in told


def test_what_a_draft_does_not_name_keeps_its_default(project, capsys):
    code = (
        "def powered(x, y, p=0.9, n=None):\n    if n is not None:\n        p = (2 - n) / 2.0\n    return x**p * y\n\n\n"
        "def packed(x, pr, fa=None):\n    nu = 2.0 + pr * pr\n    if fa is None:\n"
        "        fa = 1.0 + 1.5*(1.0 - x) + x*x*x - 2.0*x*x + pr*x - 3.0*pr*pr*x\n    return fa * nu * nu + fa\n"
    )
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    said = (project / "equations.yaml").read_text()
    assert "domain: {p: {min: -9, max: 9}}}" in said
    assert "fa:" not in said
    assert run(["verify", "-j", "1"]) == 0
    capsys.readouterr()


MEANT = {
    "a name with a subscript is defined beside it": (
        ".. math:: y = k q_1\n\n    .. math:: q_1 = x + 1",
        "k * (x + 1)",
    ),
    "what stands before the sections": (
        ".. math:: y = k x\n\n    Notes\n    -----\n    It comes from\n\n    .. math:: z = x^2 + k",
        "k * x",
    ),
    "a display of two rows": (".. math::\n        y &= k (x + x) \\\\\n          &= 2 k x", "2 * k * x"),
    "brackets": ("\\[ y = k x^2 \\]", "k * x**2"),
    "powers of functions": (".. math:: y = k \\sin^2 x + \\log_{10} 10", "k * math.sin(x)**2 + 1"),
}


@pytest.mark.parametrize("case", MEANT)
def test_the_formula_that_is_meant(project, capsys, case):
    text, value = MEANT[case]
    code = f'import math\n\n\ndef f(x, k):\n    r"""It.\n\n    {text}\n    """\n    return {value}\n'
    code += f'\n\ndef g(x, k):\n    r"""It.\n\n    {text}\n    """\n    return {value} + 1\n'
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    (project / "pyproject.toml").write_text(SETTINGS)
    (project / "eq.yaml").write_text("mypkg.shapes: {f: {states: docstring}, g: {states: docstring}}\n")
    assert run(["verify", "-j", "1", "--format", "concise"]) == 1
    told = capsys.readouterr().out
    assert "(mypkg.shapes:g)" in told
    assert "(mypkg.shapes:f)" not in told


def test_sides_of_different_parameters_are_no_formula(project, capsys):
    (project / "pyproject.toml").write_text(SETTINGS)
    text = 'def f(v, d, nu=None, mu=None, rho=None):\n    r"""It.\n\n    .. math:: Re = d v / \\nu = \\rho v d / \\mu\n'
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(text + '    """\n    return d * v / nu if nu else rho * v * d / mu\n')
    (project / "eq.yaml").write_text("mypkg.shapes: {f: {states: docstring}}\n")
    assert run(["audit", "--format", "concise"]) == 1
    assert "its sides are of different parameters" in capsys.readouterr().out


def test_tests_inside_of_a_package_are_tests_and_branches_are_no_drafts(project, capsys):
    (project / "mypkg" / "tests").mkdir()
    (project / "mypkg" / "tests" / "helpers.py").write_text("def helper(x):\n    return 2 * x\n")
    (project / "mypkg" / "__init__.py").write_text("")
    code = "try:\n    from math import cbrt\nexcept ImportError:\n    def cbrt(x):\n        return x ** (1 / 3)\n\n\n"
    code += "def d_f_q(x):\n    return 3 * x\n\n\ndef f_q(x):\n    return x**2\n\n\n"
    code += 'def d_g(x):\n    """The derivative of g."""\n    return 2 * x\n\n\ndef g(x):\n    return x**2\n'
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    told = capsys.readouterr().err
    assert "cbrt: is defined in a branch" in told
    assert "helper" not in told
    settings = (project / "pyproject.toml").read_text()
    assert 'tests = ["tests", "mypkg/tests"]' in settings
    said = (project / "equations.yaml").read_text()
    assert "helper" not in said
    assert "  d_f_q: {sympy: '3 * x'}" in said
    assert "  d_g: {gradient_of: g, by: x}" in said
    assert run(["verify", "-j", "1"]) == 0
    capsys.readouterr()


def test_many_functions_without_a_draft_are_counted(project, capsys):
    code = "".join(f"def f{n}(x):\n    return open(x)\n\n\n" for n in range(70))
    code += 'def last(x):\n    r"""It is\n\n    .. math:: y = q\n    """\n    return open(x)\n'
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert "without a draft: 71" in told
    assert ": last: " in told[told.index("without a draft: 71") + 1]  # what its docstring prints is told first
    assert "  and 11 more: `eqtrace add FILE:LINE` tells the reason of one" in told


def test_a_refuted_docstring_that_speaks_of_units_says_so(project, capsys):
    (project / "pyproject.toml").write_text(SETTINGS)
    for text, speaks in (("The angle x, in degrees.", True), ("The angle x.", False)):
        code = f'import numpy as np\n\n\ndef f(x):\n    r"""{text}\n\n    .. math:: y = \\cos x\n    """\n'
        (project / "mypkg" / "__init__.py").write_text("")
        (project / "mypkg" / "shapes.py").write_text(code + "    return np.cos(np.radians(x))\n")
        (project / "eq.yaml").write_text("mypkg.shapes: {f: {states: docstring}}\n")
        assert run(["verify", "-j", "1"]) == 1
        assert ("its docstring speaks of `degrees`" in capsys.readouterr().out) == speaks


def test_a_draft_declares_the_index_that_its_docstring_sums_over(project, capsys):
    formula = r"\sqrt{\frac{1}{n} \sum_{%s=1}^n x_%s^2}"
    code = "import numpy as np\n" + "".join(
        f'\n\ndef {name}(x):\n    r"""The root mean square.\n\n    .. math:: {formula % (index, index)}\n    """\n'
        "    return np.sqrt(np.mean(x**2))\n"
        for name, index in (("read", "i"), ("unread", "n"))
    )
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    assert run(["init"]) == 0
    assert "  mypkg/shapes.py:12: unread: n is declared, but as no index\n" in capsys.readouterr().err
    said = (project / "equations.yaml").read_text()
    assert "  read: {states: docstring, shapes: {x: ['n']}, indices: {i: 'n'}}\n" in said
    assert "  unread: {states: docstring, sympy: 'sqrt(Sum(x[k] ** 2, k) / n)'" in said
    assert run(["verify", "-j", "1"]) == 0
    assert "documented  1 of 2 read, 1 are the form themselves; 1 not read" in capsys.readouterr().out


def test_what_a_docstring_says_in_a_sentence_is_the_form_where_an_entry_takes_it(project, capsys):
    (project / "pyproject.toml").write_text(SETTINGS)
    code = 'def orbit(a, e):\n    """The orbit, :math:`r = a/(1 + e)`."""\n    return a / (1 - e)\n'
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(code)
    (project / "eq.yaml").write_text("mypkg.shapes:\n  orbit: {states: {holds: 'r ='}, where: 'e > 0, e < 0.9'}\n")
    assert run(["verify", "-j", "1", "--format", "concise"]) == 1
    assert "EQ501 [value-mismatch] mypkg/shapes.py:1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "behind", "indent"),
    [
        ("mypkg.shapes:\n  square: {sympy: 'x**2'}\n", "", "  "),
        ("'mypkg.shapes':  # mine\n    # of old\n    square:\n        sympy: 'x**2'", "", "    "),
        ("mypkg.shapes:\n  square: {sympy: 'x**2'}\n", "\n# the end\nmypkg.other: {}\n", "  "),
        ("mypkg.shapes: {square: {sympy: 'x**2'}}\n", "", ""),
        ("'mypkg.shapes:square': {sympy: 'x**2'}\n", "", ""),
    ],
)
def test_add_puts_an_entry_where_its_module_has_its(project, capsys, before, behind, indent):
    (project / "pyproject.toml").write_text(SETTINGS)
    (project / "eq.yaml").write_text(before + behind)
    assert run(["add", "mypkg.shapes:energy"]) == 0
    text = (project / "eq.yaml").read_text()
    name = "energy" if indent else "'mypkg.shapes:energy'"
    assert text.startswith(before.rstrip("\n") + f"\n{indent}# drafted from the code")
    assert f"\n{indent}{name}: " in text
    assert text.endswith(behind)
    assert run(["audit", "--no-cache", "mypkg.shapes:energy"]) == 0
    capsys.readouterr()


def test_add_appends_one_entry_and_nothing_else(project, capsys):
    (project / "pyproject.toml").write_text(SETTINGS)
    (project / "eq.yaml").write_text("# kept\n'mypkg.shapes:square': {sympy: 'x**2'}")
    before = (project / "eq.yaml").read_text()
    assert run(["add", "mypkg/shapes.py:9", "--dry-run"]) == 0
    assert "'mypkg.shapes:bell': {sympy:" in capsys.readouterr().out
    assert (project / "eq.yaml").read_text() == before
    assert run(["add", "mypkg.shapes:energy"]) == 0
    assert (project / "eq.yaml").read_text().startswith(before + "\n# drafted from the code")
    assert run(["audit", "--no-cache"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("mypkg.shapes:bel", "there is no function `mypkg.shapes:bel`"),
        ("mypkg.shapes:square", "has an entry already: eq.yaml:2"),
        ("mypkg.shapes:looped", "no form writes"),
        ("mypkg/shapes.py:2", "stands in no function"),
        ("mypkg/none.py:2", "no such file"),
        ("nonsense", "there is no function"),
    ],
)
def test_add_refuses_with_the_reason(project, capsys, target, told):
    (project / "pyproject.toml").write_text(SETTINGS)
    (project / "eq.yaml").write_text("mypkg.shapes:\n  square: {sympy: 'x**2'}\n")
    assert run(["add", target]) == 2
    assert told in capsys.readouterr().err
    assert (project / "eq.yaml").read_text() == "mypkg.shapes:\n  square: {sympy: 'x**2'}\n"


@pytest.mark.parametrize("text", ["tool = {other = 1}\n", "[tool.eqtrace]\n", "= broken\n"])
def test_init_refuses_what_it_cant_extend(project, capsys, text):
    (project / "pyproject.toml").write_text(text)
    assert run(["init"]) == 2
    assert (project / "pyproject.toml").read_text() == text
    assert not (project / "equations.yaml").exists()
    capsys.readouterr()


OBJECTS = '''
import numpy as np


class Spring:
    def __init__(self, k, mass=1.0, name="spring"):
        self.k = k
        self.mass = float(mass)
        self.name = name

    def force(self, x):
        return -self.k * x

    @property
    def stiffness(self):
        return 2 * self.k

    def frequency(self):
        return np.sqrt(self.k / self.mass)

    @staticmethod
    def energy(k, x):
        return k * x**2 / 2

    def label(self):
        return self.name + "!"


def residuals(y: np.ndarray, p: np.ndarray) -> float:
    """Their squares added up.

    Parameters
    ----------
    y, p : np.ndarray of shape (n_samples,)
        Data and predictions.
    """
    return np.sum((y - p) ** 2)


def projected(X, w):
    """Rows by weights.

    Parameters
    ----------
    X : (n, d) ndarray
    w : (d,) ndarray
    """
    return X @ w
'''


def test_methods_and_documented_shapes_are_drafted_and_verified(project, capsys):
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(OBJECTS)
    assert run(["init"]) == 0
    text = (project / "equations.yaml").read_text()
    assert "Spring.force: {sympy: '-k * x', call: 'Spring(k).force(x)'" in text
    assert "call: 'Spring(k).stiffness'" in text
    assert "call: 'Spring(k, mass).frequency()'" in text
    assert "Spring.energy: {sympy: 'k * x ** 2 / 2'}" in text
    assert "shapes: {'y': [n_samples], p: [n_samples]}" in text
    assert "shapes: {X: ['n', d], w: [d]}" in text
    assert "Spring.label: line 26 has an expression that no form writes" in capsys.readouterr().err
    assert run(["verify", "--no-cache", "-j", "1"]) == 0
    assert "certified                  6" in capsys.readouterr().out


def test_an_object_that_is_called_is_drafted_by_that_call(project, capsys):
    (project / "mypkg" / "__init__.py").write_text("")
    (project / "mypkg" / "shapes.py").write_text(
        "class Line:\n    def __init__(self, k):\n        self.k = k\n\n    def __call__(self, x):\n"
        "        return self.k * x\n\n    def _part(self, x):\n        return self.k * x\n"
    )
    assert run(["init"]) == 0
    text = (project / "equations.yaml").read_text()
    assert "Line.__call__: {sympy: 'k * x', call: 'Line(k)(x)'" in text
    assert "_part" not in text
    assert run(["verify", "--no-cache", "-j", "1"]) == 0
    assert "certified                  1" in capsys.readouterr().out
    assert run(["add", "mypkg.shapes:Line._part"]) == 2
    assert "begins with an underscore" in capsys.readouterr().err


def test_a_method_is_added(project, capsys):
    (project / "mypkg" / "shapes.py").write_text(OBJECTS)
    (project / "pyproject.toml").write_text(SETTINGS)
    assert run(["add", "mypkg.shapes:Spring.force"]) == 0
    assert "call: 'Spring(k).force(x)'" in (project / "eq.yaml").read_text()
