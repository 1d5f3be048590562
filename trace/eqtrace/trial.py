"""Drafts audited as a specification that is not written yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from eqtrace import collector
from eqtrace.conclusion import conclude
from eqtrace.config import Config
from eqtrace.inputs import Inputs
from eqtrace.link import states
from eqtrace.memory import Memory
from eqtrace.model.finding import Severity
from eqtrace.model.readback import Stated
from eqtrace.model.topic import Specification
from eqtrace.project import Project, read_project
from eqtrace.spec import short
from eqtrace.spec.context import Context
from eqtrace.spec.document import Document
from eqtrace.spec.yaml_text import quoted

if TYPE_CHECKING:
    from eqtrace.drafting import Draft

_NAME = "drafts.yaml"


@dataclass(frozen=True)
class Trial:
    """What the audit of some drafts found: the first error of each, by its target."""

    faults: Mapping[str, str]
    project: Project

    @cached_property
    def states(self) -> Mapping[str, Stated]:
        """How each form compares with what documentation prints, decided by values where nothing else does."""
        project = self.project
        return states.settled(project.states, project.equations, project.forms, project.index).found


class _Drafted(Memory):
    """The specification that drafts make."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def specification(self, config: Config, inputs: Inputs) -> Specification:
        """What the text says."""
        document, context = Document(_NAME, self._text), Context()
        topics = short.read(document, context) if not document.refused else ()
        return Specification(topics, files=(_NAME,), faults=(*document.faults, *context.faults))


def tried(config: Config, made: Sequence[Draft]) -> Trial:
    """The audit of drafts."""
    text = "".join("\n".join(each.lines(quoted(each.target))) + "\n" for each in made)
    with collector.paused():
        project = read_project(replace(config, coverage="off"), None, cache=False, static=True, memory=_Drafted(text))
        results = conclude("audit", project, project.faults, {}, None, 0, 0.0)
    found: dict[str, str] = {}
    for each in results.findings:  # one that has no equation belongs to the line above which it stands
        if each.severity is Severity.ERROR and (each.equation or each.span.path == _NAME):
            owner = each.equation or made[min((each.span.line - 1) // 2, len(made) - 1)].target
            found.setdefault(owner, each.message.split("\n")[0])
    return Trial(found, project)
