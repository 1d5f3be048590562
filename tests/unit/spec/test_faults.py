"""Each kind of fault: a case that fires, at its exact place, and one beside it that stays silent.

In the texts, ‹› stand around the place where the fault must be.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eqtrace.model.finding import Fault
from eqtrace.model.topic import Specification

HEAD = """topic: a
title: A
page: p
status: implemented
direction: forward
functions: ['a.py::f']
what: W
why: Y
"""
SYMBOLS = "symbols: {X: {shape: [T]}}\n"
EQUATIONS = "equations: [{id: a.b, sympy: 'Eq(X, 1)'}]\n"


def marked(text: str) -> tuple[str, tuple[int, int, int, int]]:
    start, end = text.index("‹"), text.index("›") - 1
    plain = text.replace("‹", "").replace("›", "")
    ends = []
    for offset in (start, end):
        before = plain[:offset]
        ends += [before.count("\n") + 1, offset - before.rfind("\n")]
    return plain, (ends[0], ends[1], ends[2], ends[3])


def one(faults: tuple[Fault, ...]) -> Fault:
    assert len(faults) == 1, "\n".join(f"{fault.span} {fault.kind} {fault.message}" for fault in faults)
    return faults[0]


FIRING = [
    # yaml-syntax
    ("yaml-syntax", "m: {f: {sympy: x}\n‹›", "can't be read", ""),
    ("yaml-syntax", HEAD + 'category: "a‹›\\sigma"\n', "unknown escape", "single quotes"),
    ("yaml-syntax", "a: b‹›: c\n", "mapping values", "single quotes"),
    ("yaml-syntax", "a: ‹›@x\n", "cannot start any token", "single quotes"),
    ("yaml-syntax", "a:\n‹›\tb: c\n", "tab|cannot start", "spaces"),
    ("yaml-syntax", "m: {f: {sympy: x}}\n‹›---\nn: {}\n", "another document", "---"),
    ("yaml-syntax", "m: {f: {sympy: ‹›*x}}\n", "undefined alias", "single quotes"),
    # duplicate-key
    ("duplicate-key", "m: {f: {sympy: x, ‹sympy›: y}}\n", "twice", ""),
    ("duplicate-key", "m: {f: {sympy: x}}\n‹m›: {g: {sympy: x}}\n", "twice", ""),
    # control-character
    ("control-character", 'm: {f: {sympy: x, latex: "a ‹›\\beta"}}\n', "U+0008 followed by `eta`", "single quotes"),
    ("control-character", 'm: {f: {sympy: x, latex: "‹›\\frac{1}{2}"}}\n', "U+000C followed by `rac`", "single quotes"),
    ("control-character", 'm: {f: {sympy: x, latex: "‹›\\nu"}}\n', "U+000A followed by `u`", "single quotes"),
    ("control-character", 'm: {f: {sympy: x, latex: "‹›\\theta_1"}}\n', "`\\theta`", "single quotes"),
    ("control-character", 'm: {f: {sympy: x, latex: "‹›\\Lambda"}}\n', "U+2028", "single quotes"),
    ("control-character", 'm: {f: {sympy: x, latex: "a\n     b ‹›\\rho"}}\n', "U+000D", "single quotes"),
    ("control-character", 'm: {f: {sympy: x, latex: "‹›\\x08"}}\n', "U+0008", ""),
    ("control-character", "m: {f: {sympy: x, latex: 'a‹›\x08'}}\n", "U+0008", ""),
    ("control-character", 'm: {"‹›\\beta": {sympy: x}}\n', "U+0008", "single quotes"),
    # yaml-type
    ("yaml-type", "m: {f: {sympy: x, label: ‹no›}}\n", "`no` is read as the truth value false", "'no'"),
    ("yaml-type", "m: {f: {sympy: ‹on›}}\n", "`on` is read as the truth value true", "'on'"),
    ("yaml-type", "m: {f: {sympy: [x, ‹yes›]}}\n", "`yes` is read as", "'yes'"),
    ("yaml-type", "m: {f: {sympy: x, label: ‹null›}}\n", "is read as no value", "'null'"),
    ("yaml-type", "m: {f: {sympy: x, label: ‹2017-01-01›}}\n", "is read as a date", "'2017-01-01'"),
    ("yaml-type", "m: {f: {sympy: x, label: ‹4.10›}}\n", "is read as the number 4.1", "'4.10'"),
    ("yaml-type", "m: {f: {sympy: x, let: {r: ‹012›}}}\n", "the octal number 10", "write 12"),
    ("yaml-type", "m: {f: {sympy: x, let: {r: ‹1:30›}}}\n", "base 60, 90", "'1:30'"),
    ("yaml-type", "m: {f: {sympy: x, let: {r: ‹.nan›}}}\n", "not a number", ""),
    ("yaml-type", "m: {f: {sympy: x, shapes: {x: [n, ‹no›]}}}\n", "`no` is read as", "'no'"),
    ("yaml-type", "m: {f: {sympy: x, tolerance: {atol: ‹1e-5›, reason: r}}}\n", "is read as a text", "1.0e-5"),
    ("yaml-type", "m: {f: {sympy: x, tolerance: {atol: ‹1e5›, reason: r}}}\n", "is read as a text", "1.0e+5"),
    ("yaml-type", "m: {f: {sympy: x, ulps: {max: ‹012›, reason: r}}}\n", "octal number 10", "write 12"),
    ("yaml-type", "m: {f: {sympy: x, ulps: {max: ‹09›, reason: r}}}\n", "is read as a text", "write 9"),
    ("yaml-type", "m: {f: {sympy: x, domain: {x: {one_of: [1, ‹1e-5›]}}}}\n", "is read as a text", "1.0e-5"),
    ("yaml-type", "m: {f: {sympy: x, symbols: {‹null›: {}}}}\n", "the key `null` is read as no value", "'null'"),
    ("yaml-type", "m: {f: {sympy: x, symbols: {‹no›: {}}}}\n", "the key `no` is read as", "'no'"),
    ("yaml-type", "m: {f: {sympy: x, let: {‹1›: x}}}\n", "the key `1` is read as the number 1", "'1'"),
    ("yaml-type", "m: {f: {sympy: ‹!!python/name:os.system x›}}\n", "the tag", "without a tag"),
    ("yaml-type", "m: {f: ‹!foo {sympy: x}›}\n", "the tag `!foo`", "without a tag"),
    (
        "yaml-type",
        HEAD + SYMBOLS + EQUATIONS + "example: {kind: steps, inputs: {X: [[true, ‹012›]]}}\n",
        "octal",
        "write 12",
    ),
    (
        "yaml-type",
        HEAD + SYMBOLS + EQUATIONS + "example: {kind: steps, inputs: {X: [1, [‹1e-5›]]}}\n",
        "as a text",
        "1.0e-5",
    ),
    # schema
    ("schema", "m: {f: {sympy: x, ‹wher›: y}}\n", "`wher` is not known", "`where`"),
    ("schema", "m: {f: {sympy: x, domain: {x: {‹minn›: y}}}}\n", "`minn` is not known", "`min`"),
    ("schema", "m: {f: {sympy: x, given: [‹{rename: {a: b}}›]}}\n", "`equation` is missing", "id"),
    ("schema", "m: {f: {sympy: x, label: ‹[a]›}}\n", "`label`: a text is wanted, not a list", ""),
    ("schema", "m: {f: {sympy: x, label: ‹›}}\n", "`label`: a text is wanted, not nothing", ""),
    ("schema", "m: {f: {sympy: x, derived: ‹'true'›}}\n", "true or false is wanted, not a text", ""),
    ("schema", "m: {f: {sympy: x, method: [‹valeu›]}}\n", "can't be `valeu`", "`value`"),
    ("schema", "m: {f: {sympy: x, method: ‹value›}}\n", "a list is wanted, not a text", ""),
    ("schema", "m: {f: {sympy: x, ulps: {max: ‹-1›, reason: r}}}\n", "at least 0", ""),
    ("schema", "m: {f: {sympy: x, ulps: {max: 1, reason: ‹''›}}}\n", "not empty", ""),
    ("schema", "m: {f: {sympy: x, indices: {i: ‹[0]›}}}\n", "half-open range", ""),
    ("schema", "m: {f: {sympy: x, shapes: {x: ‹n›}}}\n", "a list of dimensions", ""),
    ("schema", "m: {f: {sympy: x, shapes: {x: [n, ‹'...'›]}}}\n", "only be the first", ""),
    ("schema", "m: {f: {sympy: x, rejects: ‹'f()'›}}\n", "name of an exception", ""),
    ("schema", "m: {f: {sympy: x, order: [‹f›]}}\n", "path/file.py::", ""),
    ("schema", "m: {f: {sympy: x, ‹<<›: {label: y}}}\n", "merge keys", "alias"),
    ("schema", "m: {f: {sympy: x, ‹[a]›: y}}\n", "a key is a plain text", ""),
    ("schema", "m: {f: {sympy: x, anchors: [{role: computes, at: ‹a.py›, code: x}]}}\n", "a place as", ""),
    ("schema", "m: {f: {sympy: x, anchors: [{role: computes, at: ‹'a.py:0'›, code: x}]}}\n", "a place as", ""),
    ("schema", "m: {f: {sympy: x, anchors: [{role: ‹compute›, at: 'a.py:1', code: x}]}}\n", "`compute`", "`computes`"),
    ("schema", "m: {f: {sympy: x, anchors: [‹{role: tests, at: 'a.py:1'}›]}}\n", "no `code`", ""),
    ("schema", "m: {f: {sympy: x, anchors: [{role: tests, at: 'a.py:1', code: x, part: ‹1›}]}}\n", "part 1", "from 0"),
    ("schema", HEAD + SYMBOLS + "equations: ‹[]›\n", "no equations", ""),
    ("schema", HEAD + SYMBOLS.replace("X", "'X'") + "equations: [{id: ‹a b›}]\n", "an id", ""),
    ("schema", HEAD.replace("forward", "‹forwards›") + SYMBOLS + EQUATIONS, "can't be `forwards`", "`forward`"),
    (
        "schema",
        HEAD.replace("[", "[‹").replace("]", "›]").replace("::f", ":f") + SYMBOLS + EQUATIONS,
        "path/file.py",
        "",
    ),
    # reserved-name
    ("reserved-name", "m: {f: {sympy: x, symbols: {‹lambda›: {}}}}\n", "Python keyword", "`lambda_`"),
    ("reserved-name", "m: {f: {sympy: x, let: {‹in›: x}}}\n", "Python keyword", "`in_`"),
    ("reserved-name", "m: {f: {sympy: x, let: {‹Sum›: x}}}\n", "a word of forms", "`Sum_`"),
    ("reserved-name", HEAD + "symbols: {‹Sum›: {}}\n" + EQUATIONS, "a word of forms", "`Sum_`"),
    ("reserved-name", HEAD + SYMBOLS + "indices: {‹pi›: 3}\n" + EQUATIONS, "a word of forms", "`pi_`"),
    ("reserved-name", HEAD + "symbols: {‹a-b›: {}}\n" + EQUATIONS, "a Python name", ""),
    ("reserved-name", HEAD + "symbols: {‹\u03f5›: {}}\n" + EQUATIONS, "Python reads it as `\u03b5`", "\u03b5"),
    # limit
    ("limit", "m: {f: {sympy: x, anchors: [{role: tests, at: ‹'../a.py:1'›, code: x}]}}\n", "inside", "`..`"),
    ("limit", "m: {f: {sympy: x, anchors: [{role: tests, at: ‹'/etc/passwd:1'›, code: x}]}}\n", "inside", ""),
    ("limit", "‹'../m.py::f'›: {sympy: x}\n", "inside", ""),
    ("limit", HEAD.replace("['a.py::f']", "[‹'a/../../b.py::f'›]") + SYMBOLS + EQUATIONS, "inside", ""),
    ("limit", "a: ‹&x [*x]›\n", "an alias stands inside", ""),
]


@pytest.mark.parametrize(("kind", "text", "message", "hint"), FIRING)
def test_fires(spec: Callable[..., Specification], kind: str, text: str, message: str, hint: str) -> None:
    plain, place = marked(text)
    fault = one(spec({"a.yaml": plain}).faults)
    assert fault.kind == kind
    assert any(part in fault.message for part in message.split("|")), fault.message
    assert hint in fault.hint
    span = fault.span
    assert (span.path, span.line, span.column) == ("a.yaml", *place[:2])
    if place[:2] != place[2:]:
        assert (span.end_line, span.end_column) == place[2:]


SILENT = [
    "m: {f: {sympy: 'x', latex: '\\beta \\nu'}}\n",
    'm: {f: {sympy: x, latex: "\\\\beta", label: "one\\ntwo\\tthree\\r\\n \\u00e9 \\"q\\""}}\n',
    "m: {f: {sympy: x, label: 'no'}}\n",
    "m: {f: {sympy: x, derived: yes}}\n",
    "m: {f: {sympy: x, let: {r: 1e-5, s: 3, t: 2.5, y: 'no', n: x}}}\n",
    "m: {f: {sympy: x, tolerance: {atol: 1.0e-5, rtol: 3, reason: r}}}\n",
    "m: {f: {sympy: x, symbols: {'null_': {}, y: {}, n: {code: null, domain: null, shape: null}}}}\n",
    "m: {f: {sympy: !!str no, where: ! x, label: &a 'q', latex: *a}}\n",
    "m: {f: {sympy: x, shapes: {x: [..., T, 'H*dh', 3]}}}\n",
    "m: {f: {sympy: x, symbols: {exp: {}, E: {}, beta: {}, lambda_: {}}}}\n",  # parameters: the code's names
    "m: {f: {sympy: x, anchors: [{role: states, at: 'docs/a.rst:3'}, {role: tests, at: 'a b/t.py:3', code: x}]}}\n",
    "\ufeffm: {f: {sympy: x}}\r\nn: {f: {sympy: x}}\r\n",
    "m: {f: &e {sympy: x}, g: *e}\n",
    HEAD + SYMBOLS + EQUATIONS,
    HEAD + SYMBOLS + EQUATIONS + "example: {kind: steps, inputs: {X: [[1, 2.5], [1.0e-5]], s: [abc, '1e-5']}}\n",
    HEAD + "symbols: {\u03b5: {}}\nindices: {i: 3, j: [0, i]}\nwhere: ''\n" + EQUATIONS,
]


@pytest.mark.parametrize("text", SILENT)
def test_stays_silent(spec: Callable[..., Specification], text: str) -> None:
    loaded = spec({"a.yaml": text})
    assert loaded.faults == ()
    assert loaded.equations


def test_all_at_once_in_order(spec: Callable[..., Specification]) -> None:
    text = 'm:\n  f: {sympy: x, labell: y, derived: 3}\n  g: {sympy: no}\n  f: {}\n  h: {sympy: x, latex: "\\beta"}\n'
    faults = spec({"a.yaml": text, "b.yaml": "x: [\n"}).faults
    assert [(fault.span.path, fault.span.line, fault.kind) for fault in faults] == [
        ("a.yaml", 2, "schema"),
        ("a.yaml", 2, "schema"),
        ("a.yaml", 3, "yaml-type"),
        ("a.yaml", 4, "duplicate-key"),
        ("a.yaml", 5, "control-character"),
        ("b.yaml", 2, "yaml-syntax"),
    ]


def test_faults_know_their_equation(spec: Callable[..., Specification]) -> None:
    text = HEAD + "symbols: {X: {shap: [T]}}\nequations:\n  - {id: a.b, sympi: x}\n  - {sympy: x}\n"
    short = "m:\n  f:\n    sympy: no\n  g: {}\n'n:h': {sympy: no}\n"
    assert [fault.equation for fault in spec({"a.yaml": text, "b.yaml": short}).faults] == [
        None,
        "a.b",
        None,
        "m:f",
        "m:g",
        "n:h",
    ]


def test_columns_count_characters(spec: Callable[..., Specification]) -> None:
    fault = one(spec({"a.yaml": "m: {f: {label: 'é𝛽\u2028', sympi: x, sympy: x}}\n"}).faults)
    assert (fault.span.line, fault.span.column) == (1, 23)


def test_duplicate_ids(spec: Callable[..., Specification]) -> None:
    other = HEAD.replace("topic: a", "topic: c") + SYMBOLS
    anchors = (
        "anchors: [{role: tests, at: 'a.py:1', code: x, purpose: q}, {role: tests, at: 'a.py:2', code: y, purpose: q}]"
    )
    loaded = spec(
        {
            "a.yaml": HEAD + SYMBOLS + EQUATIONS,
            "b.yaml": HEAD + SYMBOLS + EQUATIONS.replace("a.b", "a.c"),
            "c.yaml": other + f"equations: [{{id: a.b}}, {{id: c.d, {anchors}}}]\n",
        }
    )
    faults = [(fault.kind, fault.message, str(fault.span), str(fault.related[0].span)) for fault in loaded.faults]
    assert faults == [
        ("duplicate-id", "the topic `a` is there already", "b.yaml:1:8", "a.yaml:1:8"),
        ("duplicate-id", "the equation `a.b` is there already", "c.yaml:10:18", "a.yaml:10:18"),
        ("duplicate-id", "the anchor `c.d/tests/q` is there already", "c.yaml:10:94", "c.yaml:10:44"),
    ]
    assert [topic.id for topic in loaded.topics] == ["a", "c"]
    assert len(loaded.equations[1].anchors) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [("m:f", "m: {f: {sympy: x}}\n'm:f': {sympy: y}\n"), ("a.py::f", "a.py: {f: {sympy: x}}\n'a.py::f': {sympy: y}\n")],
)
def test_a_target_named_twice(spec: Callable[..., Specification], key: str, value: str) -> None:
    fault = one(spec({"a.yaml": value}).faults)
    assert (fault.kind, fault.message) == ("duplicate-id", f"the equation `{key}` is there already")
    assert (fault.span.line, fault.span.column) == (2, 1)
