"""The public face: lazily imported, typed, and nothing else."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import eqtrace


def test_every_public_name_is_there():
    for name in eqtrace.__all__:
        assert getattr(eqtrace, name) is not None
    assert dir(eqtrace) == sorted(eqtrace.__all__)


def test_names_for_type_checkers_are_the_same():
    tree = ast.parse(Path(eqtrace.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed | {"__version__"} == set(eqtrace.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        eqtrace.nonsense


def test_importing_it_imports_nothing_heavy():
    code = "import sys, eqtrace; print(sorted({'numpy', 'pydantic', 'flint', 'hypothesis', 'yaml'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"
