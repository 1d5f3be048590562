"""A cited line could compute something else, and verification would not notice.

`eqtrace mutate` changed the statement and ran the methods of every equation that cites it; none of them found anything,
and the changed statement was not proved to compute the same.

Mend: give an equation a stronger method, a scenario that reaches the difference, or a wider domain; the hint says what
was tried.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ801", "mutant-survived", Severity.ERROR, __doc__)
