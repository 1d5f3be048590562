"""A cited statement occurs more than once in its function, and the anchor doesn't say which is meant.

Mend: add `occurrence: 0` for the first, `1` for the second, and so on.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ204", "anchor-ambiguous", Severity.ERROR, __doc__)
