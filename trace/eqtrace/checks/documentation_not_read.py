"""A formula that a `states` anchor or key cites is not read, so that nothing says whether it is what the form says.

It is read whole or not at all. A name that nothing declares, a bracket that is never closed, prose, or several formulas
of which nothing says which is meant keep it from being read.

Mend: declare the names (`latex:` on a symbol, `let`, `indices`), mend the documentation, cite the lines of the one
formula that is meant, or waive it (`lacks: states`) with a reason.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ705", "documentation-not-read", Severity.NOTE, __doc__)
