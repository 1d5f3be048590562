"""A line's value is another than the reference of its equation gives.

The inputs shown are shrunk: no smaller ones were found that differ too.

Mend: correct the code, or the reference.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ509", "discrete-mismatch", Severity.ERROR, __doc__)
