"""A cited statement occurs more than once in its function, and the anchor doesn't say which is meant.

It doesn't either where equal statements came or went since: where git knows of another number of them, where one alone
is left of those that an `occurrence` counts, or where other cited statements of the function went elsewhere, and no
cited statement beside it kept its distance.

Mend: add `occurrence: 0` for the first, `1` for the second, and so on, with the right line.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ204", "anchor-ambiguous", Severity.ERROR, __doc__)
