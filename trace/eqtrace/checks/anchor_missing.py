"""A cited statement is nowhere in the function that its anchor names.

Mend: the nearest candidates are shown with the reason why each is not taken. Cite the line that computes the formula
now, or remove the equation.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ203", "anchor-missing", Severity.ERROR, __doc__)
