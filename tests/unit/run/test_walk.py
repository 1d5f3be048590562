import ast
import re
from types import SimpleNamespace

import numpy as np
import pytest

from eqtrace.code.bind import parse_right
from eqtrace.run.walk import WalkError, assign, read


def names():
    return {
        "x": np.arange(6.0).reshape(2, 3),
        "params": {"b0.wq": 1, "k": [10, 20]},
        "p": "b0.",
        "i": 1,
        "o": SimpleNamespace(v=SimpleNamespace(w=3)),
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("i", 1),
        ("2", 2),
        ("-2", -2),
        ("'a'", "a"),
        ("None", None),
        ("x[1, 2]", 5.0),
        ("x[-1][0]", 3.0),
        ("x.shape[1]", 3),
        ("x.T.shape[0]", 3),
        ("len(x)", 2),
        ("params[p + 'wq']", 1),
        ("params[f'b{i - 0}.wq']", None),
        ("params['k'][i]", 20),
        ("o.v.w", 3),
        ("p + 'wq' + '!'", "b0.wq!"),
    ],
)
def test_what_is_read(text, value):
    node = ast.parse(text, mode="eval").body
    if value is None and text != "None":
        with pytest.raises(WalkError):
            read(node, names())
    else:
        assert read(node, names()) == value


def test_slices_and_f_strings():
    assert read(parse_right("x[:, 1:]"), names()).tolist() == [[1, 2], [4, 5]]
    assert read(ast.parse("x[..., None]", mode="eval").body, names()).shape == (2, 3, 1)
    assert read(parse_right("f'b{i}.{p}'"), names()) == "b1.b0."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nothing", "the name nothing has no value here"),
        ("params['no']", "params['no']: KeyError: 'no'"),
        ("x[9]", "IndexError"),
        ("o.missing", "AttributeError"),
        ("i + i", "adds int and int; only strings can be joined"),
        ("p + i", "adds str and int"),
        ("x.__class__", "cannot be read"),
        ("x @ x", "cannot be read"),
        ("max(i, 2)", "cannot be read"),
        ("len(x, x)", "cannot be read"),
        ("[i]", "cannot be read"),
        ("(lambda: i)()", "cannot be read"),
        ("f'{i:999999999}'", "too wide"),
        ("f'{x.__class__}'", "cannot be read"),
    ],
)
def test_what_cannot_be_read(text, why):
    with pytest.raises(WalkError, match=re.escape(why)):
        read(ast.parse(text, mode="eval").body, names())


@pytest.mark.parametrize("text", ["i", "x[1, 2]", "x.T[0, 1]", "params['k'][i]", "params[p + 'wq']", "o.v.w", "x[0]"])
def test_what_is_assigned_reads_back(text):
    node, space = ast.parse(text, mode="eval").body, names()
    assert assign(node, space, 7)
    assert np.all(read(node, space) == 7)


def test_a_transposed_array_is_assigned():
    space = names()
    assert assign(parse_right("x.T"), space, np.ones((5, 4)))
    assert space["x"].shape == (4, 5)


@pytest.mark.parametrize("text", ["len(x)", "x.shape[0]", "2", "nothing[0]", "p + 'a'", "x.__class__", "o.v.w.z"])
def test_what_cannot_be_assigned(text):
    assert not assign(ast.parse(text, mode="eval").body, names(), 7)
