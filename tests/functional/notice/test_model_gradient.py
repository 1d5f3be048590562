"""Loss and gradients of the whole model, for every parameter, against the model's own forward pass in dual balls.

The loss is the first thing that `loss_and_grads` returns, and its gradients are the second: one function is forward and
backward at once. The sizes are small and all differ, and there are two blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict

if TYPE_CHECKING:
    from conftest import Copy

MODEL = "impl/transformer.py"
BLOCKS = 2
PARAMETERS = {"tok_emb": "V, 6", "pos_emb": "Tmax, 6"}
for block in range(BLOCKS):
    PARAMETERS |= {
        f"b{block}.{name}": shape
        for names, shape in (
            ("ln1_g ln1_b bq bk bv bo ln2_g ln2_b ff2_b", "6"),
            ("wq wk wv wo", "6, 6"),
            ("ff1_w", "6, F"),
            ("ff1_b", "F"),
            ("ff2_w", "F, 6"),
        )
        for name in names.split()
    }
PARAMETERS |= {"lnf_g": "6", "lnf_b": "6", "head_w": "6, V", "head_b": "V"}

HEAD = f"""\
topic: whole_gradient
title: Every gradient
page: whole-model
status: implemented
direction: backward
functions: ['{MODEL}::loss_and_grads']
what: All gradients at once.
why: To see the whole.
indices: {{t: T, v: V}}
where: 'T < Tmax, F != 6, V != 6, T != 6, Tmax != 6'
symbols:
  ids: {{code: ids, shape: [T], domain: {{integer: true, min: 0, max: V - 1}}}}
  targets: {{code: targets, shape: [T], domain: {{integer: true, min: 0, max: V - 1}}}}
  dZ: {{code: dZ, shape: [T, V]}}
  dbh: {{code: dbh, shape: [V]}}
"""


def symbol(name: str) -> str:
    return "p_" + name.replace(".", "_")


def spec() -> str:
    symbols = "".join(f"  {symbol(name)}: {{code: null, shape: [{shape}]}}\n" for name, shape in PARAMETERS.items())
    params = ", ".join(f'"{name}": {symbol(name)}' for name in PARAMETERS)
    wrt = "".join(f"    {symbol(name)}: 'result[1][\"{name}\"]'\n" for name in PARAMETERS)
    config = f"ModelConfig(vocab_size=V, emb_dim=6, ff_dim=F, num_heads=2, context_len=Tmax, num_layers={BLOCKS})"
    return f"""{HEAD}{symbols}gradient:
  forward: '{MODEL}::loss_and_grads'
  backward: '{MODEL}::loss_and_grads'
  call: >-
    loss_and_grads(ids, targets, {{{params}}}, {config})
  cotangent: '1'
  output: 'result[0]'
  wrt:
{wrt}equations:
  - id: whole_gradient.every
    label: All
    latex: 'db_h'
    sympy: 'Eq(dbh[v], Sum(dZ[t, v], t))'
    method: [vjp]
    wrt: [{", ".join(map(symbol, PARAMETERS))}]
    anchors:
      - {{role: computes, at: '{MODEL}:1', in: loss_and_grads, code: 'grads["head_b"] += dbh', bind: {{dbh: operand}}}}
"""


def verified(copy: Copy) -> Results:
    copy.write("spec/whole-model/whole_gradient.yaml", spec())
    copy.replace("spec/pages.yaml", "model_backward]", "model_backward, whole_gradient]")
    copy.fix()
    return copy.verify("whole_gradient.every")


def test_every_gradient_is_certified(copy: Copy) -> None:
    found = verified(copy)
    (result,) = found.methods["whole_gradient.every"]
    assert [fault.message for fault in result.faults] == []
    assert result.verdict is Verdict.CERTIFIED
    assert f"adjoint identity by {', '.join(map(symbol, PARAMETERS))} shown in dual balls" in result.evidence.detail
    assert result.evidence.certified >= 32


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("for layer in range(config.num_layers - 1, -1, -1):", "for layer in range(config.num_layers):", "b1.wq"),
        ("return dX1 + dX_branch", "return dX1 + dX_branch * 1.0001", "b0.wq"),
        ('np.add.at(grads["tok_emb"], ids, dX0)', 'grads["tok_emb"][ids] += dX0', "tok_emb"),
    ],
    ids=("blocks forward", "a factor in one residual", "repeated ids not added up"),
)
def test_a_fault_anywhere_shows(copy: Copy, old: str, new: str, wrong: str) -> None:
    copy.edit(MODEL, old, new)
    found = verified(copy)
    (result,) = found.methods["whole_gradient.every"]
    assert result.verdict is Verdict.REFUTED
    told = [fault.message for fault in result.faults if fault.kind == "adjoint-mismatch"]
    assert any(f"by {symbol(wrong)}: " in message for message in told), told
