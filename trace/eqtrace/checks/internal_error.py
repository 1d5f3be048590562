"""A check itself failed. This is a fault of eqtrace, not of your code; the result counts as not checked.

Mend: please report it with the traceback that is shown.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ901", "internal-error", Severity.ERROR, __doc__)
