"""Texts, names and mappings as YAML reads them."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})  # they are no text there


def quoted(text: str) -> str:
    """Any text."""
    return "'" + text.replace("'", "''") + "'"


def key(name: str) -> str:
    """A name, in quotes where it would be no text."""
    return quoted(name) if name.lower() in _WORDS else name


def mapping(values: Mapping[str, str]) -> str:
    """Names to values that are YAML already, in one line."""
    return "{" + ", ".join(f"{key(name)}: {value}" for name, value in values.items()) + "}"
