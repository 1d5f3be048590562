"""A formula that documentation prints says something else than the form of its equation.

What a reader of a docstring or a page sees is then not what was verified. The formula is read by the names of the
equation, and by what is defined beside it; it differs where it has another value than the form at a point that is
shown.

Mend: correct the documentation, the form or the code, or declare a spelling (`latex:` on a symbol) where a name was
taken for another.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ704", "documentation-differs", Severity.WARNING, __doc__)
