"""LaTeX to MathML Core, by math_core, with what it writes repaired and held against a list of what may stand on a page.

The repairs: an entity that only HTML knows becomes its character; a word set in text mode is an identifier (`mi`), so
that it can carry indices as one; `style` attributes, which the pages' security policy blocks, become classes whose
rules the site collects in a style sheet. (The outer cells of a table row lose their padding in that sheet too.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from eqtrace.model.finding import Fault

if TYPE_CHECKING:
    from math_core import LatexToMathML

    from eqtrace.model.equation import Equation
    from eqtrace.model.span import Span

_LONGEST = 4000  # the converter recurses, and a few thousand nested groups overflow its stack
_UNCLOSED = 6  # the converter tries both ways for each bracket that nothing closes, so each doubles its time
_DEFINES = re.compile(r"\\(?:(?:re|provide)?newcommand|(?:re)?newenvironment|[egx]?def|let|Declare\w+)(?![a-z])")
_WORD = re.compile(r"[^\W\d_]\w+")
_PROSE = frozenset({"and", "else", "for", "if", "is", "or", "otherwise", "then", "when", "where", "with"})
_RULE = re.compile(r"[a-z-]+: ?[#\w.%\s-]+")
_TAG = re.compile(
    "code|math|menclose|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|ms|mspace|msqrt|"
    "mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none"
)
_ATTRIBUTE = re.compile(
    "accent|accentunder|class|columnspan|depth|display|displaystyle|fence|form|height|largeop|linethickness|lspace|"
    "mathvariant|maxsize|minsize|movablelimits|notation|rowspan|rspace|scriptlevel|separator|stretchy|style|symmetric|"
    "voffset|width"
)


class LatexUnreadable(ValueError):
    """LaTeX that cannot be shown as mathematics: why, and at which character."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Formula:
    """MathML, and the style rules of the classes in it."""

    markup: str
    rules: Mapping[str, str] = field(default_factory=dict)


@cache
def convert(latex: str, display: bool = True) -> Formula:
    """The formula as MathML Core.

    Raises:
        LatexUnreadable: not LaTeX that math_core reads.
    """
    root, rules = _repaired(latex, display)
    return Formula(ElementTree.tostring(root, encoding="unicode"), rules)


def _repaired(latex: str, display: bool) -> tuple[ElementTree.Element, dict[str, str]]:
    root = _parsed(latex, display)
    rules: dict[str, str] = {}
    for element in root.iter():
        _repair(element, rules)
    return root, rules


def faults(equations: Iterable[Equation]) -> tuple[Fault, ...]:
    """A fault (`latex-unreadable`) for each formula and each symbol's spelling that cannot be shown."""
    found: dict[tuple[Span, str], Fault] = {}
    for equation in equations:
        if equation.latex is not None and (error := _problem(equation.latex.value)):
            place = equation.latex.at(min(error.offset, max(len(equation.latex.value) - 1, 0)))
            found[place, ""] = _fault(f"LaTeX of {equation.id}", error, place, equation.id)
        for symbol in equation.symbols.values():
            for spelling in symbol.latex:
                if error := _problem(spelling):
                    what = f"spelling '{spelling}' of symbol {symbol.name}"
                    found[symbol.span, spelling] = _fault(what, error, symbol.span, None)
    return tuple(found.values())


@cache
def _problem(latex: str) -> LatexUnreadable | None:
    """Why it cannot be shown; nothing is written out for that."""
    try:
        _repaired(latex, display=True)
    except LatexUnreadable as error:
        return error
    return None


def _fault(what: str, error: LatexUnreadable, place: Span, equation: str | None) -> Fault:
    hint = "pages show its source until it can be read; it must stand for itself, without definitions of commands"
    return Fault("latex-unreadable", f"{what} cannot be read: {error.message}", place, hint, equation=equation)


@cache
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False)


def _parsed(latex: str, display: bool) -> ElementTree.Element:
    from math_core import LatexError

    if not latex.strip():
        raise LatexUnreadable("it is empty")
    if len(latex) > _LONGEST:
        raise LatexUnreadable(f"it is longer than {_LONGEST} characters")
    if defines := _DEFINES.search(latex):  # a formula must stand for itself, and expansions can nest without end
        raise LatexUnreadable(f"it defines a command ({defines[0]})", defines.start())
    if (opened := _unclosed(latex)) is not None:
        raise LatexUnreadable(f"it opens more than {_UNCLOSED} brackets that nothing closes", opened)
    try:
        markup = _converter().convert_with_local_state(latex, displaystyle=display)
        return ElementTree.fromstring(markup.replace("&ApplyFunction;", "\u2061"))
    except LatexError as error:
        offset, _, message = str(error).partition(": ")
        if not offset.isdecimal():
            raise LatexUnreadable(str(error)) from None
        raise LatexUnreadable(message.strip(), int(offset)) from None
    except UnicodeEncodeError as error:  # half of a pair, which a string literal of Python can hold
        raise LatexUnreadable(f"it holds U+{ord(latex[error.start]):04X}, which is no character", error.start) from None
    except ElementTree.ParseError as error:
        raise LatexUnreadable(f"its MathML is not well-formed ({error})") from None


_TOKEN = re.compile(r"%[^\n]*|\\(?:[A-Za-z]+|.)|\S", re.DOTALL)
_NAMED = "brace|brack|paren|ang|angle|floor|ceil|vert|Vert|group|moustache|corner|bracket|parenthesis|Brace|Brack|Angle"
_NAMED_OPEN, _NAMED_CLOSE = re.compile(rf"\\(l?l|ul|L)({_NAMED})"), re.compile(rf"\\(r?r|ur|lr|R)({_NAMED})")
_IN_WORDS = re.compile(r"\\(?:text\w*|mbox|hbox|operatorname)")  # commands in whose group a bracket is a letter


def _unclosed(latex: str) -> int | None:
    """Where the bracket stands that is one too many of those that nothing in their group closes; None without one."""
    groups: list[list[int]] = [[]]  # the open brackets of each open group
    in_words: list[int] = []  # the groups that hold words
    lost: list[int] = []
    before = ""
    for found in _TOKEN.finditer(latex):
        token = found[0]
        if before in ("\\left", "\\right", "\\middle"):  # the bracket belongs to the command
            before = ""
            continue
        if token in ("{", "\\left", "\\begin"):
            groups.append([])
            if _IN_WORDS.fullmatch(before):
                in_words.append(len(groups))
        elif token in ("}", "\\right", "\\end") and len(groups) > 1:
            if in_words and in_words[-1] == len(groups):
                in_words.pop()
            lost += groups.pop()
        elif token[0] != "%" and _opens(token):
            groups[-1].append(found.start())
        elif token[0] != "%" and _closes(token) and groups[-1] and not in_words:
            groups[-1].pop()
        before = token
    lost = sorted([*lost, *(each for group in groups for each in group)])
    return lost[_UNCLOSED] if len(lost) > _UNCLOSED else None


def _opens(token: str) -> bool:
    if token[0] == "\\":
        return token == "\\{" or _NAMED_OPEN.fullmatch(token) is not None
    return unicodedata.category(token) == "Ps"


def _closes(token: str) -> bool:
    if token[0] == "\\":
        return token == "\\}" or _NAMED_CLOSE.fullmatch(token) is not None
    return unicodedata.category(token) == "Pe"


def _repair(element: ElementTree.Element, rules: dict[str, str]) -> None:
    unknown = [name for name in element.attrib if not _ATTRIBUTE.fullmatch(name)]
    if not _TAG.fullmatch(element.tag):
        unknown.append(element.tag)
    if unknown:
        raise LatexUnreadable(f"it becomes MathML that no page may hold: {', '.join(sorted(unknown))}")
    text = element.text or ""
    if element.tag == "mtext" and _WORD.fullmatch(text) and text not in _PROSE:
        element.tag = "mi"
    style = element.attrib.pop("style", None)
    if style is not None and (rule := _rule(style)):
        name = "m" + sha256(rule.encode()).hexdigest()[:8]
        rules[name] = rule
        element.set("class", f"{element.get('class', '')} {name}".strip())


def _rule(style: str) -> str:
    """The declarations of a style attribute, without any that could be more than lengths, words and colours."""
    parts = [part.strip() for part in style.split(";")]
    return "; ".join(part for part in parts if _RULE.fullmatch(part))
