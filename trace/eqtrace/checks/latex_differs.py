"""The LaTeX of an equation, read back, says something else than its form.

What a reader sees is then not what was verified. The LaTeX is read by the names that the topic declares; it differs
where its sides have other values than the form's at a point that is shown, or where its shapes don't go together.

Mend: correct the LaTeX or the form, or declare a spelling (`latex:` on a symbol) where a name was taken for another.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ702", "latex-differs", Severity.WARNING, __doc__)
