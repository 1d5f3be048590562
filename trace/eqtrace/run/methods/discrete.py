"""Method `discrete`: the line gives exactly what the equation's reference gives, on inputs drawn by Hypothesis.

Where no other method shows the equation's form, it has to hold as well, exactly, with strings as numbers.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from eqtrace.formula.claims import claims, left_names, left_sides
from eqtrace.formula.evaluate import EvaluationError, Float64, MissingValue, holds, truth
from eqtrace.formula.form import Form
from eqtrace.formula.shape import solve
from eqtrace.formula.term import Eq, String, walk
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.capture import Target
from eqtrace.run.draws import from_seed_alone
from eqtrace.run.executions import Captured, Executions
from eqtrace.run.failed import Failed
from eqtrace.run.inputs import inputs
from eqtrace.run.numbering import numbered
from eqtrace.run.sample import Draw
from eqtrace.run.snapshot import Copier

if TYPE_CHECKING:
    from eqtrace.run.session import Session

EXAMPLES = 100
CAPTURED = 32  # executions by other runs that are compared at a line
IN_A_CALL = 2  # executions in one call that are
_SHOWN = 400  # characters of a value in a finding
_BIND = "correct the bind"


Event = TypeVar("Event")
_SHOWING_FORMS = frozenset({"value", "vjp", "composition", "constraint", "distribution", "derivative", "identity"})


class _Mismatch(Exception):
    """A value that is not the reference's, or of which the form does not hold."""

    def __init__(self, message: str, anchor: str, kind: str = "discrete-mismatch", hint: str = "") -> None:
        super().__init__(message)
        self.anchor = anchor
        self.kind = kind
        self.hint = hint


class _Unknown(Exception):
    """A parameter of the reference whose value an execution does not show."""


def verify(equation: Equation, session: Session) -> MethodResult:
    """Compares lines with the reference on drawn inputs, which shrink where they differ, then on every captured run."""
    executions = session.captures.of(equation)
    faults = [replace(fault, equation=equation.id, method="discrete") for fault in executions.faults]
    limits = list(executions.limits)
    points, detail = 0, ""
    try:
        check = _Check(equation, session)
    except (_NotRun, Failed) as reason:
        faults.append(_not_shown(equation, reason))
    else:
        found = check.run(executions)
        faults += [fault for fault in found if fault not in faults]
        points, detail = check.compared + check.reached, check.detail()
        if check.unknown:
            limits.append(f"{check.unknown} executions don't show every input of the reference, and were not compared")
    refuted = any(fault.kind in ("discrete-mismatch", "argument-changed") for fault in faults)
    verdict = Verdict.REFUTED if refuted else Verdict.NOT_CHECKED if faults else Verdict.TESTED
    evidence = Evidence(points, seed=session.work.seed, detail=detail, limits=tuple(dict.fromkeys(limits)))
    return MethodResult(equation.id, "discrete", verdict, evidence, tuple(faults), executions.counts)


def _not_shown(equation: Equation, reason: _NotRun | Failed) -> Fault:
    """Why something was not compared."""
    if isinstance(reason, Failed):
        return replace(reason.fault, equation=equation.id, method="discrete")
    return Fault("method-not-run", str(reason), equation.span, reason.hint, (), equation.id, "discrete")


class _NotRun(Exception):
    """Why the method can't run, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class _Check:
    """One equation's lines, held against its reference."""

    def __init__(self, equation: Equation, session: Session) -> None:
        self._equation = equation
        self._session = session
        self._form = session.work.forms[equation.id]
        self._reference = _reference(equation, session)
        parameters = inspect.signature(self._reference).parameters
        self._parameters = tuple(parameters)
        self._needed = tuple(name for name, each in parameters.items() if each.default is each.empty)
        strange = [name for name in self._parameters if name not in equation.symbols and name not in self._form.sizes]
        if strange:
            raise _NotRun(f"{_name(equation)} has parameters that are no symbols: {', '.join(strange)}")
        self._defined = _defined(self._form)
        sites = [(anchor.id, site) for anchor, site in session.work.sites_of(equation) if self._outputs(site.outputs)]
        self._seen = dict.fromkeys((anchor for anchor, _ in sites), 0)
        self._several = len({name for _, site in sites for name in self._outputs(site.outputs)}) > 1
        parts = () if _SHOWING_FORMS & set(equation.methods) else range(len(self._form.parts))
        self._literals = _literals(self._form)
        self._held = dict.fromkeys(parts, 0)
        self.compared = self.unknown = 0  # captured executions
        self.reached = 0  # drawn inputs that did
        self.stated = 0  # executions of which the form was shown to hold

    def unseen(self) -> list[str]:
        """The lines at which nothing was compared."""
        return [anchor for anchor, count in self._seen.items() if not count]

    def run(self, executions: Executions) -> list[Fault]:
        """Compares; what differs is told once for each line."""
        faults: list[Fault] = []
        problems = self._session.recorder.problems
        differing = {
            anchor: _Mismatch(f"its values can't be captured: {problems[anchor]}", anchor, "value-undecided", _BIND)
            for anchor in self._seen
            if anchor in problems
        }
        if differing:
            return [_fault(self._equation, each, self._session) for each in differing.values()]
        try:
            self.reached = self.drawn() if self._session.effort.draws != 0 else 0
        except _Mismatch as mismatch:
            differing[mismatch.anchor] = mismatch
        except (_NotRun, Failed) as reason:
            faults.append(_not_shown(self._equation, reason))
        try:
            for anchor in self._seen:
                if anchor not in differing:
                    try:
                        self._captured(executions.by_anchor.get(anchor, []))
                    except _Mismatch as mismatch:
                        differing[mismatch.anchor] = mismatch
            if not faults and not differing and self._session.effort.exact:
                self._require_all()
        except (_NotRun, Failed) as reason:
            faults.append(_not_shown(self._equation, reason))
        return [*dict.fromkeys(faults), *(_fault(self._equation, each, self._session) for each in differing.values())]

    def detail(self) -> str:
        """What was compared, in words."""
        counts = f"{self.compared} captured executions and {self.reached} drawn inputs"
        text = f"{counts} compared with {_name(self._equation)} of the references"
        return f"{text}; the form held exactly at {self.stated} executions" if self.stated else text

    def _require_all(self) -> None:
        """Sees that every line and each statement of the form was shown somewhere.

        Raises:
            _NotRun: one was not.
        """
        if not self.reached:
            raise _NotRun("none of the drawn inputs reached the line", "give a `call` that reaches it")
        if self.unseen():
            unseen = ", ".join(self.unseen())
            raise _NotRun(f"nothing was compared at {unseen}", "bind the reference's parameters there")
        for part, count in self._held.items():
            if not count:
                text = self._form.parts[part].text.value
                raise _NotRun(f"no execution shows all that `{text}` speaks of", "bind its symbols at one line")

    def _outputs(self, names: Iterable[str]) -> list[str]:
        """Those symbols of a line that the equation defines; the others only stand in its claims."""
        return [name for name in names if not self._defined or name in self._defined]

    def _captured(self, executions: Sequence[Captured]) -> None:
        """Compares what runs recorded at one line."""
        for each in of_every_run(executions, CAPTURED):
            if any(np.ndim(value) and self._is_scalar(name) for name, value in each.event.inputs.items()):
                continue  # a formula of scalars that was tried with arrays: the reference is one of scalars
            try:
                self._hold(each, {})
                self.compared += 1
            except _Unknown:
                self.unknown += 1

    def drawn(self) -> int:
        """How many drawn inputs reached a line and agree; the last one that Hypothesis shrank to is raised."""
        import hypothesis
        from hypothesis import HealthCheck, Phase, Verbosity

        equation, session = self._equation, self._session
        trouble = Executions()
        target = next(session.captures.targets(equation, trouble), None)
        if target is None:
            raise _NotRun("no function can be called with drawn inputs", "give a `call`")
        reached = 0

        def hold(draw: Draw) -> None:
            nonlocal reached
            reached += self._one(target, draw)

        strategy = inputs(self._form, equation.symbols, target.symbols)
        test = hypothesis.given(strategy)(hold)
        test = hypothesis.settings(
            max_examples=EXAMPLES if session.effort.draws is None else session.effort.draws,
            database=None,
            deadline=None,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink) if session.effort.shrinks else (Phase.generate,),
            print_blob=False,
            report_multiple_bugs=False,
        )(test)
        test = hypothesis.seed(int(session.rng(equation.id, "discrete").integers(2**63)))(test)
        try:
            with from_seed_alone():
                test()
        except hypothesis.errors.Unsatisfiable as error:
            raise _NotRun("no input within the domains satisfies `where`", "widen the domains") from error
        except hypothesis.errors.Flaky as error:
            raise _Mismatch(f"two calls with the same inputs differ: {error}", next(iter(self._seen), "")) from error
        return reached

    def _one(self, target: Target, draw: Draw) -> bool:
        """Whether a call with drawn inputs reached a line.

        Raises:
            Failed, _Mismatch: the code raised, or a line's value is not the reference's.
        """
        before = Copier().copy(dict(draw.values))
        rng = self._session.rng(self._equation.id, "discrete", "call")
        failed: Failed | None = None
        try:
            recording = self._session.captures.record(self._equation, target, draw, rng)
        except Failed as error:
            if error.recording is None:
                raise
            recording, failed = error.recording, error  # a wrong value may be why it failed
        reached = False
        for anchor in self._seen:
            for event in spread(recording.events.get(anchor, []), IN_A_CALL):
                try:
                    self._hold(Captured(event, f"call of {target.name}"), {**draw.sizes, **before})
                    reached = True
                except _Unknown as unknown:
                    raise _NotRun(f"{_name(self._equation)} needs {unknown}, which no line shows") from unknown
        if failed is not None:
            raise failed
        return reached

    def _hold(self, each: Captured, drawn: Mapping[str, Any]) -> None:
        """Compares one execution."""
        event = each.event
        if event.problem:
            raise _NotRun(f"{event.problem} ({each.origin})", "read the value by another `bind`")
        outputs = {name: event.outputs[name] for name in self._outputs(event.outputs)}
        known = {
            **drawn,
            **{name: value for name, value in event.outputs.items() if name not in outputs},
            **event.inputs,
        }
        missing = [name for name in self._needed if name not in known]
        if not missing:
            self._compare(each, known, outputs)
        self._state(each, {**known, **outputs})
        if missing:
            raise _Unknown(", ".join(missing))
        self._seen[event.anchor] += 1

    def _compare(self, each: Captured, known: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Holds the line's values against the reference's."""
        given = {name: known[name] for name in self._parameters if name in known}
        shown = ", ".join(f"{name} = {_shown(plain(value))}" for name, value in given.items())
        place = self._session.relative(self._reference.__code__.co_filename)
        span = Span(place, self._reference.__code__.co_firstlineno)
        copied = Copier().copy(given)
        wanted = self._session.perform(f"reference {_name(self._equation)}", span, lambda: self._reference(**copied))
        for symbol, value in outputs.items():
            expected = wanted[symbol] if self._several else wanted
            if not same(plain(value), plain(expected)):
                message = f"{symbol} is {_shown(plain(value))}, the reference gives {_shown(plain(expected))}"
                raise _Mismatch(f"{message}, for {shown or 'no input'} ({each.origin})", each.event.anchor)

    def _state(self, each: Captured, values: Mapping[str, Any]) -> None:
        """Holds the form against one execution, exactly."""
        if not self._held:
            return
        try:
            numbers = numbered(values, self._form.shapes, self._literals)
            solved = solve(self._form.shapes, numbers)
            if solved.mismatches:
                what = "; ".join(map(str, solved.mismatches))
                hint = "correct the shape or the bind"
                raise _Mismatch(f"{what} ({each.origin})", each.event.anchor, "shape-mismatch", hint)
            if holds(self._form, numbers, solved.sizes) is False:
                return
            held = [self._holds(part, each, values, numbers, solved.sizes) for part in self._held]
            self.stated += any(held)
        except (EvaluationError, ValueError, TypeError) as error:
            message = f"the form can't be evaluated: {error} ({each.origin})"
            raise _Mismatch(message, each.event.anchor, "value-undecided") from error

    def _holds(
        self, part: int, each: Captured, values: Mapping[str, Any], numbers: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> bool:
        """Whether a statement could be shown here.

        Raises:
            _Mismatch: it could, and does not hold.
        """
        text = self._form.parts[part].text.value
        undefined = self._form.undefined(part, sizes, numbers)
        if undefined:
            raise _Mismatch(f"{undefined}, by `{text}` ({each.origin})", each.event.anchor, "entries-undefined")
        try:
            found = truth(self._form, part, numbers, sizes, Float64())
        except MissingValue:
            return False
        if not all(claim.holds for claim in found):
            shown = ", ".join(f"{name} = {_shown(plain(value))}" for name, value in values.items())
            raise _Mismatch(f"`{text}` does not hold for {shown} ({each.origin})", each.event.anchor)
        self._held[part] += 1
        return True

    def _is_scalar(self, name: str) -> bool:
        shape = self._form.shapes.get(name)
        return shape is not None and not shape.dims and not shape.batch


def _reference(equation: Equation, session: Session) -> Callable[..., Any]:
    """The equation's reference.

    Raises:
        _NotRun: there is none.
        Failed: the file of references can't be imported.
    """
    file, name = session.work.references, _name(equation)
    if file is None:
        raise _NotRun("there are no references", "name their file under `references` in [tool.eqtrace]")
    found = getattr(load_references(session, file), name, None)
    if not inspect.isfunction(found):
        raise _NotRun(f"{session.relative(file)} has no function `{name}`", f"write `def {name}(...)`, by symbols")
    return found


def load_references(session: Session, file: str) -> types.ModuleType:
    """The module of the references, imported once.

    Raises:
        Failed: it can't be imported.
    """

    def load() -> types.ModuleType:
        spec = importlib.util.spec_from_file_location("eqtrace_references", file)
        assert spec is not None
        spec = session.finder.taken(spec)
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[spec.name] = module
        return module

    module = sys.modules.get("eqtrace_references")
    if module is None:
        place = Span(session.relative(file), 1)
        module = session.imported("import of the references", place, load)
    return module


def spread(events: Sequence[Event], wanted: int) -> Sequence[Event]:
    """As many events as wanted, from first to last."""
    if len(events) <= wanted:
        return events
    return [events[number * (len(events) - 1) // (wanted - 1)] for number in range(wanted)]


def of_every_run(executions: Sequence[Captured], wanted: int) -> list[Captured]:
    """As many as wanted, from first to last, and the first one of each run that has none among them.

    Runs may be so many that a whole one is passed over, and a fault may show in one run alone.
    """
    chosen = [*spread(executions, wanted)]
    seen = {each.origin for each in chosen}
    first = {each.origin: each for each in reversed(executions)}
    return chosen + [each for origin, each in reversed(first.items()) if origin not in seen]


def _defined(form: Form) -> frozenset[str]:
    """The symbols that a form's equations define."""
    equations = [claim for part in form.parts for claim, _ in claims(part.statement) if isinstance(claim, Eq)]
    return frozenset(name for claim in equations for side in left_sides(claim) for name in left_names(side))


def _literals(form: Form) -> frozenset[str]:
    """The strings that a form writes out."""
    parts = [*(part.statement for part in form.parts), *form.where]
    return frozenset(node.value for part in parts for node in walk(part) if isinstance(node, String))


def _name(equation: Equation) -> str:
    return "".join(each if each.isalnum() else "_" for each in equation.id)


def _fault(equation: Equation, mismatch: _Mismatch, session: Session) -> Fault:
    sites = session.work.sites
    anchor = next((each for each in equation.anchors if each.id == mismatch.anchor), None)
    site = sites.get(mismatch.anchor)
    where = f"{site.path}:{site.line}: " if site is not None else ""
    places = (Related(Span(site.path, site.line, site.column), "the cited statement"),) if site is not None else ()
    span = anchor.span if anchor is not None else equation.span
    hint = mismatch.hint or f"correct the code, the form or `{_name(equation)}` in the references"
    return Fault(mismatch.kind, where + str(mismatch), span, hint, places, equation.id, "discrete")


def plain(value: Any) -> Any:
    """A value in Python's own types: arrays and tuples as lists, NumPy's numbers as Python's."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {_key(key): plain(each) for key, each in value.items()}
    return value


def _key(key: Any) -> Any:
    return tuple(map(_key, key)) if isinstance(key, tuple) else key.item() if isinstance(key, np.generic) else key


def same(left: Any, right: Any) -> bool:
    """Whether two plain values are equal, exactly; NaN equals itself, a number no truth value or string."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    return bool(left == right) or bool(left != left and right != right)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
