import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from eqtrace.config import load
from eqtrace.formula.form import Form, read
from eqtrace.model.anchor import Anchor, Role
from eqtrace.model.equation import Equation, FunctionUse, Given, Gradient, IndexRange
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.project import read_project

HERE = Span("spec/page/topic.yaml", 3, 10)


def text(value: str) -> Text:
    return Text(value, Span(HERE.path, 3, 10, 3, 10 + len(value)))


def build(
    *statements: str,
    symbols: Mapping[str, str | None] | None = None,
    indices: Mapping[str, str | tuple[str, str]] | None = None,
    where: str = "",
    let: Mapping[str, str] | None = None,
    functions: Mapping[str, tuple[str, ...]] | None = None,
    whole: bool = False,
) -> Equation:
    """An equation; a symbol's shape is written 'T a', '' for a scalar, None where it is not declared."""
    shapes = {
        name: None if shape is None else tuple(text(dim) for dim in shape.split())
        for name, shape in (symbols or {}).items()
    }
    ranges = {name: (None, ends) if isinstance(ends, str) else ends for name, ends in (indices or {}).items()}
    return Equation(
        "topic.equation",
        "topic",
        HERE,
        statements=tuple(text(statement) for statement in statements),
        where=text(where) if where else None,
        symbols={name: Symbol(name, HERE, shape=shape) for name, shape in shapes.items()},
        indices={name: IndexRange(text(a) if a else None, text(b)) for name, (a, b) in ranges.items()},
        let={name: text(value) for name, value in (let or {}).items()},
        functions={name: FunctionUse(text("other.equation"), args) for name, args in (functions or {}).items()},
        whole=whole,
    )


@pytest.fixture
def equation() -> Callable[..., Equation]:
    return build


@pytest.fixture(scope="module")
def make_form() -> Callable[..., Form]:
    """The same as `form`, for fixtures that a module keeps."""
    return _make


@pytest.fixture
def form() -> Callable[..., Form]:
    return _make


def _make(*statements: str, parameters: tuple[str, ...] | None = None, **keys: object) -> Form:
    found, faults = read(build(*statements, **keys), parameters)  # type: ignore[arg-type]
    assert found is not None, faults
    assert not faults
    return found


Forms = tuple[dict[str, Equation], dict[str, Form]]


@pytest.fixture(scope="session")
def later() -> Forms:
    """Equations and forms of later pages, from `later_forms.yaml`."""
    topics = yaml.safe_load((Path(__file__).parent / "later_forms.yaml").read_text("utf-8"))
    equations: dict[str, Equation] = {}
    for topic in topics:
        for name, entry in topic["equations"].items():
            equations[f"{topic['topic']}.{name}"] = _later(topic, name, entry, len(equations) + 1)
    forms: dict[str, Form] = {}
    for each in equations.values():
        found, faults = read(each)
        assert found is not None, faults
        forms[each.id] = found
    return equations, forms


def _later(topic: dict[str, Any], name: str, entry: dict[str, Any], line: int) -> Equation:
    domains = {
        symbol: Domain(minimum=text(keys["min"]), maximum=text(keys["max"]), integer=keys["integer"])
        for symbol, keys in topic.get("domains", {}).items()
    }
    symbols = {
        symbol: Symbol(symbol, HERE, shape=tuple(map(text, shape.split())), domain=domains.get(symbol, Domain()))
        for symbol, shape in topic["shapes"].items()
    }
    gradient = None
    if "gradient" in topic:
        keys = topic["gradient"]
        wrt = {symbol: f"result[{number}]" for number, symbol in enumerate(keys["wrt"])}
        forward, backward = (text(f"impl/model.py::{each}") for each in (keys["forward"], "backward"))
        gradient = Gradient(forward, backward, keys["cotangent"], None, wrt, None)
    identity = f"{topic['topic']}.{name}"
    forms = entry["form"] if isinstance(entry["form"], list) else [entry["form"]]
    where = topic.get("where")
    anchors = ()
    if "computes" in topic:
        anchors = (Anchor(f"{identity}/computes/0", Role.COMPUTES, "impl/model.py", line, topic["computes"], "", HERE),)
    return Equation(
        identity,
        topic["topic"],
        HERE,
        statements=tuple(map(text, forms)),
        where=text(where) if where else None,
        methods=(entry.get("method", "value"),),
        anchors=anchors,
        symbols=symbols,
        indices={index: IndexRange(None, text(stop)) for index, stop in topic["indices"].items()},
        let={helper: text(term) for helper, term in entry.get("let", {}).items()},
        given=tuple(Given(text(each)) for each in entry.get("given", ())),
        functions={
            symbol: FunctionUse(text("other.one"), tuple(args)) for symbol, args in entry.get("functions", {}).items()
        },
        gradient=gradient,
    )


@pytest.fixture(scope="session")
def specification() -> Forms:
    """This repository's own equations and forms."""
    project = read_project(load(Path(__file__).parents[3]), None)
    return project.equations, dict(project.forms)


@pytest.fixture(scope="session")
def random_terms() -> ModuleType:
    """The module `random_terms`, which stands beside the tests."""
    spec = importlib.util.spec_from_file_location("random_terms", Path(__file__).parent / "random_terms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
