"""A small project with real sources, and hand-made results of it: one equation of each kind of outcome."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eqtrace.config import Config, SiteConfig
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Equation, LiteratureReference
from eqtrace.model.example import (
    Compared,
    Differenced,
    Example,
    ExampleResult,
    Outcome,
    Step,
    StepValue,
    Table,
    Value,
)
from eqtrace.model.finding import Finding, Related, Severity
from eqtrace.model.results import Coverage, Results, Tally
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import Page, ShapeTable, Specification, Topic, Waiver, Work
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.report.site import build

OPS = '''\
"""Plain layers."""

import numpy as np


def affine(X, W, b):
    """X (T, a) times W (a, c), plus b (c,) on every row."""
    return X @ W + b


def affine_backward(X, W, dY):
    """Gradients of `affine`; dY is (T, c)."""
    dX = dY @ W.T  # (T, a)
    dW = X.T @ dY  # (a, c)
    return dX, dW, dY.sum(axis=0)


def softmax(x, axis=-1):
    """Probabilities along one axis; the maximum is taken off first, so that exp cannot overflow."""
    shifted = x - x.max(axis=axis, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=axis, keepdims=True)
'''
MODEL = '''\
"""A model that repeats a formula in place."""

from ops import softmax


def classify(X, params):
    """Class probabilities, one row per sample."""
    hidden = X @ params["w1"] + params["b1"]
    logits = hidden @ params["w2"] + params["b2"]
    return softmax(logits)
'''
TESTS = """\
import numpy as np
from ops import affine, softmax


def test_affine_by_hand():
    assert affine(np.eye(2), np.ones((2, 3)), np.zeros(3)).tolist() == [[1, 1, 1], [1, 1, 1]]


def test_softmax_sums_to_one():
    assert np.allclose(softmax(np.ones((2, 3))).sum(-1), 1)
"""


def text(value: str, line: int = 1) -> Text:
    return Text(value, Span("spec/layers.yaml", line, 9))


PLACE = Span("spec/layers.yaml", 40, 3)


def example_steps(**code: str) -> tuple[Step, ...]:
    return tuple(Step(text(label), text(each)) for label, each in code.items())


STATED = {
    "affine": Example(
        "editable",
        PLACE,
        "hand-picked, <i>not</i> trained",
        {"X": ((1, 2), (0.5, 1)), "W": ((1, 0), (0, 3)), "b": (1 / 3, 0)},
        steps=example_steps(P="X @ W", Y="P + b"),
        equals=text("ops.py::affine"),
    ),
    "affine_backward": Example(
        "differences",
        PLACE,
        "hand-picked",
        {"X": ((0, 1),), "dY": ((3, 4),)},
        steps=example_steps(dX="dY @ W.T * 1 < 2"),
        equals=text("ops.py::affine_backward"),
    ),
    "softmax": Example("stored", PLACE, "a run", run=text("table"), equals=text("ops.py::softmax")),
}

_P, _Y = Value((2, 2), (1.0, 6.0, 0.5, 3.0)), Value((2, 2), (1 + 1 / 3, 6.0, 0.5 + 1 / 3, float("-inf")))
_DX = Value((1, 2), (3.0, 4.0))

RESULTS = {
    "affine": ExampleResult(
        "affine",
        Outcome.AGREES,
        (StepValue("P", _P), StepValue("Y", _Y)),
        (Compared("Y", "result", _Y, 0.0, True),),
        call="affine(X, W, b)",
    ),
    "affine_backward": ExampleResult(
        "affine_backward",
        Outcome.DIFFERS,
        (StepValue("dX", _DX),),
        (Compared("dX", "result[0]", Value((1, 2), (3.0, 5.0)), 0.2, False),),
        (Differenced("dX", "X", Value((1, 2), (3.0000001, 4.0)), 3e-8, True),),
        call="affine_backward(X, W, dY)",
    ),
    "softmax": ExampleResult(
        "softmax",
        Outcome.AGREES,
        table=Table(("name", "p"), (("<b>first</b>", 0.123456789), ("second", 1.0)), (("c", 16),)),
        call="table",
    ),
}


class Sample:
    """Builds the specification and the matches that its anchors would have."""

    def __init__(self) -> None:
        self.matches: dict[str, Match] = {}

    def anchor(self, equation: str, role: Role, place: str, function: str, code: str, **more: Any) -> Anchor:
        path, line = place.split(":")
        name = more.pop("purpose", "") or str(len(self.matches))
        status, moved = more.pop("status", Status.OK), more.pop("found", int(line))
        span = Span("spec/layers.yaml", 20, 9, 20, 60)
        purpose = "" if name.isdecimal() else name
        anchor = Anchor(f"{equation}/{role}/{name}", role, path, int(line), function, code, span, purpose=purpose)
        place_now = Span(path, moved, 5, moved, 5 + len(code))
        self.matches[anchor.id] = Match(anchor, status, place_now, function, code)
        return anchor

    def affine(self) -> Topic:
        a = self.anchor
        return Topic(
            id="affine",
            title="Affine map",
            page="layers",
            span=Span("spec/layers.yaml", 1),
            direction="forward",
            category="Basic operations",
            functions=(text("ops.py::affine"),),
            literature=(LiteratureReference(text("goodfellow2016"), "6.1", ("6.3",), "164"),),
            what=text("Every row of `X` is mapped by the same matrix.\n\nSee {cite: affine.affine/computes/0}."),
            why=text("In general, a layer without it can only rescale. This project does not measure that claim."),
            symbols={
                "X": Symbol("X", Span("s", 1), "Input, one row per sample", {"": "X"}, (text("T"), text("a"))),
                "W": Symbol(
                    "W",
                    Span("s", 1),
                    "Weight matrix",
                    {"": "W", "classify": 'params["w1"]'},
                    (text("a"), text("c")),
                    True,
                ),
                "b": Symbol("b", Span("s", 1), "Bias", {"": "b"}, (text("c"),), True),
                "Y": Symbol("Y", Span("s", 1), "Output", {"": None}, (text("T"), text("c"))),
            },
            equations=(
                Equation(
                    "affine.affine",
                    "affine",
                    Span("spec/layers.yaml", 18),
                    label="Matrix product plus broadcast bias",
                    latex=text("Y = XW + b"),
                    statements=(text("Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])"),),
                    anchors=(
                        a("affine.affine", Role.COMPUTES, "ops.py:8", "affine", "return X @ W + b"),
                        a(
                            "affine.affine",
                            Role.INLINE,
                            "model.py:8",
                            "classify",
                            'hidden = X @ params["w1"] + params["b1"]',
                            purpose="Hidden layer",
                        ),
                        a(
                            "affine.affine",
                            Role.INLINE,
                            "model.py:9",
                            "classify",
                            'logits = hidden @ params["w2"] + params["b2"]',
                            purpose="Output layer",
                        ),
                        a(
                            "affine.affine",
                            Role.TESTS,
                            "test_ops.py:6",
                            "test_affine_by_hand",
                            "assert affine(np.eye(2), np.ones((2, 3)), np.zeros(3)).tolist() == [[1, 1, 1], [1, 1, 1]]",
                        ),
                    ),
                ),
                Equation(
                    "affine.entry",
                    "affine",
                    Span("spec/layers.yaml", 30),
                    label="One entry, written out",
                    latex=text(r"Y_{tj} = \sum_{k} X_{tk} W_{kj} + b_j"),
                    statements=(text("Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])"),),
                    derived=True,
                    methods=("identity",),
                    anchors=(a("affine.entry", Role.EXPLAINS, "ops.py:8", "affine", "return X @ W + b"),),
                ),
            ),
            shapes=(
                ShapeTable(
                    "The hidden layer",
                    (("X", ("T", "a")), ("w1", ("a", "c")), ("hidden", ("T", "c"))),
                    text("affine.affine/inline/Hidden layer"),
                ),
                ShapeTable(
                    "The output layer, as wide as there are classes",
                    (("hidden", ("T", "c")), ("logits", ("T", "V"))),
                    text("affine.affine/inline/Output layer"),
                ),
            ),
        )

    def gradient(self) -> Topic:
        a = self.anchor
        return Topic(
            id="affine_backward",
            title="Affine map, backward",
            page="layers",
            span=Span("spec/backward.yaml", 1),
            direction="backward",
            category="Basic operations",
            functions=(text("ops.py::affine_backward"),),
            what=text("The gradients of the three inputs."),
            why=text("Training follows them."),
            symbols={
                "dY": Symbol("dY", Span("s", 1), "Gradient of the output", {"": "dY"}, (text("T"), text("c"))),
                "dW": Symbol("dW", Span("s", 1), "Gradient of the weights", {"": "dW"}, (text("a"), text("c"))),
            },
            equations=(
                Equation(
                    "affine_backward.dW",
                    "affine_backward",
                    Span("spec/backward.yaml", 9),
                    label="Weights",
                    latex=text(r"dW = X^{\top} dY"),
                    methods=("value", "vjp"),
                    anchors=(
                        a(
                            "affine_backward.dW",
                            Role.COMPUTES,
                            "ops.py:12",
                            "affine_backward",
                            "dW = X.T @ dY",
                            status=Status.MOVED,
                            found=14,
                        ),
                    ),
                ),
                Equation(
                    "affine_backward.dX",
                    "affine_backward",
                    Span("spec/backward.yaml", 15),
                    label="Input",
                    latex=text(r"dX = dY\, W^{\top}"),
                    methods=("value", "vjp"),
                    anchors=(a("affine_backward.dX", Role.COMPUTES, "ops.py:13", "affine_backward", "dX = dY @ W.T"),),
                ),
            ),
        )

    def softmax(self) -> Topic:
        a = self.anchor
        return Topic(
            id="softmax",
            title="Softmax",
            page="probabilities",
            span=Span("spec/softmax.yaml", 1),
            status="derived",
            functions=(text("ops.py::softmax"),),
            what=text("Turns scores into probabilities <b>that sum to one</b>."),
            why=text("A loss needs probabilities. See {cite: softmax.shift/computes/99}."),
            symbols={
                "x": Symbol("x", Span("s", 1), "Scores", {"": "x"}, (text("V"),)),
                "p": Symbol("p", Span("s", 1), "Probabilities", {"": None}, ()),
            },
            equations=(
                Equation(
                    "softmax.softmax",
                    "softmax",
                    Span("spec/softmax.yaml", 9),
                    label="Normalised exponentials",
                    latex=text(
                        r"p_i = \frac{e^{x_i - \max_k x_k}}{\sum_j e^{x_j - \max_k x_k}}, \quad "
                        r"q = \begin{cases} 1 & V = 1 \\ p_1 & \text{otherwise} \end{cases}"
                    ),
                    anchors=(
                        a(
                            "softmax.softmax",
                            Role.COMPUTES,
                            "ops.py:22",
                            "softmax",
                            "return e / e.sum(axis=axis, keepdims=True)",
                        ),
                        a("softmax.softmax", Role.CALLS, "model.py:10", "classify", "return softmax(logits)"),
                    ),
                ),
                Equation(
                    "softmax.broken",
                    "softmax",
                    Span("spec/softmax.yaml", 19),
                    label="A formula that cannot be read",
                    latex=text(r"\frac{1"),
                ),
            ),
        )


def complete(topic: Topic) -> Topic:
    """The topic as it is read: each equation has what the topic says for all."""
    equations = tuple(replace(each, symbols=topic.symbols) for each in topic.equations)
    return replace(topic, equations=equations, example=STATED[topic.id])


def make_project(root: Path) -> Path:
    """Writes the sample's sources into a new folder."""
    root.mkdir()
    for name, content in {"ops.py": OPS, "model.py": MODEL, "test_ops.py": TESTS}.items():
        (root / name).write_text(content, encoding="utf-8")
    return root


def make_config(root: Path) -> Config:
    sizes = {"T": 16, "a": 8, "c": "a*h", "h": 2, "V": "V"}
    return Config(
        root=root,
        sources=("ops.py", "model.py"),
        tests=("test_ops.py",),
        site=SiteConfig(title="Small layers, equation by equation", output="out", sizes=sizes),
    )


def make_results() -> Results:
    sample = Sample()
    topics = tuple(complete(topic) for topic in (sample.affine(), sample.gradient(), sample.softmax()))
    refuted = Finding(
        "EQ501",
        "value-mismatch",
        Severity.ERROR,
        "dX: the line computes another value than the form\nentry [1, 0]: code 3.0, form 4.0, 2 of 6 entries differ",
        Span("spec/backward.yaml", 17, 9),
        "X = [[0, 1]], W = [[1, 0], [2, 1]], dY = [[3, 4]]; seed 0 repeats it",
        (Related(Span("ops.py", 13, 5), "this statement"),),
        "affine_backward.dX",
        "value",
    )
    lost = Finding("EQ102", "duplicate-key", Severity.WARNING, "title is given twice", Span("spec/pages.yaml", 3, 1))
    certified = Evidence(
        64, 64, 0, 1.5, "ops.py:8, Y[2, 1]", "replayed in exact balls, 106 bits", ("Sizes up to 9 were tried.",)
    )
    methods = {
        "affine.affine": (MethodResult("affine.affine", "value", Verdict.CERTIFIED, certified, seconds=0.2),),
        "affine.entry": (
            MethodResult("affine.entry", "identity", Verdict.NOT_CHECKED, Evidence(detail="this method is not built")),
        ),
        "affine_backward.dW": (
            MethodResult("affine_backward.dW", "value", Verdict.SAMPLED, Evidence(32, 0, 0, 0.5)),
            MethodResult("affine_backward.dW", "vjp", Verdict.TESTED, Evidence(8)),
        ),
        "affine_backward.dX": (
            MethodResult(
                "affine_backward.dX", "value", Verdict.REFUTED, Evidence(32, 0, 0, 4.5e15, "ops.py:13, dX[1, 0]")
            ),
        ),
        "softmax.softmax": (MethodResult("softmax.softmax", "value", Verdict.CERTIFIED_TO_CONSTANTS, certified),),
    }
    literature = {
        "goodfellow2016": Work(
            "goodfellow2016",
            "Deep Learning",
            ("I. Goodfellow", "Y. Bengio", "A. Courville"),
            2016,
            "MIT Press",
            arxiv="1807.07987",
        )
    }
    specification = Specification(
        topics=topics,
        pages=(
            Page(
                "layers",
                "Layers",
                "What maps rows to rows. One rule: a `d` in front of a name is its gradient.",
                (text("affine"), text("affine_backward")),
            ),
            Page("probabilities", "Probabilities", "Scores made into probabilities.", (text("softmax"),)),
        ),
        literature=literature,
        waivers=(Waiver("nothing to test", Span("spec/waivers.yaml", 1), text("affine.entry"), "test"),),
        files=("spec/layers.yaml", "spec/backward.yaml", "spec/softmax.yaml"),
    )
    ids = tuple(equation.id for equation in specification.equations)
    executions = {
        name: 0 if "dX" in name else 64 for name, match in sample.matches.items() if match.anchor.role != Role.TESTS
    }
    return Results(
        command="site",
        specification=specification,
        selected=ids,
        matches=sample.matches,
        findings=(refuted, lost),
        methods=methods,
        executions=executions,
        examples=RESULTS,
        coverage=Coverage(Tally(5, 6, 1), Tally(8, 9, 1)),
        skipped=("nothing else was looked at",),
        exit=1,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def config(project: Path) -> Config:
    return make_config(project)


@pytest.fixture
def results() -> Results:
    return make_results()


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample's site."""
    config = make_config(make_project(tmp_path_factory.mktemp("sample") / "project"))
    return build(config, make_results()).folder
