"""Frozen, picklable types that cross a stage. Nothing here imports another part of eqtrace."""
