"""A method of an equation was not run: it is not built yet, or can't run here.

The equation reads not-checked until it is.

Mend: give what the message asks for, or choose another method; where a method is not built yet, nothing needs to be
done.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ902", "method-not-run", Severity.WARNING, __doc__)
