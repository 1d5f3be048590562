"""Expressions: a recursive descent over tokens, by the names that are declared."""

from __future__ import annotations

from fractions import Fraction

from eqtrace.formula.latex.arrays import ONE, ZERO, Subscripts, Value, call, scalar, term_of
from eqtrace.formula.latex.conditions import indicator
from eqtrace.formula.latex.cursor import Run, outer, split
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.functions import FUNCTIONS, RECIPROCALS, applied, called, norm
from eqtrace.formula.latex.named import Named
from eqtrace.formula.latex.over import OVER, Over
from eqtrace.formula.latex.tokens import Kind
from eqtrace.formula.term import (
    Call,
    Constant,
    Derivative,
    Div,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Pow,
    Sum,
    Term,
    changed,
)

LETTERS = {"\\Gamma": ("gamma", 1), "\\psi": ("digamma", 1), "B": ("beta", 2), "\\beta": ("beta", 2)}
_CLOSING = {
    "(": ")",
    "[": "]",
    "\\{": "\\}",
    "\\lfloor": "\\rfloor",
    "\\lceil": "\\rceil",
    "|": "|",
    "\\lvert": "\\rvert",
}
_TIMES = frozenset({"\\cdot", "\\times", "*"})
_STOPS = frozenset(
    {
        "\\}",
        "\\rfloor",
        "\\rceil",
        "\\rangle",
        "\\rvert",
        "\\rVert",
        "\\\\",
        "\\end",
        "\\partial",
        "\\dots",
        "\\Rightarrow",
    }
    | {"\\leftarrow", "\\to", "\\in", "\\sim", "\\le", "\\ge", "\\ne", "\\cdot", "\\times", "\\odot", "\\bmod"}
    | {"\\mapsto", "\\approx", "\\top"}
)
_WORDS = frozenset({"\\det", "\\Pr"})


class Parser(Named, Over):
    """One run of tokens, by the whole grammar."""

    number = -1  # the place behind the number that was read last

    def expression(self) -> Value:
        """Terms with signs."""
        start = self.here()
        negative = self.key == "-"
        if self.key in ("+", "-"):
            self.take()
        value = self.product()
        if negative:
            value = self.arrays.each(lambda node: Neg(term_of(node)), value)
        while self.key in ("+", "-"):
            sign = self.take()
            value = self.arrays.add(value, self.product(), sign.offset if sign.key == "-" else None)
        return value.at(start, max(1, self.end() - start))

    def product(self) -> Value:
        """Factors side by side; a sum takes all that follows it."""
        start = self.here()
        value = self.factor()
        many = -1
        while True:
            key = self.key
            many += 1
            if key in _TIMES:
                self.take()
                other = self.factor()
                if key == "\\cdot" and value.dims and other.dims and len(value.dims) == len(other.dims) == 1:
                    raise self.unread("a product of two vectors")
                if key == "*" and value.dims and other.dims:
                    raise self.unread("a product of arrays by *: of entries, or of matrices?")
                value = self.arrays.multiply(value, other)
            elif key == "\\odot":
                self.take()
                value = self.arrays.entrywise(value, self.factor())
            elif key == "/":
                self.take()
                value = self.arrays.divide(value, self.factor())
                if self.starts():
                    raise self.unread("what a quotient's bar takes in is open: write \\frac")
            elif key == "\\bmod":
                self.take()
                other = self.factor()
                if many or self.starts():
                    raise self.unread("what \\bmod takes in is open")
                value = scalar(Call("Mod", (value.term, other.term)))
            elif self.starts():
                value = self._beside(value)
            else:
                return value.at(start, max(1, self.end() - start))

    def _beside(self, value: Value) -> Value:
        """The product with the factor that stands here; a symbol before a bracket may be meant to be applied."""
        if self.run[self.place].kind is Kind.NUMBER and self.number == self.place:
            raise self.unread("two numbers side by side")
        applied = self.key == "(" and isinstance(value.whole, Name)
        try:
            return self.arrays.multiply(value, self.factor())
        except Misfit as error:
            if applied:
                raise Unread(
                    "a product, or a function of what stands in brackets?", error.offset, error.length
                ) from None
            raise

    def starts(self) -> bool:
        """Whether a factor starts here."""
        if self.place >= len(self.run):
            return False
        token = self.run[self.place]
        if token.kind in (Kind.LETTER, Kind.NUMBER, Kind.WORD):
            return True
        if token.kind is Kind.COMMAND:
            return token.key not in _STOPS
        return token.key in ("(", "{", "|", "[", "\\lvert")

    # Factors

    def factor(self) -> Value:
        """One thing with its scripts."""
        start, first = self.here(), self.place
        value = self._scripted(self._atom())
        if self.key == "!":
            value = self._factorial(value, self.run[first : self.place])
        return value.at(start, max(1, self.end() - start))

    def _factorial(self, value: Value, found: Run) -> Value:
        self.take()
        if self.key == "!":
            raise self.unread("a factorial of a factorial, or every other number?")
        if any(token.key == "^" for token in outer(found)):
            raise self.unread("a factorial behind a power: write brackets")
        return self.arrays.each(call("factorial"), value)

    def _atom(self) -> Value:
        key = self.key
        named = self.named()
        if named is not None:
            return named
        token = self.run[self.place] if self.place < len(self.run) else None
        if token is None or not key:
            raise self.unread("something is missing")
        if token.kind is Kind.NUMBER:
            self.number = self.place + 1
            return scalar(Number(Fraction(self.take().text)))
        if key in ("\\frac",):
            return self._fraction()
        if key == "\\sqrt":
            return self._root()
        if key == "\\begin" or (key == "\\{" and self.after(1) == "\\begin"):
            return self.cases()
        if key in OVER or key == "\\arg":
            return self.over()
        if key in FUNCTIONS or key in RECIPROCALS:
            return called(self)
        if key in ("\\|", "\\lVert"):
            return norm(self)
        if key in LETTERS and self.after(1) in ("(", "["):
            return self._of_several()
        if key in ("(", "[", "\\{", "|", "\\lvert", "\\lfloor", "\\lceil"):
            return self._bracketed()
        if key == "{":
            return self._grouped()
        if key == "\\pi":
            self.take()
            return scalar(Constant("pi"))
        if key == "\\infty":
            self.take()
            return scalar(Constant("oo"))
        if key == "e" and self.after(1) == "^":
            self.take()
            self.take()
            return self.arrays.each(call("exp"), self.inner(self.group()))
        if key == "\\delta" and self.after(1) == "_":
            return self._delta()
        if key in ('\\mathbf"1"', '\\mathbb"1"', '\\mathbf"0"'):
            return self._ones()
        if key == "I":
            self.take()
            return Value((), (), _identity, unit=True)
        if token.kind is Kind.WORD or key in _WORDS:
            return self._word()
        raise self.unread(f"{token.text} is not declared")

    def _scripted(self, value: Value) -> Value:
        """Scripts behind what is no name: powers, transposes, subscripts of a bracket."""
        while self.key in ("^", "_") or (self.place < len(self.run) and self.run[self.place].kind is Kind.PRIME):
            if self.run[self.place].kind is Kind.PRIME:
                raise self.unread("a prime that is part of no spelling")
            if self.take().key == "_":
                value = self._subscripted(value, self.subscripts(self.group()))
            else:
                value = self.raised(value, self.group())
        return value

    def raised(self, value: Value, found: Run) -> Value:
        """A power, or a transpose."""
        keys = tuple(token.key for token in found)
        if keys in (("\\top",), ("\\intercal",), ("T",)) and (keys != ("T",) or value.dims):
            if keys == ("T",):
                raise self.unread("^T: a transpose is written ^\\top")
            return self.arrays.transpose(value)
        if len(value.dims) > 1:
            raise self.unread("a power of a matrix")
        exponent = self.inner(found)
        return self.arrays.pairs(lambda a, b: Pow(term_of(a), term_of(b)), value, exponent, "a power")

    def _subscripted(self, value: Value, found: tuple[Value, ...]) -> Value:
        """Entries of an expression: `(XW)_{tj}`."""
        subs = tuple(each.term for each in found)
        if len(subs) > len(value.dims):
            raise self.unread("more subscripts than axes")
        for sub, dim in zip(subs, value.dims, strict=False):
            stop = self.reading.lengths.get(sub.name) if isinstance(sub, Name) else None
            if stop is not None:
                self.arrays.same(stop, dim, value, "a subscript")
        entry = value.entry
        count = len(subs)
        return changed(
            value, dims=value.dims[count:], entry=lambda batch, rest: entry(batch, (*subs, *rest)), turned=False
        )

    def argument(self) -> Value:
        """What a function without brackets takes: one factor, or a sum; what could belong to it too is refused."""
        if self.key in ("(", "[", "\\{"):
            value = self.inner(self.between(self.key, _CLOSING[self.key]))
            if self.key in ("^", "_"):
                raise self.unread("a script behind a function's argument")
            return value
        over = self.key in OVER
        value = self.factor()
        if not over and self.key == "/" and self.number != self.place:  # `\ln 2 / x` is plain
            raise self.unread("what the function takes in is open: write brackets, or \\frac")
        if not over and self.starts() and self.key not in FUNCTIONS and self.key not in RECIPROCALS:
            raise self.unread("what the function takes in is open: write brackets")
        return value

    def _fraction(self) -> Value:
        self.take()
        above, below = self.group(), self.group()
        if above and above[0].key == "\\partial":
            return self._derivative(above, below)
        return self.arrays.divide(self.inner(above), self.inner(below))

    def _derivative(self, above: Run, below: Run) -> Value:
        if not below or below[0].key != "\\partial":
            raise self.unread("a derivative by nothing")
        body, by = self.inner(above[1:]), self.inner(below[1:])
        if by.batch or by.dims or body.batch or body.dims:
            return self._jacobian(body, by)
        variable = by.term
        if not isinstance(variable, Indexed | Name):
            raise self.unread("a derivative by what is no symbol")
        return scalar(Derivative(body.term, (variable,)))

    def _jacobian(self, body: Value, by: Value) -> Value:
        """The derivative of a matrix by a matrix: an array of four axes."""
        if body.batch or by.batch or len(body.dims) != 2 or len(by.dims) != 2 or by.whole is None:
            raise self.unread("a derivative of arrays that are no matrices")
        above, below = body.entry, by.entry

        def entry(batch: Subscripts, subs: Subscripts) -> Node:
            return Derivative(term_of(above((), subs[:2])), (term_of(below((), subs[2:])),))

        return Value((), (*body.dims, *by.dims), entry)

    def _root(self) -> Value:
        self.take()
        if self.key != "[":
            return self.arrays.each(call("sqrt"), self.inner(self.group()))
        degree = self.inner(self.between("[", "]")).term
        value = self.inner(self.group())
        if degree == Number(Fraction(3)):
            return self.arrays.each(call("cbrt"), value)
        return self.arrays.each(lambda node: Pow(term_of(node), Div(ONE, degree)), value)

    def _bracketed(self) -> Value:
        opening = self.run[self.place]
        found = self.between(opening.key, _CLOSING[opening.key])
        if opening.key in ("|", "\\lvert") and len(found) > 2 and found[0].key == "\\{" and found[-1].key == "\\}":
            return self._count(found[1:-1])
        value = self.inner(found)
        if opening.key in ("(", "[", "\\{"):
            return value
        function = {"|": "Abs", "\\lvert": "Abs", "\\lfloor": "floor", "\\lceil": "ceiling"}[opening.key]
        return self.arrays.each(call(function), value)

    def _of_several(self) -> Value:
        r"""`\Gamma(x)`, `B(a, b)`: functions that are letters where nothing is declared by them."""
        function, count = LETTERS[self.take().key]
        args = [self.inner(part) for part in split(self.between(self.key, _CLOSING[self.key]), (",",))]
        if len(args) != count:
            raise self.unread(f"{function} of {len(args)} arguments")
        if count == 1:
            return self.arrays.each(call(function), args[0])
        one, other = args
        return self.arrays.pairs(lambda a, b: Call(function, (term_of(a), term_of(b))), one, other, "two arguments")

    def _grouped(self) -> Value:
        """Braces, which nobody sees: a script behind them is read as it shows, at the last thing in them."""
        found = self.group()
        if self.key not in ("^", "_", "!") or len(found) < 2:
            return self.inner(found)
        start = self.place
        while self.key in ("^", "_", "!"):
            if self.take().key != "!":
                self.group()
        return self.inner((*found, *self.run[start : self.place]))

    def _count(self, found: Run) -> Value:
        """`|{ i : condition }|`."""
        head, *rest = split(found, (":",))
        if len(rest) != 1:
            raise self.unread("a set whose members are not told")
        index = self.binder_name(head)
        return self.arrays.each(lambda node: Sum(term_of(indicator(node)), index), self.condition(rest[0]))

    def _delta(self) -> Value:
        self.take()
        self.take()
        subs = tuple(each.term for each in self.subscripts(self.group()))
        if len(subs) != 2:
            raise self.unread("\\delta takes two subscripts")
        return scalar(Call("KroneckerDelta", subs))

    def _ones(self) -> Value:
        token = self.take()
        if token.text == "0":
            return Value((), (), lambda batch, subs: ZERO, ones=True)
        if self.key != "[":
            return Value((), (), lambda batch, subs: ONE, ones=True)
        holds = self.condition(self.between("[", "]"))
        return self.arrays.each(indicator, holds)

    def _word(self) -> Value:
        return applied(self)


def _identity(batch: Subscripts, subs: Subscripts) -> Node:
    half = len(subs) // 2
    found: Term = Call("KroneckerDelta", (subs[0], subs[half]))
    for one, other in zip(subs[1:half], subs[half + 1 :], strict=True):
        found = Mul(found, Call("KroneckerDelta", (one, other)))
    return found
