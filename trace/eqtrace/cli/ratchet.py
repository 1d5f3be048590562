"""`--baseline`, `--write-baseline` and `--shrink-baseline` of the commands that have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from eqtrace.cli import output
from eqtrace.errors import EqtraceError
from eqtrace.ratchet import Held, Ratchet
from eqtrace.regular import content

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a command does with its baseline."""

    file: Path
    write: bool = False
    shrink: bool = False


def asked(file: Path | None, write: bool, shrink: bool, narrowed: bool) -> Baseline | None:
    """What the options ask for; `narrowed` is whether not everything is looked at.

    Raises:
        EqtraceError: the file is missing, or what was not looked at would be taken for gone.
    """
    for option, given in (("--write-baseline", write), ("--shrink-baseline", shrink)):
        if given and file is None:
            raise EqtraceError(f"{option} needs a file", f"name it: --baseline FILE {option}")
    if write and shrink:
        raise EqtraceError("--write-baseline admits new findings, and --shrink-baseline none", "choose one of them")
    if shrink and narrowed:
        raise EqtraceError("--shrink-baseline takes a whole run", "what is not looked at would seem to be mended")
    return None if file is None else Baseline(file, write, shrink)


def hold_back(ratchet: Ratchet[_Item], items: Sequence[_Item], baseline: Baseline, command: str) -> Held[_Item]:
    """Writes or shrinks a baseline if that is asked for, holds items against it, and says where it could be tightened.

    Raises:
        EqtraceError: it can't be read or written, or is none.
    """
    if baseline.write:
        write(ratchet, items, baseline.file, command)
    text, name = _text(baseline.file), str(baseline.file)
    if baseline.shrink:
        text, gone = ratchet.shrunk(items, text, name, command)
        if gone:
            output.save(baseline.file, text)
        output.say(f"{name}: {gone} of its findings are gone, and removed from it", err=True)
    held = ratchet.hold_back(items, text, name)
    if held.gone:
        output.say(f"{name}: {held.gone} of its findings are gone; --shrink-baseline removes them", err=True)
    return held


def _text(file: Path) -> str:
    try:
        return content(file).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EqtraceError(f"{file} can't be read: {error}", "write it with --write-baseline") from error


def write(ratchet: Ratchet[_Item], items: Iterable[_Item], file: Path, command: str) -> None:
    """Writes a baseline."""
    output.save(file, ratchet.dump(items, command))
    output.say(f"{file}: written", err=True)
