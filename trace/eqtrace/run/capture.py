"""Where executions of cited lines come from: calls with drawn inputs, and the scenarios."""

from __future__ import annotations

import ast
import asyncio
import inspect
import itertools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.code.bind import BindError
from eqtrace.code.conditions import OVERFLOWS
from eqtrace.code.tree import dotted
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span, Text
from eqtrace.run.aim import BESIDE, LENGTHS, Questions, aimed, beside, is_small, length_beyond, lengths_about
from eqtrace.run.call import CallError, Interpreter, drawn_parameters, names, parse_call
from eqtrace.run.defaults import at_defaults
from eqtrace.run.executions import Captured, Executions
from eqtrace.run.failed import Failed
from eqtrace.run.record import Event, Recording
from eqtrace.run.sample import Draw, NoDraw, draws, draws_of_lengths, draws_of_one_zero
from eqtrace.run.scenarios import Scenarios
from eqtrace.run.snapshot import Copier, equal
from eqtrace.run.statement import CannotRun, whole_outputs
from eqtrace.run.ways import Ways, add, is_open
from eqtrace.run.ways import by_anchor as ways_by_anchor
from eqtrace.run.work import COMPUTING, is_scalar, used_symbols

if TYPE_CHECKING:
    from eqtrace.run.session import Session
    from eqtrace.run.site import Site

_LONGEST_RUN = 1000  # turns of a generator that a call returns
_BATCH = 5  # length of the arrays that scalar formulas are tried with


@dataclass(frozen=True, slots=True)
class Target:
    """A function to call, how to make its arguments of drawn symbols, and the symbols to draw."""

    name: str
    symbols: tuple[str, ...]
    call: Callable[[Draw, np.random.Generator], Any]
    watched: Mapping[str, str]  # symbols whose value the call must leave as it was: symbol to parameter
    function: str  # the qualified name of the one in which a cited line stands
    is_call: bool  # whether what it gives is what that function is called for


class Captures:
    """Runs the user's code for a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.scenarios = Scenarios(session)
        self._ways: dict[str, Ways] = {}  # by equation: in calls with drawn inputs

    def of(self, equation: Equation, accept: Callable[[Draw], bool] | None = None) -> Executions:
        """Every execution of the equation's cited lines: drawn calls (of draws that `accept` takes), then scenarios."""
        found = Executions()
        for target in self.targets(equation, found) if self._session.effort.draws != 0 else ():
            self._draw(equation, target, found, accept)
        scenarios = self.scenarios.runs()
        for anchor in equation.anchors:
            told = scenarios.by_anchor.get(anchor.id, ())
            found.by_anchor.setdefault(anchor.id, []).extend(self._claimed(told, equation, anchor, found))
        found.runs += scenarios.runs
        found.counts = self.counts(equation, found.counts)
        if not all(found.by_anchor[anchor.id] for anchor, _ in self._session.work.sites_of(equation)):
            found.faults.extend(scenarios.faults)
        return found

    def _claimed(
        self, told: Sequence[Captured], equation: Equation, anchor: Anchor, found: Executions
    ) -> Sequence[Captured]:
        """The executions of a line of which its equation claims something."""
        work = self._session.work
        if not (told and equation.defaults and anchor.target is not None):
            return told
        site = work.sites[anchor.id]
        kept = at_defaults(told, equation, site, work.modules[site.file])
        if left := len(told) - len(kept):
            runs = f"{left} execution{'s' * (left > 1)} with other values than defaults"
            found.limits.append(f"{site.path}:{site.line}: {runs} {'were' if left > 1 else 'was'} not compared")
        return kept

    def counts(self, equation: Equation, own: Mapping[str, int]) -> dict[str, int]:
        """How often each of the equation's lines ran: in a method's own runs and in the scenarios."""
        scenarios = self.scenarios.runs().counts
        return {
            anchor.id: own.get(anchor.id, 0) + scenarios.get(anchor.id, 0)
            for anchor in equation.anchors
            if anchor.id in self._session.work.sites
        }

    def ways(self, equation: Equation) -> dict[str, dict[int, int]]:
        """Which ways the conditions of the equation's lines went: in calls since this was last asked, in scenarios."""
        found = self._ways.pop(equation.id, {})
        if self.scenarios.told is not None:
            for anchor in equation.anchors:
                held = self.scenarios.told.ways.get(anchor.id, {}) if anchor.id in self._session.work.sites else {}
                add(found, {(anchor.id, number): taken for number, taken in held.items()})
        return ways_by_anchor(found)

    # --- calls with drawn inputs ---------------------------------------------------------------------------------

    def targets(self, equation: Equation, found: Executions) -> Iterator[Target]:
        """The functions that can be called with drawn inputs so that the equation's lines run."""
        seen: set[tuple[str, str]] = set()
        for _, site in self._session.work.sites_of(equation, COMPUTING):
            key = (site.file, site.function)
            if key in seen:
                continue
            seen.add(key)
            module = self._session.module(self._session.work.modules[site.file], equation.span)
            target = (
                self._called(equation, site, module, found)
                if equation.call
                else self._by_parameters(equation, site, module)
            )
            if target is not None:
                yield target
            if equation.call:
                return

    def _by_parameters(self, equation: Equation, site: Site, module: types.ModuleType) -> Target | None:
        function: Any = module
        for part in site.function.split(".") if site.function else ():
            function = getattr(function, part, None)
        if not callable(function) or function is module or isinstance(function, type):
            return None
        own = used_symbols(self._session.work.forms[equation.id])
        parameters = drawn_parameters(function, site.function, equation.symbols, own)
        if parameters is None:
            return None
        signature = inspect.signature(function)

        def call(draw: Draw, rng: np.random.Generator) -> Any:
            given = {parameter: draw.values[symbol] for parameter, symbol in parameters.items()}
            bound = inspect.BoundArguments(signature, given)
            return function(*bound.args, **bound.kwargs)

        written = self._written(site)
        watched = {symbol: parameter for parameter, symbol in parameters.items() if parameter not in written}
        symbols = tuple(dict.fromkeys(parameters.values()))
        return Target(f"{module.__name__}.{site.function}", symbols, call, watched, site.function, True)

    def _called(self, equation: Equation, site: Site, module: types.ModuleType, found: Executions) -> Target | None:
        text: Text = equation.call  # type: ignore[assignment]
        try:
            node = parse_call(text)
        except CallError as error:
            found.faults.append(Fault("form-syntax", f"call: {error}", text.span, equation=equation.id))
            return None
        used = names(node)
        symbols = tuple(name for name in equation.symbols if name in used)

        def call(draw: Draw, rng: np.random.Generator) -> Any:
            return Interpreter({**draw.sizes, "rng": rng, **draw.values}, module).evaluate(node)

        form = self._session.work.forms[equation.id]
        written = {name for part in range(len(form.parts)) for name in form.left(part)}
        watched = {name: name for name in symbols if name not in written}
        return Target(f"{module.__name__}: {text.value}", symbols, call, watched, site.function, is_call_of(node, site))

    def _written(self, site: Site) -> set[str]:
        """Names that a cited statement of the same function changes in place on purpose: roots of its targets."""
        return {
            text.partition("[")[0].partition(".")[0]
            for other in self._session.work.sites_in(site.file, site.function)
            for text in other.outputs.values()
        }

    def _draw(
        self, equation: Equation, target: Target, found: Executions, accept: Callable[[Draw], bool] | None
    ) -> None:
        form = self._session.work.forms[equation.id]
        rng = self._session.rng(equation.id, target.name)
        try:
            made = self._drawn(equation, target, accept, rng)
        except NoDraw as error:
            place = equation.where.span if equation.where else equation.span
            found.faults.append(Fault("value-undecided", str(error), place, equation=equation.id))
            return
        failure: Fault | None = None
        more = self._of_one_zero(equation, target, accept), self._of_lengths(equation, target, accept)
        for draw in itertools.chain(made, *more):
            try:
                self._call(equation, target, draw, rng, found)
            except Failed as failed:
                hint = f"with {_shown(draw)}"
                if isinstance(failed.__cause__, ArithmeticError | ValueError):
                    hint += "\nif the formula is not meant for such inputs, say so under `where` or `domain`"
                failure = failure or replace(failed.fault, hint=failed.fault.hint or hint)
                if failed.recording is not None:  # a wrong value may be why it failed
                    found.add(failed.recording, f"failed call of {target.name} with {draw.origin}")
                if failed.__cause__ is None:  # it hung or crashed: it is not called again
                    break
        if failure is None:
            self._aim(equation, target, found, made, accept)
        if failure is not None:
            found.faults.append(failure)
        elif is_scalar(form) and all(equation.symbols[name].shape in ((), None) for name in target.symbols):
            self._try_arrays(equation, target, made, rng, found)

    def _aim(
        self,
        equation: Equation,
        target: Target,
        found: Executions,
        made: list[Draw],
        accept: Callable[[Draw], bool] | None,
    ) -> None:
        """Calls the function with inputs beside what is compared with, and with such as go another way than all did."""
        session = self._session
        form, effort = session.work.forms[equation.id], session.effort
        if effort.draws is not None:
            return
        questions = Questions(form, target.symbols)
        for draw in made:
            questions.asks(draw)
        ways = self._seen(equation, target, found)
        compared = session.recorder.numbers(anchor for anchor, _ in ways)
        sites = [site for _, site in session.work.sites_of(equation) if site.function == target.function]
        compared.update(OVERFLOWS & session.recorder.numbers(site.anchor for site in sites))
        compared.update(*(site.elsewhere for site in sites))
        given = form, equation.symbols, target.symbols
        rng = session.rng(equation.id, target.name, "aimed")
        close = beside(*given, compared | questions.numbers, session.rng(equation.id, target.name, "beside"))
        apart = replace(target, name=f"{target.name} with aimed values")  # so that a hang is none of other calls'
        for draw in filter(accept, itertools.chain(close, aimed(*given, compared, rng))):
            is_close = draw.origin == BESIDE
            if not (is_close or questions.open or any(map(is_open, ways.values()))):
                return
            news, before = questions.asks(draw), dict(self._ways.get(equation.id, {}))
            try:
                recording = self.record(equation, apart, draw, rng)
            except Failed as failed:
                self._ways[equation.id] = before  # nothing is shown of what raises
                if failed.__cause__ is None:
                    return  # it hung or crashed
                continue  # far inputs may overflow; the others have shown that it runs
            if is_close or news or any(taken & ~ways.get(key, taken) for key, taken in recording.ways.items()):
                found.add(recording, f"call of {target.name} with {draw.origin}")
            add(ways, recording.ways)

    def _seen(self, equation: Equation, target: Target, found: Executions) -> Ways:
        """Which ways the conditions of the called function's cited lines went so far, in scenarios too."""
        lines = {site.anchor for _, site in self._session.work.sites_of(equation) if site.function == target.function}
        ways = {key: taken for key, taken in found.ways.items() if key[0] in lines}
        if any(map(is_open, ways.values())):
            scenarios = self.scenarios.runs().ways
            for anchor, number in list(ways):
                ways[anchor, number] |= scenarios.get(anchor, {}).get(number, 0)
        return ways

    def draw_ahead(self, equation: Equation, accept: Callable[[Draw], bool] | None) -> frozenset[str]:
        """Draws the inputs of an equation's targets, for every later call in this process and its children.

        Returns:
            The functions that are called with them.
        """
        functions: set[str] = set()
        with suppress(Failed, NoDraw):
            for target in self.targets(equation, Executions()):
                functions.add(target.function)
                key = (equation.id, target.name, accept is not None)
                if key not in self._session.ahead:
                    rng = self._session.rng(equation.id, target.name)
                    form = self._session.work.forms[equation.id]
                    made = list(filter(accept, draws(form, equation.symbols, target.symbols, rng)))
                    self._session.ahead[key] = made, rng.bit_generator.state
        return frozenset(functions)

    def _drawn(
        self, equation: Equation, target: Target, accept: Callable[[Draw], bool] | None, rng: np.random.Generator
    ) -> list[Draw]:
        """The inputs that a target is called with; the generator goes on after them.

        Raises:
            NoDraw: no input was found.
        """
        wanted = self._session.effort.draws
        last = slice(None if wanted is None else -wanted, None)  # random ones: the edge grid comes first
        ahead = self._session.ahead.get((equation.id, target.name, accept is not None))
        if ahead is not None:
            rng.bit_generator.state = ahead[1]
            # Copies, as the user's code may write to them.
            return [replace(draw, values=Copier().copy(dict(draw.values))) for draw in ahead[0][last]]
        form = self._session.work.forms[equation.id]
        return list(filter(accept, draws(form, equation.symbols, target.symbols, rng)))[last]

    def _of_one_zero(self, equation: Equation, target: Target, accept: Callable[[Draw], bool] | None) -> Iterator[Draw]:
        if self._session.effort.draws is None:
            form, rng = self._session.work.forms[equation.id], self._session.rng(equation.id, target.name, "one zero")
            with suppress(NoDraw):
                yield from filter(accept, draws_of_one_zero(form, equation.symbols, target.symbols, rng))

    def _of_lengths(self, equation: Equation, target: Target, accept: Callable[[Draw], bool] | None) -> Iterator[Draw]:
        """Arrays about as long as the numbers that the called function's cited lines compare with, or cut at."""
        session = self._session
        if session.effort.draws is None:
            sites = [site for _, site in session.work.sites_of(equation) if site.function == target.function]
            numbers = session.recorder.numbers(each.anchor for each in sites)
            form, rng = session.work.forms[equation.id], session.rng(equation.id, target.name, "lengths")
            given = form, equation.symbols, target.symbols
            with suppress(NoDraw):
                yield from filter(accept, draws_of_lengths(*given, lengths_about(numbers)[:LENGTHS], rng))
                beyond = draws_of_lengths(*given, length_beyond(numbers), rng)
                yield from (draw for draw in filter(accept, beyond) if is_small(form, draw))

    def record(
        self,
        equation: Equation,
        target: Target,
        draw: Draw,
        rng: np.random.Generator,
        *,
        everywhere: bool = False,
    ) -> Recording:
        """What one call recorded at the equation's own anchors, or at those of all equations.

        Raises:
            Failed: the call raised.
        """

        def call() -> Any:
            try:
                return _run_out(target.call(draw, rng))
            except CallError as error:
                place = equation.call.span if equation.call else equation.span
                raise Failed(Fault("form-syntax", f"call: {error}", place, equation=equation.id)) from error

        own = frozenset(anchor.id for anchor in equation.anchors)
        with self._session.recorder.recording(only=None if everywhere else own) as recording:
            try:
                recording.returned = self._session.perform(f"call of {target.name}", equation.span, call)
            except Failed as failed:
                failed.recording = recording
                raise
            finally:
                mine = {key: taken for key, taken in recording.ways.items() if key[0] in own}
                add(self._ways.setdefault(equation.id, {}), mine)
        return recording

    def _call(
        self, equation: Equation, target: Target, draw: Draw, rng: np.random.Generator, found: Executions
    ) -> None:
        before = Copier().copy(dict(draw.values))
        recording = self.record(equation, target, draw, rng)
        found.add(recording, f"call of {target.name} with {draw.origin}")
        self._note_returned(equation, target, replace(draw, values=before), recording, found)
        for symbol, parameter in target.watched.items():
            if not equal(before[symbol], draw.values[symbol]) and symbol not in self._given(equation, target):
                which = f"`{parameter}`" if parameter == symbol else f"`{parameter}` ({symbol})"
                message = f"{target.name} changes its argument {which} in place"
                hint = "compute into a new array, or bind the changed name as a left side if that is the formula"
                fault = Fault("argument-changed", message, equation.span, hint, self._defined(equation), equation.id)
                if fault not in found.faults:
                    found.faults.append(fault)

    def _note_returned(
        self, equation: Equation, target: Target, draw: Draw, recording: Recording, found: Executions
    ) -> None:
        """Notes what a call gave where the function itself did not: a decorator or a new name may change both ends."""
        sites = self._session.work.sites_of(equation, COMPUTING) if target.is_call else ()
        for anchor, site in sites:
            if not site.whole or site.function != target.function or inspect.isgenerator(recording.returned):
                continue
            try:
                outputs = whole_outputs(site, recording.returned)
            except (BindError, CannotRun, TypeError, IndexError, KeyError):
                continue  # an expression that is read at return
            own = recording.events.get(anchor.id, ())
            # An object may hold something else than it was made of: what is read of it is as it was captured.
            read = own[-1].inputs if own else {}
            plain = [name for name, text in site.inputs.items() if text.isidentifier() and name in draw.values]
            inputs = {**read, **{name: draw.values[name] for name in plain}}
            if own and equal(own[-1].outputs, outputs) and equal(inputs, own[-1].inputs):
                continue
            event = Event(anchor.id, inputs, outputs, {}, self._session.work.modules[site.file])
            captured = Captured(event, f"call of {target.name} with {draw.origin}")
            found.returned.setdefault(anchor.id, []).append(captured)

    def _given(self, equation: Equation, target: Target) -> set[str]:
        """The symbols that other equations of the topic give by lines of the same function: it may write to them."""
        forms = self._session.work.forms
        return {
            name
            for other in self._session.work.equations.values()
            if other.topic == equation.topic and other.id in forms
            if any(each.role in COMPUTING and each.function == target.function for each in other.anchors)
            for part in range(len(forms[other.id].parts))
            for name in forms[other.id].left(part)
        }

    def _defined(self, equation: Equation) -> tuple[Related, ...]:
        sites = self._session.work.sites_of(equation)
        return tuple(Related(Span(site.path, site.line, site.column), "computed here") for _, site in sites[:1])

    def _try_arrays(
        self, equation: Equation, target: Target, made: list[Draw], rng: np.random.Generator, found: Executions
    ) -> None:
        """Scalar formulas are tried with arrays too: of every real symbol, else of the first one alone."""
        real = tuple(name for name in target.symbols if not equation.symbols[name].domain.integer)
        reason = ""
        for chosen in dict.fromkeys((real, real[:1])) if real else ():
            values = {
                name: np.array([draw.values[name] for draw in made[-_BATCH:]])
                if name in chosen
                else made[-1].values[name]
                for name in target.symbols
            }
            draw = Draw(values, {}, f"arrays for {', '.join(chosen)}")
            try:
                self._call(equation, target, draw, rng, found)
            except Failed as failed:
                reason = failed.fault.message.splitlines()[-1]
            else:
                return
        if reason:
            found.limits.append(f"{target.name} was tried with scalars only: it does not take arrays ({reason})")


def is_call_of(node: ast.expr, site: Site) -> bool:
    """Whether an expression is a call of a site's function: what it gives is that function's value.

    A method is called of its own class, as `A(x).f(y)`: another class may override it and say so.
    """
    owner, _, name = site.function.rpartition(".")
    match node:
        case ast.Call(func=ast.Name(id=called)):
            return called == name and not owner
        case ast.Call(func=ast.Attribute(value=ast.Call(func=made), attr=called)) if owner:
            return called == name and (dotted(made) or "").rpartition(".")[2] == owner.rpartition(".")[2]
        case ast.Call(func=ast.Attribute() as called):
            path = dotted(called) or ""
            return path == site.function or path.endswith(f".{site.function}")
    return False


def _run_out(result: Any) -> Any:
    """What a call gave; a generator is run to its end (or for a while, if it has none), for only then its lines run."""
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    if inspect.isgenerator(result):
        for _ in itertools.islice(result, _LONGEST_RUN):
            pass
        result.close()
    return result


def _shown(draw: Draw) -> str:
    """A draw in short: scalars, and shapes of arrays."""
    values = (
        f"{name} {f'of shape {shape}' if (shape := np.shape(value)) else value!r}"
        for name, value in draw.values.items()
    )
    return f"{draw.origin}: {', '.join(values)}"
