from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eqtrace.config import Config, SiteConfig, load_file
from eqtrace.model.finding import Fault
from eqtrace.spec.sizes import SizeError, draws, evaluate, faults, site_sizes


def config(**sizes: Any) -> Config:
    return Config(root=Path("/nowhere"), sizes=sizes)


def messages(found: tuple[Fault, ...]) -> list[str]:
    assert all(fault.kind == "equal-sizes" for fault in found)
    return [fault.message for fault in found]


def test_draws_by_position() -> None:
    chosen = config(T=(3, 9), H=(2,), dh=(5, 7), d="H*dh", e="d // 2 - (1 + 0)")
    assert draws(chosen) == (
        {"T": 3, "H": 2, "dh": 5, "d": 10, "e": 4},
        {"T": 9, "H": 2, "dh": 7, "d": 14, "e": 6},
    )
    assert faults(chosen) == ()


def test_none() -> None:
    assert draws(config()) == ()
    assert faults(config()) == ()


def test_only_expressions_make_one_draw() -> None:
    assert draws(config(d="3", e="d + 1")) == ({"d": 3, "e": 4},)


def test_equal_sizes() -> None:
    chosen = config(T=(3, 9), H=(2, 9), d="H + 1")
    assert messages(faults(chosen)) == [
        "in draw 1 the sizes `T` and `d` are both 3",
        "in draw 2 the sizes `T` and `H` are both 9",
    ]
    assert len(draws(chosen)) == 2


def test_lists_of_other_lengths() -> None:
    assert messages(faults(config(a=(1, 2, 3), b=(4, 5), c=(9,)))) == ["the size `b` has 2 draws, where others have 3"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("zz", "there is no size `zz`"),
        ("d", "depends on itself (d -> d)"),
        ("a -", "can't be read"),
        ("a ** 9", "only names"),
        ("a / 2", "only names"),
        ("a // 0", "divides by 0"),
        ("a - 3", "it is 0, not from 1"),
        ("a * 1000000", "not from 1"),
        ("9" * 190, "huge"),
        ("9" * 300, "may hold names"),
        ("a*" * 90 + "a", "huge"),
        ("__import__('os').system('x')", "may hold names"),
        ("a.b", "may hold names"),
        ("print(a)", "only names"),
        ("lambda", "can't be read"),
        ("True", "only names"),
    ],
)
def test_what_is_no_size(expression: str, message: str) -> None:
    chosen = config(a=(3,), d=expression)
    found = messages(faults(chosen))
    assert len(found) == 1
    assert message in found[0]
    assert draws(chosen) == ()
    with pytest.raises(SizeError):
        evaluate(expression, {"a": 3, "d": expression})


def test_places(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.eqtrace.sizes]\nT = 3\nd = 3\n\n[tool.eqtrace.site]\nsizes = { V = 'zz' }\n", "utf-8")
    first, second = faults(load_file(path))
    assert (first.span.path, first.span.line, first.related[0].span.line) == ("pyproject.toml", 3, 2)
    assert second.span.line == 6
    assert "of the site" in second.message


def test_site_sizes_may_be_equal() -> None:
    chosen = Config(root=Path("/nowhere"), site=SiteConfig(sizes={"T": 16, "dh": 16, "H": 2, "d": "H*dh", "x": "zz"}))
    assert site_sizes(chosen) == {"T": 16, "dh": 16, "H": 2, "d": 32}
