"""All checks as one Markdown page, from their docstrings."""

from __future__ import annotations

from collections.abc import Iterable

from eqtrace.checks.check import Check

_GROUPS = {
    "EQ1": "The specification",
    "EQ2": "Cited lines",
    "EQ3": "Links and coverage",
    "EQ4": "Shapes",
    "EQ5": "Values",
    "EQ6": "Gradients",
    "EQ7": "Proofs and statements",
    "EQ8": "Strength",
    "EQ9": "eqtrace itself, and code that fails",
}
_HEAD = """# Checks

<!-- Written by `eqtrace explain --all`, from the checks' docstrings. -->

Errors fail a run; warnings and notes don't, unless `fail_on` in `[tool.eqtrace]` or `--fail-on` names them, by code or
by name. `eqtrace explain CODE` prints one of these texts.
"""


def page(checks: Iterable[Check]) -> str:
    """The page, grouped as the codes are, in the checks' order."""
    parts = [_HEAD]
    group = ""
    for check in checks:
        if check.code[:3] != group:
            group = check.code[:3]
            parts.append(f"## {_GROUPS[group]}\n")
        parts.append(f"### {check.code} {check.name}\n")
        parts.append(f"*{check.severity.value.capitalize()}.* {check.documentation}\n")
    return "\n".join(parts)
