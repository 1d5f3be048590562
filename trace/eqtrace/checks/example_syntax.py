"""A worked example is not in the language of examples.

Steps are NumPy expressions over the inputs and earlier steps. They are data: parsed through a whitelist of
arithmetic, comparisons, `@`, `&`, `|`, `~`, indices and slices, `.T`, `.shape`, and functions of NumPy (elementwise
ones, reductions with `axis` and `keepdims`, makers of arrays such as `np.arange`, `np.eye`, `np.where`, `np.triu`), and
never evaluated by Python. Names that are neither inputs nor earlier steps, labels used twice, and keys that the kind
does not go with are found here too, before anything is run.

Mend: write the step with the functions that the message names, or correct the name.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ116", "example-syntax", Severity.ERROR, __doc__)
