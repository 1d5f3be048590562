"""A form, condition, range or call is not in the language of forms.

Forms are data: they are parsed through a whitelist of operators and vocabulary and never evaluated, so attributes,
lambdas, comprehensions and unknown calls are refused, and so are texts too long, too deep or with huge powers.

Mend: write the formula with the operators `+ - * / **`, comparisons, subscripts and the vocabulary (`Eq`, `Sum`,
`Piecewise`, `MaxOver`, `exp`, ...).
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ107", "form-syntax", Severity.ERROR, __doc__)
