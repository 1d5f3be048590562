"""One source file: its text, its syntax tree, its functions and its statements."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eqtrace import collector
from eqtrace.code.tree import FunctionNode, ScopeNode, StatementNode, is_compound, same, walk
from eqtrace.model.span import Span


class Unreadable(Exception):
    """A source that cannot be read or parsed: why, and where in it (from 1; 0 where the fault has no place)."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class Statement:
    """A statement and the function it stands in; of a compound statement only the header."""

    __slots__ = ("_span", "file", "function", "node")

    def __init__(self, file: SourceFile, node: StatementNode, function: str) -> None:
        self.file = file
        self.node = node
        self.function = function
        self._span: Span | None = None

    @property
    def line(self) -> int:
        """The statement's first line (of a decorated function, that of `def`)."""
        node = self.node
        return self.span.line if isinstance(node, ast.match_case) else node.lineno

    @property
    def span(self) -> Span:
        """The statement's place; a compound statement ends with its colon."""
        if self._span is None:
            self._span = self.file.span(self.node)
        return self._span

    @property
    def source(self) -> str:
        """The statement as it stands in the file."""
        return self.file.slice(self.span)

    def __repr__(self) -> str:
        return f"<Statement {self.span} {self.source!r}>"


@dataclass(frozen=True)
class SourceFile:
    """A parsed file. `path` is POSIX, relative to the project's root (absolute for installed packages)."""

    path: str
    text: str
    tree: ast.Module

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends, as the parser counts them (a form feed ends none)."""
        return self.text.split("\n")

    @cached_property
    def _scopes(self) -> tuple[dict[str, list[ScopeNode]], dict[str, list[StatementNode]]]:
        collector = _Collector()
        collector.scope("", self.tree)
        return collector.definitions, collector.statements

    @cached_property
    def definitions(self) -> Mapping[str, list[ScopeNode]]:
        """Every definition of each qualified name (`outer.inner`, `Class.method`), classes too; '' is the module."""
        return self._scopes[0]

    @cached_property
    def functions(self) -> Mapping[str, FunctionNode | ast.Module]:
        """The functions by qualified name, the last definition of each; '' is the module."""
        return {name: nodes[-1] for name, nodes in self.definitions.items() if not isinstance(nodes[-1], ast.ClassDef)}

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """The classes by qualified name, the last definition of each."""
        return {name: nodes[-1] for name, nodes in self.definitions.items() if isinstance(nodes[-1], ast.ClassDef)}

    @cached_property
    def _wrapped(self) -> dict[str, tuple[Statement, ...]]:
        return {}

    def statements_in(self, function: str) -> tuple[Statement, ...]:
        """The statements of a function ('' the module, or a class's own body), without those of functions within it."""
        found = self._wrapped.get(function)
        if found is None:
            found = self._wrapped[function] = tuple(Statement(self, node, function) for node in self.nodes_in(function))
        return found

    def nodes_in(self, function: str) -> Sequence[StatementNode]:
        """The nodes of a function's statements."""
        return self._scopes[1].get(function, ())

    def equal_in(self, function: str, wanted: ast.AST) -> list[Statement]:
        """The statements of a function that are the same as one, wherever they stand and however they are laid out."""
        return [each for each in self.statements_in(function) if same(each.node, wanted)]

    @property
    def statements(self) -> Iterator[Statement]:
        """Every statement, function by function."""
        for function in self._scopes[1]:
            yield from self.statements_in(function)

    @cached_property
    def _by_line(self) -> dict[int, list[Statement]]:
        found: dict[int, list[Statement]] = {}
        for statement in self.statements:
            found.setdefault(statement.line, []).append(statement)
        return found

    @cached_property
    def _lines_of(self) -> dict[str, dict[int, list[Statement]]]:
        return {}

    @cached_property
    def _starting(self) -> dict[tuple[int, str], Sequence[Statement]]:
        return {}

    def statements_on(self, line: int, function: str) -> Sequence[Statement]:
        """The statements of a function whose first line this is."""
        found = self._starting.get((line, function))  # what an anchor cites is asked for twice
        if found is None:
            found = self._starting[line, function] = self._found_on(line, function)
        return found

    def _found_on(self, line: int, function: str) -> Sequence[Statement]:
        nodes = self.nodes_in(function)
        if len(nodes) <= _FEW:  # no table for a function that is soon looked through
            wanted = [node for node in nodes if getattr(node, "lineno", line) == line]
            return [each for each in (Statement(self, node, function) for node in wanted) if each.line == line]
        lines = self._lines_of.get(function)
        if lines is None:
            lines = self._lines_of[function] = {}
            for statement in self.statements_in(function):
                lines.setdefault(statement.line, []).append(statement)
        return lines.get(line, ())

    def statement_at(self, line: int, column: int, function: str | None = None) -> Statement | None:
        """The statement that begins at a line and column (from 1, in characters): how a Match's span leads back.

        With the function that it stands in, it is found sooner.
        """
        there = self._by_line.get(line, ()) if function is None else self.statements_on(line, function)
        return next((item for item in there if item.span.column == column), None)

    def release(self) -> None:
        """Lets go of what was worked out: statements know their file, so that neither goes away by itself."""
        for name in [each for each in self.__dict__ if each.startswith("_")]:
            del self.__dict__[name]

    def text_of(self, node: ast.AST) -> str:
        """The whole lines of a node, with the body of a compound statement; of what has no place, all of the text."""
        start, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if start is None or end is None:
            return self.text
        return self.lines[start - 1] if start == end else "\n".join(self.lines[start - 1 : end])

    def column(self, line: int, offset: int) -> int:
        """A column in characters, from 1, of the parser's offset in UTF-8 bytes."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1

    def span(self, node: ast.AST) -> Span:
        """The place of a statement (of a compound one, its header) or an expression."""
        if isinstance(node, ast.match_case):
            line, column = self._case_start(node)
        else:
            line = node.lineno  # type: ignore[attr-defined]
            column = self.column(line, node.col_offset)  # type: ignore[attr-defined]
        if is_compound(node):
            end_line, end_column = self._header_end(node, line, column)
        else:
            end_line = node.end_lineno  # type: ignore[attr-defined]
            end_column = self.column(end_line, node.end_col_offset)  # type: ignore[attr-defined]
        return Span(self.path, line, column, end_line, end_column)

    def _case_start(self, node: ast.match_case) -> tuple[int, int]:
        """`case` has no place of its own in the tree: look back for the keyword from its pattern."""
        line = node.pattern.lineno
        column = self.column(line, node.pattern.col_offset)
        before = self.lines[line - 1][: column - 1]
        while "case" not in before and line > 1:
            line -= 1
            before = self.lines[line - 1]
        return line, before.rfind("case") + 1

    def _header_end(self, node: ast.AST, line: int, column: int) -> tuple[int, int]:
        """One past the colon: the first one after the header's last expression, comments passed over."""
        for part in walk(node):
            if part is node or getattr(part, "end_lineno", None) is None:
                continue
            end_line: int = part.end_lineno  # type: ignore[attr-defined]
            end = (end_line, self.column(end_line, part.end_col_offset))  # type: ignore[attr-defined]
            line, column = max((line, column), end)
        while line <= len(self.lines):
            code = self.lines[line - 1][column - 1 :].split("#", 1)[0]
            if ":" in code:
                return line, column + code.index(":") + 1
            line, column = line + 1, 1
        return line - 1, 1

    def slice(self, span: Span) -> str:
        """The text of a place."""
        lines = self.lines[span.line - 1 : span.end_line]
        if not lines:
            return ""
        if len(lines) == 1:
            return lines[0][span.column - 1 : span.end_column - 1]
        return "\n".join([lines[0][span.column - 1 :], *lines[1:-1], lines[-1][: span.end_column - 1]])


class _Collector:
    """Gathers definitions and statements by enclosing qualified name, in the order of the text."""

    def __init__(self) -> None:
        self.definitions: dict[str, list[ScopeNode]] = {}
        self.statements: dict[str, list[StatementNode]] = {}

    def scope(self, name: str, node: ScopeNode) -> None:
        self.definitions.setdefault(name, []).append(node)
        self.block(name, node.body, self.statements.setdefault(name, []))

    def block(self, scope: str, body: Iterable[ast.stmt], into: list[StatementNode]) -> None:
        for node in body:
            kind = type(node)
            if kind in _PLAIN:
                into.append(node)
            elif isinstance(node, _DEFINITIONS):
                into.append(node)
                self.scope(f"{scope}.{node.name}" if scope else node.name, node)
            elif kind is ast.If:
                self._chain(scope, node, into)  # type: ignore[arg-type]
            elif kind in _NESTING:
                self._nesting(scope, node, into)
            elif not (kind is ast.Expr and _is_text(node)):
                into.append(node)

    def _chain(self, scope: str, node: ast.If, into: list[StatementNode]) -> None:
        """An if with its elifs: a loop, since a thousand of them nest a thousand deep."""
        while True:
            into.append(node)
            self.block(scope, node.body, into)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
                continue
            self.block(scope, node.orelse, into)
            return

    def _nesting(self, scope: str, node: ast.stmt, into: list[StatementNode]) -> None:
        if not isinstance(node, ast.Try | ast.TryStar):  # `try:` says nothing, so nobody can cite it
            into.append(node)
        self.block(scope, getattr(node, "body", ()), into)
        clauses: list[ast.ExceptHandler | ast.match_case] = [
            *getattr(node, "handlers", ()),
            *getattr(node, "cases", ()),
        ]
        for clause in clauses:
            into.append(clause)
            self.block(scope, clause.body, into)
        self.block(scope, getattr(node, "orelse", ()), into)
        self.block(scope, getattr(node, "finalbody", ()), into)


_FEW = 50  # statements
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PLAIN = frozenset({ast.Assign, ast.Return, ast.AugAssign})  # most of all statements
_NESTING = frozenset(
    {ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match},
)


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a string alone: a docstring or the like, no part of the code."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def decode(data: bytes) -> str:
    """A source's text, as the interpreter would read it: coding line, byte order mark, line ends made one.

    Raises:
        Unreadable: the bytes are no text in the encoding they claim.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"not {error.encoding} text: byte 0x{data[error.start]:02x}", line, 1) from None
    except (SyntaxError, LookupError) as error:
        raise Unreadable(f"no text that Python reads: {error}", 1, 1) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse(path: str, data: bytes) -> SourceFile:
    """Parses a file's bytes; nothing of it is run.

    Raises:
        Unreadable: no text, no Python, or nested too deeply.
    """
    return parsed(path, decode(data))


def parsed(path: str, text: str) -> SourceFile:
    """Parses a file's decoded text.

    Raises:
        Unreadable: no Python, or nested too deeply.
    """
    if "\0" in text:
        raise Unreadable("holds a NUL character", text.count("\n", 0, text.index("\0")) + 1, 1)
    try:
        with collector.paused(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        raise Unreadable(f"syntax error: {error.msg}", error.lineno or 1, error.offset or 1) from None
    except (RecursionError, MemoryError, OverflowError):
        raise Unreadable("nested too deeply to be parsed") from None
    except ValueError as error:
        raise Unreadable(f"cannot be parsed: {error}") from None
    return SourceFile(path, text, tree)
