"""A link was reviewed, and one of its ends has changed since: nobody has said that they still agree.

The ledger of reviews holds for each cited line hashes of the form, of the prose about it, and of the code. The code of
lines that verification runs is no reason for suspicion while `eqtrace verify` shows that they compute their formula.

Mend: read both ends against the difference, correct what is wrong, and record it with `eqtrace review --accept`.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ307", "suspect-link", Severity.WARNING, __doc__)
