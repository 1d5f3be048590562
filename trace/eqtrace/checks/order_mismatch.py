"""A run called the functions under `order` in another order, or left one of them out.

Within every execution of the function in which the cited line stands, all calls of an earlier function come before
all calls of a later one. What these functions call themselves does not count.

Mend: correct the code or the list.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ508", "order-mismatch", Severity.ERROR, __doc__)
