from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from eqtrace.code.source import Unreadable, parse

STATEMENTS = '''\
"""Docstring."""
import numpy as np


@cache
@other(
    1)
def f(x,
      y=":#"):  # a comment: with a colon
    """Docstring."""
    a = 1; b = "ü"; c = a
    if (x >
            3):
        return x
    elif x < 2: x = 0
    else:
        pass
    for i in range(3):  # :
        x += i
    while x: x -= 1
    with open(x) as g, open(y) as h:
        pass
    try:
        del x
    except (ValueError,
            TypeError) as error:
        raise
    finally:
        g = lambda: 0
    match x:
        case [first, *_] if first > 3:
            z = 1
        case (
            {"a": 1}
        ):
            z = 2
    async def inner(): await x
    class C[T]: k = 1
    return [
        q for q in x
    ]
'''.replace("class C[T]", "class C(Base)")


def source(text: str, path: str = "a.py"):
    return parse(path, text.encode())


def test_every_statement_with_its_header_and_function() -> None:
    file = source(STATEMENTS)
    shown = {(item.source, item.function) for item in file.statements}
    assert ('def f(x,\n      y=":#"):', "") in shown
    assert {("a = 1", "f"), ('b = "ü"', "f"), ("c = a", "f"), ("x = 0", "f"), ("x -= 1", "f")} <= shown
    headers = ["if (x >\n            3):", "elif x < 2:", "for i in range(3):", "while x:", "match x:"]
    headers += ["with open(x) as g, open(y) as h:", "except (ValueError,\n            TypeError) as error:"]
    headers += ["case [first, *_] if first > 3:", 'case (\n            {"a": 1}\n        ):', "async def inner():"]
    headers += ["class C(Base):", "return [\n        q for q in x\n    ]", "g = lambda: 0"]
    assert {(header, "f") for header in headers} <= shown
    assert ("await x", "f.inner") in shown
    assert ("k = 1", "f.C") in shown
    assert not any("Docstring" in text or text.startswith(("try", "else", "finally", "@")) for text, _ in shown)


def test_functions_and_classes_by_qualified_name() -> None:
    file = source(STATEMENTS)
    assert set(file.functions) == {"", "f", "f.inner"}
    assert set(file.classes) == {"f.C"}
    assert isinstance(file.functions[""], ast.Module)


def test_statements_of_every_definition_of_a_name() -> None:
    file = source("if a:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n")
    assert [item.source for item in file.statements_in("f")] == ["return 1", "return 2"]


def test_columns_count_characters() -> None:
    file = source('é = "日本"; 名 = é\n')
    first, second = file.statements
    assert (first.span.column, first.span.end_column) == (1, 9)
    assert (second.span.column, second.span.end_column) == (11, 16)
    assert second.source == "名 = é"
    assert file.statement_at(1, 11) is second
    assert file.statement_at(1, 10) is None


def test_form_feeds_tabs_and_line_separators_end_no_line() -> None:
    file = source("a = 1\n\fb = 2\nif a:\n\tc = '\u2028\x0b'; d = 3\n")
    assert [(item.source, item.line) for item in file.statements] == [
        ("a = 1", 1),
        ("b = 2", 2),
        ("if a:", 3),
        ("c = '\u2028\x0b'", 4),
        ("d = 3", 4),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_one(end: str) -> None:
    file = source(end.join(["a = (1 +", "     2)", "b = 3", ""]))
    assert [(item.source, item.line) for item in file.statements] == [("a = (1 +\n     2)", 1), ("b = 3", 3)]


def test_coding_line_and_byte_order_mark() -> None:
    latin = parse("a.py", "# coding: latin-1\né = 'ü'\n".encode("latin-1"))
    assert [item.source for item in latin.statements] == ["é = 'ü'"]
    marked = parse("a.py", "\ufeffx = 1\n".encode())
    assert [(item.source, item.span.column) for item in marked.statements] == [("x = 1", 1)]


def test_a_thousand_elifs() -> None:
    text = "if a == 0:\n    b = 0\n" + "".join(f"elif a == {n}:\n    b = {n}\n" for n in range(1, 300))
    assert sum(1 for _ in source(text).statements) == 600


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"a = 1\nb = (\n", "syntax error", 2),
        (b"a = 1\n\xff = 2\n", "0xff", 2),
        (b"a = 1\0\n", "NUL", 1),
        (b"# coding: nonsense\n", "no text", 1),
        (b"x = " + b"(" * 5000 + b")" * 5000, "", 0),
        (b"x = " + b"-" * 100_000 + b"1", "", 0),
    ],
)
def test_unreadable(data: bytes, message: str, line: int) -> None:
    with pytest.raises(Unreadable) as caught:
        parse("a.py", data)
    assert message in caught.value.message
    assert not line or caught.value.line == line


def test_syntax_error_has_its_column() -> None:
    with pytest.raises(Unreadable) as caught:
        source("x = 1\ny = 2 2\n")
    assert (caught.value.line, caught.value.column) == (2, 7)


def test_index_refuses_what_is_no_source_of_the_project(project, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}_outside.py"
    outside.write_text("x = 1\n")
    index = project({"src/a.py": "x = 1\n"})
    (tmp_path / "src" / "link.py").symlink_to(outside)
    (tmp_path / "src" / "folder.py").mkdir()
    os.mkfifo(tmp_path / "src" / "pipe.py")
    for path, message in [
        ("src/link.py", "outside"),
        ("../" + outside.name, "outside"),
        (str(outside), "outside"),
        ("src/folder.py", "regular"),
        ("src/pipe.py", "regular"),
        ("src/none.py", "no such file"),
        ("src/\0.py", "cannot be read"),
    ]:
        assert index.file(path) is None
        assert message in index.problem(path).message, path
    assert index.problem("src/a.py") is None
    assert index.file("src/a.py") is index.file("src/a.py")


def test_index_knows_modules_without_importing(project) -> None:
    index = project({"src/p/__init__.py": "raise SystemExit\n", "src/p/m.py": "x = 1\n", "tests/test_a.py": ""})
    assert index.module_path("p") == "src/p/__init__.py"
    assert index.module_path("p.m") == "src/p/m.py"
    assert index.module_path("p.none") is None
    assert index.module_path("os") is None
    assert index.module_name("src/p/m.py") == "p.m"
    assert index.module_name("src/p/__init__.py") == "p"
    assert index.sources() == ("src/p/__init__.py", "src/p/m.py")
    assert index.tests() == ("tests/test_a.py",)


def test_index_finds_named_packages(project) -> None:
    index = project({"src/a.py": ""}, packages=("yaml",))
    path = index.module_path("yaml.reader")
    assert path is not None
    assert Path(path).is_absolute()
    assert index.file(path) is not None
    assert index.module_name(path) == "yaml.reader"
    assert index.module_path("click") is None


def test_a_package_in_an_environment_that_a_link_leads_to_is_read(project, tmp_path_factory, monkeypatch) -> None:
    place = tmp_path_factory.mktemp("environment")
    (place / "real/toypkg").mkdir(parents=True)
    (place / "real/toypkg/__init__.py").write_text("a = 1\n")
    (place / "linked").symlink_to(place / "real")
    monkeypatch.syspath_prepend(str(place / "linked"))
    index = project({"src/a.py": ""}, packages=("toypkg",))
    path = index.module_path("toypkg")
    assert path == (place / "linked/toypkg/__init__.py").as_posix()
    assert index.file(path) is not None
