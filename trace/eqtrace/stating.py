"""A formula held against a function beside a test, for those who want no YAML.

@eqtrace.states("mypkg.shapes:gaussian", "exp(-x**2/(2*sigma**2))", where="sigma > 0")
def test_gaussian():
assert gaussian(0.0, 1.0) == 1.0
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar

from eqtrace.config import Config, load
from eqtrace.errors import EqtraceError
from eqtrace.model.finding import Severity
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict

P = ParamSpec("P")
R = TypeVar("R")


def states(
    target: str,
    form: str,
    *,
    where: str = "",
    shapes: Mapping[str, Sequence[str]] | None = None,
    indices: Mapping[str, str] | None = None,
    root: Path | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator of tests: before the test runs, `form` is held against the function as `eqtrace verify` does.

    Args:
        target: the function, as `module:function` or `path.py::function`.
        form: what it returns, over its parameters.
        where: what the formula needs, like `sigma > 0`.
        shapes: the dimensions of parameters that are arrays, like `{"x": ["n"]}`.
        indices: the range of each index, like `{"i": "n"}`.
        root: the project's folder; the current one, or the one above it that is set up, if it is not given.

    The test raises AssertionError where the code does not compute the formula, or nothing could be shown.
    """

    def decorate(test: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(test)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            entry: dict[str, object] = {"sympy": form}
            entry |= {"where": where} if where else {}
            entry |= {"shapes": {name: list(dims) for name, dims in shapes.items()}} if shapes else {}
            entry |= {"indices": dict(indices)} if indices else {}
            told = _failure(target, form, _results(target, entry, root))
            if told:
                raise AssertionError(told)
            return test(*args, **kwargs)

        return checked

    return decorate


def _results(target: str, entry: Mapping[str, object], root: Path | None) -> Results:
    from eqtrace.runner import verify

    base = _base((root or Path.cwd()).resolve())
    folder = base.root / ".eqtrace"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="states-", dir=folder) as holder:
        path = Path(holder, "stated.yaml")
        path.write_text(json.dumps({target: entry}) + "\n", "utf-8")  # JSON is YAML
        module = target.partition(":")[0].partition(".")[0]
        packages = base.packages if target.partition("::")[1] else (*base.packages, module)
        config = replace(base, spec=(path.relative_to(base.root).as_posix(),), packages=packages, coverage="off")
        config = replace(config, pages=None, literature=None, waivers=None, reviews=None, scenarios=None, testers=None)
        return verify(config, None, cache=False)


def _base(folder: Path) -> Config:
    """The settings that govern a folder; without any, its own."""
    try:
        return load(folder)
    except EqtraceError:
        if any((each / "pyproject.toml").is_file() and _has_table(each) for each in (folder, *folder.parents)):
            raise
    return Config(folder, pythonpath=(".", "src") if (folder / "src").is_dir() else (".",))


def _has_table(folder: Path) -> bool:
    return b"[tool.eqtrace]" in (folder / "pyproject.toml").read_bytes()


def _failure(target: str, form: str, results: Results) -> str:
    """Why a formula was not shown; '' where it was."""
    errors = [each for each in results.findings if each.severity is Severity.ERROR]
    verdict = results.verdict(target)
    if not errors and verdict not in (None, Verdict.REFUTED, Verdict.NOT_CHECKED):
        return ""
    lines = [f"{target} does not state {form}" if verdict is Verdict.REFUTED else f"{target}: {form} was not shown"]
    for each in errors or results.findings:
        lines.append(f"{each.code} [{each.name}] {each.message}")
        lines += [f"  {each.hint}"] if each.hint else []
    return "\n".join(lines)
