"""The static checks as a command: user code is parsed and never imported."""

from __future__ import annotations

import time

from eqtrace import collector
from eqtrace.conclusion import conclude
from eqtrace.config import Config
from eqtrace.inputs import Inputs
from eqtrace.memory import Memory
from eqtrace.model.results import Results
from eqtrace.project import of_latex, of_states, read_project


def audit(
    config: Config,
    selected: frozenset[str] | None,
    cache: bool = True,
    inputs: Inputs | None = None,
    memory: Memory | None = None,
) -> Results:
    """The static checks of the selected equations (None: of all).

    With `cache`, what earlier runs kept of LaTeX is taken from there. `inputs` gets what was read. With a `memory`,
    what did not change since its last audit is not read again.
    """
    started = time.perf_counter()
    with collector.paused():
        project = read_project(config, selected, cache, static=True, inputs=inputs, memory=memory)
        faults = [*project.faults, *of_latex(project, project.latex), *of_states(project, project.states)]
        return conclude("audit", project, faults, {}, None, 0, started)
