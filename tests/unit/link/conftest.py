from __future__ import annotations

import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from eqtrace.code.index import Index
from eqtrace.link.audit import Audit, audit
from eqtrace.link.relocate import Homes
from eqtrace.model.anchor import Anchor, Role
from eqtrace.model.equation import Equation
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import Specification, Topic, Waiver

PLACE = Span("spec/a.yaml", 3, 5)


class Bench:
    """A small project, and the few words a test needs to say what is claimed of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.settings: dict[str, object] = {
            "root": root,
            "pyproject": "pyproject.toml",
            "sources": ("impl",),
            "tests": ("tests",),
            "packages": (),
            "pythonpath": (".", "src"),
            "coverage": "report",
            "testers": None,
        }

    @staticmethod
    def anchor(code: str, line: int = 1, function: str = "f", role: str = "computes", **more: object) -> Anchor:
        return _anchor(code, line, function, role, **more)

    @staticmethod
    def equation(*anchors: Anchor, **more: object) -> Equation:
        return _equation(*anchors, **more)

    @staticmethod
    def waiver(**more: object) -> Waiver:
        return _waiver(**more)

    def write(self, path: str, text: str | bytes) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())

    @property
    def config(self) -> SimpleNamespace:
        return SimpleNamespace(**self.settings)

    @property
    def index(self) -> Index:
        return Index(self.config)

    def audit(self, *equations: Equation, functions: tuple[str, ...] = (), **more: object) -> Audit:
        selected = more.pop("selected", None)
        waivers = more.pop("waivers", ())
        topic = Topic(
            "t", "T", "p", PLACE, equations=equations, functions=tuple(Text(item, PLACE) for item in functions)
        )
        specification = Specification(topics=(topic,), waivers=waivers)
        index = self.index
        homes = Homes(index, [anchor for equation in equations for anchor in equation.anchors])
        return audit(specification, index, self.config, homes, selected)


def _anchor(code: str, line: int = 1, function: str = "f", role: str = "computes", **more: object) -> Anchor:
    path = str(more.pop("path", "impl/a.py"))
    name = str(more.pop("name", "0"))
    bind = {key: Text(str(text), PLACE) for key, text in dict(more.pop("bind", {})).items()}  # type: ignore[call-overload]
    at = Text(f"{path}:{line}", PLACE)
    return Anchor(f"e/{role}/{name}", Role(role), path, line, function, code, PLACE, at=at, bind=bind, **more)  # type: ignore[arg-type]


def _equation(*anchors: Anchor, form: str | tuple[str, ...] = (), **more: object) -> Equation:
    forms = (form,) if isinstance(form, str) else form
    symbols = {
        name: Symbol(name, PLACE, code=code if isinstance(code, dict) else {"": code})
        for name, code in dict(more.pop("symbols", {})).items()  # type: ignore[call-overload]
    }
    statements = tuple(Text(item, PLACE) for item in forms)
    return Equation(
        str(more.pop("id", "e")), "t", PLACE, statements=statements, anchors=anchors, symbols=symbols, **more
    )  # type: ignore[arg-type]


def _waiver(**more: object) -> Waiver:
    if "equation" in more:
        more["equation"] = Text(str(more["equation"]), PLACE)
    return Waiver("because", PLACE, **more)  # type: ignore[arg-type]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
