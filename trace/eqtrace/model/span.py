"""Places in files, and text that remembers its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of characters in a file.

    Lines and columns count from 1, columns in characters; the end column is one past the last character.
    `path` is POSIX and relative to the project's root (absolute for installed packages).
    """

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __post_init__(self) -> None:
        if not self.end_line:
            object.__setattr__(self, "end_line", self.line)
        if not self.end_column:
            object.__setattr__(self, "end_column", self.column)

    def __reduce__(self) -> tuple[type[Span], tuple[str, int, int, int, int]]:
        """Pickled as a call: what dataclasses do of themselves takes twice as long, and there are many places."""
        return Span, (self.path, self.line, self.column, self.end_line, self.end_column)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Text:
    """A YAML scalar and where it stands.

    `style` is the scalar's quoting (`''`, `"'"`, `'"'`, `'|'` or `'>'`); `indent` is the column, from 0, at which a
    literal block's lines start. What stands elsewhere in other words has the style `printed`.
    """

    value: str
    span: Span
    style: str = ""
    indent: int = 0

    def __reduce__(self) -> tuple[type[Text], tuple[str, Span, str, int]]:
        """Pickled as a call, like a place."""
        return Text, (self.value, self.span, self.style, self.indent)

    def __str__(self) -> str:
        return self.value

    def at(self, offset: int, length: int = 1) -> Span:
        """The place of `length` characters from `offset` on; the whole scalar where folding hides it."""
        span = self.span
        if self.style == "|":
            before = self.value[:offset]
            line = span.line + 1 + before.count("\n")
            column = self.indent + offset - (before.rfind("\n") + 1) + 1
            return Span(span.path, line, column, line, column + length)
        if span.line != span.end_line or self.style in ('"', ">", "printed"):
            return span
        quote = 1 if self.style == "'" else 0
        doubled = self.value.count("'", 0, offset) if quote else 0
        column = span.column + quote + doubled + offset
        return Span(span.path, span.line, column, span.line, column + length)
