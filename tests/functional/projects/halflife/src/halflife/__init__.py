"""Radioactive decay and the statistics of counting it."""

__version__ = "1.4.0"
