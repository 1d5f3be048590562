"""A printed formula taken apart: what it is of, and its sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eqtrace.code.documentation.printed import Notation, Printed
from eqtrace.formula.documented import tokens as plain
from eqtrace.formula.documented.words import ALIASES
from eqtrace.formula.latex import tokens as latex
from eqtrace.formula.latex.cursor import outer, split
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.names import GREEK, spelled
from eqtrace.formula.latex.parser import LETTERS
from eqtrace.formula.latex.rows import read
from eqtrace.formula.vocabulary import VOCABULARY

_LATEX_ENDS = frozenset({".", ",", ";"})
_NOT_NAMES = frozenset(
    {
        "\\frac",
        "\\sqrt",
        "\\sum",
        "\\prod",
        "\\int",
        "\\lim",
        "\\max",
        "\\min",
        "\\begin",
        "\\partial",
    }
)
_ACCENTS = frozenset({"\\hat", "\\bar", "\\vec", "\\dot", "\\ddot", "\\tilde", "\\mathbf", "\\boldsymbol"})
_OPENING = {"(": ")", "[": "]", "{": "}"}
_ABOUT = "~="


@dataclass(frozen=True, slots=True)
class Formula:
    """A printed formula in tokens. `name` is what its left side names, '' where it has none that is a name alone.

    `args` are the names that its left side is applied to, None where it is not; `sides` stand right of that left side.
    `rest` are the tokens right of it, as they stand.
    """

    printed: Printed
    name: str = ""
    args: tuple[str, ...] | None = None
    left_latex: tuple[latex.Token, ...] = ()
    left_plain: plain.Run = ()
    rest_latex: tuple[latex.Token, ...] = ()
    rest_plain: plain.Run = ()
    whole_latex: tuple[latex.Token, ...] = ()
    unread: Unread | None = None

    @property
    def plain_name(self) -> str:
        r"""Its name as plain text writes it: `\sigma_g` as `sigma_g`."""
        return plain_name(self.name)

    @property
    def of_function(self) -> bool:
        r"""Whether its left side is a known function of something: `ln(y) = ...` says nothing of `ln`.

        A letter alone names the formula (`\beta = ...`), and so does one that is no function of so many arguments.
        """
        if self.args is None:
            return False
        if self.name.removeprefix("\\") in GREEK and self.left_latex:
            return LETTERS.get(self.name, ("", 0))[1] == len(self.args)
        name = self.plain_name
        return VOCABULARY.get(ALIASES.get(name, name)) is not None

    @property
    def number(self) -> bool:
        """Whether right of its left side stands a number alone."""
        rest = self.rest_plain or self.rest_latex
        return self.equal and len(rest) == 1 and rest[0].kind == "number"

    @property
    def equal(self) -> bool:
        """Whether it is an equation."""
        return bool(self.left_latex or self.left_plain)


def plain_name(spelt: str) -> str:
    r"""A spelling in LaTeX as plain text writes it: `\sigma_g` as `sigma_g`."""
    return spelt.replace("\\", "").replace("{", "").replace("}", "").replace('"', "").replace(" ", "")


def taken_apart(printed: Printed) -> Formula:
    """A formula's left side and the rest; why not, where its characters are none of a formula's."""
    try:
        return _latex(printed) if printed.notation is Notation.LATEX else _plain(printed)
    except Unread as error:
        return Formula(printed, unread=error)


def _latex(printed: Printed) -> Formula:
    found = read(printed.text)
    while found and (found[-1].key in _LATEX_ENDS or found[-1].kind is latex.Kind.GAP):
        found = found[:-1]
    while found and found[0].kind is latex.Kind.GAP:
        found = found[1:]
    level = {id(token): place for place, token in enumerate(found)}
    equals = [level[id(token)] for token in outer(found) if token.key == "="]
    if not equals:
        return Formula(printed, rest_latex=found, whole_latex=found)
    left, rest = found[: equals[0]], found[equals[0] + 1 :]
    about = [place for place, token in enumerate(rest) if token.key == "\\approx"]
    rest = rest[: about[0]] if about else rest
    name, args = _latex_head(left)
    return Formula(printed, name, args, left_latex=left, rest_latex=rest, whole_latex=found)


def _latex_head(left: tuple[latex.Token, ...]) -> tuple[str, tuple[str, ...] | None]:
    r"""The name on a left side, and what it is applied to: `f(x; A, \mu)`, `w(n)`, `w_n`, `\sigma_g`."""
    first = left[0] if left else None
    if first is None or first.key in _NOT_NAMES:
        return "", None
    if first.kind not in (latex.Kind.LETTER, latex.Kind.WORD, latex.Kind.COMMAND):
        return "", None
    end = _behind_script(left, 0) if first.key in _ACCENTS else 1
    if first.kind is latex.Kind.LETTER:  # letters side by side, as in `sinc(x)` or `pdf(x)`
        while end < len(left) and left[end].kind is latex.Kind.LETTER and left[end].offset == left[end - 1].end:
            end += 1
    if left[end:] and left[end].key == "_":
        end = _behind_script(left, end)
    if left[end:] and (left[end].key == "^" or left[end].kind is latex.Kind.PRIME):
        return "", None  # a power of it, or its derivative
    name = "".join(token.key for token in left[:end])
    if end == len(left):
        return name, None
    if left[end].key not in ("(", "[") or left[-1].key != _OPENING[left[end].key]:
        return "", None
    inner = left[end + 1 : -1]
    pieces = [piece for part in split(inner, (",", ";", "|")) for piece in [part] if piece]
    args = tuple("".join(token.key for token in piece) for piece in pieces)
    plain_names = all(
        spelled(each) is not None and not _is_term(piece) for each, piece in zip(args, pieces, strict=True)
    )
    return (name, args) if plain_names and args else ("", None)


def scripted(run: tuple[latex.Token, ...]) -> Iterator[str]:
    """The names with a subscript among some tokens."""
    for place, token in enumerate(run[1:], 1):
        if token.key == "_":
            yield "".join(each.key for each in run[place - 1 : _behind_script(run, place)])


def _is_term(piece: tuple[latex.Token, ...]) -> bool:
    """Whether an argument is more than a name: a number, or something worked out."""
    signs = {"+", "-", "*", "/", "=", "(", "<", ">"}
    return piece[0].kind is latex.Kind.NUMBER or piece[0].key in _NOT_NAMES or any(each.key in signs for each in piece)


def _behind_script(left: tuple[latex.Token, ...], place: int) -> int:
    if place + 1 >= len(left) or left[place + 1].key != "{":
        return place + 2
    depth = 0
    for end in range(place + 1, len(left)):
        depth += (left[end].key == "{") - (left[end].key == "}")
        if not depth:
            return end + 1
    return len(left)


def _plain(printed: Printed) -> Formula:
    found = plain.tokens(printed.text)
    about = next((place for place, token in enumerate(found) if token.text == _ABOUT), len(found))
    found = found[:about]
    equals = _outside(found, "=")
    if not equals:
        return Formula(printed, rest_plain=found)
    left, rest = found[: equals[0]], found[equals[0] + 1 :]
    if rest and rest[-1].text == ".":
        rest = rest[:-1]
    name, args = _plain_head(left)
    return Formula(printed, name, args, left_plain=left, rest_plain=rest)


def _plain_head(left: plain.Run) -> tuple[str, tuple[str, ...] | None]:
    if not left or left[0].kind is not plain.Kind.NAME:
        return "", None
    name = left[0].text
    if len(left) == 1:
        return name, None
    if left[1].text not in ("(", "[") or left[-1].text != _OPENING[left[1].text]:
        return "", None
    args: list[str] = []
    for piece in parts(left[2:-1], (",", ";", "|")):
        kinds = [token.text for token in piece]
        if not piece or piece[0].kind is not plain.Kind.NAME or (len(piece) > 1 and kinds[1] != "="):
            return "", None
        args.append(kinds[0])
    return (name, tuple(args)) if args else ("", None)


def _outside(found: plain.Run, text: str) -> list[int]:
    """Where a token stands outside all brackets; brackets that are not closed count to the end of the line only."""
    depth = 0
    places = []
    for place, token in enumerate(found):
        depth += (token.text in _OPENING) - (token.text in _OPENING.values())
        if token.text == text and depth == 0:
            places.append(place)
    return places


def parts(found: plain.Run, texts: tuple[str, ...]) -> list[plain.Run]:
    """The parts between tokens that stand outside all brackets."""
    out: list[plain.Run] = []
    depth = first = 0
    for place, token in enumerate(found):
        depth += (token.text in _OPENING) - (token.text in _OPENING.values())
        if not depth and token.text in texts:
            out.append(found[first:place])
            first = place + 1
    out.append(found[first:])
    return out
