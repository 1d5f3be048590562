"""The traceability matrix: each equation against the lines that do something for it."""

from __future__ import annotations

from dataclasses import dataclass

from eqtrace.model.anchor import Role, Status
from eqtrace.model.equation import Equation
from eqtrace.report.view.places import MATRIX
from eqtrace.report.view.topic import Site
from eqtrace.report.words import ROLES, Badge, badge


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line in a cell: `ops.py:30`, its whole place, its address, and what is wrong with it ('' is nothing)."""

    short: str
    place: str
    address: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """An equation; a cell for each role that any equation has."""

    id: str
    address: str
    badge: Badge
    methods: tuple[str, ...]
    cells: tuple[tuple[CellLine, ...], ...]
    waived: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatrixGroup:
    """The rows of a topic."""

    title: str
    address: str
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True, slots=True)
class MatrixView:
    """The whole matrix: the roles' words, how many lines there are of each, and the rows by topic."""

    roles: tuple[tuple[str, int], ...]
    groups: tuple[MatrixGroup, ...]


def matrix(site: Site) -> MatrixView:
    """The view of the page."""
    topics = [topic for plan in site.places.pages for topic in plan.topics]
    anchors = [anchor for topic in topics for equation in topic.equations for anchor in equation.anchors]
    counted = {role: sum(anchor.role is role for anchor in anchors) for role in Role}
    roles = [role for role in Role if counted[role]]
    verdicts = {row.id: row.verdict for row in site.report.equations}
    groups = tuple(
        MatrixGroup(
            topic.title,
            site.places.topic(topic.id, MATRIX) or "",
            tuple(_row(each, roles, verdicts.get(each.id), site) for each in topic.equations),
        )
        for topic in topics
    )
    return MatrixView(tuple((ROLES[role], counted[role]) for role in roles), groups)


def _row(equation: Equation, roles: list[Role], verdict: str | None, site: Site) -> MatrixRow:
    waivers = site.results.specification.waivers
    return MatrixRow(
        equation.id,
        site.places.equation(equation.id, MATRIX) or "",
        badge(verdict),
        equation.methods,
        tuple(_cell(equation, role, site) for role in roles),
        tuple(
            f"lacks {waiver.lacks}, waived: {waiver.reason}"
            for waiver in waivers
            if waiver.equation is not None and waiver.equation.value == equation.id
        ),
    )


def _cell(equation: Equation, role: Role, site: Site) -> tuple[CellLine, ...]:
    found: dict[tuple[str, int], CellLine] = {}
    for anchor in equation.anchors:
        if anchor.role is role:
            path, line = site.places.line_of(anchor)
            match = site.places.match(anchor)
            status = match.status if match else Status.MISSING
            problem = "" if status is Status.OK else status.value
            short = f"{path.rpartition('/')[2]}:{line}"
            found[path, line] = CellLine(short, f"{path}:{line}", site.places.line(path, line, MATRIX), problem)
    return tuple(found.values())
