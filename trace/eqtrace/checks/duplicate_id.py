"""Two topics, equations or anchors have the same id.

Ids are how findings, waivers, the ledger and permalinks name things; a second use would hide the first.

Mend: rename one of them. Anchors of one role are told apart by their `purpose`.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ106", "duplicate-id", Severity.ERROR, __doc__)
