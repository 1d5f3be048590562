"""A file is no specification that could be read safely.

It is larger, deeper or more entangled than one can be, or is not a regular text file inside the project. The limits
keep a stranger's specification safe to audit: alias bombs, device files and links out of the project are refused before
they cost anything.

Mend: split the file, write aliases out, or move the file into the project.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ113", "limit", Severity.ERROR, __doc__)
