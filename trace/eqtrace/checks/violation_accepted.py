"""The code accepts inputs that break a constraint, or rejects them without a clear error.

Mend: raise the exception that `rejects` names, with a message that says what is wrong.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ504", "violation-accepted", Severity.ERROR, __doc__)
