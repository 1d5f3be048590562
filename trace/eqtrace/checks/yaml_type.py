"""A plain scalar is read by YAML as another type than its text suggests.

`no`, `on` and `yes` are read as booleans, `1e-5` as text (YAML 1.1 wants `1.0e-5`), `012` as an octal number and
`2024-01-01` as a date.

Mend: put text in quotes, and write numbers with a decimal point before the exponent.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ104", "yaml-type", Severity.ERROR, __doc__)
