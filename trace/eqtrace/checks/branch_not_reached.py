"""A condition in a cited line went the same way in every run: what the line does otherwise was not looked at.

Tests of `if`, `while` and conditional expressions count, comparisons, masks of `where`, which operand `and`, `or`,
`maximum` and its kin take, where `clip` does, of whole functions their `case` clauses and functions within them; and
the conditions of the form's cases. A condition on an array went both ways where its entries differed. Inputs are drawn
with such conditions in mind; what only scenarios run depends on these. Of a whole function only conditions count that
the formula's symbols alone decide, without a domain that may rule the other way out; others (options, exceptions,
arguments that are refused or of another kind) are limits of the evidence.

Mend: add a scenario or a `call` that takes the other way, widen the domain, or waive it (`lacks: branch`) and say why.
"""

from eqtrace.checks.check import Check
from eqtrace.model.finding import Severity

CHECK = Check("EQ802", "branch-not-reached", Severity.WARNING, __doc__)
