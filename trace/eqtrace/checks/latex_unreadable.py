"""LaTeX that can't be turned into MathML.

The page shows the source text instead of the formula.

Mend: correct the LaTeX; commands of packages (tikz, siunitx) are not known.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ115", "latex-unreadable", Severity.ERROR, __doc__)
