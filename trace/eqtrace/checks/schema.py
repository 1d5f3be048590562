"""A specification file does not have the form of a topic or of a short-form file.

A key is unknown or missing, or a value has the wrong type. A misspelt key would otherwise be a check that never runs.

Mend: the message names the key and the nearest one that exists. `eqtrace schema` prints the JSON Schema, which editors
use to complete and check these files.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ105", "schema", Severity.ERROR, __doc__)
