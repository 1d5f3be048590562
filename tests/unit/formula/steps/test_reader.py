import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqtrace.formula.steps.functions import FUNCTIONS
from eqtrace.formula.steps.reader import DEEPEST, LONGEST, read_step
from eqtrace.formula.steps.tree import Binary, Call, Constant, Index, Name, NewAxis, Node, Slice, names


def read(text: str) -> Node:
    node, errors = read_step(text)
    assert not errors
    assert node is not None
    return node


def refused(text: str) -> list[tuple[str, str]]:
    """What stands at each error, and its message."""
    node, errors = read_step(text)
    assert node is None
    return [(text[each.offset : each.offset + each.length], each.message) for each in errors]


def test_a_method_and_a_function_are_read_alike() -> None:
    for method, function in (
        ("X.mean(axis=-1, keepdims=True)", "np.mean(X, axis=-1, keepdims=True)"),
        ("X.sum(0)", "np.sum(X, axis=0)"),
        ("X.reshape(2, 3)", "np.reshape(X, (2, 3))"),
        ("X.transpose(1, 0)", "np.transpose(X, (1, 0))"),
        ("abs(X)", "np.absolute(X)"),
        ("max(X, 1)", "np.maximum(X, 1)"),
    ):
        assert shape_of(read(method)) == shape_of(read(function))


def shape_of(node: object) -> object:
    """A tree without its places."""
    if isinstance(node, tuple):
        return tuple(map(shape_of, node))
    if not isinstance(node, Node):
        return node
    fields = [name for name in node.__dataclass_fields__ if name not in ("offset", "length")]
    return (type(node).__name__, *(shape_of(getattr(node, name)) for name in fields))


def test_the_tree_is_typed_and_knows_its_places() -> None:
    node = read("X[:, None] @ np.sum(W, axis=(0, 1))")
    assert isinstance(node, Binary)
    assert isinstance(node.left, Index)
    assert isinstance(node.left.parts[0], Slice)
    assert isinstance(node.left.parts[1], NewAxis)
    assert isinstance(node.right, Call)
    assert (node.right.function, node.right.options) == ("sum", (("axis", (0, 1)),))
    assert isinstance(node.right.operands[0], Name)
    assert (node.right.operands[0].offset, node.right.operands[0].length) == (20, 1)
    assert [each.name for each in names(node)] == ["X", "W"]


@pytest.mark.parametrize(
    "text",
    [
        "-logp[np.arange(2), targets].mean()",
        "np.where(np.triu(np.ones((3, 3)), 1) > 0, -np.inf, S)",
        "Qh @ Kh.transpose(0, 2, 1)",
        "np.concatenate((dX, np.zeros((1, 2))))",
        "np.stack([X, Y], axis=-1)",
        "ids[starts.reshape(W, 1) + t + 1]",
        "(p >= cut) & ~(q == 'end')",
        "np.sort(x)[::-1].cumsum()",
        "np.full(3, np.pi) ** 2 % 1.5 // 1",
        "x.astype(float).copy().T[..., 0]",
        "np.argsort(-x, axis=-1)[:k]",
        "X.shape[0] * len(Y) - X.ndim",
        "np.eye(3)[targets]\n + 1",
    ],
)
def test_accepted(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("np.load('x')", "np.load('x')", "`np.load` is not in the language of steps"),
        ("np.random.rand(3)", "np.random.rand(3)", "the method `.rand()` is not in the language of steps"),
        ("np.linalg", "np.linalg", "`np.linalg` is no number"),
        ("X.__class__", "X.__class__", "the attribute `.__class__` is not in the language of steps"),
        ("X.tofile('x')", "X.tofile('x')", "the method `.tofile()` is not in the language of steps"),
        ("X.sum", "X.sum", "the attribute `.sum` is not in the language of steps"),
        ("__import__('os')", "__import__('os')", "`__import__` cannot be called in a step"),
        ("__builtins__", "__builtins__", "`__builtins__` is no value"),
        ("exp(X)", "exp(X)", "`exp` cannot be called in a step"),
        ("(lambda: 1)()", "(lambda: 1)()", "`lambda: 1` cannot be called in a step"),
        ("[x for x in X]", "[x for x in X]", "`[x for x in X]` is not in the language of steps"),
        ("X if c else Y", "X if c else Y", "`X if c else Y` is not in the language of steps"),
        ("a < b < c", "a < b < c", "`a < b < c` is not in the language of steps"),
        ("a and b", "a and b", "`a and b` is not in the language of steps"),
        ("(y := 1)", "y := 1", "`y := 1` is not in the language of steps"),
        ("f'{x}'", "f'{x}'", "`f'{x}'` is not in the language of steps"),
        ("X.sum(axis=n)", "n", "`n`: a whole number, several, or None is wanted, written out"),
        ("X.argmax(axis=None)", "None", "`None`: a whole number is wanted, written out"),
        ("X.sum(keepdims=1)", "1", "`1`: True or False is wanted, written out"),
        ("X.sum(out=Y)", "Y", "`sum` takes no `out` in a step"),
        ("np.zeros(3, dtype=object)", "object", "`zeros` takes no `dtype` in a step"),
        ("np.zeros()", "np.zeros()", "`zeros` needs `shape`"),
        ("np.exp(x, y)", "np.exp(x, y)", "`exp` takes at most 1 arguments by position here"),
        ("np.sum(a, 0, axis=1)", "1", "`axis` is given twice"),
        ("np.exp(*x)", "np.exp(*x)", "`*` and `**` cannot stand in a call of a step"),
        ("np.exp(**x)", "np.exp(**x)", "`*` and `**` cannot stand in a call of a step"),
        ("np.concatenate(x)", "x", "`arrays` is a list of arrays, written out: [x, y]"),
        ("x.astype(object)", "object", "a type is float, int or bool"),
        ("1j", "1j", "`1j` is no number"),
        ("1e999", "1e999", "the number is too large for float64"),
        ("None", "None", "`None` is no number"),
        ("np", "np", "`np` is no value"),
        ("", "", "an empty step"),
        ("x +", "+", "this cannot be read: invalid syntax"),
        ("x # 1", "#", "the character '#' cannot stand in a step"),
        ("np.exp(x", "(", "( is never closed"),
        ("np.length(x)", "np.length(x)", "`np.length` is not in the language of steps"),
    ],
)
def test_refused_at_its_place(text: str, place: str, message: str) -> None:
    assert (place, message) in refused(text)


def test_all_errors_of_a_step_are_told() -> None:
    assert [place for place, _ in refused("np.foo(x) + y.bar - np.baz")] == ["np.foo(x)", "y.bar", "np.baz"]


def test_a_near_name_is_hinted_at() -> None:
    _, (error,) = read_step("np.argsrt(x)")
    assert error.hint == "did you mean `argsort`?"


def test_sizes_are_bounded() -> None:
    assert refused("x+" * LONGEST + "x") == [("x", f"a step of {2 * LONGEST + 1} characters; {LONGEST} are allowed")]
    deep = "-" * (DEEPEST + 5) + "x"
    assert refused(deep)[0][1] == f"nested deeper than {DEEPEST}"
    assert refused("9" * 400)[0][1] == "the number is too large for float64"
    assert isinstance(read("9" * 300), Constant)


@settings(max_examples=300, deadline=None, database=None)
@given(st.text(st.sampled_from("xXn p.()[]{}:,+-*/%@&|~<>=!'\"0129_eE\n\\#λ \x00") | st.characters(), max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    node, errors = read_step(text)
    assert (node is None) == bool(errors)
    for each in errors:
        assert 0 <= each.offset <= max(len(text), 1)
        assert each.message


def test_every_function_of_the_table_can_be_written() -> None:
    for name, function in FUNCTIONS.items():
        if name in ("length", "number", "truth"):
            continue
        words = {"arrays": "[x, y]", "shape": "(2, 3)", "whole": "1", "array": "x"}
        read(f"np.{name}({', '.join(words[each.form] for each in function.operands if each.required)})")
