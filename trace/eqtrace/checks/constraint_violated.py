"""A constraint does not hold in a run.

Mend: correct the code that lets such values through, or the constraint.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ503", "constraint-violated", Severity.ERROR, __doc__)
