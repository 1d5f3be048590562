"""User code raised, exited, crashed or ran past the time limit while it was verified.

Everything that relied on it is not checked; the traceback shows where.

Mend: correct the code or the scenario; a longer limit is `--timeout SECONDS`.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ903", "user-code-failed", Severity.ERROR, __doc__)
