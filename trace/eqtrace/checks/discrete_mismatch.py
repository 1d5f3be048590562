"""A line's value is another than the reference of its equation gives, or the form does not hold of it.

The inputs shown are shrunk where they were drawn: no smaller ones were found that differ too. Forms are evaluated
exactly, with strings as numbers: equal strings have equal ones, and lists and mappings of strings are arrays.

Mend: correct the code, the reference or the form.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ509", "discrete-mismatch", Severity.ERROR, __doc__)
