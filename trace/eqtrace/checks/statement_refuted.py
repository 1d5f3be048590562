"""A derivation or an identity does not hold.

Its sides were evaluated at random points, exactly or in balls, with derivatives by forward differentiation, and two
neighbouring ones differ. The point is shown: sizes, indices, both values, and some of the inputs. What was proved of
such a statement is void; it stands on the forms of `given`, so that a fault in one of these shows here too.

Mend: correct the statement, or give it the conditions (`where`) and the forms (`given`) that it needs.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ701", "statement-refuted", Severity.ERROR, __doc__)
