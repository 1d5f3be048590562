"""Something is named that does not exist.

It may be a page, a topic, a work of the literature, an equation, an anchor in `{cite: ...}`, a function of a topic, or
a file that the configuration names.

Mend: correct the name, or add what it names.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ112", "unknown-reference", Severity.ERROR, __doc__)
