"""The sizes of a verification run are not pairwise distinct, or can't be worked out.

With T equal to d, a transposed axis gives the same shapes and often the same numbers: equal sizes hide faults.

Mend: give `[tool.eqtrace.sizes]` small, different values for each draw.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ111", "equal-sizes", Severity.ERROR, __doc__)
