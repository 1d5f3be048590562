"""A computing or inline anchor captures no left side of the form, so there is nothing to compare.

What a line computes must be captured where it is computed; it is never recomputed.

Mend: bind the left side: `bind: {Y: result}` for a return statement, the target's name for an assignment, `operand`
for the right side of an augmented assignment, or a subexpression of the statement.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ109", "unbound-left-side", Severity.ERROR, __doc__)
