from xml.etree import ElementTree

import pytest

from eqtrace.report.highlight import line


@pytest.mark.parametrize(
    ("code", "names", "found"),
    [
        ("return X @ W", {"X": "x"}, ["X"]),
        ('Q = Xn @ params[p + "wq"]', {'params[p+"wq"]': "Wq", "params": "p"}, ['params[p + "wq"]']),
        ("y = params['w1']", {'params["w1"]': "W"}, ["params['w1']"]),
        ("y = cfg.d + d", {"d": "d", "cfg.d": "width"}, ["cfg.d", "d"]),
        ("y = other.d", {"d": "d"}, []),
        ("f(axis=axis)", {"axis": "k"}, ["axis"]),
        ("# X and Xn", {"X": "x"}, []),
        ("Xn = 1", {"X": "x"}, []),
        ("x", {"": "x", " ": "y"}, []),
    ],
)
def test_names_of_symbols_are_marked(code: str, names: dict[str, str], found: list[str]) -> None:
    markup = line(code, names)
    assert markup.striptags() == code
    root = ElementTree.fromstring(f"<p>{markup}</p>")
    assert ["".join(each.itertext()) for each in root if each.get("data-s")] == found


def test_a_symbol_is_escaped() -> None:
    assert '<span data-s="&lt;b&gt;">x</span>' in line("x + 1", {"x": "<b>"})
