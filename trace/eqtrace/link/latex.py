"""The LaTeX of equations read back and held against their forms; see `formula.latex`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqtrace import collector
from eqtrace.cache import Cache, digest
from eqtrace.inputs import KEPT, Inputs
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.readback import ReadBack, Readback
from eqtrace.model.topic import Waiver

if TYPE_CHECKING:
    from eqtrace.formula.form import Form
    from eqtrace.formula.latex.compare import Comparison

_UNDECLARED = " is not declared"
_SPELT = "; a symbol is spelt as its name, or as its `latex:` key says"
LIMIT_KEPT = 5_000  # comparisons in one entry of the cache


@dataclass(frozen=True)
class Latex:
    """What was read back. `open` are the comparisons that take values, or a proof."""

    found: Mapping[str, Readback] = field(default_factory=dict)  # by equation id
    open: Mapping[str, Comparison] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()  # the equations whose comparison was known from another run

    def unsure(self) -> frozenset[str]:
        """The equations whose LaTeX is not read, or not yet compared: those that a waiver may excuse."""
        doubtful = (ReadBack.NOT_READ, ReadBack.NOT_COMPARED)
        return frozenset(name for name, each in self.found.items() if each.status in doubtful)


def read(equations: Iterable[Equation], forms: Mapping[str, Form], cache: Cache | None = None) -> Latex:
    """Reads the LaTeX of equations and compares by the cheap normal form: no values are worked out.

    What another run kept in the cache is taken from there; nothing is written.
    """
    found: dict[str, Readback] = {}
    open_: dict[str, Comparison] = {}
    held = _kept(cache) if cache is not None else {}
    known = set()
    with collector.paused():
        for equation in equations:
            if equation.latex is None:
                continue
            form = forms.get(equation.id)
            if form is not None and form.parts:
                before = held.get(_key(equation, form)) if held else None
                if before is not None:
                    found[equation.id] = before
                    known.add(equation.id)
                    continue
                found[equation.id], comparison = _read(equation, form)
                if comparison is not None:
                    open_[equation.id] = comparison
            elif not equation.statements:
                detail = "there is no form to compare it with"
                found[equation.id] = Readback(equation.id, ReadBack.NOT_READ, "", detail, 0, len(equation.latex.value))
    return Latex(found, open_, frozenset(known))


def settled(
    latex: Latex, equations: Mapping[str, Equation], forms: Mapping[str, Form], cache: Cache | None = None
) -> Latex:
    """The same with what was open decided; what is new is kept in the cache."""
    found = dict(latex.found)
    for name, comparison in latex.open.items():
        found[name] = _settled(equations[name], forms[name], found[name], comparison)
    new = {name: each for name, each in found.items() if name in forms and name not in latex.kept}
    if cache is not None and new:
        rows = {key: _encoded(each) for key, each in _kept(cache).items()}
        rows |= {_key(equations[name], forms[name]): _encoded(each) for name, each in new.items()}
        cache.put(_base(), {"found": dict(list(rows.items())[-LIMIT_KEPT:])})
        cache.tidy()
    return Latex(found)


def _read(equation: Equation, form: Form) -> tuple[Readback, Comparison | None]:
    from eqtrace.formula.latex.compare import read_back

    try:
        return read_back(equation, form)
    except Exception as error:  # whatever is wrong with the reader, a formula is no reason to stop
        return _failed(equation, error), None


def _settled(equation: Equation, form: Form, found: Readback, comparison: Comparison) -> Readback:
    from eqtrace.formula.latex.settle import settle

    try:
        return settle(equation, form, found, comparison)
    except Exception as error:
        return _failed(equation, error)


def _failed(equation: Equation, error: Exception) -> Readback:
    assert equation.latex is not None
    detail = f"the reader failed, which is a fault of eqtrace: {type(error).__name__} {error}".rstrip()
    return Readback(equation.id, ReadBack.NOT_READ, "", detail, 0, len(equation.latex.value))


def faults(latex: Latex, equations: Mapping[str, Equation], waivers: Iterable[Waiver]) -> Iterator[Fault]:
    """A warning for every difference, and a note for all that is not read and not waived, each at its place."""
    excused = {each.equation.value for each in waivers if each.equation is not None and each.lacks == "latex"}
    for name, each in latex.found.items():
        text = equations[name].latex
        if text is None or each.status not in (ReadBack.DIFFERS, ReadBack.NOT_READ):
            continue
        place = text.at(each.offset, each.length)
        part = text.value[each.offset : each.offset + each.length]
        if each.status is ReadBack.DIFFERS:
            yield Fault("latex-differs", f"the LaTeX of {name} differs at {part}: {each.detail}", place, "", (), name)
        elif name not in excused:
            message = f"the LaTeX of {name} is not read at {part}: {each.detail}"
            message += _SPELT if each.detail.endswith(_UNDECLARED) else ""
            yield Fault("latex-not-read", message, place, "", (), name)


@lru_cache(1)
def _base() -> str:
    """What every comparison rests on beside its equation: the code that reads and compares."""
    folder = Path(__file__).resolve().parents[1] / "formula"
    return digest("latex", *(each.read_bytes() for each in sorted(folder.rglob("*.py"))))


def _key(equation: Equation, form: Form) -> str:
    """A hash of everything that a comparison rests on, but for its place."""
    assert equation.latex is not None
    symbols = [
        (name, each.latex, None if each.shape is None else [text.value for text in each.shape], each.parameter)
        for name, each in equation.symbols.items()
    ]
    domains = [repr(each.domain) for each in equation.symbols.values()]
    indices = [
        (name, None if each.start is None else each.start.value, each.stop.value)
        for name, each in equation.indices.items()
    ]
    rest = (
        [text.value for text in equation.statements],
        equation.where.value if equation.where else "",
        [(name, text.value) for name, text in equation.let.items()],
        [(name, each.equation.value, each.args, each.latex) for name, each in equation.functions.items()],
        equation.gradient is not None and equation.gradient.accumulates,
        sorted(form.sizes),
    )
    return digest(equation.id, equation.latex.value, repr(symbols), repr(domains), repr(indices), repr(rest))


def note(cache: Cache, inputs: Inputs) -> str:
    """Notes which comparisons were kept, and names them: what an audit says of LaTeX rests on them."""
    names = " ".join(cache.names(_base()))
    inputs.fact(f"{KEPT} {_base()}", names)
    return names


def _kept(cache: Cache) -> dict[str, Readback]:
    found: dict[str, Readback] = {}
    for _, entry in cache.entries(_base()):
        rows: Any = entry.get("found")
        for name, row in rows.items() if isinstance(rows, dict) else ():
            held = _decoded(row)
            if held is not None:
                found.setdefault(name, held)
    return found


def _encoded(found: Readback) -> list[Any]:
    return [
        found.equation,
        found.status.value,
        found.how,
        found.detail,
        found.offset,
        found.length,
        found.points,
        list(found.more),
    ]


def _decoded(row: Any) -> Readback | None:
    """A kept row; None where it is none of ours."""
    kinds = (str, str, str, str, int, int, int, list)
    if not isinstance(row, list) or len(row) != len(kinds) or not all(map(isinstance, row, kinds)):
        return None
    equation, status, how, detail, offset, length, points, more = row
    if status not in {each.value for each in ReadBack} or not all(isinstance(each, str) for each in more):
        return None
    return Readback(equation, ReadBack(status), how, detail, offset, length, points, tuple(more))
