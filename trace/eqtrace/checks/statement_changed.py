"""The statement at a cited line is not the one that the anchor quotes.

The documentation was written for other code. The methods still run on the statement that stands there now, so a value
finding beside this one says whether the formula still holds.

Mend: read the difference; correct the code, or review the equation and update the anchor's `code`.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ202", "statement-changed", Severity.ERROR, __doc__)
