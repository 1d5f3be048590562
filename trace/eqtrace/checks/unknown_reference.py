"""Something is named that does not exist.

It may be a page, a topic, a work of the literature, an equation, or an anchor in `{cite: ...}`.

Mend: correct the name (the nearest one is shown), or add what it names.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ112", "unknown-reference", Severity.ERROR, __doc__)
