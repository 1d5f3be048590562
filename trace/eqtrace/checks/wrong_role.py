"""A cited line is there but doesn't do what its role says.

`computes` and `inline` lie in an assignment, return, yield, in-place call or header; `calls` holds a call that
resolves, through imports, to a function of the topic; `tests` lies in a test from which such a function is reached.

Mend: cite the line that plays the role, or correct the role.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ301", "wrong-role", Severity.ERROR, __doc__)
