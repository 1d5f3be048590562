"""The documentation that is to be an equation's form (`states` without `sympy`) is not read.

Nothing is known then that the code could be held against, and nothing of it is verified.

Mend: declare the names that are not known (`symbols` with `latex`, `let`, `indices`), mend the documentation, or write
the form under `sympy`; with both, they are compared.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ706", "documented-form-not-read", Severity.ERROR, __doc__)
