"""The colours that a site is given by its configuration, as a style sheet; text must stay readable on its ground."""

from __future__ import annotations

from collections.abc import Iterator

from eqtrace.config import Config
from eqtrace.errors import EqtraceError

Pair = tuple[str, str]  # for light and for dark

DEFAULTS: dict[str, Pair] = {
    "ground": ("#fdfdfb", "#14171a"),
    "panel": ("#f4f4ef", "#1d2125"),
    "ink": ("#1c2126", "#e4e6e3"),
    "soft": ("#565e66", "#a3abb2"),
    "rule": ("#dcdcd3", "#343a40"),
    "link": ("#175a8c", "#84bdea"),
    "mark": ("#fff3c9", "#3c3517"),
}
_TEXT, _GROUNDS = ("ink", "soft", "link"), ("ground", "panel", "mark")
_LEAST = 4.5  # of text on its ground: WCAG 2.2, success criterion 1.4.3


def sheet(config: Config) -> str:
    """The style sheet; empty where nothing is configured.

    Raises:
        EqtraceError: text would be hard to read.
    """
    chosen = config.site.theme.colours
    problems = list(_unreadable({**DEFAULTS, **chosen})) if chosen else []
    if problems:
        place = f"{config.pyproject}:{config.line('site', 'theme')}"
        raise EqtraceError(
            "\n".join(f"{place}: site.theme: {each}" for each in problems), "choose colours further apart"
        )
    rules = "".join(f"  --{name}: light-dark({light}, {dark});\n" for name, (light, dark) in chosen.items())
    return f":root {{\n{rules}}}\n" if rules else ""


def contrast(one: str, other: str) -> float:
    """The ratio of two colours' luminances, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _unreadable(colours: dict[str, Pair]) -> Iterator[str]:
    for number, scheme in enumerate(("light", "dark")):
        for text in _TEXT:
            for ground in _GROUNDS:
                found = contrast(colours[text][number], colours[ground][number])
                if found < _LEAST:
                    yield f"`{text}` on `{ground}` has a contrast of {found:.2f} in the {scheme} scheme, below {_LEAST}"


def _luminance(colour: str) -> float:
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
