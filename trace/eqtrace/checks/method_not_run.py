"""A method of an equation can't run here: something that it needs is missing.

The equation reads not-checked until it is.

Mend: give what the message asks for, or choose another method.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ902", "method-not-run", Severity.WARNING, __doc__)
