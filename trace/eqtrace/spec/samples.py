"""Examples of everything that a specification may say, by the name of its type in the JSON Schema.

They are part of the schema, where editors show them, and of docs/specification.md. A test holds that each fits its type
and that no key lacks one.
"""

from __future__ import annotations

from typing import Any

_ANCHOR = {"role": "computes", "at": "impl/ops.py:31", "in": "linear_forward", "code": "return X @ W + b"}
_SHARED: dict[str, Any] = {
    "where": "T <= Tmax, sigma > 0",
    "indices": {"t": "T", "j": [0, "i + 1"]},
    "let": {"r": "a + b"},
    "given": [{"equation": "layer_norm.inv_std", "rename": {"X": "Z"}}],
    "domain": {"p": {"probability_row": True}},
    "call": "linear(X, W, b)",
    "order": ["impl/ops.py::linear_backward", "impl/transformer.py::block_backward"],
    "structure": {"b{l}.wq": {"shape": ["d", "d"], "start": "xavier_uniform"}},
    "rejects": "ValueError",
    "tolerance": {"rtol": 1.0e-12, "reason": "the series is cut off"},
    "ulps": {"max": 4, "reason": "what the paper promises"},
    "gradient": {
        "forward": "impl/ops.py::linear_forward",
        "backward": "impl/ops.py::linear_backward",
        "cotangent": "dY",
        "wrt": {"X": "result[0]"},
    },
}
_FORMULA: dict[str, Any] = {
    **_SHARED,
    "label": "Matrix product plus bias",
    "latex": r"Y = XW + b",
    "sympy": "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])",
    "derived": False,
    "method": ["value"],
    "anchors": [_ANCHOR],
    "symbols": {"X": {"meaning": "Input", "shape": ["T", "a"]}},
    "functions": {"LN": {"equation": "layer_norm.affine", "args": ["X", "gamma", "beta"]}},
    "wrt": ["X"],
}

SAMPLES: dict[str, tuple[dict[str, Any], ...]] = {
    "ShortEntry": (
        {"sympy": "exp(-(x - mu)**2/(2*sigma**2))", "where": "sigma > 0"},
        {
            **_FORMULA,
            "title": "Bell curve",
            "states": "docstring",
            "gradient_of": "rosen",
            "by": "x",
            "shapes": {"x": ["n"]},
            "status": "implemented",
            "direction": "forward",
        },
    ),
    "Stated": ({"of": "lmfit.models:GaussianModel", "holds": "c x^{c-1}"},),
    "Topic": (
        {
            **_SHARED,
            "topic": "linear",
            "title": "Linear layer",
            "page": "linear-relu-initialisation",
            "category": "Basic operations",
            "status": "implemented",
            "direction": "forward",
            "functions": ["impl/ops.py::linear_forward"],
            "literature": [{"work": "vaswani2017", "section": "3.3", "equation": [2]}],
            "what": "A matrix product, at {cite: linear.linear/computes/0}.",
            "why": "It mixes the columns of its input.",
            "symbols": {"X": {"meaning": "Input, one row per token", "shape": ["T", "a"]}},
            "equations": [{"id": "linear.linear", "latex": "Y = XW + b"}],
            "example": {"kind": "editable", "inputs": {"X": [[1, 2]]}, "steps": [{"label": "Y", "code": "X * 2"}]},
            "shapes": [{"caption": "Query", "rows": [{"array": "X", "dims": ["T", "a"]}]}],
            "sections": [{"heading": "In place", "text": "Where it is not called."}],
        },
    ),
    "Equation": ({**_FORMULA, "id": "linear.linear"},),
    "Symbol": (
        {
            "meaning": "Weight matrix",
            "code": {"linear_forward": "W", "attention_forward": 'params[p + "wq"]'},
            "shape": ["a", "c"],
            "parameter": True,
            "latex": ["W", r"\mathbf{W}"],
            "domain": {"min": 0},
        },
    ),
    "Domain": (
        {"integer": True, "min": 0, "max": "V - 1", "open": ["max"], "distinct": True},
        {"one_of": [1, 2, 4], "letters": "ab ", "probability_row": True, "permutation": True, "function": True},
    ),
    "Given": ({"equation": "layer_norm.inv_std", "rename": {"X": "Z"}},),
    "FunctionUse": ({"equation": "layer_norm.affine", "args": ["X", "gamma", "beta"], "latex": r"\mathrm{LN}"},),
    "Tolerance": ({"atol": 0, "rtol": 1.0e-12, "reason": "the series is cut off"},),
    "Ulps": ({"max": 4, "reason": "what the paper promises"},),
    "Gradient": (
        {
            "forward": "impl/ops.py::layer_norm_forward",
            "backward": "impl/ops.py::layer_norm_backward",
            "cotangent": "dY",
            "cache": "result[1]",
            "output": "result[0]",
            "wrt": {"X": "result[0]", "gamma": "result[1]"},
            "after": {"Xhat": "layer_norm.normalise/computes/0"},
            "accumulates": "grads",
            "call": "layer_norm_forward(X, gamma, beta)",
        },
    ),
    "ParameterStart": ({"shape": ["d", "d"], "start": "xavier_uniform"},),
    "Anchor": (
        {
            "role": "inline",
            "at": "impl/transformer.py:118",
            "in": "attention_forward",
            "code": 'Q = Xn @ params[p + "wq"] + params[p + "bq"]',
            "occurrence": 0,
            "purpose": "Query",
            "bind": {"X": "Xn", "W": 'params[p + "wq"]', "Y": "Q"},
            "part": 0,
        },
    ),
    "Citation": ({"work": "vaswani2017", "section": "4.3", "equation": [19], "page": 6},),
    "Example": (
        {
            "kind": "editable",
            "source": "hand-picked",
            "inputs": {"X": [[1, 2]], "W": [[1], [3]]},
            "steps": [{"label": "Y", "code": "X @ W"}],
            "equals": "impl/ops.py::linear_forward",
            "call": "linear_forward(X, W, 0)",
            "gives": {"Y": "result"},
        },
        {"kind": "stored", "run": "losses"},
    ),
    "Step": ({"label": "Y", "code": "X @ W + b"},),
    "ShapeTable": (
        {
            "caption": "Query",
            "anchor": "linear.linear/inline/Query",
            "rows": [{"array": "X", "dims": ["T", "a"]}],
        },
    ),
    "Row": ({"array": "X", "dims": ["T", "a"]},),
    "Section": (
        {
            "heading": "One step",
            "text": "Prose with `code` and {cite: loss.mean/computes/0}.",
            "steps": [{"text": "The loss is averaged.", "cite": "loss.mean/computes/0"}],
            "run": "parameter_table",
            "caption": "Every parameter, with its shape",
        },
    ),
    "PathStep": ({"text": "Both moments are updated.", "cite": ["adam.m/computes/0", "adam.v/computes/0"]},),
    "Page": (
        {
            "page": "training",
            "title": "How it is trained",
            "intro": "A paragraph or more.",
            "notation": "A d in front of a name means a gradient.",
            "topics": ["loss", "adam"],
            "sections": [{"heading": "Parameters", "run": "parameter_table"}],
        },
    ),
    "Work": (
        {
            "title": "Attention Is All You Need",
            "authors": ["Vaswani, A.", "Shazeer, N."],
            "year": 2017,
            "venue": "NeurIPS",
            "doi": "10.48550/arXiv.1706.03762",
            "arxiv": "1706.03762",
        },
    ),
    "Waiver": (
        {"equation": "loss.bound", "lacks": "code", "reason": "it is stated in the text only"},
        {
            "at": "impl/data.py:12",
            "in": "make_windows",
            "code": "n = len(ids) - T",
            "reason": "it counts windows",
        },
    ),
}


def with_samples(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema whose types carry their examples."""
    for name, definition in schema.get("$defs", {}).items():
        if name in SAMPLES:
            definition["examples"] = list(SAMPLES[name])
    return schema
