"""A worked example could not be worked out, or not be compared with the code.

A step failed (shapes that don't fit, an index out of range, an array too large), the function could not be called with
the inputs, it raised, crashed or ran past the time limit, nothing that it gives belongs to the last step, or a scenario
returned no rows. Nothing was shown of the example then.

Mend: correct the step or the inputs; say under `call` how the function is called, and under `gives` what each step must
equal.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ512", "example-not-run", Severity.ERROR, __doc__)
