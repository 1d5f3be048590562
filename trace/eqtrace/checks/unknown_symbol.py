"""A form uses a name that is no symbol, size, index, `let` name or vocabulary word.

A misspelt symbol can't be held against the code.

Mend: declare it under `symbols`, or an index under `indices`, or correct the spelling.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ108", "unknown-symbol", Severity.ERROR, __doc__)
