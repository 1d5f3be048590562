"""User code changes an argument in place.

A function that is documented as a formula leaves its inputs alone; callers that reuse them would compute with other
numbers.

Mend: compute into a new array. Where the update in place is the formula, bind the argument as a left side.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ502", "argument-changed", Severity.ERROR, __doc__)
