"""An anchor's `code` is no statement that could be recognised: `)`, `try:`, `pass`, a comment, or several statements.

Such a line matches almost anywhere, and proves nothing where it matches.

Mend: quote the whole statement that does the work; of a compound statement, its header (`if T > Tmax:`).
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ205", "weak-anchor", Severity.ERROR, __doc__)
