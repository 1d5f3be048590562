from collections.abc import Callable, Mapping

import pytest

from eqtrace.formula.form import Form, read
from eqtrace.model.equation import Equation, FunctionUse, IndexRange
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol

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
