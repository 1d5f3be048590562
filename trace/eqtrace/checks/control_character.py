r"""A text holds a control character, most often LaTeX in double quotes.

In double quotes YAML reads a backslash as an escape: "\beta" starts with a backspace and "\frac" with a form feed.
The page would show a broken formula.

Mend: put LaTeX and forms in single quotes, where a backslash is a backslash.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ103", "control-character", Severity.ERROR, __doc__)
