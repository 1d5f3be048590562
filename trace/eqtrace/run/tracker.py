"""Records what a unit's result rests on while it is worked out."""

from __future__ import annotations

import io
import pickle
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from eqtrace.cache import Unreadable, digest
from eqtrace.code.fingerprint import outermost
from eqtrace.model.equation import Equation
from eqtrace.run.hook import Loader
from eqtrace.run.marks import Marks
from eqtrace.run.needs import BETWEEN, CALLS, EVERY, KeptProof, Needs
from eqtrace.run.outside import Outside, is_installed
from eqtrace.run.probe import Probe
from eqtrace.run.site import Site
from eqtrace.run.state import State
from eqtrace.run.work import Work

if TYPE_CHECKING:
    from eqtrace.formula.prove import Proof

_NUMBERS = "fiubc"  # kinds of dtypes whose items hold no references
_Value = TypeVar("_Value")
_Result = TypeVar("_Result")


class Noted(Mapping[str, _Value]):
    """A mapping that tells what is looked up in it."""

    def __init__(self, held: Mapping[str, _Value], note: Callable[[str], None]) -> None:
        self._held = held
        self._note = note

    def __getitem__(self, key: str) -> _Value:
        self._note(key)
        return self._held[key]

    def __contains__(self, key: object) -> bool:
        self._note(str(key))
        return key in self._held

    def __iter__(self) -> Iterator[str]:
        self._note(EVERY)
        return iter(self._held)

    def __len__(self) -> int:
        self._note(EVERY)
        return len(self._held)


class Untracked:
    """Records nothing: what a session does without a cache."""

    marked: Tracker | None = None

    def work(self, work: Work) -> Work:
        """The work, whose equations, forms and sites tell what is looked up."""
        return work

    def watch(self, call: Callable[[], _Result]) -> _Result:
        """Calls user code."""
        return call()

    def lasting(self, call: Callable[[], _Result]) -> _Result:
        """Does what later units rely on without doing it again, such as an import."""
        return call()

    def shared(self, memo: dict[str, _Value], key: str, make: Callable[[], _Value]) -> _Value:
        """What several units use and the first of them makes; it is kept in `memo`."""
        if key not in memo:
            memo[key] = make()
        return memo[key]

    def proof(self, make: Callable[[], Proof]) -> Proof:
        """The unit's proof, which rests on the specification alone."""
        return make()

    def cited(self, functions: Iterable[tuple[str, str]]) -> None:
        """The unit's result rests on which statements of functions (file and name) are cited, and how."""

    @contextmanager
    def untold(self) -> Iterator[None]:
        """What happens within changes nothing of the unit's result."""
        yield

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What happens within (the scenarios' runs) is no need of the unit that happens to ask for it first."""
        yield

    def runs(self, found: Mapping[str, _Value]) -> Mapping[str, _Value]:
        """What the scenarios gave, by anchor; the mapping tells what is looked up."""
        return found

    def calls(self) -> None:
        """The unit's result rests on the order in which the scenarios called functions."""

    def evidence(self, of: Callable[[Sequence[str]], object]) -> None:
        """How to get what the scenarios gave at an anchor, in which order they reached several, or made calls."""

    def entered(self, code: types.CodeType) -> None:
        """A user function runs in an exact twin."""

    def unknowable(self, why: str) -> None:
        """The unit's result rests on something that can't be named, such as the time it took: it won't be kept."""


class Tracker(Untracked):
    """Records the needs of one unit after the other.

    Args:
        root: the project's root.
        is_user_file: whether a file is one of the sources.
    """

    def __init__(self, root: str, is_user_file: Callable[[str], bool]) -> None:
        self.marks = Marks()
        self.marked = self
        self.scenarios = Needs()  # what the scenarios' runs rest on
        self._root = root.rstrip("/") + "/"
        self._is_user_file = is_user_file
        self._outside = Outside()
        self._unit = Needs()
        self._since = Needs()  # of all that has run since it was last looked whether it left something behind
        self._lasting = Needs()  # of everything that later units build on
        self._work: Work | None = None
        self._before = set(sys.modules)
        self._packages = {name.partition(".")[0] for name in self._before}
        self._own: dict[str, types.ModuleType] = {}
        self._own_files: set[str] = set()
        self._new = False  # whether modules of the user's were imported since that was last looked at
        self._state = State([], frozenset())
        self._evidence: Callable[[Sequence[str]], object] = lambda anchors: None
        self._digests: dict[str, str] = {}
        self._shared: dict[tuple[int, str], Needs] = {}
        self._asks_calls = False
        self._kept: KeptProof | None = None
        self._proof: KeptProof | None = None

    @property
    def new_proof(self) -> KeptProof | None:
        """The unit's proof, if it has one that was not kept already."""
        return self._proof

    def is_own(self, file: str) -> bool:
        """Whether a file is the user's own: it lies in the root or is named by the work, and is not installed."""
        return self._is_user_file(file) or (file.startswith(self._root) and not is_installed(file))

    def work(self, work: Work) -> Work:
        """See the base class."""
        self._work = work
        return _NotedWork(
            **{each.name: getattr(work, each.name) for each in fields(work)}
            | {
                "equations": Noted(work.equations, lambda name: self._unit.equations.add(name)),
                "forms": Noted(work.forms, self._note_form),
                "sites": Noted(work.sites, lambda name: self._unit.sites.add(name)),
            }
        )

    def watch(self, call: Callable[[], _Result]) -> _Result:
        """See the base class."""
        with self._outside.watched():
            return call()

    def lasting(self, call: Callable[[], _Result]) -> _Result:
        """See the base class."""
        self._settle()
        before, self._unit = self._unit, Needs()
        try:
            return call()
        finally:
            self._settle()
            self._lasting.add(self._unit)
            before.add(self._unit)
            self._unit = before

    @contextmanager
    def apart(self) -> Iterator[None]:
        """See the base class."""
        self._settle()
        before, self._unit = self._unit, Needs()
        self._outside.clear()
        try:
            yield
        finally:
            self._close()
            self._unit.sites.add(EVERY)
            self.scenarios.add(self._unit)
            self.scenarios.add(self._lasting)
            self._unit = before
            self._outside.clear()

    def shared(self, memo: dict[str, _Value], key: str, make: Callable[[], _Value]) -> _Value:
        """See the base class; what making it rests on, every unit rests on that uses it."""
        name = (id(memo), key)
        if name not in self._shared:
            self._collect()
            before, self._unit = self._unit, Needs()
            try:
                memo[key] = make()
                self._collect()
                self._shared[name] = self._unit
            except BaseException:
                self._collect()
                before.add(self._unit)
                raise
            finally:
                self._unit = before
        self._unit.add(self._shared[name])
        return memo[key]

    def proof(self, make: Callable[[], Proof]) -> Proof:
        """See the base class; a kept one spares the work, a new one is noted to be kept."""
        from eqtrace.formula.prove import SECONDS  # what reads forms takes long to import
        from eqtrace.run import proofs

        if self._kept is not None:
            with suppress(Unreadable):
                found = proofs.read(self._kept)
                self._unit.equations |= self._kept.equations
                return found
        self._collect()
        before, self._unit = self._unit, Needs()
        try:
            found = make()
            if found.seconds >= SECONDS:
                self.unknowable("a proof may have run out of time")
            self._collect()
            if self._unit == Needs(equations=self._unit.equations):
                self._proof = proofs.kept(found, frozenset(self._unit.equations))
            return found
        finally:
            before.add(self._unit)
            self._unit = before

    def cited(self, functions: Iterable[tuple[str, str]]) -> None:
        """See the base class."""
        self._unit.cited.update(functions)

    @contextmanager
    def untold(self) -> Iterator[None]:
        """See the base class."""
        self._collect()
        before, self._unit = self._unit, Needs()
        try:
            yield
        finally:
            self._collect()
            self._unit = before

    def runs(self, found: Mapping[str, _Value]) -> Mapping[str, _Value]:
        """See the base class."""
        return Noted(found, self._note_run)

    def calls(self) -> None:
        """See the base class."""
        self._asks_calls = True

    def evidence(self, of: Callable[[Sequence[str]], object]) -> None:
        """See the base class."""
        self._evidence = of

    def missed(self, name: str, folders: Iterable[str]) -> None:
        """A module was looked for in folders and is in none of them."""
        self._outside.missed(name, folders)

    def entered(self, code: types.CodeType) -> None:
        """See the base class."""
        self._unit.functions.add((code.co_filename, outermost(code.co_qualname)))

    def unknowable(self, why: str) -> None:
        """See the base class."""
        self._unit.unknowable = why

    def run_digest(self, name: str) -> str:
        """A hash of what the scenarios gave at an anchor (or the order of several); '' where it can't be hashed."""
        if name not in self._digests:
            try:
                self._digests[name] = digest(_pickled(self._evidence(name.split(BETWEEN))))
            except Exception:  # what user code's objects raise
                self._digests[name] = ""
        return self._digests[name]

    def begin(self, kept: KeptProof | None = None) -> None:
        """A unit starts, of which a proof may be kept."""
        self._collect()
        self._kept, self._proof = kept, None
        self._unit, self._asks_calls = Needs(), False
        self._outside.clear()

    def end(self, equation: Equation) -> Needs:
        """A unit is done: what its result rests on."""
        assert self._work is not None
        held = self._work.sites
        # Of a line that is only counted nothing matters but how often the scenarios reach it, which `runs` says.
        counted = {anchor.id for anchor in equation.anchors if not anchor.computing} & self._unit.runs.keys()
        cited = [held[anchor.id] for anchor in equation.anchors if anchor.id in held and anchor.id not in counted]
        self._unit.functions |= {(site.file, outermost(site.function)) for site in cited if site.function}
        self._unit.equations.add(equation.id)
        self._end()
        if len(self._unit.runs) > 1:
            order = BETWEEN.join(sorted(self._unit.runs))
            self._unit.runs[order] = self.run_digest(order)
        if self._asks_calls:
            self._unit.runs[CALLS] = self.run_digest(CALLS)
        if "" in self._unit.runs.values():
            self._unit.unknowable = "what the scenarios gave can't be told apart"
        return self._unit

    def end_example(self, topic: str) -> Needs:
        """An example is done: what its result rests on."""
        self._unit.examples.add(topic)
        self._end()
        return self._unit

    def _end(self) -> None:
        self._close()
        self._unit.add(self._lasting)

    def _note_form(self, name: str) -> None:
        """Function symbols lead to other equations, and which these are depends on all there are."""
        assert self._work is not None
        form = self._work.forms.get(name)
        self._unit.equations |= {name, EVERY} if form is not None and form.functions else {name}

    def _note_run(self, anchor: str) -> None:
        if anchor == EVERY:
            self._unit.unknowable = "it looked at everything that the scenarios gave"
        else:
            self._unit.runs[anchor] = self.run_digest(anchor)

    def _collect(self) -> None:
        """Takes over what marks and hooks saw."""
        found, outside = Needs(functions=set(self.marks.take())), self._outside
        if not outside.loaded <= self._own_files:
            self._new |= self._imported()
        found.files |= outside.files | outside.loaded.difference(self._own_files)
        found.folders |= outside.folders
        found.asked |= outside.asked
        found.variables |= outside.variables
        found.places |= outside.places
        found.packages |= outside.absent
        found.unknowable = outside.unknowable
        self._unit.add(found)
        self._since.add(found)

    def _settle(self) -> None:
        """Looks whether what has run left something behind in the user's modules; later units rest on it then."""
        self._collect()
        imported, self._new = self._imported() or self._new, False
        now = State(self._own.values(), frozenset(self._own))
        if imported or now != self._state:
            self._lasting.add(self._since)
        self._state, self._since = now, Needs()

    def _close(self) -> None:
        """Adds modules and packages, and remembers what this run left behind for later ones."""
        self._settle()
        self._unit.modules |= self._lasting.modules
        self._unit.packages |= self._lasting.packages
        self._unit.places |= self._lasting.places

    def _imported(self) -> bool:
        """Takes note of modules that are new; whether some are the user's."""
        found = False
        for name, module in list(sys.modules.items()):
            if name in self._before or name in self._own:
                continue
            file = getattr(module, "__file__", None)
            if not isinstance(file, str):
                self._lasting.places |= _portions(module)
                continue
            if not is_installed(file) or self._is_user_file(file):
                loader = getattr(getattr(module, "__spec__", None), "loader", None)
                marked = isinstance(loader, Loader) and loader.marked and file not in self.marks.without
                self._lasting.modules.add((name, file, marked))
                self._own[name] = module
                self._own_files.add(file)
                found = True
            else:
                self._before.add(name)
                top = name.partition(".")[0]
                if top not in self._packages:
                    self._packages.add(top)
                    self._lasting.packages.add(top)
        return found


def _portions(module: types.ModuleType) -> set[str]:
    """The folders of a namespace package: with an `__init__.py` one of them would be the package."""
    return {
        folder for folder in getattr(module, "__path__", ()) if isinstance(folder, str) and not is_installed(folder)
    }


class _NotedWork(Work):
    """Work that tells what is looked up in it; sites of a function come with the function's own needs."""

    def sites_in(self, file: str, function: str) -> list[Site]:
        """The sites of one function."""
        held = self.sites._held if isinstance(self.sites, Noted) else self.sites
        return [site for site in held.values() if (site.file, site.function) == (file, function)]


class _Pickler(pickle.Pickler):
    """Pickles functions by what they do (their code, and what they close over), and arrays of numbers in less time."""

    def reducer_override(self, value: Any) -> Any:
        """See `pickle.Pickler`."""
        kind = type(value)
        if kind is np.ndarray and value.dtype.kind in _NUMBERS:
            return tuple, ((value.dtype.str, value.shape, value.strides, value.tobytes()),)
        if kind is not types.FunctionType:
            return NotImplemented
        code = value.__code__
        closed = [cell.cell_contents for cell in value.__closure__ or ()]
        content = (value.__module__, value.__qualname__, _code(code), value.__defaults__, value.__kwdefaults__, closed)
        return tuple, (content,)


def _code(code: types.CodeType) -> tuple[object, ...]:
    """What a function does: its instructions and the constants and names that they use."""
    constants = [_code(each) if isinstance(each, types.CodeType) else _constant(each) for each in code.co_consts]
    return code.co_code, code.co_names, constants


def _constant(value: object) -> str:
    """A constant of code; a probe that was put there has no text of its own that would be the same in every process."""
    return type(value).__qualname__ if isinstance(value, Probe | Marks) else repr(value)


def _pickled(value: object) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, 5).dump(value)
    return stream.getvalue()
