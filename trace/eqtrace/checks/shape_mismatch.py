"""Captured arrays don't have the shapes that the symbols declare.

Mend: correct the symbol's `shape`, or the `bind` that reads it; dimensions that keepdims leaves are written as 1.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ401", "shape-mismatch", Severity.ERROR, __doc__)
