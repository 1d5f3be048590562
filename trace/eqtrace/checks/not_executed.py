"""No verification run executed a cited line.

A line that never runs was never checked, whatever the other lines showed.

Mend: add a scenario that reaches the line, give a `call`, or widen a domain so that its branch is taken.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ306", "not-executed", Severity.ERROR, __doc__)
