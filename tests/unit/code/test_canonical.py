import ast
import textwrap

import pytest

from eqtrace.code import canonical


def one(text: str) -> ast.stmt:
    return ast.parse(textwrap.dedent(text)).body[0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a+b*c", "a  +  (b * c)"),
        ("Eq(Y[t, j],\n  X)", "Eq(Y[(t, j)], X)"),
        ("'a'", '"a"'),
        ("0 < x, y > 0", "(0<x , y>0)"),
        ("1e-5", "0.00001"),
        ("a  is  no expression", "a is no\nexpression"),
    ],
)
def test_spelling_does_not_count_in_expressions(left: str, right: str) -> None:
    assert canonical.expression(left) == canonical.expression(right)
    assert canonical.shown_expression(left) == canonical.shown_expression(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a + b", "a - b"),
        ("a + b", "b + a"),
        ("a - (b - c)", "a - b - c"),
        ("1", "1.0"),
        ("1", "True"),
        ("'None'", "None"),
        ("f(x)", "f(x, None)"),
        ("{**a}", "{}"),
        ("X[t]", "X[t,]"),
        ("0.1", "0.10000000000000002"),
        ("'\\u00e9'", "'e'"),
        ("no expression", "no other"),
    ],
)
def test_meaning_does(left: str, right: str) -> None:
    assert canonical.expression(left) != canonical.expression(right)


def test_headers_without_bodies_and_decorators() -> None:
    cited = one("if T>Tmax:\n  pass")
    found = one("if (T > Tmax):  # too long\n  raise ValueError\nelse:\n  x = 1")
    assert canonical.statement(cited) == canonical.statement(found)
    assert canonical.shown_statement(found) == "if T > Tmax:"
    assert canonical.statement(one("@cache\ndef f(x): return 1")) == canonical.statement(one("def f(x): pass"))
    assert canonical.statement(one("def f(x): pass")) != canonical.statement(one("def f(y): pass"))


@pytest.mark.parametrize(
    "text", ["for x in y: pass", "while a: pass", "with a as b: pass", "class A(B): pass", "async def f(): pass"]
)
def test_every_kind_of_header_is_shown(text: str) -> None:
    assert canonical.shown_statement(one(text)) == text.removesuffix(" pass")


def test_whole_functions() -> None:
    plain = one("def f(x):\n  return x*2")
    other = one('def f(x):\n  """Doubles."""\n  return (x * 2)  # twice')
    assert canonical.function(plain) == canonical.function(other)
    assert canonical.function(plain) != canonical.function(one("def f(x):\n  return x * 3"))
    assert canonical.function(plain) != canonical.function(one("@twice\ndef f(x):\n  return x * 2"))
    assert canonical.shown_function(other) == "def f(x):\n    return x * 2"
    assert canonical.shown_function(one('def f():\n  "only this"')) == "def f():\n"


def test_what_ledgers_hold_rests_on_this_spelling() -> None:
    written = canonical.expression("Eq(Y[t], -0.5*x + f'{a!r:>3}')")
    assert written == (
        "Call(func=Name(id='Eq'), args=[Subscript(value=Name(id='Y'), slice=Name(id='t')), "
        "BinOp(left=BinOp(left=UnaryOp(op=USub(), operand=Constant(value=0.5)), op=Mult(), right=Name(id='x')), "
        "op=Add(), right=JoinedStr(values=[FormattedValue(value=Name(id='a'), conversion=0x72, "
        "format_spec=JoinedStr(values=[Constant(value='>3')]))]))])"
    )


def test_the_deepest_and_the_longest_raise_nothing() -> None:
    assert canonical.expression("+".join(["x"] * 20_000))
    assert canonical.expression("(" * 5_000)
    assert canonical.expression("0x" + "f" * 10_000)


def test_empty_parts_of_f_strings_which_some_versions_add_do_not_count() -> None:
    node = ast.parse("f'{a:{b}}'", mode="eval").body
    plain = canonical.statement(node)
    assert isinstance(node, ast.JoinedStr)
    node.values[0].format_spec.values.append(ast.Constant(""))
    assert canonical.statement(node) == plain
