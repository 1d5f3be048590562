"""Rewrites a syntax tree of user code so that nothing in it rounds: literals, divisions and powers."""

from __future__ import annotations

import ast
from fractions import Fraction

NUMBER = "__eqtrace_number__"
DIVIDE = "__eqtrace_divide__"
POWER = "__eqtrace_power__"
METHOD = "__eqtrace_method__"
INDEXED = "__eqtrace_indexed__"
# Of arrays: they round where the array holds integers, or need more than balls decide where several are equal.
METHODS = frozenset({"astype", "mean", "var", "std", "max", "min"})

_OPERATORS: dict[type[ast.operator], str] = {ast.Div: DIVIDE, ast.Pow: POWER}


class Exact(ast.NodeTransformer):
    """Float literals to exact decimals as they are written; `/` and `**` to calls that keep integers exact."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """A float literal becomes the decimal that its source text states."""
        if not isinstance(node.value, float):
            return node
        literal = ast.Constant(self._decimal(node))
        return ast.copy_location(_call(NUMBER, node, literal), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Quotients and powers of integers would round."""
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        return node if name is None else ast.copy_location(_call(name, node, node.left, node.right), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Methods of arrays that would round."""
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Attribute) and node.func.attr in METHODS):
            return node
        call = _call(METHOD, node, node.func.value, ast.Constant(node.func.attr), *node.args)
        call.keywords = node.keywords
        return ast.copy_location(call, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`x[..., None]` is right of a NumPy scalar too, which here is a ball."""
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.ctx, ast.Load) and any(map(_adds_axes, parts)):
            node.value = ast.copy_location(_call(INDEXED, node, node.value), node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """`a /= b` keeps its target's identity where that is an array: the helper writes into it."""
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is None or not isinstance(node.target, ast.Name):
            return node
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = _call(name, node, read, node.value, ast.Constant(True))
        return ast.copy_location(ast.Assign([node.target], ast.copy_location(value, node)), node)

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        """Annotations are no arithmetic: they would be worked out with what stands for `float` and `int`."""
        for each in (*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg):
            if each is not None:
                each.annotation = None
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """The same of what it returns."""
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Annotations are no arithmetic."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.pattern:
        """A pattern holds literals and no calls: one is compared as it is."""
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """Text is shown, never computed with."""
        return node

    def _decimal(self, node: ast.Constant) -> str:
        line = self._lines[node.lineno - 1].encode() if node.lineno <= len(self._lines) else b""
        text = line[node.col_offset : node.end_col_offset].decode(errors="replace").replace("_", "")
        try:
            stated = Fraction(text)
        except (ValueError, ZeroDivisionError):
            return repr(node.value)
        return text if float(stated) == node.value else repr(node.value)


def _adds_axes(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in (None, ...)
    return isinstance(node, ast.Attribute) and node.attr == "newaxis"


def _call(name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), place)
    return ast.Call(
        function, [ast.copy_location(each, place) if not hasattr(each, "lineno") else each for each in arguments], []
    )
