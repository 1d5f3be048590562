"""An equation has no `tests` anchor and no waiver.

Mend: cite the test that exercises the code, or add a waiver with `lacks: test` and a reason.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ303", "missing-test", Severity.ERROR, __doc__)
