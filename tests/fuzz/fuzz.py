"""Damages inputs of every kind and holds what eqtrace does with them to SECURITY.md. Prints what was tried and found.

    python tests/fuzz/fuzz.py                      a few minutes
    python tests/fuzz/fuzz.py --examples 20000     longer
    python tests/fuzz/fuzz.py --seed 7 latex forms

A fault is printed with the smallest input that shows it. Exits 1 where there was one, or where nothing was tried. What
never comes back is ended after a minute; the input is then left in the temporary folder, in eqtrace-fuzz-*-input.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from guard import Breach, watched
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from targets import TARGETS, Target, lay

_HERE = os.path.dirname(os.path.abspath(__file__))


_SHOWN = 3_000  # characters of an input
_STUCK = 60  # seconds


class _Tried:
    """What one target was given. `faults` are kept apart by where they happen."""

    def __init__(self) -> None:
        self.inputs = 0
        self.faults: dict[str, tuple[str, str]] = {}  # by place: the smallest input and the traceback


def _place(error: BaseException) -> str:
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(_HERE)]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__} {where}" if not isinstance(error, Breach) else f"{error} {where}"[:160]


def fuzz(target: Target, examples: int, seed: int) -> _Tried:
    """Gives a target so many inputs."""
    tried = _Tried()
    workshop = Path(tempfile.mkdtemp(prefix="eqtrace-fuzz-")).resolve()
    lay(workshop)
    os.chdir(workshop)
    at_work = open(f"{workshop}-input", "w", encoding="utf-8")  # noqa: SIM115 - until the target is done

    @seeded(seed)
    @settings(
        max_examples=max(examples // target.cost, 10),
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(target.strategy())
    def one(value: object) -> None:
        tried.inputs += 1
        at_work.seek(0)
        at_work.truncate()
        at_work.write(repr(value))
        at_work.flush()
        faulthandler.dump_traceback_later(
            _STUCK, exit=True
        )  # of what never comes back to Python, so that it can't raise
        try:
            with watched(workshop):
                target.run(value, workshop)
        except Exception as error:  # all that goes wrong is the same: nothing may
            place, shown = _place(error), repr(value)
            known = tried.faults.get(place)
            if known is None or len(shown) < len(known[0]):
                tried.faults[place] = shown, traceback.format_exc()
        finally:
            faulthandler.cancel_dump_traceback_later()

    try:
        one()
    finally:
        os.chdir(os.sep)
        at_work.close()
        Path(at_work.name).unlink(missing_ok=True)
        shutil.rmtree(workshop)
    return tried


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzzes the targets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=int(os.environ.get("EQTRACE_FUZZ", "2000")))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{{{', '.join(each.name for each in TARGETS)}}}")
    options = parser.parse_args(arguments)
    if unknown := set(options.targets) - {each.name for each in TARGETS}:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    sys.dont_write_bytecode = True  # of modules that are imported only when they are needed: they are no input's doing
    inputs = faults = 0
    for target in TARGETS:
        if options.targets and target.name not in options.targets:
            continue
        started = time.perf_counter()
        tried = fuzz(target, options.examples, options.seed)
        inputs, faults = inputs + tried.inputs, faults + len(tried.faults)
        seconds = time.perf_counter() - started
        print(f"{target.name:20} {tried.inputs:8,} inputs {seconds:8.1f} s {len(tried.faults):4} faults", flush=True)
        for place, (shown, told) in tried.faults.items():
            print(f"\n--- {target.name}: {place}\n{shown[:_SHOWN]}\n{told}", flush=True)
    print(f"{'all':20} {inputs:8,} inputs {faults} faults left")
    return 1 if faults or not inputs else 0


if __name__ == "__main__":
    sys.exit(main())
