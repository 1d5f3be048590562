"""Scores of mutants, and the document that tells of them."""

import json
from dataclasses import replace

import jsonschema
import pytest

from eqtrace.model.mutant import Judged, Mutant, Score, Status, score
from eqtrace.model.results import Results
from eqtrace.model.span import Span
from eqtrace.report import json as report
from eqtrace.report import mutants
from eqtrace.report.rows import rows
from eqtrace.report.summary import summary

SCHEMA = json.loads(report.schema())


def judged(
    status: Status,
    operator: str = "sign",
    equations: tuple[str, ...] = ("linear.linear",),
    by: str = "",
    number: int = 0,
) -> Judged:
    identity = f"ops.py:2:5/{operator}/{number}"
    mutant = Mutant(identity, operator, Span("ops.py", 2, 5, 2, 21), "f", "return a", "return -a", equations)
    return Judged(mutant, status, by, "why" if status is not Status.SURVIVED else "tried: all", 0.25)


SOME = (
    judged(Status.KILLED, by="value"),
    judged(Status.KILLED, "axis", by="vjp"),
    judged(Status.KILLED, "axis", ("linear.linear", "linear.bias"), by="value"),
    judged(Status.EQUIVALENT, "axis"),
    judged(Status.SURVIVED, "sign", ("linear.bias",)),
    judged(Status.TIMEOUT),
    judged(Status.CRASH, "axis", ("linear.bias", "relu.relu")),
)


def test_crashes_time_outs_and_the_equivalent_are_no_part_of_the_score() -> None:
    assert score(SOME) == Score(3, 1, 1, 1, 1)
    assert score(SOME).total == 7
    assert score(SOME).share == 0.75
    assert score([judged(Status.CRASH)]).share is None
    assert score(()).share is None


def test_a_mutant_counts_for_every_equation_and_for_each_topic_once() -> None:
    found = mutants.mutation(SOME)
    assert found.equations == {
        "linear.bias": Score(killed=1, survived=1, crash=1),
        "linear.linear": Score(killed=3, equivalent=1, timeout=1),
        "relu.relu": Score(crash=1),
    }
    assert found.topics["linear"] == Score(3, 1, 1, 1, 1)
    assert found.operators == {
        "axis": Score(killed=2, equivalent=1, crash=1),
        "sign": Score(killed=1, survived=1, timeout=1),
    }
    assert list(found.methods.items()) == [("value", 2), ("vjp", 1)]


@pytest.mark.parametrize("some", [SOME, SOME[:1], ()])
def test_the_document_keeps_to_the_schema(verified: Results, some: tuple[Judged, ...]) -> None:
    document = json.loads(report.render(replace(verified, command="mutate", mutants=some)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert [each["status"] for each in document["mutants"]] == [each.status.value for each in some]
    assert document["summary"]["mutation"]["score"]["total"] == len(some)


def test_the_document_tells_each_mutant_whole(verified: Results) -> None:
    document = json.loads(report.render(replace(verified, command="mutate", mutants=SOME[3:5])))
    assert document["mutants"][1] == {
        "id": "ops.py:2:5/sign/0",
        "path": "ops.py",
        "line": 2,
        "operator": "sign",
        "diff": "- return a\n+ return -a",
        "status": "survived",
        "by": None,
        "reason": "tried: all",
        "equations": ["linear.bias"],
    }


def test_no_other_command_tells_of_mutants(verified: Results) -> None:
    document = json.loads(report.render(verified))
    assert "mutants" not in document
    assert "mutation" not in document["summary"]


def test_the_schema_knows_every_fate() -> None:
    assert SCHEMA["$defs"]["mutant"]["properties"]["status"]["enum"] == list(Status)


def text(results: Results) -> str:
    return "\n".join("".join(part for part, _ in line) for line in summary(rows(results)))


def test_the_summary_shows_fates_methods_operators_and_topics(verified: Results) -> None:
    shown = text(replace(verified, command="mutate", mutants=SOME, from_cache=2))
    assert "7: 3 killed, 1 survived, 1 proved equivalent, 1 crashed, 1 timed out" in shown
    assert "value 2, vjp 1" in shown
    assert "2 mutants" in shown
    assert "axis" in shown
    assert "linear" in shown


def test_the_last_line_says_the_score(verified: Results) -> None:
    shown = text(replace(verified, command="mutate", mutants=SOME[:3], exit=0))
    assert shown.endswith("score 100.0% (3 killed of 3 that are not proved equivalent).")
