"""A specification file is not readable YAML.

Nothing in the file is checked until it parses, so every equation in it would silently go unverified.

Mend: correct the syntax at the place shown. The commonest causes are a tab in the indentation, a colon followed by a
space inside an unquoted text, and an unclosed quote; single quotes around LaTeX and forms avoid all three.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ101", "yaml-syntax", Severity.ERROR, __doc__)
