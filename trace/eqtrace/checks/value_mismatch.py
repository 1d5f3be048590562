"""A cited line does not compute its formula.

The line ran on real inputs, and what it gave differs from the form's value by more than rounding allows (eight times
the radius of the form in 53-bit balls), or differs in exact arithmetic. A shrunk counter-example is shown: inputs, both
values, the error in ulps, and the seed that repeats it.

Mend: correct the code or the form, whichever is wrong.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ501", "value-mismatch", Severity.ERROR, __doc__)
