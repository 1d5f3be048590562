"""The references import the code that they are to be compared with, or could do so.

A reference that calls the code agrees with it whatever it does. Imports by name at run time (`importlib`, `exec`) can't
be told apart from that, and are refused too.

Mend: write the reference by another algorithm, with the standard library and NumPy alone.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ510", "reference-imports-code", Severity.ERROR, __doc__)
