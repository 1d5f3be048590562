"""A cited statement stands, unchanged and unique, on another line than its anchor says.

Most edits to a file only shift lines, so this does not fail a run by itself; `fail_on = ["line-moved"]` makes it fail.

Mend: run `eqtrace fix`, which rewrites just the line numbers of such anchors.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ201", "line-moved", Severity.WARNING, __doc__)
