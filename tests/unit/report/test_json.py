import json
from dataclasses import replace

import jsonschema
import pytest

from eqtrace.model.anchor import Role, Status
from eqtrace.model.example import Edits, ExampleResult, Outcome, Table
from eqtrace.model.finding import Severity
from eqtrace.model.readback import FORM, ReadBack, Readback, Stated
from eqtrace.model.results import Results, Reviews
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import Waiver
from eqtrace.model.verdict import Verdict
from eqtrace.report import json as report

SCHEMA = json.loads(report.schema())


def valid(results: Results, **more: object) -> dict:
    document = json.loads(report.render(results, **more))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ["audited", "verified", "refuted"])
def test_documents_keep_to_the_schema(name: str, request: pytest.FixtureRequest) -> None:
    valid(request.getfixturevalue(name))


def test_every_object_of_the_schema_is_closed_and_complete() -> None:
    def objects(node: object) -> list[dict]:
        if isinstance(node, list):
            return [found for each in node for found in objects(each)]
        if not isinstance(node, dict):
            return []
        own = [node] if node.get("type") == "object" and "properties" in node else []
        return own + [found for each in node.values() for found in objects(each)]

    for each in objects(SCHEMA):
        assert each["additionalProperties"] is False
        assert set(each["properties"]) - set(each["required"]) <= {"edits", "reviews", "mutants", "mutation"}


def test_the_schema_knows_the_words_of_the_model() -> None:
    definitions = SCHEMA["$defs"]
    assert definitions["verdict"]["enum"] == list(Verdict)
    assert definitions["anchor"]["properties"]["role"]["enum"] == list(Role)
    assert definitions["anchor"]["properties"]["status"]["enum"] == list(Status)
    assert definitions["finding"]["properties"]["severity"]["enum"] == list(Severity)


def test_the_document_of_a_refuted_run(refuted: Results) -> None:
    document = valid(refuted)
    assert document["summary"] == {
        "topics": 1,
        "equations": 2,
        "anchors": 2,
        "anchors_ok": 1,
        "anchors_executed": 1,
        "verdicts": {
            "proved": 0,
            "proved-at-sizes": 0,
            "certified": 0,
            "certified-to-constants": 0,
            "tested": 0,
            "sampled": 0,
            "not-checked": 1,
            "refuted": 1,
        },
        "coverage": {
            "equations": {"covered": 1, "total": 2, "waived": 0},
            "statements": {"covered": 3, "total": 4, "waived": 1},
        },
        "latex": None,
        "states": None,
        "examples": {"total": 0, "agrees": 0, "differs": 0, "shown": 0, "not-run": 0},
        "findings": {"error": 1, "warning": 0, "note": 0},
        "seconds": 0.25,
        "from_cache": 0,
        "skipped": 0,
        "notes": [],
    }
    assert document["equations"][0] == {
        "id": "linear.linear",
        "topic": "linear",
        "verdict": "refuted",
        "methods": {"value": {"verdict": "refuted", "points": 64, "worst_ulp": None, "worst_at": None, "detail": ""}},
        "latex": None,
        "states": [],
        "anchors": [
            {
                "role": "computes",
                "path": "ops.py",
                "line": 2,
                "end_line": 2,
                "function": "linear_forward",
                "status": "ok",
                "executions": 64,
            },
            {
                "role": "tests",
                "path": "test_ops.py",
                "line": 9,
                "end_line": 10,
                "function": "test_linear",
                "status": "moved",
                "executions": None,
            },
        ],
    }
    assert document["findings"] == [
        {
            "code": "EQ501",
            "name": "value-mismatch",
            "severity": "error",
            "message": "the line computes something else\nentry [0, 0]: code -1.0, form 1.0",
            "path": "linear.yaml",
            "line": 5,
            "column": 29,
            "equation": "linear.linear",
            "method": "value",
            "related": [{"path": "ops.py", "line": 2, "column": 12, "message": "this statement"}],
            "hint": "seed 7 repeats it",
        }
    ]


def test_what_was_not_run_is_null(audited: Results) -> None:
    document = valid(replace(audited, coverage=None))
    assert document["summary"]["verdicts"] is None
    assert document["summary"]["anchors_executed"] is None
    assert document["summary"]["coverage"] is None
    assert document["summary"]["examples"] is None
    assert document["equations"][1]["verdict"] is None
    assert document["equations"][1]["methods"] == {"value": None, "derivative": None}
    assert document["equations"][0]["anchors"][0]["executions"] is None


def test_only_selected_equations_are_in_it(verified: Results) -> None:
    document = valid(replace(verified, selected=("linear.bias",)))
    assert [each["id"] for each in document["equations"]] == ["linear.bias"]


def test_edits_stand_in_the_document_of_fix(audited: Results) -> None:
    edit = {"path": "linear.yaml", "line": 5, "column": 29, "old": "ops.py:2", "new": "ops.py:7"}
    assert valid(replace(audited, command="fix"), edits=[edit])["edits"] == [edit]


def test_the_text_is_strict_json_in_utf_8(refuted: Results) -> None:
    finding = replace(refuted.findings[0], message="é\x1b\u2028")
    text = report.render(replace(refuted, findings=(finding,)))
    assert "é" in text
    assert json.loads(text, parse_constant=pytest.fail)["findings"][0]["message"] == "é\x1b\u2028"


def test_a_review_says_what_the_ledger_holds(audited: Results) -> None:
    reviews = Reviews("r.yaml", 2, 1, 1)
    assert "reviews" not in valid(replace(audited, reviews=reviews))
    shown = valid(replace(audited, command="review", reviews=reviews))["reviews"]
    assert (shown["reviewed"], shown["suspect"], shown["refused"]) == (1, 1, None)
    done = replace(reviews, recorded=1, removed=0, refused=("a/tests/0",))
    assert valid(replace(audited, command="review", reviews=done))["reviews"]["refused"] == ["a/tests/0"]


def test_examples_carry_every_value_and_what_it_was_compared_with(exemplified: Results) -> None:
    document = valid(exemplified)
    assert document["summary"]["examples"] == {"total": 1, "agrees": 0, "differs": 1, "shown": 0, "not-run": 0}
    assert document["examples"] == [
        {
            "topic": "linear",
            "kind": "steps",
            "source": "hand-picked",
            "outcome": "differs",
            "inputs": {"X": [[1, "-inf"]], "words": ["a", "b"]},
            "steps": [
                {"label": "P", "code": "X * 2", "value": {"shape": [1, 2], "entries": [2.0, "-inf"]}},
                {"label": "Y", "code": "P.sum()", "value": None},
            ],
            "equals": "ops.py::linear_forward",
            "run": None,
            "call": "linear_forward(X)",
            "compared": [
                {
                    "label": "P",
                    "part": "result[0]",
                    "value": {"shape": [1, 2], "entries": [2.5, "-inf"]},
                    "gap": 0.2,
                    "agrees": False,
                }
            ],
            "differences": [],
            "edits": None,
            "table": None,
        }
    ]


def test_examples_carry_the_edits_that_were_tried(exemplified: Results) -> None:
    result = replace(exemplified.examples["linear"], edits=Edits(20, 1e-16, 3, ((("X", 1), ("W", 0)),)))
    document = valid(replace(exemplified, examples={"linear": result}))
    assert document["examples"][0]["edits"] == {
        "tried": 20,
        "gap": 1e-16,
        "refused": 3,
        "sizes": [[{"input": "X", "axis": 1}, {"input": "W", "axis": 0}]],
    }


def test_a_stored_run_is_a_table(exemplified: Results) -> None:
    table = Table(("name", "value"), (("a", 1.5), ("b", None)), (("d", 4),))
    document = valid(replace(exemplified, examples={"linear": ExampleResult("linear", Outcome.AGREES, table=table)}))
    assert document["examples"][0]["table"] == {
        "columns": ["name", "value"],
        "rows": [["a", 1.5], ["b", None]],
        "sizes": {"d": 4},
    }


def test_an_example_that_was_not_run_has_no_outcome(exemplified: Results) -> None:
    document = valid(replace(exemplified, examples={}, methods={}))
    assert document["examples"][0]["outcome"] is None
    assert document["examples"][0]["steps"][0]["value"] is None
    assert document["examples"][0]["compared"] is None
    assert document["summary"]["examples"] is None


def test_the_schema_knows_the_outcomes() -> None:
    assert SCHEMA["$defs"]["example"]["properties"]["outcome"]["enum"] == [*Outcome, None]


def test_what_came_of_the_latex(audited: Results) -> None:
    found = {
        "linear.linear": Readback("linear.linear", ReadBack.AGREES, "values", "", points=8, more=("Eq(r, 1)",)),
        "linear.bias": Readback("linear.bias", ReadBack.NOT_READ, detail="prose"),
    }
    excused = Waiver("a sentence", Span("w.yaml", 1), Text("linear.bias", Span("w.yaml", 1)), "latex")
    specification = replace(audited.specification, waivers=(excused,))
    document = valid(replace(audited, readbacks=found, specification=specification))
    assert document["summary"]["latex"] == {
        "total": 2,
        "read": 1,
        "agree_by_proof": 0,
        "agree_by_values": 1,
        "differ": 0,
        "not_compared": 0,
        "not_read": 1,
        "waived": 1,
    }
    first, second = (each["latex"] for each in document["equations"])
    assert first == {
        "status": "agrees",
        "how": "values",
        "points": 8,
        "detail": "",
        "waived": False,
        "more": ["Eq(r, 1)"],
    }
    assert (second["status"], second["how"], second["waived"]) == ("not-read", None, True)


def test_what_came_of_documentation(audited: Results) -> None:
    place = Span("docs/a.md", 7, 3)
    found = {
        "linear.linear/states/0": Readback("", ReadBack.AGREES, "proof"),
        "linear.linear/states/1": Readback("", ReadBack.NOT_READ, detail="prose"),
        "linear.bias": Readback("", ReadBack.NOT_READ, FORM, "prose"),
    }
    states = {name: Stated(name.partition("/")[0], each, place, place, "y = x") for name, each in found.items()}
    names = ("linear.linear", "linear.bias")
    waivers = tuple(Waiver("why", place, Text(name, place), "states") for name in names)
    specification = replace(audited.specification, waivers=waivers)
    document = valid(replace(audited, states=states, specification=specification))
    counts = document["summary"]["states"]
    assert [counts[key] for key in ("total", "read", "agree_by_proof", "not_read", "waived", "is_form")] == [
        3,
        1,
        1,
        2,
        1,
        0,
    ]
    first, second = (each["states"] for each in document["equations"])
    assert first[0] == {
        "path": "docs/a.md",
        "line": 7,
        "text": "y = x",
        "status": "agrees",
        "how": "proof",
        "points": 0,
        "detail": "",
        "waived": False,
    }
    assert first[1]["waived"]
    assert (second[0]["status"], second[0]["how"], second[0]["waived"]) == ("not-read", None, False)
