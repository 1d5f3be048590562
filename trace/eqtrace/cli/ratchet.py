"""`--baseline` and `--write-baseline` of the commands that have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from eqtrace.cli import output
from eqtrace.errors import EqtraceError
from eqtrace.ratchet import Held, Ratchet
from eqtrace.regular import content

_Item = TypeVar("_Item")


def check(baseline: Path | None, write_baseline: bool) -> None:
    """Refuses to write a baseline without a name.

    Raises:
        EqtraceError: there is none.
    """
    if write_baseline and baseline is None:
        raise EqtraceError("--write-baseline needs a file", "name it: --baseline FILE --write-baseline")


def hold_back(ratchet: Ratchet[_Item], items: Sequence[_Item], baseline: Path) -> Held[_Item]:
    """Holds items against a baseline, and says where it could be tightened.

    Raises:
        EqtraceError: it can't be read, or is none.
    """
    try:
        text = content(baseline).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EqtraceError(f"{baseline} can't be read: {error}", "write it with --write-baseline") from error
    held = ratchet.hold_back(items, text, str(baseline))
    if held.gone:
        click.echo(f"{baseline}: {held.gone} of its findings are gone; --write-baseline tightens it", err=True)
    return held


def write(ratchet: Ratchet[_Item], items: Iterable[_Item], baseline: Path) -> None:
    """Writes a baseline."""
    output.save(baseline, ratchet.dump(items))
    click.echo(f"{baseline}: written", err=True)
