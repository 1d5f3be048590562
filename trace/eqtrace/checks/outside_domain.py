"""A real run holds a value of another kind than its symbol's domain says.

A domain says of what kind values are (`integer`, `probability_row`, `permutation`, `distinct`), and draws are of that
kind alone. Where a scenario runs the cited line on something else, either the domain is wrong, and the draws miss what
really occurs, or the code that leads there is. Bounds, choices and letters only say where draws are taken from.

Mend: correct the domain, or what gives the line such a value.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ403", "outside-domain", Severity.WARNING, __doc__)
