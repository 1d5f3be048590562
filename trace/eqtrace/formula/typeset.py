r"""Forms as LaTeX, as `formula.latex` reads it back: `0.5*m*v**2` as `0.5\,m\,v^{2}`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from eqtrace.formula.documented.text import last_of
from eqtrace.formula.form import RESULT
from eqtrace.formula.term import (
    Add,
    And,
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
    Or,
    Piecewise,
    Pow,
    Product,
    Reduction,
    Sum,
    Term,
    Truth,
)

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_NAMED = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log"})
_CALLED = {
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log2": r"\log_{2}", "log10": r"\log_{10}",
    "Max": r"\max", "Min": r"\min", "gamma": r"\Gamma", "digamma": r"\psi", "beta": r"\mathrm{B}",
}  # fmt: skip
_AROUND = {"Abs": ("|", "|"), "floor": (r"\lfloor", r"\rfloor"), "ceiling": (r"\lceil", r"\rceil")}
_OVER = {Sum: r"\sum", Product: r"\prod", MaxOver: r"\max", MinOver: r"\min"}
_SIGNS = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "!=": r"\ne"}
_FEW = 6  # digits of a decimal that is written out


class Unwritten(Exception):
    """A node that has no LaTeX here."""


class Writer:
    """Writes terms; `spelt` gives a symbol's spelling by its name."""

    def __init__(self, spelt: Callable[[str], str]) -> None:
        self._spelt = spelt

    def statement(self, node: Node, left: str) -> str:
        """A form: an equation as it is, or with what stands `left` of a term, or of an equation of the result.

        Raises:
            Unwritten: a part of it has no LaTeX here.
        """
        if isinstance(node, Eq):
            first, *others = node.sides
            return " = ".join([left if first == Name(RESULT) else self.term(first), *map(self.term, others)])
        if isinstance(node, Term):
            return f"{left} = {self.term(node)}"
        raise Unwritten

    def term(self, node: Node, level: int = _SUM) -> str:
        """A term, in brackets where it binds less than `level`.

        Raises:
            Unwritten: a part of it has no LaTeX here.
        """
        text, own = self._of(node)
        return text if own >= level else rf"\left({text}\right)"

    def _of(self, node: Node) -> tuple[str, int]:
        match node:
            case Number(value=value):
                return _number(value)
            case Constant(name="pi"):
                return r"\pi", _ATOM
            case Constant(name="oo"):
                return r"\infty", _ATOM
            case Name(name=name):
                text = self._spelt(name)
                return text, _SUM if " + " in text or " - " in text else _POWER if "^" in text else _ATOM
            case Indexed(base=base, subscripts=subscripts):
                subs = ", ".join(map(self.term, subscripts))
                name = self._spelt(base)
                return (f"{name}_{{{subs}}}" if "_" not in name else f"({name})_{{{subs}}}"), _ATOM
            case Add(left=left, right=Neg(operand=operand)):
                return f"{self.term(left)} - {self.term(operand, _PRODUCT)}", _SUM
            case Add(left=left, right=right):
                return f"{self.term(left)} + {self.term(right, _PRODUCT)}", _SUM
            case Neg(operand=operand):
                return f"-{self.term(operand, _PRODUCT)}", _SUM
            case Mul(left=Neg(operand=operand), right=right):
                return f"-{self.term(Mul(operand, right), _PRODUCT)}", _SUM
            case Mul(left=left, right=right):
                one, other = self.term(left, _POWER if _is_open(left) else _PRODUCT), self.term(right, _POWER)
                sign = r"\cdot " if other[0].isdigit() else r"\,"
                return f"{one}{sign}{other}", _PRODUCT
            case Div(left=left, right=right):
                return rf"\frac{{{self.term(left)}}}{{{self.term(right)}}}", _POWER
            case Pow(base=base, exponent=exponent):
                return f"{self.term(base, _ATOM)}^{{{self.term(exponent)}}}", _POWER
            case Call(function=function, args=args):
                return self._called(function, [self.term(each) for each in args], args)
            case Reduction(body=body, index=index, start=start, stop=stop) if type(node) in _OVER:
                below = f"{self._spelt(index)}" + (f"={self.term(start)}" if start is not None else "")
                above = (
                    f"^{{{self.term(last_of(stop))}}}" if stop is not None and isinstance(node, Sum | Product) else ""
                )
                if stop is not None and not above:
                    raise Unwritten
                return f"{_OVER[type(node)]}_{{{below}}}{above} {self.term(body, _PRODUCT)}", _PRODUCT
            case Piecewise(branches=branches):
                rows = [f"{self.term(each.value)} & {self._case(each.condition)}" for each in branches]
                return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}", _POWER
        raise Unwritten

    def _called(self, function: str, texts: list[str], args: tuple[Term, ...]) -> tuple[str, int]:
        inner = ", ".join(texts)
        if function == "sqrt":
            return rf"\sqrt{{{inner}}}", _ATOM
        if function == "cbrt":
            return rf"\sqrt[3]{{{inner}}}", _ATOM
        if function == "Mod":
            return rf"\left({self.term(args[0], _ATOM)} \bmod {self.term(args[1], _ATOM)}\right)", _ATOM
        if function == "KroneckerDelta":
            return rf"\delta_{{{inner}}}", _ATOM
        if function == "factorial":
            return f"{self.term(args[0], _ATOM)}!", _POWER
        if function == "log" and len(texts) == 2:
            return rf"\log_{{{texts[1]}}}\left({texts[0]}\right)", _POWER
        if function in _AROUND:
            opening, closing = _AROUND[function]
            return rf"\left{opening} {inner} \right{closing}", _ATOM
        name = rf"\{function}" if function in _NAMED else _CALLED.get(function, rf"\operatorname{{{function}}}")
        return rf"{name}\left({inner}\right)", _POWER

    def _case(self, condition: Node) -> str:
        if condition == Truth(True):
            return r"\text{otherwise}"
        return rf"\text{{if }} {self._condition(condition)}"

    def _condition(self, condition: Node) -> str:
        match condition:
            case Compare(operator=operator, left=left, right=right):
                return f"{self.term(left)} {_SIGNS[operator]} {self.term(right)}"
            case Eq(sides=sides):
                return " = ".join(map(self.term, sides))
            case And(parts=parts):
                inner = (rf"\left({self._condition(each)}\right)" if isinstance(each, Or) else self._condition(each)
                         for each in parts)  # fmt: skip
                return r" \text{ and } ".join(inner)
            case Or(parts=parts):
                return r" \text{ or } ".join(map(self._condition, parts))
        raise Unwritten


def _is_open(node: Node) -> bool:
    """Whether what follows a factor would be taken in by a sum or a product at its end."""
    return isinstance(node, Reduction) or (isinstance(node, Mul) and _is_open(node.right))


def _number(value: Fraction) -> tuple[str, int]:
    """A number as a decimal, with a power of ten where that is shorter."""
    sign, size = "-" * (value < 0), abs(value)
    level = _SUM if sign else _ATOM
    if size.denominator == 1 and len(str(size)) <= _FEW + 3:
        return f"{sign}{size}", level
    digits = 0
    while (size * 10**digits).denominator != 1 and digits < 400:
        digits += 1
    whole = size * 10**digits
    if whole.denominator != 1:
        return rf"\frac{{{value.numerator}}}{{{value.denominator}}}", _POWER
    text = str(whole.numerator)
    exponent = len(text) - 1 - digits
    if -4 <= exponent < 6:
        point = len(text) - digits
        shown = f"{text[:point]}.{text[point:]}" if point > 0 else f"0.{'0' * -point}{text}"
        return f"{sign}{shown}", level
    head = text.rstrip("0")
    mantissa = head[0] + (f".{head[1:]}" if len(head) > 1 else "")
    return rf"{sign}{mantissa} \times 10^{{{exponent}}}", _SUM if sign else _PRODUCT
