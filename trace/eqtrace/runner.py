"""Runs the stages in their order and gathers what they found. No stage is here, and nothing is printed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from eqtrace import collector
from eqtrace.cache import Cache
from eqtrace.code.index import Index
from eqtrace.conclusion import conclude, findings_of
from eqtrace.config import Config
from eqtrace.formula.form import Form
from eqtrace.link import branches, latex, origins, states
from eqtrace.link.latex import Latex
from eqtrace.link.review import faults as suspicions
from eqtrace.link.review.suspicion import Change, unshown
from eqtrace.link.states import States
from eqtrace.model.equation import Equation
from eqtrace.model.example import Example, ExampleResult, Outcome
from eqtrace.model.finding import Fault, Finding, Related
from eqtrace.model.readback import ReadBack
from eqtrace.model.results import Results
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict, weakest
from eqtrace.project import Project, Reading, check, of_latex, of_states, read
from eqtrace.run.needs import Asked
from eqtrace.run.outcome import Crashed, Done, Lost
from eqtrace.run.present import Present, base
from eqtrace.run.reuse import Reuse
from eqtrace.run.work import EXAMPLE, EXECUTED, Unit, Work, files_of, used_symbols
from eqtrace.spec import sizes
from eqtrace.spec.files import files as spec_files
from eqtrace.working import work_of

if TYPE_CHECKING:
    from eqtrace.run.jobs import Executor, Jobs

SESSION = "eqtrace.run.session:Session"
ANSWERS = "eqtrace.run.answers:Answers"
Progress = Callable[[int, int, str], None]


def verify(
    config: Config,
    selected: frozenset[str] | None,
    jobs: Jobs = 1,
    seed: int = 0,
    timeout: float = 60.0,
    progress: Progress | None = None,
    cache: bool = True,
) -> Results:
    """The static checks, then every method of the selected equations in worker processes.

    `jobs` is their number, or `dask://host:port` for those of a cluster. With `cache`, results of earlier runs that
    still hold are taken from it, and new ones are kept; a cluster's are not, as what they rest on is elsewhere.
    """
    with Verification(config, selected, Running(jobs, seed, timeout, progress), cache) as verification:
        verification.answer()
        verification.keep()
        return verification.results()


def capped(results: list[MethodResult], forms: Mapping[str, Form]) -> list[MethodResult]:
    """The results, those of compositions at best the weakest of what they rest on, as far as this run verified it."""
    verdicts: dict[str, list[Verdict]] = {}
    for result in results:
        verdicts.setdefault(result.equation, []).append(result.verdict)
    return [
        _capped(each, _resting(forms[each.equation]), verdicts)
        if each.method == "composition" and each.equation in forms
        else each
        for each in results
    ]


def _resting(form: Form) -> list[str]:
    from eqtrace.formula.compose import rests_on

    return sorted(rests_on(form))


def _capped(result: MethodResult, resting: list[str], verdicts: Mapping[str, list[Verdict]]) -> MethodResult:
    limits = [f"resting on {name}, not verified in this run" for name in resting if name not in verdicts]
    verdict = result.verdict
    for name in resting:
        found = weakest(verdicts.get(name, [verdict]))
        if weakest([verdict, found]) is not verdict:
            # What rests on a wrong equation is not itself shown to be wrong.
            verdict = Verdict.NOT_CHECKED if found is Verdict.REFUTED else found
            limits.append(f"resting on {name}, which is {found.value}")
    evidence = replace(result.evidence, limits=(*result.evidence.limits, *limits))
    return replace(result, verdict=verdict, evidence=evidence)


@dataclass(frozen=True, slots=True)
class Running:
    """How units are run."""

    jobs: Jobs = 1
    seed: int = 0
    timeout: float = 60.0
    progress: Progress | None = None


class Verification:
    """A verification whose units are answered when they are asked for, all at once or bit by bit."""

    def __init__(self, config: Config, selected: frozenset[str] | None, how: Running, cache: bool = True) -> None:
        self._started, clock = time.perf_counter(), time.time_ns()
        self._how = how
        self._results: dict[Unit, MethodResult] = {}
        self._examples: dict[Unit, ExampleResult] = {}
        self._from_cache: set[Unit] = set()
        self._notes: tuple[str, ...] = ()
        self._prepared = False  # whether workers were told what may hold still
        self._reuse: Reuse | None = None
        cache = cache and isinstance(how.jobs, int)
        # What started ahead gets ready while the project is read, which costs nothing but a processor that would idle.
        self._pool: Executor | None = None
        if not (cache and _unchanged(config)):
            self._pool = _pool(config, how, cache)
            self._pool.start()
        try:
            with collector.paused():
                self._reading = read(config, selected)
                self._work = lru_cache(lambda: work_of(self._reading, how.seed))
                if self._pool is not None:
                    self._open(self._pool)
                if cache:
                    self._reuse = _reuse(self._reading, how.seed, self._work, clock)
                self._look_up()
                if self._pool is not None and self._waiting():
                    self._prepare(self._pool)  # the code is loaded, and scenarios run, during the static checks
                self.project = check(self._reading, cache)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Verification:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the workers."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def keep(self) -> None:
        """Keeps what is new for later runs."""
        note = self._reuse.close() if self._reuse is not None else ""
        self._notes = (note,) if note else ()

    def units(self, equations: Iterable[str] | None = None) -> list[Unit]:
        """The units of equations (of all that are selected), in the order of the specification."""
        wanted = self._reading.selected if equations is None else equations
        return [Unit(name, method) for name in wanted for method in self._reading.equations[name].methods]

    def examples(self) -> list[Unit]:
        """The units of the examples."""
        return [Unit(topic, EXAMPLE) for topic in self._reading.examples]

    def answer(self, equations: Iterable[str] | None = None) -> None:
        """Answers the units of equations (of all, and the examples, if none are named): from the cache, or by a run."""
        self._run(self._waiting(equations))

    def _look_up(self) -> None:
        """Notes what needs no run: units of equations without a form, and those of which a kept result holds."""
        for unit in self.units():
            if unit.equation not in self._reading.forms:
                self._results[unit] = _without_form(self._reading.equations[unit.equation], unit.method)
        if self._reuse is not None:
            held = self._reuse.find(self._waiting())
            for unit, result in held.items():
                self._note(unit, result)
            self._from_cache |= held.keys()

    def _waiting(self, equations: Iterable[str] | None = None) -> list[Unit]:
        """The units of equations (of all, and the examples, if none are named) without a result."""
        found = [*self.units(equations), *(self.examples() if equations is None else ())]
        return [unit for unit in found if unit not in self._results and unit not in self._examples]

    def _run(self, waiting: list[Unit]) -> None:
        """Answers units by a run."""
        if self._reuse is not None:
            waiting = self._reuse.slowest_first(waiting)
        if waiting:
            for done, outcome in enumerate(self._workers().answer(waiting, self._group), 1):
                self._take(outcome)
                if self._how.progress is not None:
                    self._how.progress(done, len(waiting), outcome.unit.equation)

    def results(self) -> Results:
        """Everything that was found out so far."""
        answered = self._answered()
        methods: dict[str, tuple[MethodResult, ...]] = {}
        for result in answered:
            methods[result.equation] = (*methods.get(result.equation, ()), result)
        executions = _executions(self.project, answered)
        faults = [*self.project.faults, *_faults_of(answered)]
        faults += _not_executed(self.project, executions, faults)
        found = {unit.equation: result for unit, result in self._examples.items()}
        faults += [fault for result in found.values() for fault in result.faults]
        methods, one_sided = _branches(self.project, methods)
        faults += one_sided
        late = _late(self.project, methods)
        faults += suspicions.faults(late, self.project.index)
        read_back = self._settled()
        faults += of_latex(self.project, read_back)
        stated = states.settled(self.project.states, self.project.equations, self.project.forms, self.project.index)
        faults = [*_documented(stated, faults, self.project.index), *of_states(self.project, stated)]
        project = replace(self.project, latex=read_back, states=stated)
        results = conclude("verify", project, faults, methods, executions, self._how.seed, self._started, late)
        first = origins.start_with(faults, project.equations, project.linked.matches, project.linked.graph)
        notes = (*([first] if first else []), *results.notes, *self._notes)
        return replace(results, examples=found, from_cache=len(self._from_cache), notes=notes)

    def of(self, equation: str, method: str) -> tuple[MethodResult, tuple[Finding, ...]]:
        """A unit's result with its findings: its own, and those of its equation that are no method's."""
        form = self.project.forms.get(equation)
        resting = _resting(form) if form is not None and method == "composition" else ()
        self.answer([equation, *(name for name in resting if name in self.project.selected)])
        answered = [each for each in self._answered() if each.equation == equation]
        static = [fault for fault in self.project.faults if fault.equation == equation]
        faults = [*static, *_faults_of(answered)]
        faults += [
            fault
            for fault in _not_executed(self.project, _executions(self.project, answered), faults)
            if fault.equation == equation
        ]
        faults += _branches(self.project, {equation: tuple(answered)})[1]
        late = [each for each in _late(self.project, {equation: tuple(answered)}) if each.link.equation.id == equation]
        faults += suspicions.faults(late, self.project.index)
        mine = [fault for fault in faults if fault.method in (None, method)]
        result = next(each for each in answered if each.method == method)
        return result, findings_of(self.project.config, mine)

    def _settled(self) -> Latex:
        """The comparisons of LaTeX with forms that take values, decided."""
        project = self.project
        cache = None if self._reuse is None else self._reuse.cache
        return latex.settled(project.latex, project.equations, project.forms, cache)

    def general(self) -> tuple[Finding, ...]:
        """The findings that belong to no equation: those of the static checks and of the examples."""
        self._run([unit for unit in self.examples() if unit not in self._examples])
        faults = [fault for result in self._examples.values() for fault in result.faults]
        return findings_of(self.project.config, (each for each in (*self.project.faults, *faults) if not each.equation))

    def _answered(self) -> list[MethodResult]:
        """The results so far, in the order of the specification."""
        found = [self._results[unit] for unit in self.units() if unit in self._results]
        return capped(found, self.project.forms)

    def _group(self, unit: Unit) -> str:
        """What shares runs of the code with other units: the gradient of a topic, or the methods of an equation."""
        if unit.method == "vjp":
            return f"gradient {self._reading.equations[unit.equation].topic}"
        return "" if unit.method == EXAMPLE else unit.equation

    def _workers(self) -> Executor:
        """Workers that are told what to work on."""
        if self._pool is None:
            self._pool = _pool(self._reading.config, self._how, self._reuse is not None)
            self._open(self._pool)
        if not self._prepared:
            self._prepare(self._pool)
        return self._pool

    def _open(self, pool: Executor) -> None:
        todo = self._work()
        pool.open(todo, files_of(todo))

    def _prepare(self, pool: Executor) -> None:
        looks = any(unit.method != EXAMPLE for unit in self._waiting())
        reuse = self._reuse
        pool.prepare(Asked(looks=looks) if reuse is None else Asked(reuse.wanted, reuse.proofs, looks))
        self._prepared = True

    def _take(self, outcome: Done | Lost | Crashed) -> None:
        unit = outcome.unit
        if not isinstance(outcome, Done):
            if unit.method == EXAMPLE:
                self._note(unit, _lost_example(unit.equation, self.project.examples[unit.equation], outcome))
            else:
                self._note(unit, _lost(self.project.equations[unit.equation], unit.method, outcome))
        elif self._reuse is None:
            self._note(unit, outcome.value)
        else:
            result, kept = self._reuse.take(unit, outcome.value)
            self._note(unit, result)
            if kept:
                self._from_cache.add(unit)

    def _note(self, unit: Unit, result: MethodResult | ExampleResult) -> None:
        if isinstance(result, ExampleResult):
            self._examples[unit] = result
        else:
            self._results[unit] = result


def _pool(config: Config, how: Running, cache: bool) -> Executor:
    from eqtrace.run.jobs import executor  # what it takes to start workers is not needed without them

    return executor(how.jobs, ANSWERS if cache else SESSION, how.timeout, config.root.resolve(), config.pythonpath)


def _unchanged(config: Config) -> bool:
    """Whether nothing of the project is newer than what is kept, so that most likely nothing will have to run."""
    index = Index(config)
    kept = Cache(index.root).newest()
    others = (config.pyproject, config.scenarios, config.references)
    paths = (*spec_files(config), *index.sources(), *(path for path in others if path))
    try:
        return all(os.stat(os.path.join(index.root, path)).st_mtime_ns < kept for path in paths)
    except OSError:
        return False


def _documented(found: States, faults: Iterable[Fault], index: Index) -> Iterator[Fault]:
    """Faults of forms that documentation states, with the place where it does, and what it says of other units."""
    forms = {each.equation: each.span for each in found.found.values() if each.found.status is ReadBack.IS_FORM}
    for fault in faults:
        if fault.method is not None and fault.equation in forms:
            place = forms[fault.equation]
            hints = [fault.hint, _on_units(place, index) if fault.kind == "value-mismatch" else ""]
            related = Related(place, "the documentation that states the form")
            fault = replace(fault, related=(*fault.related, related), hint="\n".join(filter(None, hints)))
        yield fault


def _on_units(place: Span, index: Index) -> str:
    from eqtrace.link.documentation import speaks_of_units  # it reads formulas, which takes long to import

    word = speaks_of_units(place, index)
    return f"its docstring speaks of `{word}`: if that is why, write the formula as `sympy`, or use `let`" * bool(word)


def _reuse(reading: Reading, seed: int, work: Callable[[], Work], clock: int) -> Reuse:
    index, config = reading.index, reading.config
    user_files = frozenset(os.path.join(index.root, path) for path in index.sources())
    present = Present(
        index, config, reading.equations, lambda: (work().sites, work().beside), user_files, reading.examples
    )
    return Reuse(Cache(index.root), base(config, sizes.draws(config), seed), present, clock)


def _without_form(equation: Equation, method: str) -> MethodResult:
    """Nothing is shown of an equation whose form is missing; one that can't be read has its own finding already."""
    if equation.statements:
        return MethodResult(equation.id, method, Verdict.NOT_CHECKED, Evidence(detail="its form can't be read"))
    if equation.states is not None:
        detail = "the documentation that is to be its form is not read"
        return MethodResult(equation.id, method, Verdict.NOT_CHECKED, Evidence(detail=detail))
    what = f"{equation.id}: method `{method}` can't run: the equation has no form"
    fault = Fault("method-not-run", what, equation.span, "write it under `sympy`", (), equation.id, method)
    return MethodResult(equation.id, method, Verdict.NOT_CHECKED, Evidence(detail="it has no form"), (fault,))


def _lost(equation: Equation, method: str, outcome: Lost | Crashed) -> MethodResult:
    """The result of a unit whose worker was lost, or that failed inside eqtrace."""
    if isinstance(outcome, Crashed):
        message = f"the method failed inside eqtrace\n{outcome.traceback.rstrip()}"
        fault = Fault("internal-error", message, equation.span, "", (), equation.id, method)
    else:
        message = _told_of(outcome, f"method {method} of {equation.id}")
        fault = Fault("user-code-failed", message, equation.span, "", (), equation.id, method)
    detail = fault.message.splitlines()[0]
    return MethodResult(equation.id, method, Verdict.NOT_CHECKED, Evidence(detail=detail), (fault,))


def _told_of(outcome: Lost, what: str) -> str:
    activity = f"{outcome.activity or what} {outcome.reason}"
    return "\n".join(filter(None, (activity, outcome.traceback.rstrip(), outcome.output.rstrip())))


def _lost_example(topic: str, example: Example, outcome: Lost | Crashed) -> ExampleResult:
    """The same of an example."""
    if isinstance(outcome, Crashed):
        message = f"the example of {topic} failed inside eqtrace\n{outcome.traceback.rstrip()}"
        fault = Fault("internal-error", message, example.span)
    else:
        fault = Fault("example-not-run", _told_of(outcome, f"example of {topic}"), example.span)
    return ExampleResult(topic, Outcome.NOT_RUN, faults=(fault,))


def _executions(project: Project, results: Iterable[MethodResult]) -> dict[str, int]:
    """How often each line that verification runs was executed, over all methods of its equation."""
    runs = {held.anchor.id for held in project.linked.matches.values() if held.anchor.role in EXECUTED}
    counts: dict[str, int] = {}
    for result in results:
        for anchor, count in result.executions.items():
            if anchor in runs:
                counts[anchor] = max(counts.get(anchor, 0), count)
    return counts


def _not_executed(project: Project, executions: Mapping[str, int], faults: Iterable[Fault]) -> list[Fault]:
    """A fault for each line that was to run and never did, unless another finding says why none of them could."""
    failed = {fault.equation for fault in faults if fault.kind in ("user-code-failed", "internal-error")}
    failed |= {fault.equation for fault in faults if fault.kind == "value-undecided" and not fault.related}  # no draw
    failed |= project.equations.keys() - project.forms.keys()
    if None in failed:  # a scenario: what it would have reached can't be told
        return []
    found = []
    for held in project.linked.matches.values():
        anchor, equation = held.anchor, held.anchor.id.partition("/")[0]
        if anchor.role not in EXECUTED or held.span is None or equation in failed or equation not in project.selected:
            continue
        if not executions.get(anchor.id):
            message = f"no run executed {held.span.path}:{held.span.line} ({held.source})"
            hint = "add a scenario that reaches the line, or a `call`"
            related = (Related(held.span, "never executed"),)
            found.append(Fault("not-executed", message, anchor.span, hint, related, equation))
    return found


def _branches(
    project: Project, methods: Mapping[str, tuple[MethodResult, ...]]
) -> tuple[dict[str, tuple[MethodResult, ...]], list[Fault]]:
    """The results, with what of whole functions they don't cover, and a fault for each condition that went one way."""
    waivers = [each for each in project.specification.waivers if each.equation is not None and each.lacks == "branch"]
    waived = {each.equation.value: each for each in waivers if each.equation is not None}
    held, faults = dict(methods), []
    for name, results in methods.items():
        equation, ways = project.equations[name], branches.merged(result.ways for result in results)
        symbols = used_symbols(project.forms[name]) if name in project.forms else frozenset()
        found = list(branches.one_way(equation, symbols, project.linked.matches, ways, project.index))
        told = [fault for result in results for fault in result.faults if fault.kind == branches.KIND]
        told += branches.faults(equation, found)
        if name not in waived:
            faults += told
        elif not told and all(result.verdict is not Verdict.NOT_CHECKED for result in results):
            message = f"{name} lacks no branch: every condition of its lines and cases went both ways"
            faults.append(Fault("unused-waiver", message, waived[name].span, "remove the waiver", equation=name))
        if more := branches.limits(found):
            evidence = replace(results[0].evidence, limits=(*results[0].evidence.limits, *more))
            held[name] = (replace(results[0], evidence=evidence), *results[1:])
    return held, faults


def _faults_of(results: Iterable[MethodResult]) -> Iterator[Fault]:
    """The faults of results; those of branches may be waived, see `_branches`."""
    return (fault for result in results for fault in result.faults if fault.kind != branches.KIND)


def _late(project: Project, methods: Mapping[str, tuple[MethodResult, ...]]) -> list[Change]:
    """The suspicions that only verification can tell: code that changed, and nothing shows that it still holds."""
    if project.compared is None:
        return []

    def verdict(equation: str) -> Verdict | None:
        found = methods.get(equation)
        return weakest(each.verdict for each in found) if found else None

    return list(unshown(project.compared, project.index, verdict))
