"""A gradient's form is not the derivative of its forward's form.

The forms were held against each other, without the code: the derivative of the forward's form, by what the equation
says it is the gradient of, differs from the equation's form at a random point, which is shown. Where the code agrees
with this form, its adjoint identity fails as well; where it does not, the value at the line does.

Mend: correct the form, or say in `given` which forms the forward has.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ602", "gradient-form-mismatch", Severity.ERROR, __doc__)
