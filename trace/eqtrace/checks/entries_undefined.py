"""The form doesn't define every entry of its left side exactly once.

Entries that no index reaches would go unchecked.

Mend: use indices that run over the whole of each axis, or a Piecewise that says what the other entries are.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ402", "entries-undefined", Severity.ERROR, __doc__)
