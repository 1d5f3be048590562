"""A method of an equation was not run: it is not built yet, or can't run here.

The equation reads not-checked until it is.

Mend: nothing, or choose another method for the equation.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ902", "method-not-run", Severity.WARNING, __doc__)
