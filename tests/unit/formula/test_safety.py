"""Nothing evaluates spec text: neither Python's own eval, exec and compile nor sympy's are called."""

import ast
from pathlib import Path

import pytest

import eqtrace

ROOT = Path(eqtrace.__file__).parent
FILES = [
    path for package in ("formula", "spec", "link", "code", "checks") for path in sorted((ROOT / package).rglob("*.py"))
]
FORBIDDEN = {"eval", "exec", "compile", "__import__", "sympify", "parse_expr", "parse_latex", "lambdify"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_is_run(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name):
            assert called.id not in FORBIDDEN, f"{path.name}:{node.lineno}"
        elif isinstance(called, ast.Attribute):
            regular = isinstance(called.value, ast.Name) and called.value.id == "re"
            assert called.attr not in FORBIDDEN or regular, f"{path.name}:{node.lineno}"


def test_files_are_found():
    assert any(path.name == "reader.py" for path in FILES)
