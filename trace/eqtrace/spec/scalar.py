"""Plain scalars as YAML 1.1 reads them, and the traps in that."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from yaml.nodes import ScalarNode

from eqtrace.spec.compose import PREFIX, STR

_BOOLS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_LOOKS_NUMERIC = re.compile(
    r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?|0o[0-7]+|[-+]?(?:inf|nan)", re.ASCII
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CONTROL_ESCAPES = {"a": 7, "b": 8, "e": 27, "f": 12, "v": 11, "0": 0, "N": 0x85, "L": 0x2028, "P": 0x2029, "_": 0xA0}
_BREAKS = {"n": 10, "r": 13, "t": 9}
_LETTERS = re.compile("[A-Za-z]*")
_SPELT = (
    "nabla natural ncong ne nearrow neg neq newline nexists ngeq ngtr ni nleftarrow nleq nless nmid nolimits "
    "nonumber normalsize not notag notin nparallel nprec npreceq nrightarrow nsim nsubseteq nsucc nsupseteq nu "
    "nwarrow raise rangle rbrace rbrack rceil rfloor rgroup rho rhd right rightarrow rightharpoonup "
    "rightleftharpoons rightsquigarrow risingdotseq rm root rtimes rule rvert rVert tag tan tanh tau tbinom text "
    "textbf textit textnormal textrm textsf texttt textstyle tfrac therefore theta thickapprox thicksim thinspace "
    "tilde times tiny to top triangle triangledown triangleleft triangleq triangleright tt twoheadrightarrow"
)
# LaTeX commands that begin with a letter whose escape is a usual one in prose; all others are faults anyway.
_COMMANDS = frozenset(_SPELT.split())


@dataclass(frozen=True, slots=True)
class Misread:
    """A scalar that YAML reads as something that no key takes: it fails every type, and says why."""

    text: str
    reading: str  # 'the octal number 10'
    rewrite: str = ""  # how to write the number that was meant


def value(node: ScalarNode) -> str | int | float | bool | Misread | None:
    """A scalar's value, by its tag."""
    tag, text = node.tag, node.value
    if tag == STR:
        return str(text)
    kind = tag.removeprefix(PREFIX)
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in _BOOLS:
        return _BOOLS[text.lower()]
    if kind == "int":
        return _integer(text)
    if kind == "float":
        return _float(text)
    return Misread(text, "a date" if kind == "timestamp" else f"a value of the type `{kind}`")


def _integer(text: str) -> int | Misread:
    digits = text.replace("_", "").lower()
    bare = digits.lstrip("+-")
    try:
        if ":" in bare:
            return Misread(text, f"a number of base 60, {_base60(bare):g}")
        if bare.startswith("0") and bare.isdecimal() and bare != "0":
            return Misread(text, f"the octal number {int(bare, 8)}", bare.lstrip("0") or "0")
        return int(digits, 0)
    except ValueError:
        return Misread(text, "a number that is too long or not whole")


def _float(text: str) -> float | Misread:
    digits = text.replace("_", "").lower()
    try:
        if ":" in digits:
            return Misread(text, f"a number of base 60, {_base60(digits.lstrip('+-')):g}")
        number = float(digits.replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return Misread(text, "a number that can't be read")
    if math.isfinite(number):
        return number
    return Misread(text, "not a number" if math.isnan(number) else "an infinite number")


def _base60(digits: str) -> float:
    total = 0.0
    for part in digits.split(":"):
        total = total * 60 + float(part)
    return total


def reading(node: ScalarNode) -> str:
    """What a plain scalar is read as, in words; '' for text."""
    found = value(node)
    if isinstance(found, Misread):
        return found.reading
    if found is None:
        return "no value"
    if isinstance(found, bool):
        return f"the truth value {str(found).lower()}"
    if isinstance(found, int | float):
        return f"the number {found}"
    return ""


def looks_numeric(text: str) -> bool:
    """Whether a reader would take it for a number, whatever YAML does."""
    return bool(_LOOKS_NUMERIC.fullmatch(text))


def number_rewrite(node: ScalarNode) -> str:
    """How to write the number that a misread plain scalar shows, so that YAML reads it as one; '' if unknown."""
    found = value(node)
    if isinstance(found, Misread):
        return found.rewrite
    text = str(node.value).replace("_", "")
    try:
        number = float(text)
    except ValueError:
        return ""
    if not math.isfinite(number):
        return ""
    if "e" not in text.lower():
        return text.lstrip("0") or "0"
    mantissa, exponent = text.lower().split("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent if exponent[0] in '+-' else '+' + exponent}"


def control(raw: str) -> tuple[int, str] | None:
    """The first control character that an escape in a double-quoted scalar makes: (offset, message)."""
    for match in _ESCAPE.finditer(raw):
        number, letter = next(group for group in match.groups()[:3] if group) if not match[4] else "", match[4]
        code = int(number, 16) if number else _CONTROL_ESCAPES.get(letter)
        command = (letter or "") + _letters(raw, match.end())
        if letter in _BREAKS and command in _COMMANDS and raw[match.end() + len(command) - 1] != ".":
            code = _BREAKS[letter]
        if code is None or (number and not _is_control(code)):
            continue
        shown = f"\\{command}" if letter else match[0]
        follows = f" followed by `{command[1:]}`" if letter and command[1:] else ""
        return match.start(), f"`{shown}` in double quotes is the control character U+{code:04X}{follows}"
    return None


def _letters(raw: str, offset: int) -> str:
    match = _LETTERS.match(raw, offset)
    return match[0] if match else ""


def _is_control(code: int) -> bool:
    return (code < 32 and code not in (9, 10, 13)) or 0x7F <= code <= 0x9F or code in (0x2028, 0x2029)
