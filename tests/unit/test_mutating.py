"""Which statements are mutated, by whom they are judged, what the audit refuses, and the record of what was judged."""

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace import config, mutating
from eqtrace.judged import Record
from eqtrace.model.mutant import Judged, Status
from eqtrace.mutating import all_mutants
from eqtrace.project import Project, read_project

FILES = {
    "pyproject.toml": """
        [tool.eqtrace]
        spec = ["spec.yaml"]
        sources = ["lab"]
        coverage = "off"
    """,
    "lab/ops.py": """
        def twice(x):
            y = x + x
            return y


        def twice_backward(dy):
            z = dy * 1.0
            return z + dy


        def main(a):
            print("it is", twice(a), sep=" " * 2, flush=True)
            b = twice(a) * 3.0
            return b
    """,
    "spec.yaml": """
        topic: twice
        title: Twice
        page: all
        status: implemented
        direction: neither
        functions: ['lab/ops.py::twice']
        what: A test.
        why: A test.
        symbols:
          x: {shape: []}
          y: {shape: [], code: null}
          dy: {shape: []}
          dx: {shape: [], code: null}
        gradient:
          forward: 'lab/ops.py::twice'
          backward: 'lab/ops.py::twice_backward'
          cotangent: dy
          cache: null
          wrt: {x: result}
          accumulates: null
        equations:
          - id: twice.twice
            sympy: 'Eq(y, 2*x)'
            anchors:
              - {role: computes, at: 'lab/ops.py:2', in: twice, code: 'y = x + x', bind: {y: y}}
              - {role: calls, at: 'lab/ops.py:12', in: main, code: 'print("it is", twice(a), sep=" " * 2, flush=True)'}
              - {role: calls, at: 'lab/ops.py:13', in: main, code: 'b = twice(a) * 3.0'}
          - id: twice.half
            sympy: 'Eq(dx, dy)'
            anchors:
              - {role: computes, at: 'lab/ops.py:7', in: twice_backward, code: 'z = dy * 1.0', bind: {dx: z}}
          - id: twice.backward
            method: [vjp]
            sympy: 'Eq(dx, 2*dy)'
            anchors:
              - {role: computes, at: 'lab/ops.py:8', in: twice_backward, code: 'return z + dy', bind: {dx: result}}
    """,
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    return read_project(config.load(tmp_path), None)


def by_line(project: Project) -> dict[int, list]:
    found: dict[int, list] = {}
    for mutant in all_mutants(project):
        found.setdefault(mutant.span.line, []).append(mutant)
    return found


def test_every_cited_statement_is_mutated_in_the_order_of_the_lines(project: Project) -> None:
    lines = [each.span.line for each in all_mutants(project)]
    assert lines == sorted(lines)
    assert set(lines) == {2, 7, 8, 12, 13}
    assert len({each.id for each in all_mutants(project)}) == len(lines)


def test_equations_that_cite_a_statement_judge_it_and_gradients_their_whole_function(project: Project) -> None:
    found = by_line(project)
    assert {each.equations for each in found[2]} == {("twice.twice",)}
    assert {each.equations for each in found[7]} == {("twice.half", "twice.backward")}
    assert {each.equations for each in found[8]} == {("twice.backward",)}


def test_of_a_statement_cited_for_a_call_nothing_beside_the_call_is_changed(project: Project) -> None:
    assert {each.new for each in by_line(project)[12]} == {
        "pass",
        "print(twice(a), 'it is', sep=' ' * 2, flush=True)",
        "print('it is', a, sep=' ' * 2, flush=True)",
    }
    found = {each.new for each in by_line(project)[13]}
    assert {"b = -(twice(a) * 3.0)", "b = twice(a) / 3.0", "b = a * 3.0", "b = 3.0"} <= found
    assert "b = twice(a) * 4.0" not in found


def test_the_audit_refuses_a_mutant_without_the_call(project: Project) -> None:
    refused = {each.new for each in all_mutants(project) if mutating._refused(each, project)}
    assert refused == {"pass", "print('it is', a, sep=' ' * 2, flush=True)", "b = a * 3.0", "b = 3.0"}


# --- the record ---


def some(project: Project) -> list[Judged]:
    fates = [Status.KILLED, Status.SURVIVED, Status.CRASH, Status.TIMEOUT, Status.EQUIVALENT]
    return [
        Judged(mutant, fate, "value", f"why {fate}", 0.5)
        for mutant, fate in zip(all_mutants(project), fates, strict=False)
    ]


def read(project: Project, seed: int = 0, limit: float = 10.0) -> dict[str, Judged]:
    return Record(project, seed, limit).read(all_mutants(project))


def write(project: Project, judged: list[Judged]) -> Path:
    record = Record(project, 0, 10.0)
    record.read(all_mutants(project))
    for each in judged:
        record.add(each)
    (file,) = (project.index.root / ".eqtrace" / "mutants").glob("*.jsonl")
    return file


def test_what_was_judged_is_read_again(project: Project) -> None:
    judged = some(project)
    assert read(project) == {}
    write(project, judged)
    assert list(read(project).values()) == judged
    assert (project.index.root / ".eqtrace" / "mutants" / ".gitignore").read_text() == "*\n"


def test_each_mutant_is_written_as_it_comes(project: Project) -> None:
    judged = some(project)
    for number in range(len(judged)):
        file = write(project, judged[number : number + 1])
        assert file.read_text().count("\n") == number + 1
    assert list(read(project).values()) == judged


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\n",
        b"{",
        b"[]\n",
        b"null\n",
        b'{"id": 3}\n',
        b'{"id": "a", "new": "b", "status": "killed", "by": "", "reason": "", "seconds": 1}\n',
        b"\xff\xfe\n",
        b"\x00" * 50,
        b'{"id": "lab/ops.py:2:5/arithmetic/0", "new": "y = x - x", "status": "fine", "by": "", "reason": "", '
        b'"seconds": 1}\n',
        b'{"id": "lab/ops.py:2:5/arithmetic/0", "new": "y = x - x", "status": "killed", "by": "", "reason": ""}\n',
        b'{"id": "lab/ops.py:2:5/arithmetic/0", "new": "y = x - x", "status": "killed", "seconds": "soon"}\n',
        b'{"id": ["a"], "new": {}, "status": "killed", "by": "", "reason": "", "seconds": 1}\n',
        b"[" * 100_000 + b"\n",
    ],
    ids=range(14),
)
def test_a_damaged_line_is_as_if_it_were_not_there(project: Project, damage: bytes) -> None:
    judged = some(project)
    file = write(project, judged[:2])
    file.write_bytes(file.read_bytes() + damage)
    assert list(read(project).values()) == judged[:2]
    write(project, judged[2:])
    assert list(read(project).values()) == judged


def test_an_unfinished_line_costs_itself_alone(project: Project) -> None:
    judged = some(project)
    file = write(project, judged)
    file.write_bytes(file.read_bytes()[:-30])
    assert list(read(project).values()) == judged[:-1]
    write(project, judged[-1:])
    assert list(read(project).values()) == judged


def test_a_mutant_that_reads_otherwise_now_is_not_known(project: Project) -> None:
    judged = some(project)[0]
    file = write(project, [judged])
    entry = json.loads(file.read_text())
    file.write_text(json.dumps({**entry, "new": "y = x"}) + "\n")
    assert read(project) == {}


def test_another_state_keeps_nothing(project: Project) -> None:
    write(project, some(project))
    assert read(project, seed=1) == {}
    assert read(project, limit=2.0) == {}
    file = project.index.root / "lab" / "ops.py"
    file.write_text(file.read_text() + "\n")
    again = read_project(project.config, None)
    assert read(again) == {}
    write(again, some(again)[:1])  # there is one file, of the new state
    assert len(read(again)) == 1
    assert read(project) == read(again)


def test_a_record_that_cannot_be_written_is_no_fault(project: Project) -> None:
    (project.index.root / ".eqtrace").write_text("a file")
    record = Record(project, 0, 10.0)
    record.add(some(project)[0])
    assert read(project) == {}


def test_what_reads_as_killed_by_the_audit_runs_nothing(project: Project) -> None:
    mutant = next(each for each in all_mutants(project) if each.new == "pass")
    assert mutating._refused(replace(mutant, new=mutant.old), project) == ""
    assert mutating._refused(mutant, project).startswith("twice.twice: lab/ops.py:12: ")
