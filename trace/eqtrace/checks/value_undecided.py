"""A method could not decide: every value was NaN, a comparison stayed open, or no input satisfies `where`.

What can't be decided is never a pass.

Mend: narrow the domains to where the formula is defined, or correct `where`.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ507", "value-undecided", Severity.ERROR, __doc__)
