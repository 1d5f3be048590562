"""Makes the site's math font anew: the part of STIX Two Math that formulas may need, as WOFF2.

    python tests/site/make_font.py STIXTwoMath-Regular.ttf

That font is version 2.11 b159 of https://github.com/stipub/stixfonts, under the SIL Open Font License; the wheel of
`ziamath` holds it too. The same font gives the same shapes. Look at the formulas of a built site afterwards.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset

FONT = Path(__file__).resolve().parents[2] / "trace/eqtrace/report/static/stix-two-math.woff2"
VERSION = "Version 2.11 b159"

# Latin, Greek, accents, letterlike symbols, arrows, operators, fences, shapes, and the alphabets of mathematics that
# LaTeX has commands for. U+221A is among them: roots of any height are made from it.
CHARACTERS = """
20-FF 2C6-2C7 2D8-2DC 300-30C 338 391-3A9 3B1-3C9 3D1 3D5-3D6 3F0-3F1 3F5 2010-2016 2018-201D
2020-2022 2026 2032-2034 2057 2061-2064 20D6-20D7 2102 210B-2115 2118-211D 2124 2126 212C-2134
2145-2149 2190-22FF 2308-230B 2322-2323 23B0-23B1 23D0 23DC-23E1 25A0-25CF 2660-2663 27C2 27DC
27E6-27EB 27F5-27FF 299B 29A0 29A3 29B8 29F5 2A00-2A06 2A3F 2A7D-2A7E 2AAF-2AB0 2ADE 2AE3-2AE5 2AEE
1D400-1D4CF 1D504-1D56B 1D6A4-1D755 1D7CE-1D7E1
"""
FEATURES = ("ccmp", "dtls", "flac", "ssty")  # the forms that the layout of formulas asks for


def characters() -> set[int]:
    """The code points of CHARACTERS; those that the font does not have are left out by themselves."""
    found: set[int] = set()
    for part in CHARACTERS.split():
        first, _, last = part.partition("-")
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def make(upstream: Path, target: Path) -> None:
    """Writes the subset of a font.

    Raises:
        SystemExit: it is of another version.
    """
    options = subset.Options(layout_features=list(FEATURES), hinting=False, name_IDs=["*"], flavor="woff2")
    font = subset.load_font(str(upstream), options)
    if font["name"].getDebugName(5) != VERSION:
        sys.exit(f"{upstream} is {font['name'].getDebugName(5)}, not {VERSION}")
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)
    subset.save_font(font, str(target), options)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(Path(sys.argv[1]), FONT)
    print(f"{FONT}: {FONT.stat().st_size:,} bytes")
