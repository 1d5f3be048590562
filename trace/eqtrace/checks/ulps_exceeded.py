"""A cited line is further off than the bound that its equation states.

The equation states how far, in units in the last place, a result may be from the form's exact value, and why. Every
execution is held against it, but for entries within rounding of a kink, where either branch is right. The worst entry
is shown, with both values, the inputs (made as simple as they can be) and the seed that repeats it.

Mend: compute it in a way that loses fewer digits, narrow the domain, or state the bound that holds, and why.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ513", "ulps-exceeded", Severity.ERROR, __doc__)
