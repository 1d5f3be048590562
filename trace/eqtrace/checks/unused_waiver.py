"""A waiver excuses nothing: what it names is covered, or is not there.

A waiver that stays behind hides the next real gap.

Mend: delete it.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ114", "unused-waiver", Severity.ERROR, __doc__)
