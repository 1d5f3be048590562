"""A worked example is not what the code gives.

The example's steps were worked out in float64, the function under `equals` was called with the same inputs, and a step
differs from what it returned by more than 1e-12 of the largest entry; both values are shown. With kind `differences`, a
gradient differs from central differences by more than 1e-6 of its largest entry. With kind `stored`, the run never
called the function whose results it is to show.

Mend: correct the steps or the code, whichever is wrong.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ511", "example-mismatch", Severity.ERROR, __doc__)
