"""Verifies this repository's specification under many seeds: correct code must never be refuted.

Prints each seed that found anything but notes and the warnings for methods that are not built, and exits 1 if there was
one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from eqtrace.cli.settings import selected
from eqtrace.config import load
from eqtrace.model.finding import Severity
from eqtrace.runner import verify

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Runs the seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--first", type=int, default=1, help="the first of them (default: 1)")
    parser.add_argument("--jobs", "-j", type=int, default=2, help="worker processes (default: 2)")
    parser.add_argument("equations", nargs="*", help="ids or globs of equations, or files of the specification")
    options = parser.parse_args()
    config = load(ROOT)
    chosen = selected(tuple(options.equations), config)
    alarms, points = 0, 0
    started = time.perf_counter()
    for seed in range(options.first, options.first + options.seeds):
        results = verify(config, chosen, options.jobs, seed, cache=False)
        found = [
            finding
            for finding in results.findings
            if finding.name != "method-not-run" and finding.severity is not Severity.NOTE
        ]
        points += sum(each.evidence.points for methods in results.methods.values() for each in methods)
        for finding in found:
            print(f"seed {seed}: {finding.span}: {finding.code} {finding.message} ({finding.hint})", flush=True)
        alarms += bool(found)
        done = seed - options.first + 1
        if sys.stderr.isatty():
            print(f"\r{done} of {options.seeds} seeds, {alarms} alarms", end="", file=sys.stderr)
        elif done % 10 == 0:
            print(f"{done} of {options.seeds} seeds, {alarms} alarms", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - started
    print(f"{options.seeds} seeds from {options.first}: {alarms} with alarms; {points} points; {seconds:.0f} s")
    return 1 if alarms or not points else 0


if __name__ == "__main__":
    sys.exit(main())
