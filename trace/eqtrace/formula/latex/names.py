"""What LaTeX may name: declared symbols, sizes, indices, helpers and functions, each with its spellings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile

from eqtrace.formula.form import Form
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.tokens import Kind, Token, bare, tokens
from eqtrace.formula.parse import parse_term
from eqtrace.formula.term import Apply, Indexed, Name, Node, Number, Term, symbol_names, walk
from eqtrace.model.equation import Equation

Keys = tuple[str, ...]


class Role(StrEnum):
    """What a name names."""

    SYMBOL = "symbol"
    SIZE = "size"
    INDEX = "index"
    HELPER = "helper"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Declared:
    """A name; `dims` are the lengths of a symbol's axes (None where they are not declared)."""

    name: str
    role: Role
    dims: tuple[Term, ...] | None = ()
    parameter: bool = False
    term: Term | None = None  # a helper's


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a name is written: its tokens, then a subscript and a superscript of its own."""

    base: Keys
    sub: Keys | None = None
    sup: Keys | None = None
    explicit: bool = False

    @property
    def own(self) -> int:
        """How many scripts belong to it."""
        return (self.sub is not None) + (self.sup is not None)


ZERO = Number(Fraction(0))
GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "iota",
        "kappa",
        "varkappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "varrho",
        "sigma",
        "varsigma",
        "tau",
        "upsilon",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
        "ell",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Phi",
        "Psi",
        "Omega",
    ]
)
_VARIANTS = {
    "epsilon": "varepsilon", "theta": "vartheta", "kappa": "varkappa", "rho": "varrho", "sigma": "varsigma",
    "phi": "varphi",
}  # fmt: skip
# What code calls Greek letters: `lambda` is no name in Python
_CALLED = {"lam": "lambda", "lamb": "lambda", "lamda": "lambda", "lmbda": "lambda", "lambda_": "lambda"} | {
    "eps": "epsilon"
}
_ACCENTS = ("hat", "bar", "tilde", "ddot", "dot")
_GREEK_FIRST = re.compile(rf"({'|'.join(sorted(GREEK, key=len, reverse=True))})([A-Za-z]{{1,3}})")
_MARKS = {"star": "*", "prime": "'"}
_NUMBERED = re.compile(r"([A-Za-z]{2,})(\d+)")
_FUNCTION = re.compile(r"([A-Z][A-Za-z]*?)(\d?)(back)?")
_SHORT = re.compile(r"([A-Za-z])([A-Za-z]+|\d+)")


@dataclass
class Names:
    """The names of one equation, by the first token of their spellings."""

    table: dict[str, list[tuple[Spelling, Declared]]] = field(default_factory=dict)
    declared: dict[str, Declared] = field(default_factory=dict)
    functions: Mapping[str, object] = field(default_factory=dict)
    keys: Collection[str] = ()  # of the tokens that there are
    said: Collection[str] = ()  # the names that the form itself holds
    greek: Collection[str] = ()  # the names that are Greek letters
    arrays: Collection[str] = ()  # of these, those with axes
    words: set[str] = field(default_factory=set)  # of several letters, which may stand without being marked as words

    def add(self, declared: Declared, latex: tuple[str, ...] = ()) -> None:
        """A name with the spellings that it is given, and those that follow from it."""
        self.declared[declared.name] = declared
        found = [spelling for text in latex if (spelling := spelled(text)) is not None]
        if not latex:
            # how another Greek letter is spelt is no variant of this name's spelling, and `\\mu_i` is an entry of mu
            others, stem = {*self.greek} - {declared.name}, _parted(declared.name)[0]
            entry = stem in self.arrays and "_" not in declared.name
            found += [
                each
                for each in default(declared.name, declared.role is Role.SIZE)
                if (not entry if each.own else each.base[0].removeprefix("\\") not in others)
            ]
        for spelling in dict.fromkeys(each for each in found if each.base[0] in self.keys):
            self.table.setdefault(spelling.base[0], []).append((spelling, declared))

    def add_word(self, name: str) -> None:
        """A name whose word may stand in letters alone, see `joined`; what follows `_` in it is a subscript."""
        stem, _, rest = name.partition("_")
        self.words.add(stem)
        plain = self.declared.get(stem)
        if rest and name in self.declared and (plain is None or plain.dims == ()):
            key = f'"{stem}"'
            for sub in _subscript(rest):
                self.table.setdefault(key, []).append((Spelling((key,), sub), self.declared[name]))

    def joined(self, run: tuple[Token, ...]) -> tuple[Token, ...]:
        """The same tokens, those that are letters of a word in one: `RePr`, where nothing else can be meant.

        Letters that stand side by side must be a row of such words and of names of one letter, and of one row only.
        """
        letters = {name for name, each in self.declared.items() if len(name) == 1 and each.role is not Role.FUNCTION}
        found: list[Token] = []
        waiting = list(run)
        while waiting:
            near = 1
            while near < len(waiting) and waiting[near - 1].end == waiting[near].offset:
                near += 1
            row = list(takewhile(lambda token: token.kind is Kind.LETTER, waiting[:near]))
            parts = _row("".join(token.text for token in row), self.words, letters) if len(row) > 1 else []
            for part in parts:
                first, end = row[0], row[len(part) - 1].end
                word = Token(Kind.WORD, part, first.offset, end - first.offset)
                found.append(word if len(part) > 1 else first)
                del row[: len(part)]
            taken = sum(map(len, parts)) or max(len(row), 1)
            found += [] if parts else waiting[:taken]
            del waiting[:taken]
        return tuple(found)

    def at(self, place: int, found: tuple[Token, ...]) -> Iterator[tuple[Spelling, Declared]]:
        """The names whose spelling's tokens stand at a place, longest first."""
        if place >= len(found):
            return
        fits = [
            (spelling, declared)
            for spelling, declared in self.table.get(found[place].key, ())
            if len(spelling.base) <= len(found) - place
            and all(token.key == key for token, key in zip(found[place:], spelling.base, strict=False))
        ]
        yield from sorted(fits, key=lambda each: (-len(each[0].base), -each[0].own))

    def without(self, name: str, spellings: tuple[Spelling, ...]) -> Names:
        """The same names, one of them without some of its spellings."""
        table = {
            key: [(each, declared) for each, declared in pairs if declared.name != name or each not in spellings]
            for key, pairs in self.table.items()
        }
        return Names(table, self.declared, self.functions, self.keys, self.said, self.greek, self.arrays, self.words)


def names_of(equation: Equation, form: Form, keys: Collection[str]) -> Names:
    """Everything that an equation declares; spellings that start with none of the keys of its LaTeX are left out."""
    words = {f'"{_stem(name)}"' for name in _worded(equation)}
    arrays = {name for name, shape in form.shapes.items() if shape is not None and shape.dims}
    greek = _greek(equation, form)
    names = Names(functions=equation.functions, keys={*keys, *words}, greek=greek, arrays=GREEK & arrays)
    said = {name.removeprefix("Old(").removesuffix(")") for part in form.parts for name in symbol_names(part.statement)}
    names.said = said
    called = {node.function for part in form.parts for node in walk(part.statement) if isinstance(node, Apply)}
    own = {text for name in said if name in equation.symbols for text in equation.symbols[name].latex}
    used = _used(form) if any(form.shapes.get(name) is None for name in equation.symbols) else {}
    for name, symbol in equation.symbols.items():
        shape = form.shapes.get(name)
        if name in called:
            names.add(Declared(name, Role.FUNCTION), symbol.latex)
            continue
        dims = used.get(name) if shape is None else shape.dims
        declared = Declared(name, Role.SYMBOL, dims, symbol.parameter)
        # `XW` is a symbol only where the form names that symbol; elsewhere it is the product. Of two symbols with one
        # spelling, the one that the form names is meant.
        latex = tuple(text for text in symbol.latex if name in said or not (text in own or _is_product(text, equation)))
        if latex or not symbol.latex:
            names.add(declared, latex)
    for name in equation.indices:
        names.add(Declared(name, Role.INDEX))
    for name in _worded(equation):
        names.add_word(name)
    for name, text in equation.let.items():
        term, _ = parse_term(text.value)
        if term is not None and name not in names.declared:
            names.add(Declared(name, Role.HELPER, (), term=term))
    for name in sorted(_sizes(form)):
        if name not in names.declared:
            names.add(Declared(name, Role.SIZE))
    for name, use in equation.functions.items():
        if name not in names.declared:
            names.add(Declared(name, Role.FUNCTION), use.latex)
    return names


def _parted(name: str) -> tuple[str, str]:
    """A name and its subscript: what stands behind `_`, a number, or a few letters behind a Greek one."""
    stem, _, rest = name.partition("_")
    found = None if rest else _NUMBERED.fullmatch(name) or _GREEK_FIRST.fullmatch(name)
    return (stem, rest) if found is None else (found[1], found[2])


def _greek(equation: Equation, form: Form) -> frozenset[str]:
    """The Greek letters that are names, or that names are spelt as."""
    explicit = [spelled(text) for symbol in equation.symbols.values() for text in symbol.latex]
    bases = [each.base[0].removeprefix("\\") for each in explicit if each is not None and len(each.base) == 1]
    return GREEK & {*equation.symbols, *_sizes(form), *bases}


def _worded(equation: Equation) -> list[str]:
    """The symbols that are spelt as their names, whose first part is a word."""
    return [
        name
        for name, symbol in equation.symbols.items()
        if not symbol.latex and len(_stem(name)) > 1 and _stem(name).isalpha() and _stem(name) not in GREEK
    ]


def _stem(name: str) -> str:
    return name.partition("_")[0]


def _row(text: str, words: Collection[str], letters: Collection[str]) -> list[str]:
    """The one way in which letters are a row of words and of single names; nothing where there are several or none."""
    ways, last = [1, *[0] * len(text)], [""] * (len(text) + 1)
    for place in range(len(text)):
        for part in (text[place], *words) if ways[place] else ():
            if text.startswith(part, place) and (len(part) > 1 or part in letters):
                ways[place + len(part)] += ways[place]
                last[place + len(part)] = part
    found: list[str] = []
    place = len(text)
    while place and ways[-1] == 1:
        found.insert(0, last[place])
        place -= len(last[place])
    return found


def _used(form: Form) -> dict[str, tuple[Term, ...]]:
    """The axes of symbols without a shape: a number has none, and an entry's indices run over its axes."""
    found: dict[str, tuple[Term, ...] | None] = {}
    for node in (each for part in form.parts for each in walk(part.statement)):
        if isinstance(node, Name) and node.name in form.shapes:
            dims: tuple[Term, ...] | None = ()
        elif isinstance(node, Indexed):
            ends = [form.indices.get(each.name) if isinstance(each, Name) else None for each in node.subscripts]
            whole = [each.stop for each in ends if each is not None and each.start == ZERO]
            dims = tuple(whole) if len(whole) == len(ends) else None
        else:
            continue
        name = node.name if isinstance(node, Name) else node.base
        found[name] = dims if found.get(name, dims) == dims else None
    return {name: dims for name, dims in found.items() if dims is not None}


def _is_product(text: str, equation: Equation) -> bool:
    """Whether a spelling is made of two or more of other symbols' letters."""
    found = spelled(text)
    if found is None or len(found.base) < 2:
        return False
    letters = {(each.latex or (name,))[0] for name, each in equation.symbols.items()}
    return sum(key in letters for key in found.base) > 1


def _sizes(form: Form) -> set[str]:
    """The sizes that the shapes and ranges of an equation name, and those that its form does."""
    nodes: list[Node] = [dim for shape in form.shapes.values() if shape is not None for dim in shape.dims]
    nodes += [end for ends in form.indices.values() for end in (ends.start, ends.stop)]
    nodes += [part.statement for part in form.parts]
    nodes += [*form.where]
    return {name for node in nodes for name in symbol_names(node)} & form.sizes


@lru_cache(4096)
def spelled(text: str) -> Spelling | None:
    """A declared spelling; None where it is none that can be looked for."""
    try:
        found = bare(tokens(text))
    except Unread:
        return None
    return _spelling(tuple(token.key for token in found if token.kind is not Kind.GAP), explicit=True)


def _spelling(keys: Keys, *, explicit: bool = False) -> Spelling | None:
    """Keys, the scripts at their end taken off."""
    scripts: dict[str, Keys] = {}
    while True:
        for mark in ("_", "^"):
            taken = _script(keys, mark)
            if taken is not None and mark not in scripts:
                keys, scripts[mark] = taken
                break
        else:
            break
    return Spelling(keys, scripts.get("_"), scripts.get("^"), explicit) if keys else None


def _script(keys: Keys, mark: str) -> tuple[Keys, Keys] | None:
    if len(keys) >= 3 and keys[-2] == mark and keys[-1] != "}":
        return keys[:-2], keys[-1:]
    if keys and keys[-1] == "}":
        depth = 0
        for place in range(len(keys) - 1, 0, -1):
            depth += (keys[place] == "}") - (keys[place] == "{")
            if not depth:
                return (keys[: place - 1], keys[place + 1 : -1]) if place > 1 and keys[place - 1] == mark else None
    return None


@lru_cache(4096)
def default(name: str, size: bool = False) -> list[Spelling]:
    """How a name is spelt where nothing is declared: x, beta, W1 or Wq (a subscript), Xhat, dX (no size's), a word."""
    return [spelling for keys in dict.fromkeys(_default(name, size)) if (spelling := _spelling(keys)) is not None]


def _default(name: str, size: bool) -> Iterator[Keys]:
    for base in _letters(name):
        yield (base,)
    if len(name) == 1 or name in GREEK:
        return
    for accent in _ACCENTS:
        if name.endswith(accent) and (bare := name.removesuffix(accent).removesuffix("_")):
            for inner in _default(bare, size):
                yield (f"\\{accent}", *inner) if len(inner) == 1 else (f"\\{accent}", "{", *inner, "}")
    for word, mark in _MARKS.items():
        if name.endswith(word) and (bare := name.removesuffix(word).removesuffix("_")):
            yield from ((*inner, "^", mark) for inner in _default(bare, size) if len(inner) == 1)
    stem, rest = _parted(name)
    for base in _letters(stem) if rest else ():
        for sub in _subscript(rest):
            yield (base, "_", *sub)
    short = _SHORT.fullmatch(name)
    if short is not None:
        for sub in _subscript(short.group(2)):
            yield (short.group(1), "_", *sub)
    function = _FUNCTION.fullmatch(name)
    if function is not None:
        word, number, back = function.groups()
        yield (f'"{word}"', *(("_", *number) if number else ()), *(("^", '"back"') if back else ()))
    if name[0] == "d" and not size:
        for inner in _default(name[1:], size):
            yield ("d", *inner)
            yield ("\\Delta", *inner)
    yield (f'"{name}"',)


def _letters(name: str) -> list[str]:
    """The letters that a name alone may stand for, Latin or Greek."""
    if len(name) == 1:
        return [name]
    letter = _CALLED.get(name, name)
    found = [letter, *(each for each in (_VARIANTS.get(letter),) if each)] if letter in GREEK else []
    return [f"\\{each}" for each in found]


def _subscript(rest: str) -> Iterator[Keys]:
    if len(rest) == 1 or rest.isdigit():
        yield (rest,)
    elif rest in ("max", "min"):
        yield (f"\\{rest}",)
        yield (f'"{rest}"',)
        yield ("{", *rest, "}")
    elif rest in GREEK:
        yield (f"\\{rest}",)
    else:
        yield (f'"{rest}"',)
        yield ("{", *rest, "}")
