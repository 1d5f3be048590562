"""A cited source file can't be read: it is missing, outside the project, not UTF-8, or has a syntax error.

Mend: correct the path or the file.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ206", "source-unreadable", Severity.ERROR, __doc__)
