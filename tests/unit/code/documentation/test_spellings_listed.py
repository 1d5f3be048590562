"""Symbols that lists of parameters give."""

import pytest

from eqtrace.code.documentation.spellings import spellings

NUMPY = "Parameters\n----------\narea : float\n    Cross section :math:`A`.\nspeed : float\n    Speed.\n"
GOOGLE = "Args:\n    area (float): Cross section :math:`A`, in m^2.\n    cd: Coefficient $C_D$.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NUMPY, {"area": "A"}),
        (GOOGLE, {"area": "A", "cd": "C_D"}),
        (":param float area: Cross section :math:`A`\n:param v: Speed\n", {"area": "A"}),
        (NUMPY.replace("section", "section, less than"), {}),
        (NUMPY.replace(":math:`A`", ":math:`A` of :math:`B`, :math:`C`"), {}),
        (NUMPY.replace(":math:`A`", ":math:`A > 0`"), {}),
        (NUMPY.replace("Speed.", "Speed :math:`A`."), {}),  # of two parameters it is none's
        (NUMPY.replace("Speed.", "Speed :math:`v_0`."), {"area": "A", "speed": "v_0"}),
        ("Args:\n    a: Lower end, below $b$.\n    lo: Not more than $h$.\n    radius: Half the diameter $d$.\n", {}),
        ("Args:\n    lower: The end $b$.\n    b: Upper end.\n    k: Stiffness $c$.\n", {}),
        (":param mass: Mass :math:`M`\n", {"mass": "M"}),
        ("`area` is :math:`S`.\n\n" + NUMPY + "\n`area` (:math:`B`)", {"area": "B"}),
    ],
)
def test_a_list_spells_its_parameters(text, expected):
    assert spellings(text) == expected
