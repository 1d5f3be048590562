"""Function symbols: each is another equation's left side as a function of its arguments.

What the arguments leave open is resolved by the equations of that topic (and those that its `given` names), each put
before the ones that need it: affine <- normalised <- inv_std <- variance <- mean. What these leave open too is resolved
by the `given` of the equation that holds the function symbol: attention's output leads through ten topics. A left side
may fill its array by parts (`O[t, h*dh + c]`), and a value before an update (`Old(S)`) is given by another equation of
the same symbol. Sizes that the shapes leave open are those of the same name where the function symbol stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eqtrace.formula.claims import claims, free_names
from eqtrace.formula.failures import EvaluationError
from eqtrace.formula.form import Form, Shape
from eqtrace.formula.given import composite
from eqtrace.formula.shape import integer, shape_of, solve
from eqtrace.formula.term import Apply, Eq, Indexed, Name, Node, Number, walk
from eqtrace.model.equation import Equation, FunctionUse, Given

if TYPE_CHECKING:  # with NumPy, which takes its time: what a function leads to is asked without any values
    from eqtrace.formula.arithmetic import Value
    from eqtrace.formula.grid import Carried, Run


class Unresolved(EvaluationError):
    """A symbol that no argument and no equation gives."""


@dataclass(frozen=True, slots=True)
class Step:
    """One symbol worked out by one statement; `inputs` says under which key each needed symbol's value is."""

    form: Form
    part: int
    left: Indexed | Name
    body: Node
    indices: tuple[str, ...]
    inputs: Mapping[str, str]
    key: str

    def entries(self, values: Mapping[str, Carried], sizes: Mapping[str, int], run: Run) -> Carried:
        """The symbol's value, from the values of what it needs.

        Raises:
            EvaluationError: it can't be worked out, or is given in part only.
        """
        from eqtrace.formula.evaluate import definition  # it needs this module's functions
        from eqtrace.formula.grid import Carried

        program = definition(self.form, self.part, self.body, self.indices)

        def entries(*, widen: bool) -> Value:
            return program.entries(values, sizes, run.operations, widen=widen)

        found = Carried(entries(widen=run.widen), (lambda: entries(widen=False)) if run.widen else None)
        if isinstance(self.left, Indexed) and len(self.left.subscripts) != len(self.indices):
            shape, places = self._places(self.left, sizes)
            return found.each(lambda entries: _put(entries, shape, places))
        return found if found.shape else found.reshaped(())

    def _places(self, left: Indexed, sizes: Mapping[str, int]) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        """The shape of the left side's symbol, and where in it the entries on the indices' grid belong."""
        from eqtrace.formula.arithmetic import Float64
        from eqtrace.formula.evaluate import value_of

        own = sorted(name for name in sizes if name in self.form.sizes)
        key = ("places", self.part, *((name, sizes[name]) for name in own))
        found: tuple[tuple[int, ...], tuple[Any, ...]] | None = self.form.kept(key)
        if found is None:
            shape = self.form.shapes.get(left.base)
            lengths = [integer(dim, sizes) for dim in shape.dims] if shape is not None else [None]
            problem = self.form.undefined(self.part, sizes)
            if problem or any(length is None for length in lengths):
                raise EvaluationError(problem or f"the shape of {left.base} is not known")
            places = value_of(self.form, left.subscripts, {}, sizes, Float64(), self.indices).sides
            found = tuple(length or 0 for length in lengths), places
            self.form.keep(key, found)
        return found


def _put(entries: Any, shape: tuple[int, ...], places: tuple[Any, ...]) -> Any:
    import numpy as np

    found = np.empty(shape, dtype=entries.dtype)
    found[places] = entries
    return found


@dataclass(frozen=True)
class Library:
    """All forms that function symbols may lead to."""

    forms: Mapping[str, Form]
    equations: Mapping[str, Equation]

    def topic(self, equation: str) -> list[str]:
        """The equations of the same topic that have a form; derived ones last."""
        topic = self.equations[equation].topic
        found = [each for each in self.equations.values() if each.topic == topic and each.id in self.forms]
        return [each.id for each in sorted(found, key=lambda each: each.derived)]


@dataclass(eq=False)
class Function:
    """A function symbol of a form."""

    name: str
    use: FunctionUse
    library: Library
    holder: str  # the equation that it stands in
    _steps: tuple[Step, ...] = field(default=(), init=False)

    @property
    def equation(self) -> str:
        """The equation that it resolves to."""
        return self.use.equation.value

    def shapes(self) -> list[Shape | None]:
        """The declared shapes of its arguments."""
        return [self.library.forms[self.equation].shapes.get(name) for name in self.use.args]

    def steps(self, path: tuple[str, ...] = ()) -> tuple[Step, ...]:
        """What is worked out, in order; the last is the function's value.

        Raises:
            Unresolved: something is given by no equation, or rests on itself.
        """
        if not self._steps:
            self._steps = tuple(_Resolution(self.library, self.use, self.holder, path).steps)
        return self._steps

    def value(self, run: Run, arguments: Sequence[Carried]) -> Value:
        """The value for these arguments, in the arithmetic of a run.

        Raises:
            EvaluationError: it can't be worked out.
        """
        steps = self.steps()
        if len(arguments) != len(self.use.args):
            raise EvaluationError(f"{self.name} takes {len(self.use.args)} arguments, not {len(arguments)}")
        known = dict(zip(self.use.args, arguments, strict=True))
        for step in steps:
            values = {name: known[key] for name, key in step.inputs.items()}
            known[step.key] = step.entries(values, {**run.sizes, **_sizes(self.name, step.form, values)}, run)
        found = known[steps[-1].key]
        return found.value if run.widen else found.plain

    def rests_on(self) -> set[str]:
        """The equations whose forms its value is made of."""
        found: set[str] = set()
        for step in self.steps():
            found.add(step.form.equation)
            for function in applied(step.form, step.body):
                found |= function.rests_on()
        return found


def link(forms: Mapping[str, Form], equations: Iterable[Equation]) -> None:
    """Gives every form with function symbols its functions, once all forms are read."""
    every = {equation.id: equation for equation in equations}
    library = Library(forms, every)
    for name, form in forms.items():
        for symbol, use in every[name].functions.items():
            if use.equation.value in forms:
                form.functions[symbol] = Function(symbol, use, library, name)


def applied(form: Form, node: Node) -> Iterator[Function]:
    """The functions applied in a node of a form."""
    for each in walk(node):
        if isinstance(each, Apply) and each.function in form.functions:
            yield form.functions[each.function]


def rests_on(form: Form) -> set[str]:
    """The equations that a form's function symbols resolve to; those that can't be resolved are left out."""
    found: set[str] = set()
    for part in form.parts:
        for function in applied(form, part.statement):
            found.add(function.equation)
            try:
                found |= function.rests_on()
            except Unresolved:
                continue
    return found


def _sizes(name: str, form: Form, values: Mapping[str, Carried]) -> Mapping[str, int]:
    """The sizes of a step; arrays may stand for symbols that are scalars."""
    held: dict[str, object] = {}
    for label, value in values.items():
        symbol = _symbol(label)
        shape = form.shapes.get(symbol)
        if shape is not None and (shape.dims or shape.batch):
            held[symbol] = value
        elif isinstance(value.value, int):
            held[symbol] = value.value
    key = ("sizes", *((symbol, value if isinstance(value, int) else shape_of(value)) for symbol, value in held.items()))
    sizes: Mapping[str, int] | None = form.kept(key)
    if sizes is None:
        solved = solve(form.shapes, held)
        if solved.mismatches:
            raise EvaluationError(f"{name}, by {form.equation}: {'; '.join(map(str, solved.mismatches))}")
        sizes = solved.sizes
        form.keep(key, sizes)
    return sizes


def _symbol(name: str) -> str:
    """The symbol of a name that may be its value before an update."""
    return name.removeprefix("Old(").removesuffix(")")


@dataclass
class _Scope:
    """The names of one topic's equations; in the scope of a `given` they may mean another's."""

    equations: list[str]
    known: dict[str, str]  # symbol to key
    prefix: str = ""
    above: tuple[_Scope, str, Mapping[str, str]] | None = None  # with the equation that takes it in, and the renaming


class _Resolution:
    """The steps of one function."""

    def __init__(self, library: Library, use: FunctionUse, holder: str, path: tuple[str, ...]) -> None:
        self._library = library
        self._holder = library.equations.get(holder)
        self.steps: list[Step] = []
        root = use.equation.value
        form = library.forms[root]
        found = [(part, left) for part in range(len(form.parts)) if (left := _defined(form, part)) is not None]
        ways: list[list[Step]] = []
        reason: Unresolved | None = None
        for part, symbol in found:  # of several statements the arguments must be enough for one alone
            self.steps = []
            try:
                self._define(_Scope(library.topic(root), {name: name for name in use.args}), root, part, symbol, path)
                ways.append(self.steps)
            except Unresolved as error:
                reason = error
        if reason is not None and not ways:
            raise reason
        if len(ways) != 1:
            raise Unresolved(f"{root} gives {len(ways)} left sides as functions of the arguments, and one is wanted")
        (self.steps,) = ways

    def _define(self, scope: _Scope, equation: str, part: int, symbol: str, path: tuple[str, ...]) -> str:
        """The key of a symbol that a statement defines."""
        if equation in path:
            raise Unresolved(f"{equation} rests on itself: {' <- '.join((*path[path.index(equation) :], equation))}")
        form = self._library.forms[equation]
        inner = (*path, equation)
        claim = form.equations(part)[0]
        left, body = claim.sides[0], claim.sides[1]
        inputs: dict[str, str] = {}
        for name in form.needed(part):
            try:
                inputs[name] = self._key(scope, name, equation, inner)
            except Unresolved:
                if name not in form.sizes:
                    raise
        for function in applied(form, body):
            function.steps(inner)
        assert isinstance(left, Indexed | Name)
        key = f"{scope.prefix}{symbol}"
        if key in scope.known.values():
            key = f"{scope.prefix}={symbol}"  # its value, where an argument has the same name
        indices = tuple(dict.fromkeys(free_names(left, form.indices)))
        self.steps.append(Step(form, part, left, body, indices, inputs, key))
        return key

    def _key(self, scope: _Scope, name: str, equation: str, path: tuple[str, ...]) -> str:
        """Where a needed symbol's value is; what it takes is worked out before."""
        if name in scope.known:
            return scope.known[name]
        reason = Unresolved(f"{name} of {equation} is no argument, and no equation gives it")
        if scope.above is not None:
            above, taker, rename = scope.above
            try:
                return self._key(above, rename.get(name, name), taker, path)
            except Unresolved as error:
                reason = error
        for inside, candidate, part, symbol in self._candidates(scope, name, equation):
            held = len(self.steps)
            before = dict(inside.known)
            try:
                key = self._define(inside, candidate, part, symbol, path)
            except Unresolved as error:
                reason = error
                del self.steps[held:]
                inside.known.clear()
                inside.known.update(before)
            else:
                scope.known[name] = key
                return key
        raise reason

    def _candidates(self, scope: _Scope, name: str, equation: str) -> Iterator[tuple[_Scope, str, int, str]]:
        """Statements that define a symbol: of the equation's `given`, of its topic, of the `given` where it is used."""
        symbol = _symbol(name)
        yield from self._given(scope, symbol, equation, self._library.equations[equation].given)
        for other in scope.equations:
            form = self._library.forms[other]
            for part in range(len(form.parts)):
                if _defined(form, part) == symbol:
                    yield scope, other, part, symbol
        if scope.above is None and self._holder is not None:
            yield from self._given(scope, symbol, equation, self._holder.given)

    def _given(
        self, scope: _Scope, name: str, equation: str, equations: Iterable[Given]
    ) -> Iterator[tuple[_Scope, str, int, str]]:
        for given in equations:
            other = given.equation.value
            form = self._library.forms.get(other)
            for part in range(len(form.parts)) if form is not None else ():
                assert form is not None
                left = _defined(form, part)
                if left is not None and given.rename.get(left, left) == name:
                    inside = _Scope(
                        self._library.topic(other), {}, f"{scope.prefix}{other}/", (scope, equation, given.rename)
                    )
                    yield inside, other, part, left


def _defined(form: Form, part: int) -> str | None:
    """The symbol all of whose entries a statement gives as a function of other values."""
    found = list(claims(form.statement(part)))
    if len(found) != 1 or not isinstance(found[0][0], Eq) or found[0][1] or form.statement(part) is not found[0][0]:
        return None
    left = found[0][0].sides[0]
    if isinstance(left, Name):
        return left.name if left.name in form.shapes else None
    if not isinstance(left, Indexed):
        return None
    names: list[str] = []
    for each in left.subscripts:
        parts = composite(each, form.indices)
        plain = [each.name] if isinstance(each, Name) else [] if isinstance(each, Number) else [""]
        names += [parts[0], parts[2]] if parts else plain
    return left.base if len(set(names)) == len(names) and set(names) <= set(form.indices) else None
