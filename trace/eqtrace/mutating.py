"""Mutates every statement that equations cite, and asks whether verification notices."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from eqtrace.checks.registry import BY_NAME
from eqtrace.code.entity import FunctionRef
from eqtrace.code.index import Index
from eqtrace.code.mutation.equivalent import proof
from eqtrace.code.mutation.generate import mutants
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import unplaced
from eqtrace.config import Config
from eqtrace.judged import Record, keep_scores, state_of
from eqtrace.link.roles import cited_calls, no_call
from eqtrace.model.anchor import Role
from eqtrace.model.finding import Fault, Finding, Severity
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict
from eqtrace.project import Project
from eqtrace.run.mutation import Mutating
from eqtrace.run.outcome import Crashed, Done
from eqtrace.run.work import Work, files_of
from eqtrace.runner import Running, Verification
from eqtrace.working import work_of

SESSION = "eqtrace.run.mutation:Mutations"
_SHOWN = frozenset(Verdict) - {Verdict.REFUTED, Verdict.NOT_CHECKED}
_MUTATED = (Role.COMPUTES, Role.INLINE, Role.CALLS, Role.EXPLAINS)


@dataclass(frozen=True, slots=True)
class Finder:
    """Gives the user's modules, parsed, by their dotted names."""

    index: Index

    def __call__(self, module: str) -> SourceFile | None:
        """The module's file; None where it is none of the user's."""
        path = self.index.module_path(module)
        return self.index.file(path) if path is not None else None


def all_mutants(project: Project) -> list[Mutant]:
    """Every mutant of every statement that the selected equations cite, in the order of the sources.

    It is judged by the equations that cite the statement, and by those that certify a gradient through the function.
    """
    cited: dict[tuple[str, int, int], dict[str, set[Role]]] = {}
    for name in project.selected:
        for anchor in project.equations[name].anchors:
            match = project.linked.matches[anchor.id]
            if anchor.role in _MUTATED and match.span is not None and anchor.target is None:
                place = (match.span.path, match.span.line, match.span.column)
                cited.setdefault(place, {}).setdefault(name, set()).add(anchor.role)
    through = _gradients(project)
    found: list[Mutant] = []
    for (path, line, column), roles in sorted(cited.items()):
        file = project.index.file(path)
        statement = file.statement_at(line, column) if file is not None else None
        if statement is not None:
            judges = roles.keys() | through.get((path, statement.function), set())
            within = _calls(statement, roles, project)
            judging = tuple(name for name in project.selected if name in judges)
            found += mutants(statement, judging, within, Finder(project.index))
    return found


def _gradients(project: Project) -> dict[tuple[str, str], set[str]]:
    """By path and function: the equations whose gradient that function works out."""
    found: dict[tuple[str, str], set[str]] = {}
    for name in project.selected:
        equation = project.equations[name]
        if equation.gradient is not None and "vjp" in equation.methods:
            ref = project.linked.graph.function(equation.gradient.backward.value)
            if ref is not None:
                found.setdefault((ref.path, ref.qualname), set()).add(name)
    return found


def _calls(statement: Statement, roles: Mapping[str, set[Role]], project: Project) -> list[ast.Call] | None:
    """The calls for which alone a statement is cited; None where equations claim more of it."""
    if any(own != {Role.CALLS} for own in roles.values()):
        return None
    functions = {ref for name in roles for ref in _functions(name, project)}
    return cited_calls(statement, project.linked.graph, functions) or None


def _functions(name: str, project: Project) -> tuple[FunctionRef, ...]:
    return project.linked.functions.get(project.equations[name].topic, ())


def mutate(
    config: Config, selected: frozenset[str] | None, how: Running, limit: float = 10.0, cache: bool = True
) -> Results:
    """Judges every mutant of the statements that the selected equations cite, by all equations that cite them.

    Equations that verification does not show to hold judge nothing: they would kill every mutant.

    Args:
        config: the project.
        selected: the ids of the equations; None is all.
        how: how units are run.
        limit: seconds of processor time that one mutant may take.
        cache: whether what an earlier run over the same sources judged (also one that was interrupted) is used.
    """
    started = time.perf_counter()
    with Verification(config, None, how, cache) as verification:
        verification.answer()
        verification.keep()
        verified, project = verification.results(), verification.project
    held = frozenset(name for name in project.selected if verified.verdict(name) in _SHOWN)
    wanted = [
        replace(each, equations=tuple(name for name in each.equations if name in held))
        for each in all_mutants(project)
        if selected is None or selected & set(each.equations)
    ]
    mutants = [each for each in wanted if each.equations]
    state = state_of(project, how.seed)
    judged, kept = judge(project, mutants, how, limit, cache)
    findings = [each for each in verified.findings if each.severity is Severity.ERROR]
    findings += [_finding(each) for each in judged if each.status is Status.SURVIVED]
    if selected is None and cache:
        keep_scores(project, state, how.seed, judged)
    unheld = len(project.selected) - len(held)
    return replace(
        verified,
        command="mutate",
        selected=tuple(name for name in project.selected if selected is None or name in selected),
        findings=tuple(findings),
        mutants=tuple(judged),
        from_cache=kept,
        skipped=(f"{unheld} equations judged no mutant, as verification does not show them to hold",) if unheld else (),
        seconds=time.perf_counter() - started,
        exit=1 if findings else 0 if judged else 2,
    )


def _finding(judged: Judged) -> Finding:
    mutant = judged.mutant
    message = f"{', '.join(mutant.equations)}: verification does not notice\n- {mutant.old}\n+ {mutant.new}"
    fault = Fault("mutant-survived", message, mutant.span, judged.reason, equation=mutant.equations[0])
    return BY_NAME["mutant-survived"].finding(fault)


def judge(project: Project, mutants: list[Mutant], how: Running, limit: float, cache: bool) -> tuple[list[Judged], int]:
    """The fate of each of these mutants, and how many of them were known. All their equations have to hold."""
    record = Record(project, how.seed, limit) if cache else None
    judged = record.read(mutants) if record is not None else {}
    kept = len(judged)
    work = work_of(project, how.seed)
    for each in mutants:
        if each.id not in judged and (known := _unrun(each, project, work)) is not None:
            judged[each.id] = known
    waiting = [each for each in mutants if each.id not in judged]
    for done, outcome in enumerate(_outcomes(project, work, waiting, how, limit) if waiting else (), 1):
        outcome = _excused(outcome, project, work)
        judged[outcome.mutant.id] = outcome
        if record is not None:
            record.add(outcome)
        if how.progress is not None:
            how.progress(done, len(waiting), outcome.mutant.id)
    return [judged[each.id] for each in mutants], kept


def _unrun(mutant: Mutant, project: Project, work: Work) -> Judged | None:
    """What is known of a mutant without running it; one that writes over an array is run before it is excused."""
    reason = _refused(mutant, project)
    if reason:
        return Judged(mutant, Status.KILLED, "role", reason)
    if mutant.operator == "in-place":
        return None
    excused = _excused(Judged(mutant, Status.SURVIVED), project, work)
    return excused if excused.status is Status.EQUIVALENT else None


def _refused(mutant: Mutant, project: Project) -> str:
    """Why the audit would refuse the mutant: a call for which its statement is cited is gone. '' where it would not."""
    file = project.index.file(mutant.span.path)
    node = unplaced(ast.parse(f"{mutant.new}\n    pass" if mutant.new.endswith(":") else mutant.new).body[0])
    for name in mutant.equations if file is not None else ():
        for anchor in project.equations[name].anchors:
            if anchor.role is Role.CALLS and project.linked.matches[anchor.id].span == mutant.span:
                assert file is not None
                statement = Statement(file, node, mutant.function)
                reason = no_call(statement, project.linked.graph, _functions(name, project))
                if reason:
                    return f"{name}: {mutant.span.path}:{mutant.span.line}: {reason}"
    return ""


def _excused(judged: Judged, project: Project, work: Work) -> Judged:
    """A survivor that is proved to compute the same is none."""
    file = project.index.file(judged.mutant.span.path)
    if judged.status is not Status.SURVIVED or file is None:
        return judged

    numbers = _numbers(judged.mutant, project, work)
    shown = proof(judged.mutant, file, Finder(project.index), numbers)
    return replace(judged, status=Status.EQUIVALENT, reason=shown) if shown else judged


def _numbers(mutant: Mutant, project: Project, work: Work) -> frozenset[str]:
    """What the statement's equations read there: verification has shown that their forms, of numbers, hold for it."""
    return frozenset(
        text
        for name in mutant.equations
        if "discrete" not in project.equations[name].methods  # those may be of strings
        for anchor in project.equations[name].anchors
        if (site := work.sites.get(anchor.id)) is not None
        if (site.path, site.line, site.column) == (mutant.span.path, mutant.span.line, mutant.span.column)
        for text in site.inputs.values()
    )


def _outcomes(project: Project, work: Work, waiting: list[Mutant], how: Running, limit: float) -> Iterator[Judged]:
    from eqtrace.run.jobs import executor

    root = str(project.index.root)
    payload = Mutating(work, limit, {each.span.path: os.path.join(root, each.span.path) for each in waiting})
    # A worker ends its child by itself: its own time limit, which comes later, is for faults of eqtrace.
    jobs = min(how.jobs, len(waiting)) if isinstance(how.jobs, int) else how.jobs
    with executor(jobs, SESSION, 20 * limit, root, work.pythonpath) as pool:
        pool.open(payload, files_of(work))
        for outcome in pool.answer(waiting):
            if isinstance(outcome, Done):
                yield outcome.value
            else:
                why = outcome.traceback if isinstance(outcome, Crashed) else outcome.reason
                yield Judged(outcome.unit, Status.CRASH, "", f"the worker failed: {why}")
