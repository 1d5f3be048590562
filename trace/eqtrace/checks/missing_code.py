"""An equation has no line that computes, explains or states it, and no waiver.

Mend: cite the line, or add a waiver with `lacks: code` and a reason.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ304", "missing-code", Severity.ERROR, __doc__)
