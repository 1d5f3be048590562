"""A small project and hand-made results of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Equation
from eqtrace.model.example import Compared, Example, ExampleResult, Outcome, Step, StepValue, Value
from eqtrace.model.finding import Finding, Related, Severity
from eqtrace.model.results import Coverage, Results, Tally
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import Specification, Topic, Waiver
from eqtrace.model.verdict import Evidence, MethodResult, Verdict

SPEC = """\
topic: linear
equations:
  - id: linear.linear
    anchors:
      - {role: computes, at: 'ops.py:2', in: linear_forward, code: 'return X @ W + b'}
      - {role: tests, at: 'test_ops.py:5', in: test_linear, code: 'assert linear_forward(X, W, b) == Y'}
  - id: linear.bias
"""
CODE = """\
def linear_forward(X, W, b):
    return X @ W - b
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "linear.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "ops.py").write_text(CODE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def audited() -> Results:
    """Two equations, two anchors, nothing found."""
    computes = Anchor(
        "linear.linear/computes/0",
        Role.COMPUTES,
        "ops.py",
        2,
        "linear_forward",
        "return X @ W + b",
        Span("linear.yaml", 5, 9),
    )
    tests = Anchor(
        "linear.linear/tests/0", Role.TESTS, "test_ops.py", 5, "test_linear", "assert ...", Span("linear.yaml", 6, 9)
    )
    linear = Equation("linear.linear", "linear", Span("linear.yaml", 3, 5), anchors=(computes, tests))
    bias = Equation("linear.bias", "linear", Span("linear.yaml", 7, 5), methods=("value", "derivative"))
    topic = Topic("linear", "Linear layer", "layers", Span("linear.yaml", 1), equations=(linear, bias))
    waiver = Waiver("no test wanted", Span("waivers.yaml", 1), lacks="test")
    return Results(
        command="audit",
        specification=Specification(topics=(topic,), files=("linear.yaml",), waivers=(waiver,)),
        selected=("linear.linear", "linear.bias"),
        matches={
            computes.id: Match(computes, Status.OK, Span("ops.py", 2, 5, 2, 21), "linear_forward"),
            tests.id: Match(tests, Status.MOVED, Span("test_ops.py", 9, 5, 10, 21), "test_linear"),
        },
        coverage=Coverage(Tally(1, 2, 0), Tally(3, 4, 1)),
        seconds=0.25,
    )


@pytest.fixture
def verified(audited: Results) -> Results:
    """The same after verify: one equation certified, the other partly not checked."""
    methods = {
        "linear.linear": (
            MethodResult("linear.linear", "value", Verdict.CERTIFIED, Evidence(64, 64, 0, 1.5), seconds=0.5),
        ),
        "linear.bias": (
            MethodResult("linear.bias", "value", Verdict.CERTIFIED, Evidence(32, 32), seconds=0.1),
            MethodResult("linear.bias", "derivative", Verdict.NOT_CHECKED),
        ),
    }
    return replace(audited, command="verify", methods=methods, executions={"linear.linear/computes/0": 64}, seed=7)


@pytest.fixture
def refuted(verified: Results) -> Results:
    """The same with a refutation and its finding."""
    finding = Finding(
        code="EQ501",
        name="value-mismatch",
        severity=Severity.ERROR,
        message="the line computes something else\nentry [0, 0]: code -1.0, form 1.0",
        span=Span("linear.yaml", 5, 29, 5, 39),
        hint="seed 7 repeats it",
        related=(Related(Span("ops.py", 2, 12, 2, 21), "this statement"),),
        equation="linear.linear",
        method="value",
    )
    result = MethodResult("linear.linear", "value", Verdict.REFUTED, Evidence(64, 0, 7, float("inf")))
    methods = {**verified.methods, "linear.linear": (result,)}
    return replace(verified, methods=methods, findings=(finding,), exit=1)


@pytest.fixture
def exemplified(verified: Results) -> Results:
    """The same with an example that differs from the code, and whose last step failed."""
    place = Span("linear.yaml", 9, 3)
    example = Example(
        "steps",
        place,
        "hand-picked",
        {"X": ((1, float("-inf")),), "words": ("a", "b")},
        steps=(Step(Text("P", place), Text("X * 2", place)), Step(Text("Y", place), Text("P.sum()", place))),
        equals=Text("ops.py::linear_forward", place),
    )
    value, code = (Value((1, 2), (each, float("-inf"))) for each in (2.0, 2.5))
    result = ExampleResult(
        "linear",
        Outcome.DIFFERS,
        (StepValue("P", value),),
        (Compared("P", "result[0]", code, 0.2, False),),
        call="linear_forward(X)",
    )
    (topic,) = verified.specification.topics
    specification = replace(verified.specification, topics=(replace(topic, example=example),))
    return replace(verified, specification=specification, examples={"linear": result})
