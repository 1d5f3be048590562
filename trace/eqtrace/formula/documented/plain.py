"""Expressions as programs and people write them: a recursive descent over a fixed grammar, by declared names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction

from eqtrace.formula.documented.tokens import Kind, Run, Token
from eqtrace.formula.documented.words import ALIASES
from eqtrace.formula.latex.arrays import ONE, ZERO, Arrays, Subscripts, Value, scalar, term_of
from eqtrace.formula.latex.conditions import indicator
from eqtrace.formula.latex.cursor import Reading
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.names import Declared, Role
from eqtrace.formula.syntax import LIMIT_POWER
from eqtrace.formula.term import (
    Add,
    Call,
    Compare,
    Constant,
    Div,
    Eq,
    Indexed,
    MaxOver,
    MinOver,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Pow,
    Product,
    Reduction,
    Sum,
    Term,
    walk,
)
from eqtrace.formula.vocabulary import VOCABULARY
from eqtrace.formula.vocabulary import Kind as Word

LIMIT_DEPTH = 60
_OVER: dict[str, type[Reduction]] = {
    "sum": Sum, "prod": Product, "max": MaxOver, "amax": MaxOver, "min": MinOver, "amin": MinOver
}  # fmt: skip
_CONSTANTS = {"pi": "pi", "Pi": "pi", "PI": "pi", "inf": "oo", "infinity": "oo"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_RELATIONS = {"<", ">", "<=", ">=", "==", "!="}


class Plain:
    """One run of tokens; all of them must be consumed. `known` are the names that may stand in it."""

    def __init__(
        self,
        run: Run,
        reading: Reading,
        known: Mapping[str, tuple[Declared, ...]],
        arguments: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.arguments = arguments  # of definitions that have some
        self.run = run
        self.place = 0
        self.reading = reading
        self.known = known
        self.arrays: Arrays = reading.arrays
        self.depth = 0

    # Tokens

    @property
    def text(self) -> str:
        """The next token; '' at the end."""
        return self.run[self.place].text if self.place < len(self.run) else ""

    def take(self) -> Token:
        """The next token."""
        if self.place >= len(self.run):
            raise Unread("something is missing at the end", self._end())
        self.place += 1
        return self.run[self.place - 1]

    def expect(self, text: str, opening: Token) -> None:
        """The bracket that closes another."""
        if not self.text:
            raise Unread(f"{opening.text} is never closed", opening.offset)
        if self.text != text:
            raise self.unread(f"{self.text} stands where {opening.text} is to be closed")
        self.take()

    def unread(self, message: str) -> Unread:
        """Why it is not read, here."""
        token = self.run[self.place] if self.place < len(self.run) else None
        return Unread(message, token.offset, token.length) if token else Unread(message, self._end())

    def _end(self) -> int:
        return self.run[self.place - 1].end - 1 if self.run and self.place else 0

    # Grammar

    def whole(self) -> Value:
        """All that there is, as one expression."""
        if not self.run:
            raise Unread("nothing stands here")
        value = self.expression()
        if self.text in (")", "]", "}"):
            raise self.unread(f"{self.text} closes nothing")
        if self.place < len(self.run):
            raise self.unread(f"{self.text} is left over")
        return value

    def expression(self) -> Value:
        """Terms with signs."""
        self.depth += 1
        if self.depth > LIMIT_DEPTH:
            raise self.unread("nested too deep")
        value = self.product()
        while self.text in ("+", "-"):
            sign = self.take()
            value = self.arrays.add(value, self.product(), sign.offset if sign.text == "-" else None)
        self.depth -= 1
        return value

    def product(self) -> Value:
        """Factors; where none stands between them, only what can be nothing but a product."""
        start = self.place
        value = self.signed()
        divided = False
        while True:
            text = self.text
            if text == "*":
                self.take()
                value = self._times(value, self.signed())
            elif text == "/":
                self.take()
                divided = True
                value = self.arrays.pairs(lambda a, b: Div(term_of(a), term_of(b)), value, self.signed(), "a quotient")
            elif text == "@":
                self.take()
                value = self.arrays.multiply(value, self.signed())
            elif text == "%":
                self.take()
                value = self._call("Mod", [value, self.signed()])
            elif self._follows():
                if divided:
                    raise self.unread("what a quotient's bar takes in is open")
                value = self._times(value, self.power())
            else:
                return self._placed(value, start)

    def _follows(self) -> bool:
        """Whether a factor stands here without a sign: behind a bracket or a number, that is a product."""
        if not self.place or self.place >= len(self.run):
            return False
        before, token = self.run[self.place - 1], self.run[self.place]
        starts = token.kind is Kind.NAME or token.text in ("(", "√")
        if before.text in (")", "]", "}"):
            return starts
        return before.kind is Kind.NUMBER and starts

    def _times(self, one: Value, other: Value) -> Value:
        return self.arrays.pairs(lambda a, b: Mul(term_of(a), term_of(b)), one, other, "a product")

    def signed(self) -> Value:
        """A factor with a sign."""
        start = self.place
        if self.text == "-":
            self.take()
            return self._placed(self.arrays.each(lambda node: Neg(term_of(node)), self._deeper(self.signed)), start)
        if self.text == "+":
            self.take()
            return self._deeper(self.signed)
        return self.power()

    def _deeper(self, read: Callable[[], Value]) -> Value:
        self.depth += 1
        if self.depth > LIMIT_DEPTH:
            raise self.unread("nested too deep")
        value = read()
        self.depth -= 1
        return value

    def power(self) -> Value:
        """A factor with its exponent, which takes what stands right of it first."""
        start = self.place
        value = self.atom()
        while self.text == "!" and not self.run[self.place].gap:
            self.take()
            value = self._call("factorial", [value])
        if self.text == "**":
            self.take()
            exponent = self._deeper(self.signed)
            if not exponent.dims and not exponent.batch and _is_large(exponent.term):
                raise self.unread("a power that is too large")
            value = self.arrays.pairs(lambda a, b: Pow(term_of(a), term_of(b)), value, exponent, "a power")
        return self._placed(value, start)

    def atom(self) -> Value:
        """A number, a name, a call, or something in brackets."""
        token = self.run[self.place] if self.place < len(self.run) else None
        if token is None:
            raise Unread("something is missing at the end", self._end())
        if token.kind is Kind.NUMBER:
            return scalar(Number(_number(self.take())), token.offset, token.length)
        if token.kind is Kind.NAME:
            return self._name(self.take())
        if token.text in _CLOSING:
            return self._bracketed()
        if token.text == "|":
            opening, start = self.take(), self.place - 1
            value = self.expression()
            self.expect("|", opening)
            return self._placed(self.arrays.each(_of("Abs"), value), start)
        if token.text == "√":
            self.take()
            return self.arrays.each(_of("sqrt"), self.atom())
        if token.text == "∞":
            self.take()
            return scalar(Constant("oo"), token.offset, token.length)
        raise self.unread(f"{token.text} is not read here")

    def _bracketed(self) -> Value:
        """Brackets of whatever form; what is compared in them counts 1 where it holds, else 0."""
        start = self.place
        opening = self.take()
        value = self.expression()
        if self.text in _RELATIONS:
            sign = self.take().text
            other = self.expression()
            value = self.arrays.each(indicator, self.arrays.pairs(_compared(sign), value, other, "a comparison"))
        if self.text == ",":
            raise self.unread("several things in brackets")
        self.expect(_CLOSING[opening.text], opening)
        return self._placed(value, start)

    # Names

    def _name(self, token: Token) -> Value:
        place = self.place - 1
        called = self.text in _CLOSING and not (self.text == "[" and self._has_axes(token.text))
        declared = self.known.get(token.text, ())
        if len(declared) > 1:
            names = " or ".join(each.name for each in declared)
            raise Unread(f"{token.text}: {names}?", token.offset, token.length)
        if called and (not declared or declared[0].role is not Role.HELPER):
            return self._placed(self._called(token, declared[0] if declared else None), place)
        if called:
            self._arguments_of(token, declared[0])
        if declared:
            return self._placed(self._declared(declared[0], token), place)
        if token.text in _CONSTANTS:
            return scalar(Constant(_CONSTANTS[token.text]), token.offset, token.length)
        if token.text == "e":
            if self.text == "**":
                self.take()
                return self._placed(self.arrays.each(_of("exp"), self._deeper(self.signed)), place)
            return scalar(Call("exp", (ONE,)), token.offset, token.length)
        raise Unread(f"{token.text} is not declared", token.offset, token.length)

    def _has_axes(self, text: str) -> bool:
        return any(each.role is Role.SYMBOL and each.dims != () for each in self.known.get(text, ()))

    def _declared(self, declared: Declared, token: Token) -> Value:
        if declared.role is Role.SYMBOL:
            if self.text == "[" and declared.dims:
                return self._entry(declared)
            return self.reading.entries().entry(declared, (), False)
        if declared.role is Role.HELPER and declared.term is not None:
            return scalar(declared.term)
        if declared.role is Role.FUNCTION:
            raise Unread(f"{declared.name} without arguments", token.offset, token.length)
        return scalar(Name(declared.name))

    def _arguments_of(self, token: Token, declared: Declared) -> None:
        """A definition with its arguments behind it: they must be those that it was defined with."""
        opening = self.take()
        names = []
        while self.text and self.text != _CLOSING[opening.text]:
            names.append(self.take().text)
        self.expect(_CLOSING[opening.text], opening)
        if tuple(each for each in names if each not in (",", ";")) != self.arguments.get(declared.name):
            raise Unread(f"{token.text} of other arguments than it is defined with", token.offset, token.length)

    def _entry(self, declared: Declared) -> Value:
        """Subscripts and slices, one an axis; axes behind them stay: `x[1:]`, `W[:, j]`, `X[t]`."""
        opening = self.take()
        dims = declared.dims or ()
        fixed: dict[int, Term] = {}
        kept: dict[int, tuple[Term, Term]] = {}  # where each begins, and how long it is
        for axis in itertools.count():
            if axis == len(dims):
                raise self.unread(f"{declared.name} has {len(dims)} axes, and more subscripts")
            if self._is_slice():
                kept[axis] = self._slice(dims[axis])
            else:
                fixed[axis] = _from_start(self.expression().term, dims[axis])
            if self.text != ",":
                break
            self.take()
        self.expect("]", opening)
        kept |= {axis: (ZERO, dims[axis]) for axis in range(len(fixed) + len(kept), len(dims))}
        if len(kept) > 2:
            raise self.unread("an array of more than two axes")

        def entry(batch: Subscripts, subs: Subscripts) -> Node:
            at = {axis: _plus(sub, kept[axis][0]) for axis, sub in zip(kept, subs, strict=True)}
            return Indexed(declared.name, tuple(fixed.get(axis) or at[axis] for axis in range(len(dims))))

        return Value((), tuple(length for _, length in kept.values()), entry)

    def _is_slice(self) -> bool:
        depth = 0
        for token in self.run[self.place :]:
            depth += (token.text in _CLOSING) - (token.text in (")", "]", "}"))
            if depth < 0 or (not depth and token.text == ","):
                return False
            if not depth and token.text == ":":
                return True
        return False

    def _slice(self, length: Term) -> tuple[Term, Term]:
        """`1:`, `:-1`, `1:-1`: where it begins, and how long it is."""
        first = ZERO if self.text == ":" else self.expression().term
        self.take()
        last = length if self.text in ("]", ",") else self.expression().term
        if self.text == ":":
            raise self.unread("a slice with a step")
        start, stop = (_from_start(each, length) for each in (first, last))
        return start, stop if start == ZERO else Add(stop, Neg(start))

    # Functions

    def _called(self, token: Token, declared: Declared | None) -> Value:
        opening = self.take()
        function = ALIASES.get(token.text, token.text)
        word = VOCABULARY.get(function)
        known = word is not None and word.kind is Word.FUNCTION
        symbol = declared is not None and declared.role is not Role.FUNCTION
        if symbol and not (known and not self._counts(function)):
            message = f"{token.text}: a product, or a function of what stands in brackets?"
            raise Unread(message, token.offset, token.length)
        args = self._args(opening)
        if declared is not None and declared.role is Role.FUNCTION:
            raise Unread(f"{token.text}: a function of the specification in plain text", token.offset, token.length)
        if token.text in _OVER and len(args) == 1 and args[0].dims:
            return self._over(_OVER[token.text], args[0])
        if token.text == "mean" and len(args) == 1 and args[0].dims:
            total = self._over(Sum, args[0]).term
            count: Term = args[0].dims[0]
            for dim in args[0].dims[1:]:
                count = Mul(count, dim)
            return scalar(Div(total, count))
        if token.text in ("pow", "power") and len(args) == 2:
            return self.arrays.pairs(lambda a, b: Pow(term_of(a), term_of(b)), args[0], args[1], "a power")
        if token.text == "square" and len(args) == 1:
            return self.arrays.each(lambda node: Pow(term_of(node), Number(Fraction(2))), args[0])
        if not known or word is None:
            raise Unread(f"the function {token.text} is not known", token.offset, token.length)
        if len(args) < word.least or (word.most is not None and len(args) > word.most):
            raise Unread(f"{token.text} of {len(args)} arguments: {word.signature}", token.offset, token.length)
        return self._call(function, args)

    def _counts(self, function: str) -> bool:
        """Whether what stands in brackets could be the arguments of a function."""
        depth, count = 0, 1
        for token in self.run[self.place :]:
            depth += (token.text in _CLOSING) - (token.text in (")", "]", "}"))
            if depth < 0:
                break
            count += not depth and token.text == ","
        return count == VOCABULARY[function].least

    def _args(self, opening: Token) -> list[Value]:
        args = [self.expression()]
        while self.text == ",":
            self.take()
            args.append(self.expression())
        self.expect(_CLOSING[opening.text], opening)
        return args

    def _call(self, function: str, args: list[Value]) -> Value:
        if len(args) == 1:
            return self.arrays.each(_of(function), args[0])
        if len(args) == 2:
            return self.arrays.pairs(
                lambda a, b: Call(function, (term_of(a), term_of(b))), args[0], args[1], "two arguments"
            )
        return scalar(Call(function, tuple(each.term for each in args)))

    def _over(self, kind: type[Reduction], value: Value) -> Value:
        """A sum, a product, a largest or a smallest over all axes."""
        value = self.arrays.sized(value, value)
        if value.batch:
            raise self.unread("a sum over an array of three axes")
        names = [self.arrays.fresh() for _ in value.dims]
        node = value.entry((), tuple(map(Name, names)))
        for name, dim in zip(reversed(names), reversed(value.dims), strict=True):
            node = kind(term_of(node), name, ZERO, dim)
        return scalar(node)

    def _placed(self, value: Value, start: int) -> Value:
        first = self.run[start].offset
        return value.at(first, max(1, self.run[self.place - 1].end - first))


def _is_large(exponent: Term) -> bool:
    """Whether an exponent is a number so large that nobody could mean it, or one that is itself a power of numbers."""
    nodes = list(walk(exponent))
    if any(isinstance(each, Name | Indexed) for each in nodes):
        return False
    return any(isinstance(each, Pow) or (isinstance(each, Number) and abs(each.value) > LIMIT_POWER) for each in nodes)


def _of(function: str) -> Callable[[Node], Node]:
    return lambda node: Call(function, (term_of(node),))


def _compared(sign: str) -> Callable[[Node, Node], Node]:
    if sign == "==":
        return lambda a, b: Eq((term_of(a), term_of(b)))
    return lambda a, b: Compare(sign, term_of(a), term_of(b))


def _number(token: Token) -> Fraction:
    try:
        digits, _, power = token.text.lower().partition("e")
        if abs(int(power or 0)) > 400 or len(digits) > 60:
            raise Unread("a number that is too long", token.offset, token.length)
        return Fraction(digits.rstrip(".") if digits.endswith(".") else digits) * Fraction(10) ** int(power or 0)
    except ValueError:
        raise Unread("this is no number", token.offset, token.length) from None


def _from_start(bound: Term, length: Term) -> Term:
    """A bound of a slice, one from the end counted from the start."""
    return _plus(length, bound) if isinstance(bound, Neg) else bound


def _plus(one: Term, other: Term) -> Term:
    return one if other == ZERO else Add(one, other)
