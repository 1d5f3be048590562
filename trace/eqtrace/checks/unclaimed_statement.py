"""An arithmetic statement of the sources belongs to no equation.

Coverage works both ways: equations without code, and code without an equation. `coverage = "error"` makes this fail,
`"off"` drops it.

Mend: cite the statement in an equation, or waive it with a reason.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ305", "unclaimed-statement", Severity.NOTE, __doc__)
