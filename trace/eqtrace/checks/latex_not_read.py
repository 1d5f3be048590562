"""The LaTeX of an equation is not read back, so that nothing says whether it is what the form says.

It is read whole or not at all: a word that is not declared, an ellipsis, a product whose meaning is open, or prose
keeps it from being read.

Mend: declare the spellings (`latex:` on a symbol), write it unambiguously, or waive it (`lacks: latex`) with a reason.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ703", "latex-not-read", Severity.NOTE, __doc__)
