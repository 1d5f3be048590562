"""A backward function gives another result when it is run again.

It was run twice on copies of the same arguments. Either it keeps state between calls, or its result shares memory with
something that the next call overwrites.

Mend: compute into new arrays, and keep no state in the function.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ604", "unrepeatable-gradient", Severity.ERROR, __doc__)
