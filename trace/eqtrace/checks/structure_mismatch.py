"""A parameter dictionary does not have the keys, shapes or starting values that `structure` states.

Mend: correct the code or the table.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ506", "structure-mismatch", Severity.ERROR, __doc__)
