"""What is defined where in a file: by syntax tree in Python, by the look of its lines in other languages."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from eqtrace.cites.kinds import CODE, INDENTED, PYTHON, words


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition: `top` is the first line of its comment, decorators or attributes, `line` names it."""

    name: str
    qualified: str
    top: int
    line: int
    end: int

    def holds(self, line: int) -> bool:
        """Whether a line belongs to it."""
        return self.top <= line <= self.end


class Outline:
    """The definitions of one file."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.lines = lines
        suffix = PurePosixPath(path).suffix.lower().removeprefix(".")
        found = _python(lines) if suffix in PYTHON else None
        self.certain = found is not None  # by syntax tree, not by the look of lines
        if found is None:
            found = list(_by_look(lines, suffix)) if suffix in CODE else list(_headings(lines))
        self.definitions = tuple(found)
        self._named: dict[str, list[Definition]] = {}
        for each in self.definitions:
            self._named.setdefault(each.name, []).append(each)

    def named(self, name: str) -> tuple[Definition, ...]:
        """The definitions of a name; of `Class.method` those of the method within the class, where that is known."""
        last = re.split(r"\.|::|#", name)[-1]
        found = tuple(self._named.get(last, ()))
        if last != name and len(found) > 1:
            parts = re.split(r"\.|::|#", name)[:-1]
            within = tuple(each for each in found if any(part in each.qualified.split(".") for part in parts))
            return within or found
        return found

    def around(self, line: int) -> tuple[Definition, ...]:
        """The definitions that a line belongs to, innermost first."""
        return tuple(sorted((each for each in self.definitions if each.holds(line)), key=lambda each: -each.line))

    def occurrences(self, name: str) -> tuple[int, ...]:
        """The lines on which a name stands as a whole word."""
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        return tuple(number for number, line in enumerate(self.lines, 1) if name in line and word.search(line))


def _python(lines: Sequence[str]) -> list[Definition] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines))
        return list(_defined(tree, "", lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defined(node: ast.AST, prefix: str, lines: Sequence[str]) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            yield Definition(child.name, name, _lead(lines, first), child.lineno, child.end_lineno or child.lineno)
            yield from _defined(child, f"{name}.", lines)
        elif isinstance(child, ast.Assign | ast.AnnAssign) and not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef
        ):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                for each in ast.walk(target):
                    if isinstance(each, ast.Name):
                        end = child.end_lineno or child.lineno
                        yield Definition(each.id, f"{prefix}{each.id}", _lead(lines, child.lineno), child.lineno, end)
        elif isinstance(child, ast.stmt):
            yield from _defined(child, prefix, lines)


DEFINING = (
    r"def|class|fn|func|function\*?|fun|struct|enum|trait|interface|type|macro_rules!|mod|namespace|union|typedef|module|"
    r"record|object|protocol|extension|sub|package|contract|service|message|rpc|newtype|defp|defmodule|defmacro|"
    r"CREATE\s+TABLE"
)
MODIFIER = (
    r"(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|unsafe|extern|"
    r"const|inline|virtual|override|sealed|partial|readonly|open|data|suspend|declare|local|constexpr|mut)(?!\w)(?:\s+\"[^\"]*\")?"
)
_KEYWORD = re.compile(
    rf"^(?P<indent>\s*)(?:{MODIFIER}\s+)*(?:{DEFINING})\s+(?:mut\s+)?(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$]*)"
)
_CONSTANT = re.compile(
    rf"^(?P<indent>\s*)(?:{MODIFIER}\s+)*(?:const|static|let|var|val|local)\s+(?:mut\s+)?(?P<name>[A-Za-z_$][\w$]*)\s*[:=]"
)
_IMPL = re.compile(r"^(?P<indent>\s*)(?:unsafe\s+)?impl\b(?:<[^{]*?>)?\s+(?:[\w:<>, ']+\s+for\s+)?(?P<name>[A-Z]\w*)")
_DEFINE = re.compile(r"^(?P<indent>\s*)#\s*define\s+(?P<name>[A-Za-z_]\w*)")
_CALLABLE = re.compile(
    r"^(?P<indent>\s*)(?:[\w*&:<>,\[\]~]+\s+)*[*&]*(?:[A-Za-z_]\w*(?:::|\.))*(?P<name>[A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\([^;]*$"
)
_ASSIGNED = re.compile(r"^(?P<indent>)(?P<name>[A-Za-z_][\w\-]*)\s*(?::[^=:]+)?(?::=|=(?!=)|\(\)\s*\{)")
_KEY = re.compile(r"^(?P<indent>\s*)(?:- )?[\"']?(?P<name>[A-Za-z_][\w\-]*)[\"']?\s*:(?:\s|$)")
_MEMBER = re.compile(
    r"^(?P<indent>\s+)(?:(?:pub|public|private|readonly|static)\s+)*(?P<name>[A-Za-z_$][\w$]*)\??\s*[:=]\s*\S"
)
_NO_NAME = words("if for while switch return catch match else with and or not in do elif case new await throw")
_OPENS = re.compile(r"^\s*[)\]{]|^\s*(?:where|->|:|throws|extends|implements|requires)\b")
_CLOSES = re.compile(r"^\s*(?:[})\]]|end\b|fi\b|done\b|esac\b)")
_LEADS = re.compile(r"^\s*(?:///|//|/\*|\*|#\[|#!\[|@|#(?!include|define|if|endif|else|pragma)|--|;;|%%|template\s*<)")


def _by_look(lines: Sequence[str], suffix: str) -> Iterator[Definition]:
    data = suffix in ("yaml", "yml")
    parents: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        found = (_KEY.match(line) if data else _look(line)) if line.strip() and not _LEADS.match(line) else None
        if found is None or found["name"] in _NO_NAME:
            continue
        indent = len(found["indent"].expandtabs(4))
        while parents and parents[-1][0] >= indent:
            parents.pop()
        qualified = ".".join([*(name for _, name in parents), found["name"]])
        parents.append((indent, found["name"]))
        yield Definition(found["name"], qualified, _lead(lines, number), number, _end(lines, number, suffix))


def _look(line: str) -> re.Match[str] | None:
    if len(line) > 400:
        return None
    for pattern in (_KEYWORD, _CONSTANT, _IMPL, _DEFINE, _ASSIGNED):
        if (found := pattern.match(line)) is not None:
            return found
    found = _CALLABLE.match(line)
    if found is not None and (line.rstrip().endswith(("{", "(", ",", ")")) and not _calls(line)):
        return found
    return _MEMBER.match(line)


def _calls(line: str) -> bool:
    """Whether a line that looks like the head of a function is rather a call."""
    head = line.split("(")[0].strip()
    first = head.split()[0] if head else ""
    return first in _NO_NAME or "=" in head or "." in head or (" " not in head and not line.rstrip().endswith("{"))


def _lead(lines: Sequence[str], line: int) -> int:
    """The first line of the comment, decorators or attributes right above a definition."""
    top = line
    while top > 1 and _LEADS.match(lines[top - 2]):
        top -= 1
    return top


def _end(lines: Sequence[str], line: int, suffix: str) -> int:
    """The last line of what begins at `line`, by indentation and closing brackets."""
    width = _width(lines[line - 1])
    end = line
    for number in range(line + 1, min(len(lines), line + 5000) + 1):
        text = lines[number - 1]
        if not text.strip():
            continue
        if _width(text) <= width:
            if suffix not in INDENTED and _CLOSES.match(text) and not text.rstrip().endswith(("{", "(", ":")):
                return number
            if not _OPENS.match(text):
                return end
        end = number
    return end


def _width(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _headings(lines: Sequence[str]) -> Iterator[Definition]:
    for number, line in enumerate(lines, 1):
        if (found := re.match(r"(?:#{1,6}|={1,6})\s+(.*\S)", line)) is not None:
            yield Definition(found[1], found[1], number, number, number)
