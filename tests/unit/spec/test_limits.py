from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from eqtrace.config import Config
from eqtrace.model.finding import Fault
from eqtrace.model.topic import Specification
from eqtrace.spec.load import load

Load = Callable[..., Specification]
LAUGHS = "a: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)
)


def one(specification: Specification) -> Fault:
    (fault,) = specification.faults
    assert fault.kind == "limit"
    return fault


def from_bytes(root: Path, content: bytes) -> Specification:
    (root / "a.yaml").write_bytes(content)
    return load(Config(root=root, spec=("*.yaml",)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAUGHS, "with its aliases followed"),
        ("m: {f: &x {sympy: x, let: &y {a: *y}}}\n", "an alias stands inside"),
        ("m: &x\n  f: *x\n", "an alias stands inside"),
        ("- &x\n  - - *x\n", "an alias stands inside"),
        ("[" * 100_000, "nested"),
        ("- " * 50_000, "nested more than"),
        ("{a: " * 50_000, "nested"),
        ("? " * 50_000, "nested more than"),
        ("- " * 41 + "x", "nested more than 40"),
        ("[" * 41 + "]" * 41, "nested more than 40"),
        ("\n".join(" " * i + "a:" for i in range(60)), "nested more than 40"),
        ("- \n" * 260_000, "more than 250,000 values"),
        ("a: '" + "x" * 100_001 + "'\n", "longer than 100,000 characters"),
        ("? '" + "x" * 100_001 + "'\n: 1\n", "longer than 100,000 characters"),
        ("a: " + "9" * 100_001 + "\n", "longer than 100,000 characters"),
        ("a: |\n  " + "x" * 10_000_000, "larger than 10 MB"),
        ("a: 'x\0y'\n", "NUL"),
    ],
)
def test_refused_quickly(spec: Load, text: str, message: str) -> None:
    start = time.perf_counter()
    assert message in one(spec({"a.yaml": text})).message
    assert time.perf_counter() - start < 3


def test_laughs_take_no_memory(spec: Load) -> None:
    tracemalloc.start()
    try:
        spec({"a.yaml": LAUGHS})
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_many_faults_take_no_time(spec: Load) -> None:
    start = time.perf_counter()
    unknown = "m: {f: {sympy: x, " + ", ".join(f"wher{i}: x" for i in range(40_000)) + "}}\n"
    named = "m:\n" + "".join(f"  f{i}: {{sympy: x, given: [{{equation: 'm:g{i}'}}]}}\n" for i in range(5_000))
    loaded = spec({"a.yaml": unknown, "b.yaml": named.replace("m:", "n:", 1)})
    assert [fault.kind for fault in loaded.faults].count("schema") == 501
    assert [fault.kind for fault in loaded.faults].count("unknown-reference") == 5_000
    assert "39500 more" in " ".join(fault.message for fault in loaded.faults)
    assert time.perf_counter() - start < 5


def test_carriage_returns(spec: Load) -> None:
    loaded = spec({"a.yaml": "m:\r  f:\r    sympy: |\r      x\r      y\r    latex: >\r      z\r"})
    assert loaded.faults == ()
    assert loaded.equations[0].statements[0].at(2).line == 5


def test_aliases_within_bounds_are_followed(spec: Load) -> None:
    few = "m:\n  f: &f {sympy: x, let: {r: x}}\n" + "".join(f"  g{i}: *f\n" for i in range(500))
    loaded = spec({"a.yaml": few})
    assert loaded.faults == ()
    assert len(loaded.equations) == 501


def test_places_of_what_cannot_be_text(tmp_path: Path) -> None:
    fault = one(from_bytes(tmp_path, "a: 1\nb: 'é".encode() + b"\xff'\n"))
    assert ("not UTF-8" in fault.message, fault.span.line, fault.span.column) == (True, 2, 6)
    fault = one(from_bytes(tmp_path, "a: é\0".encode()))
    assert (fault.span.line, fault.span.column) == (1, 5)
    assert "UTF-8" in one(from_bytes(tmp_path, "m: {f: {sympy: x}}".encode("utf-16"))).message
    assert one(from_bytes(tmp_path, "m: x".encode("utf-32-le"))).kind == "limit"


def test_not_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.yaml")
    (tmp_path / "null.yaml").symlink_to("/dev/zero")
    (tmp_path / "dir.yaml").mkdir()
    found = load(Config(root=tmp_path, spec=("*.yaml",))).faults
    assert [(fault.kind, fault.span.path) for fault in found] == [("limit", "fifo.yaml"), ("limit", "null.yaml")]
    assert "not a regular file" in found[0].message
    assert "outside" in found[1].message


def test_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.yaml").write_text("m: {f: {sympy: x}}\n")
    (root / "real.yml").write_text("m: {f: {sympy: x}}\n")
    (root / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    (root / "in.yaml").symlink_to("real.yml")
    (root / "gone.yaml").symlink_to("missing")
    (root / "loop.yaml").symlink_to("loop.yaml")
    loaded = load(Config(root=root, spec=("*.yaml",), pages="out.yaml"))
    assert [equation.id for equation in loaded.equations] == ["m:f"]
    assert {fault.span.path for fault in loaded.faults} == {"gone.yaml", "loop.yaml", "out.yaml"}


def test_a_companion_that_is_a_fifo_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pages.yaml")
    assert "not a regular file" in one(load(Config(root=tmp_path, spec=(), pages="pages.yaml"))).message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("m: {f: {sympy: x}}\n")
    path.chmod(0)
    assert "can't be read" in one(load(Config(root=tmp_path, spec=("*.yaml",)))).message


def test_globs_that_match_nothing(tmp_path: Path) -> None:
    loaded = load(Config(root=tmp_path, spec=("spec/**/*.yaml", "x.yaml")))
    assert (loaded.files, loaded.faults) == ((), ())


PURE = """
import sys, yaml
del yaml.CSafeLoader
from pathlib import Path
from eqtrace.config import Config
from eqtrace.spec.load import load
found = load(Config(root=Path(sys.argv[1]), spec=("*.yaml",)))
print(len(found.equations), [(fault.kind, fault.span.line) for fault in found.faults])
"""


def test_without_libyaml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("m: {f: {sympy: x}, g: {sympy: no}, h: {sympy: 'x'}}\n")
    (tmp_path / "b.yaml").write_text("a:\n" + "- " * 1000)
    (tmp_path / "c.yaml").write_text("\n{\n")
    done = subprocess.run([sys.executable, "-c", PURE, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2 [('yaml-type', 1), ('limit', 2), ('yaml-syntax', 3)]"
