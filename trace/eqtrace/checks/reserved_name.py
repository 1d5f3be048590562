"""A symbol or an index is named like a Python keyword or a word of the vocabulary.

`lambda` can't be parsed as a name, and a symbol `Sum` would hide the sum.

Mend: rename the symbol (`lam`), and give its LaTeX spelling under `latex`.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ110", "reserved-name", Severity.ERROR, __doc__)
