"""A gradient differs from central differences of its forward.

The unchanged functions were run in float64. The tolerance is a millionth of the gradient's largest entry, widened by
what two step sizes tell of truncation and of kinks, and by rounding. Where the adjoint identity fails as well, begin
there; where it alone holds, the exact run and the real one differ.

Mend: correct the backward function.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ603", "central-difference-mismatch", Severity.ERROR, __doc__)
