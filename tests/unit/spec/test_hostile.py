"""Spec text is data: whatever stands in it, nothing runs, nothing hangs, nothing is raised."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eqtrace.spec
from eqtrace.config import Config
from eqtrace.model.topic import Specification
from eqtrace.spec.load import load

PAYLOADS = [
    "__import__('os').system('touch owned')",
    "().__class__.__base__.__subclasses__()[0].__init__.__globals__",
    "9**9**9**9**9",
    "(" * 500 + "x" + ")" * 500,
    "[" * 500,
    "x" + ".a" * 3000,
    "-" * 3000 + "1",
    "lambda: exec('1')",
    "{{cite: " * 200,
    "{cite: __import__('os')}",
    "../../../../etc/passwd:1",
    "%s%n{0.__class__}",
    "<script>alert(1)</script>",
    "\ud7ff\U0010ffff\u202e",
]


@pytest.fixture(autouse=True)
def _nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    def forbidden(*_: object, **__: object) -> object:
        raise AssertionError("spec text was run")

    monkeypatch.chdir(tmp_path)
    for module, names in ((os, ("system", "popen")), (subprocess, ("Popen",))):
        for name in names:
            monkeypatch.setattr(module, name, forbidden)
    yield
    monkeypatch.undo()
    assert not (tmp_path / "owned").exists()


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, ("key", key))
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from leaves(value, (*path, i))
    else:
        yield path


def replaced(data: Any, path: tuple[Any, ...], payload: str) -> Any:
    if not path:
        return payload
    first, *rest = path
    if isinstance(first, tuple):
        return {(payload if key == first[1] else key): value for key, value in data.items()}
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[first] = replaced(data[first], tuple(rest), payload)
    return copy


ALL = {path.name: path.read_text("utf-8") for path in sorted(Path(__file__).with_name("data").glob("*.yaml"))}
PLACES = [(file, path) for file, text in ALL.items() for path in leaves(yaml.safe_load(text))]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_every_field(tmp_path: Path, payload: str) -> None:
    companions = {key: f"{key}.yaml" for key in ("pages", "literature", "waivers", "reviews")}
    plain = {file: yaml.safe_load(text) for file, text in ALL.items()}
    folder = tmp_path / "spec"
    folder.mkdir()
    config = Config(root=tmp_path, spec=("spec/*.yaml",))
    keys_too = payload in PAYLOADS[:3]
    for number, (file, path) in enumerate(PLACES):
        if file in companions.values() or (path and isinstance(path[-1], tuple) and not keys_too):
            continue
        text = yaml.dump(replaced(plain[file], path, payload), Dumper=yaml.CSafeDumper, allow_unicode=True)
        (folder / f"{number}.yaml").write_text(text, "utf-8")
    assert isinstance(load(config), Specification)
    for key, file in companions.items():
        for path in leaves(plain[file]):
            text = yaml.dump(replaced(plain[file], path, payload), Dumper=yaml.CSafeDumper, allow_unicode=True)
            (tmp_path / file).write_text(text, "utf-8")
            assert isinstance(load(Config(root=tmp_path, spec=(), **{key: file})), Specification)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['touch owned']\n",
        "m: !!python/object/apply:os.system ['touch owned']\n",
        "m: {f: {sympy: !!python/object/new:os.system ['touch owned']}}\n",
        "!!python/name:os.system : {f: {sympy: x}}\n",
        "!!set {a, b}\n",
        "m: {f: {sympy: !!binary aGVsbG8=}}\n",
        "%TAG !e! tag:yaml.org,2002:python/\n---\nm: !e!name:os.system x\n",
    ],
)
def test_tags(spec: Callable[..., Specification], text: str) -> None:
    faults = spec({"a.yaml": text}).faults
    assert "yaml-type" in {fault.kind for fault in faults}


def _load_bytes(folder: Path, content: bytes) -> None:
    (folder / "a.yaml").write_bytes(content)
    for keys in ({"spec": ("a.yaml",)}, *({"spec": (), key: "a.yaml"} for key in ("pages", "waivers", "literature"))):
        loaded = load(Config(root=folder, **keys))  # type: ignore[arg-type]
        for fault in loaded.faults:
            assert fault.message
            assert fault.span.line >= 1
            assert fault.span.column >= 1


FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FEW
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    _load_bytes(tmp_path, content)


@FEW
@given(st.text(alphabet="abtopicsymn:-?&*!|>'\"%@`{}[],#\\ \n\t01.~<=\u2028é", max_size=120))
def test_any_text(tmp_path: Path, content: str) -> None:
    _load_bytes(tmp_path, content.encode())


@FEW
@given(st.sampled_from(list(ALL.values())), st.data())
def test_damaged_files(tmp_path: Path, text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 30))
        text = text[:start] + data.draw(st.text(alphabet="ab: -[]{}'\"\n&*!03.", max_size=6)) + text[start + length :]
    _load_bytes(tmp_path, text.encode())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@FEW
@given(st.sampled_from(PLACES), VALUES)
def test_any_value_anywhere(tmp_path: Path, place: tuple[str, tuple[Any, ...]], value: Any) -> None:
    file, path = place
    if path and isinstance(path[-1], tuple):
        path = (*path[:-1], path[-1][1])
    text = yaml.dump(replaced(yaml.safe_load(ALL[file]), path, value), Dumper=yaml.CSafeDumper, allow_unicode=True)
    _load_bytes(tmp_path, text.encode("utf-8", "surrogatepass"))


def test_the_sources_never_evaluate() -> None:
    folder = Path(eqtrace.spec.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in {"eval", "exec", "compile", "__import__", "yaml.load", "yaml.unsafe_load"}, path.name
                assert "sympify" not in name
