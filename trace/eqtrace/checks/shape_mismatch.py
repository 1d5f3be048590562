"""Captured arrays don't have the shapes that the symbols declare, or that the form gives.

Of an array without a declared shape the form's indices say how long each axis is: `Eq(result[i, j], A[i, j])` gives as
many rows and columns as A has. A result of another shape is refuted where the inputs have theirs.

Mend: correct the symbol's `shape`, or the `bind` that reads it; dimensions that keepdims leaves are written as 1.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ401", "shape-mismatch", Severity.ERROR, __doc__)
