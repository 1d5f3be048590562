"""One example, worked out: its steps, the code that they must equal, central differences, or a stored run."""

from __future__ import annotations

import time
import types
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.steps.reader import read_step
from eqtrace.formula.steps.tree import Node
from eqtrace.model.example import Compared, Differenced, Edits, Example, ExampleResult, Outcome, StepValue, Table
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span, Text
from eqtrace.run.example import differences, edits, stored
from eqtrace.run.example.arrays import Array, NotAnArray, as_array, as_value
from eqtrace.run.example.compare import gap
from eqtrace.run.example.evaluate import StepError, evaluate
from eqtrace.run.example.failure import KIND, MISMATCH, NotRun
from eqtrace.run.example.inputs import called
from eqtrace.run.example.parts import Part, matched
from eqtrace.run.failed import Failed
from eqtrace.run.statement import CannotRun, resolve

if TYPE_CHECKING:
    from eqtrace.run.session import Session


def work_out(topic: str, example: Example, session: Session) -> ExampleResult:
    """The result of an example. Whatever keeps it from being worked out is a fault in it, never an exception."""
    started = time.perf_counter()
    one = _One(topic, example, session)
    faults: tuple[Fault, ...] = ()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            one.run()
    except NotRun as error:
        faults = (error.fault,)
    except Failed as failed:
        faults = (replace(failed.fault, kind=KIND),)
    faults = tuple(replace(fault, equation=None) for fault in (*one.faults, *faults))
    compared = [*one.compared, *one.differences]
    if any(fault.kind == KIND for fault in faults):
        outcome = Outcome.NOT_RUN
    elif faults:
        outcome = Outcome.DIFFERS
    else:
        outcome = Outcome.AGREES if compared or one.entered else Outcome.SHOWN
    return ExampleResult(
        topic,
        outcome,
        tuple(one.steps),
        tuple(one.compared),
        tuple(one.differences),
        one.edits,
        one.table,
        one.call,
        faults,
        time.perf_counter() - started,
    )


@dataclass
class _One:
    topic: str
    example: Example
    session: Session
    steps: list[StepValue] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    differences: list[Differenced] = field(default_factory=list)
    edits: Edits | None = None
    table: Table | None = None
    call: str = ""
    entered: bool = False  # whether a stored run called the function that it is to show
    faults: list[Fault] = field(default_factory=list)
    _values: dict[str, Any] = field(default_factory=dict)
    _trees: dict[str, Node] = field(default_factory=dict)
    _parts: Mapping[str, Part] = field(default_factory=dict)

    def run(self) -> None:
        """Works everything out."""
        if self.example.kind == "stored":
            self._stored()
            return
        self._evaluate()
        if self.example.equals is not None:
            self._compare(self.example.equals)
            if self.example.kind == "editable" and not self.faults:
                self._edit(self.example.equals)
        if self.example.kind == "differences":
            self._difference()

    # Steps

    def _evaluate(self) -> None:
        self._values = {name: _input(value) for name, value in self.example.inputs.items()}
        for step in self.example.steps:
            label = step.name.value
            tree, errors = read_step(step.code.value)
            if tree is None:
                raise NotRun(f"step `{label}`: {errors[0].message}", step.code.at(errors[0].offset, errors[0].length))
            try:
                value = evaluate(tree, self._values)
            except StepError as error:
                place = step.code.at(error.offset, error.length)
                raise NotRun(f"step `{label}` can't be worked out: {error.message}", place) from error
            self._trees[label] = tree
            self._values[label] = value
            self.steps.append(StepValue(label, as_value(value)))

    # The code

    def _compare(self, target: Text) -> None:
        function, module = self._function(target)
        place = self._place(function)
        call = self._perform(lambda: called(self.example, target, function, module))
        self.call = call.text
        self._parts = matched(self.example, call, function, target.span)
        spans = {step.name.value: step.code.span for step in self.example.steps}
        for label, part in self._parts.items():
            try:
                value = as_array(part.value)
            except NotAnArray as error:
                message = f"`{part.place}` of `{function.__name__}` can't be compared with step `{label}`: {error}"
                raise NotRun(message, target.span) from error
            found = gap(self._values[label], value)
            self.compared.append(Compared(label, part.place, as_value(value), found.relative, found.agrees))
            if not found.agrees:
                distance = (
                    "" if found.relative is None else f" (gap {found.relative:.2g}, relative to the largest entry)"
                )
                what = f"step `{label}` differs from `{part.place}` of `{function.__name__}`"
                message = f"{what}\n{found.words}{distance}"
                self.faults.append(Fault(MISMATCH, message, spans[label], "", (place,)))

    def _edit(self, target: Text) -> None:
        function, module = self._function(target)

        def given(example: Example) -> dict[str, Any]:
            parts = matched(example, called(example, target, function, module), function, target.span)
            return {label: part.value for label, part in parts.items()}

        found = self._perform(lambda: edits.tried(self.example, self._trees, given, self.session.work.seed))
        if isinstance(found, Edits):
            self.edits = found
            return
        span = next(step.code.span for step in self.example.steps if step.name.value == found.label)
        inputs = ", ".join(f"{name} = {_shown(value)}" for name, value in found.inputs.items())
        what = f"step `{found.label}` equals `{self._parts[found.label].place}` of `{function.__name__}` at the start"
        message = f"{what}, but not at a random edit\n{found.gap.words}\n{inputs}"
        hint = "a reader can type these numbers: correct the step, or state the `domain` of the symbols"
        self.faults.append(Fault(MISMATCH, message, span, hint, (self._place(function),)))

    def _function(self, target: Text) -> tuple[types.FunctionType, types.ModuleType]:
        path, _, qualname = target.value.partition("::")
        file = f"{self.session.work.root.rstrip('/')}/{path}"
        name = self.session.work.modules.get(file)
        if name is None:
            raise NotRun(f"`{path}` can't be imported: it is no module on `pythonpath`", target.span)
        module = self.session.module(name, target.span)
        try:
            return resolve(name, qualname), module
        except CannotRun as error:
            raise NotRun(str(error), target.span) from error

    def _place(self, function: types.FunctionType) -> Related:
        code = function.__code__
        return Related(Span(self.session.relative(code.co_filename), code.co_firstlineno), "the function")

    def _perform(self, work: Callable[[], Any]) -> Any:
        """Runs user code; our own refusals pass through as they are."""
        refused: list[NotRun] = []

        def run() -> Any:
            try:
                return work()
            except NotRun as error:
                refused.append(error)
                return None

        result = self.session.perform(f"example of {self.topic}", self.example.span, run)
        if refused:
            raise refused[0]
        return result

    # Central differences

    def _difference(self) -> None:
        example = self.example
        found = differences.of_steps(example, self._trees)
        if found is None and example.gradient is not None:
            function, module = self._function(example.gradient.forward)
            found = differences.of_gradient(example, self._parts, function, module)
        if found is None or not found[0]:
            message = "there is nothing to difference: no step `loss`, and no gradient whose parts are steps and inputs"
            raise NotRun(message, example.span, "name steps dX, dW for inputs X, W, and give the topic its `gradient`")
        pairs, loss = found
        values: Mapping[str, Array] = self._values
        self.differences = self._perform(lambda: differences.differenced(example, values, pairs, loss))
        spans = {step.name.value: step.code.span for step in example.steps}
        for each in self.differences:
            if not each.agrees:
                rough = np.reshape(np.array(each.value.entries, dtype=np.float64), each.value.shape)
                words = gap(values[each.label], rough, names=("step", "central difference")).words
                what = f"step `{each.label}` is not the gradient by `{each.by}`"
                message = f"{what}\n{words} (gap {each.gap:.2g}, relative to the largest entry)"
                self.faults.append(Fault(MISMATCH, message, spans[each.label]))

    # Stored runs

    def _stored(self) -> None:
        example = self.example
        assert example.run is not None
        scenario = self.session.captures.scenarios.function(example.run.value, example.run.span)
        function = None if example.equals is None else self._function(example.equals)[0]
        with stored.watching(None if function is None else function.__code__) as entered:
            rows, sizes = self._perform(lambda: stored.run(scenario, self.session.work.shown_sizes))
        self.table = stored.table(example, rows, sizes)
        self.call = example.run.value
        self.entered = bool(entered)
        if function is not None and example.equals is not None and not entered:
            message = f"the run of `{example.run.value}` never calls `{function.__name__}`, whose results it is to show"
            self.faults.append(Fault(MISMATCH, message, example.equals.span, "", (self._place(function),)))


def _input(value: Any) -> Any:
    """An input as steps see it; one that is no array stays as it is, and no step can use it."""
    try:
        return as_array(value)
    except NotAnArray:
        return value


def _shown(value: Any) -> str:
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else repr(value)
