"""A mapping holds the same key twice.

YAML readers keep one of the two and say nothing, so half of what the file states would never be checked.

Mend: merge the two entries, or rename one of them.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ102", "duplicate-key", Severity.ERROR, __doc__)
