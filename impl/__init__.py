"""A decoder-only transformer in NumPy alone, with hand-written forward and backward passes."""
