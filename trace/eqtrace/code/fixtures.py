"""What pytest does by name: tests, fixtures, parametrised values. Read from the text, nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

_SETUP = frozenset({"setup_method", "setup_class", "setup_module", "setup_function", "setUp", "setUpClass"})


def is_test(file: SourceFile, qualname: str) -> bool:
    """Whether pytest collects a function: `test*` at top level, in a class `Test*` or in one derived from TestCase."""
    owner, _, name = qualname.rpartition(".")
    if not name.startswith("test"):
        return False
    if not owner:
        return True
    node = file.classes.get(owner)
    if node is None:
        return False
    return node.name.startswith("Test") or any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def is_fixture(node: ast.AST | None) -> bool:
    """Whether a function is a pytest fixture."""
    return isinstance(node, FunctionNode) and any(_decorator_name(item) == "fixture" for item in node.decorator_list)


def providers(index: Index, path: str, qualname: str, name: str) -> Iterator[tuple[str, str]]:
    """The fixture that a parameter's name asks for, nearest first: the test's class, its file, conftest.py upwards."""
    file = index.file(path)
    if file is None or not (is_test(file, qualname) or is_fixture(file.functions.get(qualname))):
        return
    owner = qualname.rpartition(".")[0]
    for prefix in [f"{owner}.", ""] if owner else [""]:
        found = _fixture_in(file, prefix, name)
        if found and found != qualname:
            yield path, found
            return
    for conftest in _conftests(path):
        other = index.file(conftest) if conftest != path else None
        found = _fixture_in(other, "", name) if other else None
        if found:
            yield conftest, found
            return


def surroundings(index: Index, path: str, qualname: str) -> Iterator[tuple[str, str]]:
    """What runs around a test without being named by it: set-up methods and fixtures used automatically."""
    file = index.file(path)
    if file is None:
        return
    owner = qualname.rpartition(".")[0]
    for name, node in file.functions.items():
        near = name.rpartition(".")[0] in ("", owner)
        if near and (name.rpartition(".")[2] in _SETUP or _is_automatic(node)):
            yield path, name
    for conftest in _conftests(path):
        other = index.file(conftest) if conftest != path else None
        yield from (
            (conftest, name) for name, node in (other.functions if other else {}).items() if _is_automatic(node)
        )
    test = file.functions.get(qualname)
    for name in _used(test) | _used(file.classes.get(owner)):
        yield from providers(index, path, qualname, name)


def parametrised(node: FunctionNode, name: str) -> Iterator[ast.expr]:
    """The values that `parametrize` marks, or a fixture's `params`, give to a parameter."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        if _decorator_name(decorator) == "parametrize" and len(decorator.args) >= 2:
            yield from _column(decorator.args[0], decorator.args[1], name)
        elif _decorator_name(decorator) == "fixture" and name == "request":
            yield from (keyword.value for keyword in decorator.keywords if keyword.arg == "params")


def _column(names: ast.expr, rows: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        columns = [part.strip() for part in names.value.split(",")]
    elif isinstance(names, ast.List | ast.Tuple):
        columns = [str(part.value) for part in names.elts if isinstance(part, ast.Constant)]
    else:
        return
    if name not in columns:
        return
    position = columns.index(name)
    for row in rows.elts if isinstance(rows, ast.List | ast.Tuple) else [rows]:
        cells = row.args if isinstance(row, ast.Call) and _decorator_name(row) == "param" else [row]
        if len(columns) > 1 and len(cells) == 1 and isinstance(cells[0], ast.List | ast.Tuple):
            cells = cells[0].elts
        yield cells[position] if position < len(cells) else row


def _decorator_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _fixture_in(file: SourceFile, prefix: str, name: str) -> str | None:
    if is_fixture(file.functions.get(prefix + name)):
        return prefix + name
    for qualname, node in file.functions.items():  # a fixture under another name
        if qualname.rpartition(".")[0] == prefix.rstrip(".") and name in _given_names(node):
            return qualname
    return None


def _given_names(node: ast.AST) -> set[object]:
    keywords = (keyword for call in _fixture_calls(node) for keyword in call.keywords)
    return {word.value.value for word in keywords if word.arg == "name" and isinstance(word.value, ast.Constant)}


def _is_automatic(node: ast.AST) -> bool:
    return any(keyword.arg == "autouse" for call in _fixture_calls(node) for keyword in call.keywords)


def _fixture_calls(node: ast.AST) -> Iterator[ast.Call]:
    for item in node.decorator_list if isinstance(node, FunctionNode) else ():
        if isinstance(item, ast.Call) and _decorator_name(item) == "fixture":
            yield item


def _used(node: ast.AST | None) -> set[str]:
    marks = (item for item in getattr(node, "decorator_list", ()) if isinstance(item, ast.Call))
    used = (item for item in marks if _decorator_name(item) == "usefixtures")
    return {str(argument.value) for item in used for argument in item.args if isinstance(argument, ast.Constant)}


def _conftests(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield f"{folder}/conftest.py"
        folder = folder.rpartition("/")[0]
    yield "conftest.py"
