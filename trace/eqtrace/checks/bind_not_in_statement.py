"""A `bind` names something that does not occur in the cited statement, or is no name that can be read from it.

Values are captured where they are used and computed; what the statement doesn't mention can't be captured there.

Mend: right sides are names, subscripts, attributes, `.T`, `.shape[i]`, `len()` and joined strings of the statement;
left sides are `result`, `result[i]`, `operand`, a target or a subexpression of it.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ302", "bind-not-in-statement", Severity.ERROR, __doc__)
