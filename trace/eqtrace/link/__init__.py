"""Anchors held against the index: exact match, roles, relocation, coverage both ways."""
