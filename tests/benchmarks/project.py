"""Writes a project of any size: documented equations, the code that they cite, and tests of it.

    python tests/benchmarks/project.py ANCHORS FOLDER

One anchor for each function, twenty functions a file: 10,000 anchors are 500 files with 162,000 lines, the shape that
other tools are timed on. Each equation has LaTeX, a form and four anchors, one of each role: `computes`, `inline`,
`calls` and `tests`; no two equations are the same. The same arguments always give the same project.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

EQUATIONS = 25  # of a group: four files of code and one of tests, five topics
ROLES = 4  # anchors of each equation
_SETTINGS = """\
[tool.eqtrace]
spec = ["spec/*.yaml"]
sources = ["src"]
tests = ["tests"]
pages = "spec/pages.yaml"
coverage = "off"
"""
# Of the equation with a given number: the left side, its statement, its form and its LaTeX.
_KINDS = (
    ("k", "k = {n}.5 * np.exp(-b * x)", "{n}.5*exp(-b*x)", "k = {n}.5 e^{{-b x}}"),
    ("w", "w = np.cos(c * x + {n})", "cos(c*x + {n})", r"w = \cos(c x + {n})"),
    ("damped", "damped = a * k * w / {n}", "a*k*w/{n}", r"d = \frac{{a k w}}{{{n}}}"),
    ("tail", "tail = a / ({n} + x**2)", "a/({n} + x**2)", r"t = \frac{{a}}{{{n} + x^2}}"),
    ("y", "y = {n} * damped + tail", "{n}*damped + tail", "y = {n} d + t"),
)


def write(folder: Path, anchors: int) -> None:
    """Writes a project with about so many anchors (a multiple of 100)."""
    groups = max(1, anchors // (EQUATIONS * ROLES))
    for name in ("src", "tests", "spec"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(_SETTINGS)
    (folder / "spec/pages.yaml").write_text("- {page: all, title: All, intro: '', topics: []}\n")
    for group in range(groups):
        _Group(folder, group * EQUATIONS).write()


class _Group:
    """Twenty-five equations, the files that they cite, and where in these the statements came to stand."""

    def __init__(self, folder: Path, first: int) -> None:
        self.folder = folder
        self.numbers = range(first, first + EQUATIONS)
        self.lines: dict[tuple[int, str], int] = {}

    def write(self) -> None:
        functions = [(kind, number) for kind in ("eq", "again", "use") for number in self.numbers] + [
            ("plain", number) for number in self.numbers[:5]
        ]
        for module in range(4):
            self._module(module, functions[20 * module : 20 * module + 20])
        self._tests()
        for topic in range(5):
            self._topic(self.numbers[5 * topic : 5 * topic + 5])

    def _path(self, kind: str, number: int) -> str:
        position = ("eq", "again", "use", "plain").index(kind) * EQUATIONS + number - self.numbers[0]
        return self._module_name(position // 20)

    def _module_name(self, module: int) -> str:
        return f"mod_{4 * (self.numbers[0] // EQUATIONS) + module:05d}"

    def _module(self, module: int, functions: list[tuple[str, int]]) -> None:
        name = self._module_name(module)
        imported = {self._path("eq", number) for kind, number in functions if kind == "use"} - {name}
        text = ['"""Generated module."""', "import numpy as np"]
        text += [f"from src import {each}" for each in sorted(imported)]
        text += ["", ""]
        for kind, number in functions:
            text += self._function(kind, number, name, len(text) + 1)
        (self.folder / f"src/{name}.py").write_text("\n".join(text) + "\n")

    def _function(self, kind: str, number: int, module: str, start: int) -> list[str]:
        n = number + 2
        statements = [each[1].format(n=n) for each in _KINDS]
        if kind == "use":
            there = self._path("eq", number)
            call = f"eq_{number:05d}(x, a, b, c)"
            statements[-1] = f"y = {call if there == module else f'{there}.{call}'} + tail"
        self.lines[number, kind] = start + 6 + (2 if number % 5 > 1 or kind == "use" else 0)
        self.lines[number, kind] += 4 if kind == "use" else number % 5
        return [
            f"def {kind}_{number:05d}(x, a, b, c):",
            f'    """Evaluate equation number {number}: damped response.',
            "",
            "    y = a * exp(-b * x) * cos(c * x) + a / (1 + x ** 2)",
            '    """',
            "    x = np.asarray(x, dtype=float)",
            *(f"    {each}" for each in statements[:2]),
            "    if np.any(x < 0):",
            '        raise ValueError("x must be non-negative")',
            *(f"    {each}" for each in statements[2:]),
            f"    return y * {number % 3 + 1}",
            "",
            "",
        ]

    def _tests(self) -> None:
        modules = sorted({self._path("eq", number) for number in self.numbers})
        text = [
            '"""Generated tests."""',
            "import numpy as np",
            *(f"from src import {each}" for each in modules),
            "",
            "",
        ]
        for number in self.numbers:
            self.lines[number, "tests"] = len(text) + 7
            text += [
                f"def test_{number:05d}():",
                f'    """Equation number {number} at three points."""',
                "    x = np.array([0.0, 0.5, 2.0])",
                "    a = 1.5",
                "    b = 0.25",
                "    c = 3.0",
                f"    y = {self._path('eq', number)}.eq_{number:05d}(x, a, b, c)",
                "    assert y.shape == x.shape",
                "    assert np.all(np.isfinite(y))",
                "    assert not np.any(np.isnan(y))",
                "    assert y[0] != y[-1]",
                "",
                "",
            ]
        (self.folder / f"tests/test_{self._module_name(0)}.py").write_text("\n".join(text) + "\n")

    def _topic(self, numbers: range) -> None:
        name = f"topic_{numbers[0] // 5:05d}"
        text = [
            f"topic: {name}",
            f"title: Equations from {numbers[0]}",
            "page: all",
            "status: implemented",
            "direction: neither",
            "functions:",
            *(f"  - 'src/{self._path('eq', each)}.py::eq_{each:05d}'" for each in numbers),
            "what: A damped response, in five steps.",
            "why: It is what the benchmark documents.",
            "symbols:",
            "  x: {meaning: Where it is evaluated, shape: []}",
            "  a: {meaning: Amplitude, shape: []}",
            "  b: {meaning: Decay, shape: []}",
            "  c: {meaning: Frequency, shape: []}",
            "  k: {meaning: Decaying part, shape: []}",
            "  w: {meaning: Oscillating part, shape: []}",
            "  damped: {meaning: Damped oscillation, shape: [], latex: d}",
            "  tail: {meaning: Slow part, shape: [], latex: t}",
            "  y: {meaning: Response, shape: []}",
            "equations:",
        ]
        for number in numbers:
            text += self._equation(name, number)
        (self.folder / f"spec/{name}.yaml").write_text("\n".join(text) + "\n")

    def _equation(self, topic: str, number: int) -> Iterator[str]:
        n = number + 2
        left, code, form, latex = (part.format(n=n) for part in _KINDS[number % 5])
        there, home = self._path("eq", number), self._path("use", number)
        call = f"eq_{number:05d}(x, a, b, c)"
        calling = f"y = {call if there == home else f'{there}.{call}'} + tail"
        yield f"  - id: {topic}.eq_{number:05d}"
        yield f"    label: Step {number % 5 + 1} of five"
        yield f"    latex: '{latex}'"
        yield f"    sympy: 'Eq({left}, {form})'"
        yield "    anchors:"
        rows = (
            ("computes", "src", there, "eq", f"eq_{number:05d}", code),
            ("inline", "src", self._path("again", number), "again", f"again_{number:05d}", code),
            ("calls", "src", home, "use", f"use_{number:05d}", calling),
            ("tests", "tests", f"test_{self._module_name(0)}", "tests", f"test_{number:05d}", f"y = {there}.{call}"),
        )
        for role, folder, module, kind, function, statement in rows:
            line = self.lines[number, kind]
            yield f"      - {{role: {role}, at: '{folder}/{module}.py:{line}', in: {function}, code: '{statement}'}}"


if __name__ == "__main__":
    write(Path(sys.argv[2]), int(sys.argv[1]))
