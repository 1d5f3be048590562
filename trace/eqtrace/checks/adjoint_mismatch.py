"""A backward function is not the adjoint of its forward.

For random tangents dx of an input and a random cotangent dY of the output, <dY, J dx> (by the code's own forward, run
on dual numbers over exact balls) and <J^T dY, dx> (by its own backward, run in balls) differ. Both are shown, with the
sizes and inputs; the seed repeats them. Rounding has no part in it: the gradient by that input is wrong, or adds to
its accumulator what it should not.

Mend: correct the backward function, or the `gradient` key if it names the wrong place.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ601", "adjoint-mismatch", Severity.ERROR, __doc__)
