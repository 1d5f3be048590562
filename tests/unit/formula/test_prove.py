"""Proofs of whole statements: what is proved, how it falls back, and what refutes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from eqtrace.formula import prove as module
from eqtrace.formula.facts import TimeUp
from eqtrace.formula.form import Form, read
from eqtrace.formula.prove import Proof, prove, prove_gradient
from eqtrace.model.equation import Equation, Given, Gradient
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain
from eqtrace.model.verdict import Verdict

Forms = tuple[dict[str, Equation], dict[str, Form]]
Build = Callable[..., Equation]
SHAPES = {"X": "T a", "W": "a c", "v": "a", "w": "a", "y": "T", "s": "", "z": "", "n": ""}
INDICES = {"t": "T", "u": "T", "k": "a", "l": "a", "m": "a", "j": "c"}


def text(value: str) -> Text:
    return Text(value, Span("spec/topic.yaml", 1, 1))


def proof_of(make: Build, *statements: str, domains: Mapping[str, Domain] | None = None, **keys: object) -> Proof:
    equation = make(*statements, **{"symbols": SHAPES, "indices": INDICES, **keys})
    symbols = {
        name: replace(symbol, domain=(domains or {}).get(name, Domain())) for name, symbol in equation.symbols.items()
    }
    equation = replace(equation, symbols=symbols)
    form, faults = read(equation)
    assert form is not None, faults
    return prove(equation, {equation.id: equation}, {equation.id: form}, seconds=20)


# This repository's forms, and those of later pages


def test_every_derivation_and_identity_is_proved_for_all_sizes(specification: Forms, later: Forms) -> None:
    proved = 0
    for equations, forms in (specification, later):
        for equation in equations.values():
            if {"derivative", "identity"} & set(equation.methods):
                proof = prove(equation, equations, forms)
                assert (proof.verdict, proof.points) == (Verdict.PROVED, 2), (equation.id, proof)
                assert proof.assumptions in ((), ("d == H*dh",)), (equation.id, proof)
                proved += 1
    assert proved >= 22


def test_every_gradient_is_the_derivative_of_its_forward(specification: Forms, later: Forms) -> None:
    proved = 0
    for equations, forms in (specification, later):
        for equation in equations.values():
            if "vjp" in equation.methods:
                proof = prove_gradient(equation, equations, forms)
                assert (proof.verdict, proof.points) == (Verdict.PROVED, 2), (equation.id, proof)
                others = set(proof.assumptions) - {"d == H*dh"}
                assert all(each.endswith("!= 0 (a kink)") for each in others), (equation.id, proof)
                proved += 1
    assert proved >= 35


MUST_NOTICE = {
    "layer_norm_backward.grad_input": [
        ("dXhat[t, j] - Sum(dXhat[t, i], i)/d", "dXhat[t, j]"),
        (" - Xhat[t, j]*Sum(dXhat[t, i]*Xhat[t, i], i)/d", ""),
        ("Sum(dXhat[t, i], i)/d", "Sum(dXhat[t, i], i)/(d - 1)"),
        ("s[t, 0]*", "1/sqrt(var[t, 0])*"),
    ],
    "softmax_backward.grad_input": [(" - Sum(y[i]*dY[i], i)", ""), ("y[i]*dY[i]", "dY[i]")],
    "linear_backward.grad_weight": [("X[t, k]", "X[t, k]*0.9999")],
    "linear_backward.grad_bias": [("Sum(dY[t, j], t)", "Sum(dY[t, j], t)/T")],
    "cross_entropy_backward.combined_gradient": [("/T", "")],
    "relu_backward.masked_gradient": [("Z[t, i] > 0", "Z[t, i] > 1e-6"), ("(0, True)", "(1e-6, True)")],
}


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *edit) for name, edits in MUST_NOTICE.items() for edit in edits]
)
def test_a_form_that_differs_from_its_gradient_is_refuted(specification: Forms, name: str, old: str, new: str) -> None:
    equations, forms = specification
    statements = tuple(text(each.value.replace(old, new)) for each in equations[name].statements)
    assert statements != tuple(text(each.value) for each in equations[name].statements)
    edited = replace(equations[name], statements=statements)
    form, _ = read(edited)
    assert form is not None
    proof = prove_gradient(edited, equations | {name: edited}, forms | {name: form})
    assert proof.verdict is Verdict.REFUTED
    assert "side 1 is" in proof.counterexample
    assert proof.part == 0


def test_a_derivation_step_with_a_wrong_factor_is_refuted_at_its_step(specification: Forms) -> None:
    equations, forms = specification
    name = "layer_norm_derivation.variance_derivative"
    changed = equations[name].statements[0].value.replace("2/d*(X[t, j] - mu[t, 0]))", "1/d*(X[t, j] - mu[t, 0]))")
    edited = replace(equations[name], statements=(text(changed),))
    form, _ = read(edited)
    assert form is not None
    proof = prove(edited, equations | {name: edited}, forms | {name: form})
    assert proof.verdict is Verdict.REFUTED
    assert "side 2 is" in proof.counterexample
    assert "side 3 is" in proof.counterexample
    assert "d = " in proof.counterexample


# Single statements

TRUE = {
    "a sum's square has two indices": "Eq(Derivative(Sum(v[k], k)**2, v[l]), 2*Sum(v[k], k))",
    "a bound index of the same name is another": "Eq(Sum(v[k]*Sum(w[k], k), k), Sum(v[k], k)*Sum(w[l], l))",
    "a free index and a bound one of its name": "Eq(v[k]*Sum(w[k], k), Sum(v[k]*w[l], l))",
    "orders of sums": "Eq(Sum(X[t, k]*v[k], t, k), Sum(v[k]*Sum(X[u, k], u), k))",
    "a constant is counted": "Eq(Sum(Sum(1, k), t), a*T)",
    "a triangle": "Eq(Sum(Sum(v[k], (l, k, a - 1)), k), Sum(v[k]*(a - k), k))",
    "a delta takes an index out": "Eq(Sum(v[k]*KroneckerDelta(k, l), k), v[l])",
    "a delta in part of a range": "Eq(Sum(v[k]*KroneckerDelta(k, l), (k, 0, m)), Piecewise((v[l], l <= m), (0, True)))",
    "a delta between free indices": "Eq(KroneckerDelta(k, l)*v[k], KroneckerDelta(k, l)*v[l])",
    "a branch outside and inside a sum": (
        "Eq(Sum(Piecewise((v[l], k < m), (0, True)), l), Piecewise((Sum(v[l], l), k < m), (0, True)))"
    ),
    "both branches together": "Eq(Piecewise((v[k], k <= l), (0, True)) + Piecewise((v[k], k > l), (0, True)), v[k])",
    "the larger and the smaller": "Eq(Max(s, z) + Min(s, z), s + z)",
    "an absolute value": "Eq(Abs(s), Max(s, -s))",
    "an absolute value's square": "Eq(Abs(s)**2, s**2)",
    "a root of a square": "Eq(sqrt((s - z)**2 + 1)**2, s**2 - 2*s*z + z**2 + 1)",
    "exponentials of sums": "Eq(exp(s + 2*z - v[k]), exp(s)*exp(z)**2/exp(v[k]))",
    "logarithms of exponentials": "Eq(log(exp(s)*exp(z)), s + z)",
    "a softmax adds up to 1": "Eq(Sum(exp(v[k])/Sum(exp(v[l]), l), k), 1)",
    "a softmax of rows, summed over both": "Eq(Sum(exp(X[t, k])/Sum(exp(X[t, l]), l), t, k), T)",
    "sums of quotients with their index": (
        "Eq(Sum(v[k]/(1 + w[k]**2), k) + Sum(v[k]*w[k]**2/(1 + w[k]**2), k), Sum(v[k], k))"
    ),
    "fractions": "Eq(1/(1 + exp(-s)) + 1/(1 + exp(s)), 1)",
    "the logistic function's slope": (
        "Eq(Derivative(1/(1 + exp(-s)), s), exp(-s)/(1 + exp(-s))**2, 1/(1 + exp(-s))*(1 - 1/(1 + exp(-s))))"
    ),
    "powers of numbers": "Eq(sqrt(8)*s, 2*sqrt(2)*s)",
    "a second derivative": "Eq(Derivative(s**3*z, s, z), 3*s**2)",
    "a mixed second derivative": "Eq(Derivative(Sum(v[k]*w[k], k), v[l], w[m]), KroneckerDelta(l, m))",
    "the derivative of a bilinear form": (
        "Eq(Derivative(Sum(X[t, k]*W[k, j]*X[t, l]*W[l, j], k, l), W[m, j]), 2*X[t, m]*Sum(X[t, k]*W[k, j], k))"
    ),
    "tanh": "Eq(Derivative(tanh(s*z), s), z*(1 - tanh(s*z)**2))",
    "a general power": "Eq(Derivative((1 + s**2)**z, z), log(1 + s**2)*(1 + s**2)**z)",
    "a quotient of integers": "Eq(floor((3*k + 2)/3), k)",
    "an empty range": "Eq(Sum(v[k], (k, 1, 0)), 0)",
    "a written-out sum": "Eq(Sum(s**k, (k, 0, 2)), 1 + s + s**2)",
    "a claim for every index": "ForAll(Eq(v[k] - v[k], 0), k)",
    "two claims": "And(Eq(s + z, z + s), Eq(Sum(2*v[k], k), 2*Sum(v[k], k)))",
    "a premise about an entry": "Implies(Eq(v[k], 0), Eq(v[k]*w[k] + w[l], w[l]))",
    "a premise that orders": "Implies(k < l, Eq(Piecewise((v[k], k <= l), (0, True)), v[k]))",
    "a premise that orders reals": "Implies(s > z, Eq(Max(s, z), s))",
}
FALSE = {
    "a captured index": "Eq(Derivative(Sum(v[k], k)**2, v[l]), 2*v[l])",
    "a captured index in a product": "Eq(Sum(v[k]*Sum(w[k], k), k), Sum(v[k]*w[k], k))",
    "a delta past the end of a range": "Eq(Sum(v[k]*KroneckerDelta(k, l), (k, 0, m)), v[l])",
    "a branch off by one": "Eq(Sum(v[k]*KroneckerDelta(k, l), (k, 0, m)), Piecewise((v[l], l < m), (0, True)))",
    "a root of a square without its sign": "Eq(sqrt(s**2), s)",
    "a root of a product": "Eq(sqrt(s**2*z**2), s*z)",
    "a sum's square term by term": "Eq(Sum(v[k], k)**2, Sum(v[k]**2, k))",
    "a quotient of sums": "Eq(Sum(v[k], k)/Sum(1 + w[k]**2, k), Sum(v[k]/(1 + w[k]**2), k))",
    "a count off by one": "Eq(Sum(1, (k, 1, a - 1)), a)",
    "the other triangle": "Eq(Sum(Sum(X[t, k], (k, 0, l)), l), Sum(X[t, k]*(k + 1), k))",
    "neighbours": "Eq(Sum(v[k]*KroneckerDelta(k, l + 1), (k, 0, a - 1)), v[l])",
    "a premise the other way": "Implies(k > l, Eq(Piecewise((v[k], k <= l), (0, True)), v[k]))",
    "a premise about another entry": "Implies(Eq(v[k], 0), Eq(Sum(v[l]*w[l], l), 0))",
    "a step at a kink": "Eq(Derivative(Max(0, s)**2, s), 2*s)",
    "a mixed derivative": "Eq(Derivative(s**2*z, s, z), s)",
    "equal at one size only": "Eq(v[l], Sum(v[k], k))",
}


@pytest.mark.parametrize("form", TRUE.values(), ids=TRUE)
def test_true_statements_are_proved(equation: Build, form: str) -> None:
    proof = proof_of(equation, form)
    assert proof.verdict is Verdict.PROVED, proof
    assert proof.points == 2, proof
    assert proof.seconds > 0
    assert proof.size >= 0


@pytest.mark.parametrize("form", FALSE.values(), ids=FALSE)
def test_false_statements_are_refuted_with_a_counterexample(equation: Build, form: str) -> None:
    proof = proof_of(equation, form)
    assert proof.verdict is Verdict.REFUTED, proof
    assert proof.counterexample in proof.detail


@pytest.mark.parametrize("form", FALSE.values(), ids=FALSE)
def test_the_normal_form_alone_does_not_prove_them(equation: Build, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "tried", lambda *arguments: module.Trial())
    assert proof_of(equation, form).verdict is Verdict.NOT_CHECKED


def test_domains_and_conditions_are_used(equation: Build) -> None:
    assert proof_of(equation, "Eq(sqrt(s**2), s)", where="s > 0").verdict is Verdict.PROVED
    assert proof_of(equation, "Eq(log(v[k]*w[k]), log(v[k]) + log(w[k]))", where="v[k] > 0, w[k] > 0").assumptions == ()
    positive = Domain(minimum=text("0"), open=frozenset(["min"]))
    assert proof_of(equation, "Eq(log(s*z), log(s) + log(z))", domains={"s": positive}).verdict is Verdict.PROVED
    found = proof_of(equation, "Eq(Derivative(Max(0, s), s), Piecewise((1, s > 0), (0, True)))", where="s != 0")
    assert (found.verdict, found.assumptions) == (Verdict.PROVED, ())


def test_what_a_statement_needs_and_does_not_say_is_assumed(equation: Build) -> None:
    assert proof_of(equation, "Eq(s/s, 1)").assumptions == ("s != 0",)
    assert proof_of(equation, "Eq(sqrt(s)**2, s)").assumptions == ("s >= 0",)
    assert proof_of(equation, "Eq(exp(log(s)), s)").assumptions == ("s > 0",)
    assert proof_of(equation, "Eq(exp(-log(Sum(exp(v[k]), k))), 1/Sum(exp(v[k]), k))").assumptions == ()
    kink = proof_of(equation, "Eq(Derivative(Max(0, s), s), Piecewise((1, s > 0), (0, True)))")
    assert kink.assumptions == ("s != 0 (a kink)",)


def test_sizes_can_be_products_of_others(equation: Build) -> None:
    keys = {
        "symbols": {"O": "T d", "P": "H T dh"},
        "indices": {"t": "T", "h": "H", "c": "dh", "k": "d"},
        "where": "d == H*dh",
    }
    form = "Eq(Sum(O[t, k]**2, k), Sum(O[t, h*dh + c]**2, h, c))"
    assert proof_of(equation, form, **keys).verdict is Verdict.PROVED
    form = "Eq(Sum(P[floor(k/dh), t, Mod(k, dh)], k), Sum(P[h, t, c], h, c))"
    assert proof_of(equation, form, **keys).verdict is Verdict.PROVED
    form = "Eq(Sum(P[floor(k/dh), t, Mod(k, dh)]*KroneckerDelta(k, h*dh + c), k), P[h, t, c])"
    assert proof_of(equation, form, **keys).verdict is Verdict.PROVED
    form = "Eq(Sum(O[t, k]**2, k), Sum(O[t, c*dh + h]**2, h, c))"
    assert proof_of(equation, form, **keys).verdict is not Verdict.PROVED


def test_subscripts_must_be_entries(equation: Build) -> None:
    assert proof_of(equation, "Eq(v[a]*0, 0)").verdict is not Verdict.PROVED  # one past the end
    assert proof_of(equation, "Eq(v[k - 1] - v[k - 1], 0)").assumptions == ("0 <= k - 1 < a",)
    assert proof_of(equation, "Eq(v[k/2] - v[k/2], 0)").verdict is not Verdict.PROVED


# Falling back


def test_at_sizes_where_the_general_proof_fails(equation: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "for_all_sizes", lambda *arguments: module.Attempt(["no general proof"]))
    proof = proof_of(equation, "Eq(Sum(v[k]*KroneckerDelta(k, l), k), v[l])")
    assert proof.verdict is Verdict.PROVED_AT_SIZES
    assert "proved at sizes a = " in proof.detail
    assert "for all sizes not: no general proof" in proof.detail


def test_at_sizes_products_and_extremes_are_written_out(equation: Build) -> None:
    proof = proof_of(equation, "Eq(Product(exp(v[k]), k), exp(Sum(v[k], k)))")
    assert proof.verdict is Verdict.PROVED_AT_SIZES, proof


def test_certified_where_nothing_is_proved(equation: Build) -> None:
    proof = proof_of(equation, "Eq(sin(2*s), 2*sin(s)*cos(s))")
    assert proof.verdict is Verdict.CERTIFIED
    assert proof.points == 14
    assert "certified at 14 random points" in proof.detail


def test_the_time_limit_leads_to_the_next_way(equation: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*arguments: object) -> object:
        raise TimeUp

    monkeypatch.setattr(module, "for_all_sizes", late)
    assert proof_of(equation, "Eq(s + z, z + s)").verdict is Verdict.PROVED_AT_SIZES
    monkeypatch.setattr(module, "at_sizes", late)
    proof = proof_of(equation, "Eq(s + z, z + s)")
    assert proof.verdict is Verdict.CERTIFIED
    assert "20 s were not enough" in proof.detail


def test_a_large_power_is_refused_in_time(equation: Build) -> None:
    proof = proof_of(equation, "Eq((s + z + v[k] + w[k] + 1)**40, (1 + s + z + v[k] + w[k])**40)")
    assert proof.verdict is Verdict.CERTIFIED
    assert "is too large" in proof.detail


def test_what_cannot_be_evaluated_is_said(equation: Build) -> None:
    proof = proof_of(equation, "Eq(beta(s, z), beta(s, z))")
    assert proof.verdict is Verdict.PROVED
    assert proof.limits == ("0 random points evaluated: beta is not evaluated at a point",)


def test_nothing_to_prove_is_no_pass(equation: Build) -> None:
    proof = proof_of(equation, "Eq(s, z + 1)")
    assert proof.verdict is Verdict.NOT_CHECKED
    assert "only defines its left side" in proof.detail
    assert proof_of(equation, "s <= s + 1").verdict is Verdict.NOT_CHECKED


def test_a_premise_that_is_never_met_is_said(equation: Build) -> None:
    proof = proof_of(equation, "Implies(k > a, Eq(v[k], w[k]))")
    assert proof.verdict is not Verdict.CERTIFIED
    assert proof.points == 0


NAMES = {"n": Domain(words=("q", "k", "v"))}
TURNS = {
    "q": 'Implies(Eq(n, "q"), Eq(v[k] + w[k], w[k] + v[k]))',
    "k": 'Implies(Eq(n, "k"), Eq(Piecewise((v[k], Ne(n, "q")), (0, True)), v[k]))',
}


def test_claims_under_premises_about_strings(equation: Build) -> None:
    proof = proof_of(equation, *TURNS.values(), domains=NAMES)
    assert (proof.verdict, proof.points, proof.limits) == (Verdict.PROVED, 2, ())


def test_strings_are_told_apart(equation: Build) -> None:
    wrong = TURNS["k"].replace('"q"', '"k"')
    assert proof_of(equation, TURNS["q"], wrong, domains=NAMES).verdict is Verdict.REFUTED


def test_a_name_for_what_is_equal_under_a_premise(equation: Build) -> None:
    keys = {"symbols": {**SHAPES, "b": "a"}, "domains": NAMES}
    sides = "Sum(X[t, k], t), Sum(2*X[t, k], t)/2"
    assert proof_of(equation, f'Implies(Eq(n, "k"), Eq(b[k], {sides}))', **keys).verdict is Verdict.PROVED
    wrong = sides.replace("/2", "")
    assert proof_of(equation, f'Implies(Eq(n, "k"), Eq(b[k], {wrong}))', **keys).verdict is Verdict.REFUTED
    only = f'Implies(Eq(n, "k"), Eq(b[k], {sides}))'
    assert proof_of(equation, only, "Eq(b[k], 0)", **keys).verdict is Verdict.REFUTED


# What statements stand on


def forms_of(*equations: Equation) -> tuple[dict[str, Equation], dict[str, Form]]:
    forms = {}
    for each in equations:
        form, faults = read(each)
        assert form is not None, faults
        forms[each.id] = form
    return {each.id: each for each in equations}, forms


def test_given_forms_are_renamed_with_their_sizes(equation: Build) -> None:
    first = replace(
        equation("Eq(Y[t, j], Sum(X[t, k]*W[k, j], k))", symbols={"Y": "T c", "X": "T a", "W": "a c"}, indices=INDICES),
        id="one.one",
    )
    second = replace(
        equation(
            "Eq(Derivative(Z[t, f], V[e, f]), X[t, e])",
            "Eq(Sum(Derivative(Z[t, f], X[t, e]), e, f), Sum(V[e, f], e, f))",
            symbols={"Z": "T F", "X": "T d", "V": "d F"},
            indices={"t": "T", "e": "d", "f": "F"},
        ),
        given=(Given(text("one.one"), {"Y": "Z", "W": "V"}),),
    )
    equations, forms = forms_of(first, second)
    assert prove(second, equations, forms).verdict is Verdict.PROVED


def test_a_symbol_is_defined_once(equation: Build) -> None:
    keys = {"symbols": {"y": "", "x": ""}}
    first, second = (replace(equation(f"Eq(y, {n}*x)", **keys), id=f"one.{n}") for n in (2, 3))
    third = replace(equation("Eq(Derivative(y, x), 2)", **keys), given=(Given(text("one.2")), Given(text("one.3"))))
    equations, forms = forms_of(first, second, third)
    proof = prove(third, equations, forms)
    assert (proof.verdict, proof.detail) == (Verdict.NOT_CHECKED, "y is defined by one.2 already")


def test_a_form_under_conditions_is_no_definition(equation: Build) -> None:
    keys = {"symbols": {"y": "n", "x": "n"}, "indices": {"i": "n"}}
    first = replace(equation("Eq(y[i], x[i])", where="i > 0", **keys), id="one.one")
    second = replace(equation("Eq(Derivative(y[i], x[i]), 1)", **keys), given=(Given(text("one.one")),))
    equations, forms = forms_of(first, second)
    assert prove(second, equations, forms).verdict is Verdict.NOT_CHECKED


def test_the_law_of_a_given_draw(equation: Build) -> None:
    keys = {"symbols": {"x": "n", "lo": "", "hi": ""}, "indices": {"i": "n"}}
    draw = replace(equation("Uniform(x[i], lo, hi)", **keys), id="one.draw")
    right = replace(equation("Eq(Var(x[i]), (hi - lo)**2/12)", **keys), given=(Given(text("one.draw")),))
    wrong = replace(equation("Eq(Var(x[i]), (hi + lo)**2/12)", **keys), given=(Given(text("one.draw")),))
    for each, verdict in ((right, Verdict.PROVED), (wrong, Verdict.REFUTED)):
        equations, forms = forms_of(draw, each)
        assert prove(each, equations, forms).verdict is verdict


def test_a_derivative_by_an_intermediate_stops_there(equation: Build) -> None:
    keys = {"symbols": {"x": "", "y": "", "z": ""}}
    first = replace(equation("Eq(y, x**2)", **keys), id="one.y")
    second = replace(equation("Eq(z, y*x)", **keys), id="one.z")
    given = (Given(text("one.y")), Given(text("one.z")))
    third = replace(equation("Eq(Derivative(z, y), x)", "Eq(Derivative(z, x), 3*x**2)", **keys), given=given)
    equations, forms = forms_of(first, second, third)
    assert prove(third, equations, forms).verdict is Verdict.PROVED


def gradient_of(make: Build, form: str, cotangent: str = "dY") -> Proof:
    keys = {"symbols": {"Y": "n", "X": "n", "dY": "n", "dX": "n"}, "indices": {"i": "n"}}
    forward = replace(make("Eq(Y[i], X[i]**2)", **keys), id="one.y")
    gradient = Gradient(text("a.py::f"), text("a.py::b"), cotangent, None, {"X": "result"}, None)
    backward = replace(make(form, **keys), given=(Given(text("one.y")),), gradient=gradient)
    equations, forms = forms_of(forward, backward)
    return prove_gradient(backward, equations, forms)


def test_gradients_by_name(equation: Build) -> None:
    assert gradient_of(equation, "Eq(dX[i], 2*X[i]*dY[i])").verdict is Verdict.PROVED
    assert gradient_of(equation, "Eq(dX[i], Old(dX[i]) + 2*X[i]*dY[i])").verdict is Verdict.PROVED
    assert gradient_of(equation, "Eq(dX[i], 2*X[i])").verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("form", "cotangent"), [("Eq(Y[i], X[i])", "dY"), ("Eq(dX[i], dY[i])", "G"), ("Eq(dX[i], 1)", "1")]
)
def test_a_gradient_that_is_not_said(equation: Build, form: str, cotangent: str) -> None:
    assert gradient_of(equation, form, cotangent).verdict is Verdict.NOT_CHECKED


def test_a_forward_without_forms_is_not_refuted(equation: Build) -> None:
    gradient = Gradient(text("a.py::f"), text("a.py::b"), "dY", None, {"X": "result"}, None)
    keys = {"symbols": {"Y": "n", "X": "n", "dY": "n", "dX": "n"}, "indices": {"i": "n"}}
    equations, forms = forms_of(replace(equation("Eq(dX[i], 2*X[i]*dY[i])", **keys), gradient=gradient))
    proof = prove_gradient(equations["topic.equation"], equations, forms)
    assert proof.verdict is Verdict.NOT_CHECKED
    assert "no form of the forward says how Y depends on X" in proof.detail
