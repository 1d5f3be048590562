"""A worked example is not what the code gives.

The example's steps were worked out in float64, the function under `equals` was called with the same inputs, and a step
differs from what it returned by more than 1e-12 of the largest entry; both values are shown. With kind `editable`, the
same holds at 20 random edits of the inputs, drawn within the symbols' `domain` and the equations' `where`, since
readers type such numbers: what is true of the start values alone (an identity matrix, a bias of zero) shows there.
Edits at which rounding decides, or which the code refuses, are drawn anew. With kind `differences`, a gradient differs
from central differences by more than 1e-6 of its largest entry. With kind `stored`, the run never called the function
whose results it is to show.

Mend: correct the steps or the code, whichever is wrong; state the `domain` of what can't be any number; leave out
inputs that only have one right value.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ511", "example-mismatch", Severity.ERROR, __doc__)
