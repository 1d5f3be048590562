"""Worked examples and stored runs, worked out beside the user's code."""
