"""Drawn values don't follow the stated distribution, leave its support, or aren't determined by the seed.

The test's false-alarm probability is below 1e-9, and it refutes an error of scale of 2% with probability above 0.999.

Mend: correct the code or the stated distribution.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ505", "distribution-mismatch", Severity.ERROR, __doc__)
