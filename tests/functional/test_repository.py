"""The specification of this repository: every topic of the catalogue, no finding, what was shown of each equation."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from eqtrace import auditing, runner
from eqtrace.code.calls import CallGraph
from eqtrace.code.index import Index
from eqtrace.code.reached import read
from eqtrace.config import load
from eqtrace.model.anchor import Role, Status
from eqtrace.model.finding import Severity
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict, weakest
from eqtrace.report import json as report

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = yaml.safe_load(Path(__file__).with_name("catalogue.yaml").read_text(encoding="utf-8"))
METHODS = {
    f"{topic}.{equation}": methods
    for topics in CATALOGUE.values()
    for topic, equations in topics.items()
    for equation, methods in equations.items()
}
BEST = {
    "derivative": Verdict.PROVED,
    "identity": Verdict.PROVED,
    "value": Verdict.CERTIFIED,
    "vjp": Verdict.CERTIFIED,
    "constraint": Verdict.TESTED,
    "discrete": Verdict.TESTED,
    "distribution": Verdict.TESTED,
    "order": Verdict.TESTED,
    "structure": Verdict.TESTED,
}
WEAKER: dict[str, tuple[Verdict, str]] = {}  # equations below their method's best: the verdict, and why
# What the evidence of some methods does not cover, and says so.
LIMITS = {
    "value": "lie outside of `where`",  # the schedule's first step, where nothing warms up
    "vjp": "lie on a kink",  # ReLU's
    "composition": "resting on",  # an equation whose best is tested
    "discrete": "don't show every input of the reference",  # runs within another function; the others do
}


@pytest.fixture(scope="module")
def verified() -> Results:
    return runner.verify(load(ROOT), None, jobs=2, cache=False)


def test_the_record_of_tests_names_nothing_that_is_gone() -> None:
    graph = CallGraph(Index(load(ROOT)))
    record = read(ROOT / "spec" / "testers.json")
    assert record.keys() <= {f"{test.path}::{test.qualname}" for test in graph.tests}
    entered = {name.partition("::") for names in record.values() for name in names}
    assert all(name in graph.index.file(path).functions for path, _, name in entered)  # type: ignore[union-attr]


def test_audit_is_clean() -> None:
    results = auditing.audit(load(ROOT), None)
    told = [
        f"{each.code} {each.span} {each.message}"
        for each in results.findings
        if each.severity is not Severity.NOTE and each.name != "suspect-link"
    ]
    assert told == []
    assert results.exit == 0
    assert {match.status for match in results.matches.values()} == {Status.OK}


def test_specification_holds_the_catalogue() -> None:
    results = auditing.audit(load(ROOT), None)
    pages = {page.id: {topic.value for topic in page.topics} for page in results.specification.pages if page.topics}
    assert [page.id for page in results.specification.pages if not page.topics] == [
        "architecture",
        "how-the-model-learns",
    ]
    assert pages == {page: set(topics) for page, topics in CATALOGUE.items()}
    methods = {each.id: each.methods for each in results.specification.equations}
    assert methods == {name: tuple(found) for name, found in METHODS.items()}
    assert len(methods) == 166
    assert results.coverage is not None
    assert (results.coverage.equations.covered, results.coverage.equations.waived) == (len(methods), 0)


def test_nothing_is_found(verified: Results) -> None:
    # Contributors need not write the ledger: a link that changed since it was reviewed is told, and fails nothing.
    assert {each.severity for each in verified.findings if each.name != "suspect-link"} <= {Severity.NOTE}
    assert verified.exit == 0
    document = json.loads(report.render(verified))
    jsonschema.Draft202012Validator(json.loads(report.schema())).validate(document)
    assert document["summary"]["equations"] == len(verified.selected)
    assert document["summary"]["anchors"] == document["summary"]["anchors_ok"] == len(verified.matches)


def test_each_equation_has_its_best_verdict(verified: Results) -> None:
    for equation in verified.selected:
        methods = METHODS[equation]
        verdict = verified.verdict(equation)
        if equation in WEAKER:
            assert verdict is WEAKER[equation][0], equation
        elif "composition" in methods:
            assert verdict is not None, equation
            assert weakest((verdict, Verdict.TESTED)) is Verdict.TESTED, equation  # the weakest it resolves to
        else:
            assert verdict is weakest(BEST[method] for method in methods), equation
        for method in verified.methods[equation]:
            if method.method in ("vjp", "derivative", "identity"):
                assert "proved for all sizes" in method.evidence.detail, equation
            assert method.evidence.points > 0, equation
            for limit in method.evidence.limits:
                assert LIMITS.get(method.method, "none is known") in limit, (equation, limit)


def test_every_line_is_executed(verified: Results) -> None:
    roles = (Role.COMPUTES, Role.INLINE, Role.CALLS)
    wanted = [match.anchor for match in verified.matches.values() if match.anchor.role in roles]
    assert verified.executions is not None
    assert len(wanted) > 140
    for anchor in wanted:
        needed = 32 if anchor.role is not Role.CALLS else 1  # at least 32 draws beside the edge grid
        assert verified.executions.get(anchor.id, 0) >= needed, anchor.id
