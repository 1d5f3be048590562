"""Where functions went that anchors cite and that are no longer where these say: renamed, or in another class or file.

A function is known by its statements: those of its last committed version where git has one, else those that anchors
cite. Its new home is the one function that holds them, and that was not there already beside it (where git can tell).
What could be two functions is none: nothing here is a guess, for `fix` writes what it says.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile, Statement, Unreadable, parse
from eqtrace.code.tree import names, same, walk
from eqtrace.link.anchor_code import parse_code
from eqtrace.link.review.history import History, NoHistory
from eqtrace.model.anchor import Anchor, Role

SECONDS = 20.0  # that git may take: it is asked only where something is not in its place
_NAMED_ALIKE = 0.5  # of its statements that a function of the same name must hold
_RENAMED = 0.6  # that one of another name in the same file must hold
_ELSEWHERE = 0.8  # that one of another name in another file must hold
_LEAST = 3  # statements that tell a function of another name in another file
_STRONG = 8  # nodes of the statements that tell a function of another name
_STRONG_ENOUGH = 4  # where git shows that the other name is new


@dataclass(frozen=True, slots=True)
class Home:
    """Where a function is now."""

    path: str
    function: str


@dataclass(frozen=True, slots=True)
class _Lost:
    """What is known of a function that is gone."""

    path: str
    function: str
    statements: tuple[ast.AST, ...]  # all of its last version, else those that are cited
    commit: str  # the last that had it, '' if none is known

    def renamed(self, names: Mapping[str, str]) -> _Lost:
        """The same with the names of other functions as they are now."""
        renaming = _Renaming(names)
        nodes = tuple(renaming.visit(copy.deepcopy(node)) for node in self.statements)
        return _Lost(self.path, self.function, nodes, self.commit)


class Homes:
    """The new places of functions; nothing is looked for before one is asked for.

    Args:
        anchors: all of the specification: what they cite of one function is looked for together.
    """

    def __init__(self, index: Index, anchors: Iterable[Anchor]) -> None:
        self._index = index
        self._anchors = anchors
        self._known: dict[tuple[str, str], Home | None] = {}
        self._earlier: dict[tuple[str, str], frozenset[str]] = {}  # by commit and file: what it defined
        self._read: dict[str, tuple[list[tuple[str, SourceFile]], Iterator[tuple[str, SourceFile]]]] = {}

    def of(self, path: str, function: str) -> Home | None:
        """Where a function ('' is the module) went; None where it is still there, or nothing tells for certain."""
        if self._is_there(path, function):
            return None
        key = (path, function)
        return self._cited[key] if key in self._cited else self._alone(*key)

    def citing(self, path: str) -> Sequence[Anchor]:
        """The anchors that cite a file, by the name that they give it."""
        return self._citing.get(path, ())

    @cached_property
    def _citing(self) -> Mapping[str, Sequence[Anchor]]:
        found: dict[str, list[Anchor]] = {}
        for each in self._anchors:
            found.setdefault(each.path, []).append(each)
        return found

    def count(self, anchor: Anchor, wanted: ast.AST) -> tuple[int, int] | None:
        """How many equal statements there were when an anchor's line was right, and how many functions of its name.

        None if that is unknown.
        """
        file = self._when_right(anchor, wanted)
        if file is None:
            return None
        return len(file.equal_in(anchor.function, wanted)), len(file.definitions.get(anchor.function, ()))

    def held(self, anchor: Anchor, wanted: ast.AST, function: str) -> bool:
        """Whether another function held an equal statement when an anchor's line was right: then it is another one."""
        file = self._when_right(anchor, wanted)
        return file is not None and bool(file.equal_in(function, wanted))

    def _when_right(self, anchor: Anchor, wanted: ast.AST) -> SourceFile | None:
        """The last committed version of a file in which an anchor's statement stood at its line."""
        for _, file in self._versions(anchor.path):
            if any(each.line == anchor.line for each in file.equal_in(anchor.function, wanted)):
                return file
        return None

    def found(self) -> dict[str, str]:
        """Every function that was asked for and found elsewhere, each place as 'path::function'."""
        known = ((key, home) for key, home in self._known.items() if home is not None and home.function)
        return {f"{path}::{function}": f"{home.path}::{home.function}" for (path, function), home in known}

    def _is_there(self, path: str, function: str) -> bool:
        file = self._index.file(path)
        return file is not None and function in file.definitions

    @cached_property
    def _cited(self) -> Mapping[tuple[str, str], Home | None]:
        """The homes of all functions that anchors cite in vain; those found first tell the names in the others."""
        keys = dict.fromkeys((each.path, each.function) for each in self._anchors if each.target is None and each.path)
        lost = [key for key in keys if not self._is_there(*key)]
        for key in lost:
            self._alone(*key)
        renamed = {
            function.rpartition(".")[2]: home.function.rpartition(".")[2]
            for (_, function), home in self._known.items()
            if home is not None and function.rpartition(".")[2] != home.function.rpartition(".")[2]
        }
        for key in lost if renamed else ():
            if self._known[key] is None and key[1]:
                self._known[key] = self._search(self._lost(*key).renamed(renamed))
        return {key: self._known[key] for key in lost}

    def _alone(self, path: str, function: str) -> Home | None:
        key = (path, function)
        if key not in self._known:
            self._known[key] = self._search(self._lost(path, function)) if function else self._moved_file(path)
        return self._known[key]

    def _moved_file(self, path: str) -> Home | None:
        new = self._renamed_files.get(path)
        return Home(new, "") if new is not None and self._index.file(new) is not None else None

    def _search(self, lost: _Lost) -> Home | None:
        if not lost.statements:
            return None
        here = self._now(lost.path)
        last = lost.function.rpartition(".")[2]
        held = [(count / len(lost.statements), home) for home, count in self._holding(lost.statements)]
        new = [(share, home) for share, home in held if not self._stood_beside(home, lost)]
        named = [(share, home) for share, home in new if home.function.rpartition(".")[2] == last]
        others = [(share, home) for share, home in new if home.function.rpartition(".")[2] != last]
        near = [(share, home) for share, home in others if home.path == here]
        size = sum(1 for node in lost.statements for _ in walk(node))
        strong = size >= (_STRONG_ENOUGH if lost.commit else _STRONG)
        renamed = _clearest(near, _RENAMED, [share for share, _ in named])
        return (
            _clearest(named, _NAMED_ALIKE)
            or (renamed if strong or (renamed is not None and self._as_apart(lost, renamed)) else None)
            or (_clearest(others, _ELSEWHERE) if strong and len(lost.statements) >= _LEAST else None)
        )

    def _as_apart(self, lost: _Lost, home: Home) -> bool:
        """Whether all that is cited of a method stands as far apart in another one of its class as it did."""
        file = self._index.file(home.path)
        owner = lost.function.rpartition(".")[0]
        if file is None or not owner or home.function.rpartition(".")[0] != owner:
            return False
        cited = {(each.line, each.code) for each in self.citing(lost.path) if each.function == lost.function}
        shifts = set()
        for line, code in cited:
            node = parse_code(code).node
            equal = [] if node is None else file.equal_in(home.function, node)
            shifts.add(equal[0].line - line if len(equal) == 1 else None)
        return len(cited) > 1 and len(shifts) == 1 and None not in shifts

    def _now(self, path: str) -> str:
        """The name that a file has now; looking for renamed files takes git long."""
        return path if self._index.file(path) is not None else self._renamed_files.get(path, path)

    def _stood_beside(self, home: Home, lost: _Lost) -> bool:
        """Whether a function was there already when the one was that is gone: then it is another one."""
        if not lost.commit:
            return False
        old = lost.path if home.path == self._now(lost.path) else home.path
        is_itself = (old, home.function) == (lost.path, lost.function)
        return not is_itself and home.function in self._defined_at(lost.commit, old)

    def _defined_at(self, commit: str, path: str) -> frozenset[str]:
        """The functions that a file of a commit defined."""
        key = (commit, path)
        if key not in self._earlier:
            try:
                content = self._history.at(commit, path)
                self._earlier[key] = frozenset(parse(path, content).definitions if content is not None else ())
            except (NoHistory, Unreadable):
                self._earlier[key] = frozenset()
        return self._earlier[key]

    def _lost(self, path: str, function: str) -> _Lost:
        for commit, file in self._versions(path):
            if function in file.definitions:
                return _Lost(path, function, tuple(each.node for each in file.statements_in(function)), commit)
        cited: list[ast.AST] = []
        for anchor in self._anchors:
            if anchor.path == path and anchor.function == function and anchor.role is not Role.STATES:
                node = parse_code(anchor.code).node if anchor.target is None else None
                if node is not None and not any(same(node, each) for each in cited):
                    cited.append(node)
        return _Lost(path, function, tuple(cited), "")

    @cached_property
    def _history(self) -> History:
        return History(self._index.root, SECONDS, self._index.inputs.history)

    def _versions(self, path: str) -> Iterator[tuple[str, SourceFile]]:
        """The committed versions of a file, newest first, each read once; none where git can't be asked."""
        read, more = self._read.setdefault(path, ([], self._unread(path)))
        for number in itertools.count():
            if number == len(read):
                following = next(more, None)
                if following is None:
                    return
                read.append(following)
            yield read[number]

    def _unread(self, path: str) -> Iterator[tuple[str, SourceFile]]:
        try:
            for commit, content in self._history.versions(path):
                try:
                    yield commit, parse(path, content)
                except Unreadable:
                    continue
        except NoHistory:
            return

    @cached_property
    def _renamed_files(self) -> Mapping[str, str]:
        """Files that git says were renamed, by their old names."""
        try:
            return self._history.renames()
        except NoHistory:
            return {}

    def _holding(self, statements: Sequence[ast.AST]) -> Iterator[tuple[Home, int]]:
        """The functions of the project that hold some of these statements, with how many."""
        words = {max(names(node), key=len, default="") for node in statements}
        for path in (*self._index.sources(), *self._index.tests()):
            text = self._index.text(path)
            if not isinstance(text, str) or not any(word in text for word in words):
                continue
            file = self._index.file(path)
            for function in file.functions if file is not None else ():
                assert file is not None
                held = _count(statements, file.statements_in(function)) if function else 0
                if held:
                    yield Home(path, function), held


class _Renaming(ast.NodeTransformer):
    """Names and attributes as they are now."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self._names.get(node.attr, node.attr)
        return node


def _count(wanted: Sequence[ast.AST], statements: Sequence[Statement]) -> int:
    """How many of the wanted statements are among others, each of which counts once."""
    left = list(statements)
    found = 0
    for node in wanted:
        twin = next((each for each in left if same(each.node, node)), None)
        if twin is not None:
            left.remove(twin)
            found += 1
    return found


def _clearest(candidates: Sequence[tuple[float, Home]], least: float, rivals: Sequence[float] = ()) -> Home | None:
    """The one that holds clearly most; None where it is too little, or another holds nearly as much."""
    ranked = sorted(candidates, key=lambda each: -each[0])
    if not ranked or ranked[0][0] < least:
        return None
    best, *rest = [share for share, _ in ranked]
    return ranked[0][1] if all(other < best / 2 for other in (*rest, *rivals)) else None
