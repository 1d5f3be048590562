"""Valid texts and documents, damaged in the ways that get through to the far end of a reader.

Random bytes are refused at the door. What is drawn here is mostly still YAML, Python, TOML or LaTeX: a key is gone or
stands twice, a value has another type, a number is huge, something is nested deep, a text holds a trick.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

MARK = "fuzzed"  # an element, an attribute or a command of this name was made of somebody's text
MARKUP = (
    f'<{MARK} on{MARK}="1">',
    f'"><{MARK}>',
    f"'><{MARK}>",
    f'" on{MARK}=1 x="',
    f"</script><{MARK}>",
    f"</style><{MARK}>",
    f"--><{MARK}>",
    f"]]><{MARK}>",
    f"javascript:{MARK}()",
    "{{ 7*7 }}{% raw %}",
    f"\\href{{javascript:{MARK}}}{{x}}",
    f"\\text{{<{MARK}>}}",
    f"{{cite: <{MARK}>}}",
    f"[x](javascript:{MARK})",
)
COMMANDS = (
    f"\n::error::{MARK}",
    f"::error file={MARK}::{MARK}",
    f"%0A::error::{MARK}",
    f"\r\n##[error]{MARK}",
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m",
    "\u202ereversed\u2066",
)
NAMES = (
    "__class__",
    "__import__",
    "__import__('os').system('true')",
    "os.system",
    "().__class__.__bases__[0].__subclasses__()",
    "eval",
    "lambda",
    "None",
    "self",
    "X.__dict__",
    "f'{X!r:{b}}'",
    "x:=1",
    "X if b else W",
    "[X for X in W]",
    "9**9**9**9",
    "10**1000000",
    "1e400",
    "factorial(10**9)",
    "X[10**30]",
    "X[" * 60 + "0" + "]" * 60,
    "(" * 200 + "1" + ")" * 200,
    "-" * 5000 + "1",
    "+".join(["x"] * 3000),
    "Sum(" * 40 + "X[t, k]" + ", k)" * 40,
    "Derivative(Y[t, j], X[t, k])",
    "Old(X)[t]",
    "Piecewise((1, True))",
    "Max()",
    "Eq(1)",
    "Eq(Y[t, j], Y[t, j])",
    "\\frac{" * 100 + "1" + "}{2}" * 100,
    "\\sum_{k} \\left( x",
    "{" * 300,
    "x" * 20_000,
    "a.b/computes/0",
    "linear.linear/computes/0",
)
PATHS = (
    "..",
    "../" * 12 + "etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "/proc/self/mem",
    "~/x.py",
    ".",
    "",
    "lab",
    "lab/",
    "lab//ops.py:5",
    "lab/ops.py:0",
    "lab/ops.py:-5",
    "lab/ops.py:99999999999999999999",
    "lab/ops.py:٥",
    "lab/ops.py::linear",
    "lab.ops:linear",
    "C:\\x.py:5",
    "lab\\ops.py:5",
    "file:///etc/passwd",
    "a" * 5000 + ".py:1",
    "lab/\x00.py:5",
    "os:system",
    "builtins:eval",
)
PLAIN = (
    "",
    " ",
    "\0",
    "\ufeff",
    "\t",
    "e\u0301",
    "\U0001f600",
    "\ud800",
    "\uff10",
    "\u017f",
    "\ufb01",
    "\u0130",
    "\u2028",
)
YAML = (
    "no",
    "1e5",
    "*x",
    "&x x",
    "!!int 1",
    "!!python/object/apply:os.system [true]",
    "<<",
    "? x",
    "%TAG",
    "---",
    "{",
    "- ",
)
TRICKS = (*MARKUP, *COMMANDS, *NAMES, *PATHS, *PLAIN, *YAML)

texts = st.one_of(st.sampled_from(TRICKS), st.sampled_from(MARKUP), st.text(max_size=12))
numbers = st.one_of(
    st.sampled_from([0, -1, 2**31, 2**63, 10**30, -(10**400), 0.0, -0.0, 1e308, 1e-320, float("inf"), float("nan")]),
    st.integers(-3, 3),
)
scalars = st.one_of(texts, numbers, st.none(), st.booleans())
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(TRICKS), inner, max_size=3)),
    max_leaves=5,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document, its own aside."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def _at(data: Any, path: Sequence[Any]) -> Any:
    for key in path:
        data = data[key]
    return data


def _nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value] if depth % 2 else {"x": value}
    return value


@st.composite
def document(draw: st.DrawFn, valid: Any) -> Any:
    """A document with one to four of its values changed."""
    data = copy.deepcopy(valid)
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 2, 3, 4]))):
        found = list(places(data))
        if not found:
            return draw(values)
        path = found[draw(st.integers(0, len(found) - 1))]
        holder, key = _at(data, path[:-1]), path[-1]
        change = draw(st.integers(0, 9))
        if change == 0:
            del holder[key]
        elif change <= 3:
            holder[key] = draw(values)
        elif change == 4 and isinstance(holder[key], str):
            text = holder[key]
            at = draw(st.integers(0, len(text)))
            holder[key] = text[:at] + draw(texts) + text[at:]
        elif change == 5:
            holder[key] = draw(st.sampled_from([[holder[key]], {"x": holder[key]}, str(holder[key]), [], {}]))
        elif change == 6:
            other = found[draw(st.integers(0, len(found) - 1))]
            holder[key] = copy.deepcopy(_at(data, other))
        elif change == 7 and isinstance(holder, dict):
            holder[draw(st.sampled_from(TRICKS))] = holder.pop(key)
        elif change == 8 and isinstance(holder, list):
            holder.extend(copy.deepcopy([holder[key]]) * draw(st.sampled_from([1, 2, 300])))
        else:
            holder[key] = _nested(holder[key], draw(st.sampled_from([2, 39, 60, 400])))
    return data


def _line(draw: st.DrawFn, lines: list[str]) -> int:
    return draw(st.integers(0, len(lines) - 1))


def _twice(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = _line(draw, lines)
    return "\n".join([*lines[: at + 1], *lines[at:]])


def _without(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = _line(draw, lines)
    return "\n".join([*lines[:at], *lines[at + 1 :]])


def _swapped(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    one, other = _line(draw, lines), _line(draw, lines)
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _inserted(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(texts) + text[at:]


def _cut(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + text[at + draw(st.integers(0, 60)) :]


def _moved(draw: st.DrawFn, text: str) -> str:
    """A piece of the text copied elsewhere in it."""
    at, to = draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))
    return text[:to] + text[at : at + draw(st.integers(1, 80))] + text[to:]


def _indented(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = _line(draw, lines)
    lines[at] = draw(st.sampled_from([" ", "    ", "\t", "\x0c", "- ", "# ", "    " * 30])) + lines[at]
    return "\n".join(lines)


def _again(draw: st.DrawFn, text: str) -> str:
    """One character or line very often."""
    lines = text.split("\n")
    at = _line(draw, lines)
    if len(text) > 100_000:
        return text
    lines[at] = draw(st.sampled_from([lines[at] * 200, "(" * 2000, "[" * 300_000, "x" * 200_000, "- " * 3000]))
    return "\n".join(lines)


_CHANGES: tuple[Callable[[st.DrawFn, str], str], ...] = (
    _twice,
    _without,
    _swapped,
    _inserted,
    _inserted,
    _cut,
    _moved,
    _indented,
    _again,
)


@st.composite
def damaged(draw: st.DrawFn, text: str, most: int = 4) -> str:
    """A text changed in a few places."""
    for _ in range(draw(st.integers(1, most))):
        text = draw(st.sampled_from(_CHANGES))(draw, text)
    return text


@st.composite
def encoded(draw: st.DrawFn, text: str) -> bytes:
    """A text as bytes: mostly UTF-8, and sometimes what editors of other systems write, or what none writes."""
    how = draw(st.integers(0, 19))
    plain = text.encode("utf-8", "surrogatepass")
    if how == 0:
        return b"\xef\xbb\xbf" + plain
    if how == 1:
        return plain.replace(b"\n", b"\r\n")
    if how == 2:
        return plain.replace(b"\n", b"\r")
    if how == 3:
        return text.encode("utf-16", "surrogatepass")
    if how == 4:
        return text.encode("latin-1", "replace")
    if how == 5:
        name = draw(st.sampled_from([b"latin-1", b"utf-16", b"rot13", b"hex", b"unicode_escape", b"idna", b"nope"]))
        return b"# -*- coding: " + name + b" -*-\n" + plain
    if how == 6:
        at = draw(st.integers(0, len(plain)))
        return plain[:at] + draw(st.binary(max_size=4)) + plain[at:]
    if how == 7:
        return plain[: draw(st.integers(0, len(plain)))]
    return plain


def as_json(data: Any) -> str:
    """A document as JSON, which is YAML too."""
    return json.dumps(data, ensure_ascii=True, default=str)
