from __future__ import annotations

import ast

import pytest

from eqtrace.code.bind import BindError, parse_left, parse_right


def statement(code: str) -> ast.stmt:
    return ast.parse(code).body[0]


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "params[p + 'wq']",
        "x.T",
        "x.shape[0]",
        "x.shape[-1]",
        "len(x)",
        "f'b{l}.wq'",
        "self.m[k]",
        "x[:, 1:n]",
        "1",
        "1e-5",
        "None",
        "x[i, j][k]",
        "params[p + f'{name}' + 'w']",
        " x ",
        "self._m",
        "x[len(y)]",
    ],
)
def test_right_allowed(text: str) -> None:
    assert isinstance(parse_right(text), ast.expr)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("x @ w", 0),
        ("f(x)", 0),
        ("x.__class__", 0),
        ("x[y.__dict__]", 2),
        ("__import__('os')", 0),
        ("__builtins__", 0),
        ("len(x, y)", 0),
        ("len(*x)", 4),
        ("lambda: x", 0),
        ("[x for x in y]", 0),
        ("é[x - 1]", 2),
        ("f'{x!r}'", 0),
        ("f'{x:>10}'", 0),
        ("-x", 0),
        ("x if y else z", 0),
        ("(x := 1)", 1),
        ("x[" * 40 + "0" + "]" * 40, 40),
        ("x + " * 200 + "x", 500),
        ("x y", 2),
        ("x\0", 0),
        ("(" * 400, 0),
    ],
)
def test_right_refused(text: str, offset: int) -> None:
    with pytest.raises(BindError) as caught:
        parse_right(text)
    if offset:
        assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("code", "text", "kind", "node", "path"),
    [
        ("return X @ W + b", "result", "result", "X @ W + b", ()),
        ("return a, b", "result[1]", "result", "(a, b)", (1,)),
        ("return a", "result['loss'][-1]", "result", "a", ("loss", -1)),
        ("return X @ W + b", "X @ W", "subexpression", "X @ W", ()),
        ("return X@W", " X  @ W ", "subexpression", "X @ W", ()),
        ("Y = X @ W", "Y", "target", "Y", ()),
        ("Y = X @ W", "result", "result", "X @ W", ()),
        ("result = X @ W", "result", "target", "result", ()),
        ("a, (b, *c) = f(x)", "c", "target", "c", ()),
        ("x[i] = a", "x[i]", "target", "x[i]", ()),
        ("x[i][j] = a", "x", "target", "x", ()),
        ("self.m *= beta", "self.m", "target", "self.m", ()),
        ("m += (1 - beta) * g", "operand", "operand", "(1 - beta) * g", ()),
        ("np.add.at(dW, ids, dX)", "dW", "target", "dW", ()),
        ("np.copyto(a, b)", "a", "target", "a", ()),
        ("np.exp(x, out=y[0])", "y[0]", "target", "y[0]", ()),
        ("x.sort()", "x", "target", "x", ()),
        ("fill(grads, n)", 'grads["w"]', "target", "grads['w']", ()),
        ("fill(o, into=self)", 'self.grads["w"]', "target", "self.grads['w']", ()),
        ("fill(grads, n)", "n", "subexpression", "n", ()),
        ('Y = fill(grads["w"], n)', 'grads["w"]', "subexpression", "grads['w']", ()),
        ("yield x * 2", "result", "result", "x * 2", ()),
        ("if T > Tmax: pass", "result", "result", "T > Tmax", ()),
        ("if T > Tmax: Y = X", "T", "subexpression", "T", ()),
        ("for i in range(n - 1): pass", "n - 1", "subexpression", "n - 1", ()),
        ("for i in range(n): pass", "i", "target", "i", ()),
        ("while (d := f(x)) > 0: pass", "d", "target", "d", ()),
        ("with f(x) as y: pass", "y", "target", "y", ()),
        ("z = (y := x + 1) * 2", "y", "target", "y", ()),
        ("z: float = x", "z", "target", "z", ()),
        ("s = [x * 2 for x in y]", "x * 2", "subexpression", "x * 2", ()),
    ],
)
def test_left(code: str, text: str, kind: str, node: str, path: tuple[int | str, ...]) -> None:
    found = parse_left(text, statement(code))
    assert (found.kind, ast.unparse(found.node), found.path) == (kind, ast.unparse(ast.parse(node).body[0]), path)


def test_left_node_is_the_statements_own() -> None:
    node = statement("return X @ W + b")
    found = parse_left("X @ W", node)
    assert any(found.node is part for part in ast.walk(node))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("return X @ W + b", "X @ W - b"),
        ("return X @ W + b", "Y"),
        ("return X @ W + b", "result[i]"),
        ("return X @ W + b", "operand"),
        ("return", "result"),
        ("m += g", "result"),
        ("if T > Tmax: Y = X", "Y"),
        ("Y = X", "W"),
        ("x.mean()", "y"),
        ("def f(x): return x", "result"),
        ("Y = X", ""),
        ("Y = X", "Y ="),
    ],
)
def test_left_refused(code: str, text: str) -> None:
    with pytest.raises(BindError):
        parse_left(text, statement(code))
