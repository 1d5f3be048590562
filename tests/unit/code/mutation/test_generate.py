"""The mutants of a statement, and the text of a file with one in it."""

import ast

import pytest

from eqtrace.code.mutation.generate import mutants, text_with

STATEMENTS = [
    "y = a * b + c",
    "y = -np.exp(x.sum(axis=-1, keepdims=True)) @ w.T",
    "grads[p + 'w'] += x.T @ d",
    "return np.where(m, -np.inf, s[:n] / np.sqrt(d))",
    "x[i] = y[i] if a and b else y[i + 1]",
    "for i in range(n - 1, -1, -1):\n    pass",
    "if n > 0 and not m:\n    pass",
    "while i < n:\n    pass",
    "with f(a, b):\n    pass",
    "y: list[int] = [k * a for k in range(n)]",
    "np.add.at(g['a'], ids, d)",
    "yield a + b, c",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_two_are_alike_and_all_are_other_statements_that_parse(mutated, statement: str) -> None:
    lines = "\n".join(f"    {line}" for line in statement.splitlines())
    found = mutated(f"import numpy as np\ndef f():\n{lines}", statement.splitlines()[0])
    assert found
    texts = [each.new for each in found]
    assert len({*texts, found[0].old}) == len(texts) + 1
    assert len({each.id for each in found}) == len(found)
    for text in texts:
        body = f"{text}\n        pass" if text.endswith(":") else text
        tree = ast.parse(f"def f():\n    {body}").body[0].body[0]
        assert ast.unparse(tree).removesuffix("\n    pass") == text


@pytest.mark.parametrize(
    "statement",
    [
        "import a",
        "from a import b",
        "raise ValueError(a + b)",
        "assert a > b",
        "def g(a=1): return a",
        "class A(b): c = 1",
    ],
)
def test_what_computes_nothing_is_left_alone(mutated, statement: str) -> None:
    assert mutated(statement, statement.split()[0]) == []


def test_a_handler_and_a_case_are_left_alone(mutated) -> None:
    assert mutated("try:\n    a\nexcept f(1):\n    b", "except") == []
    assert mutated("match a:\n    case 1:\n        b", "case") == []


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("y: A[1] = a + b", "A[1]"),
        ("y = f(f'{a + 1:{n}} b')", "f'{a + 1:{n}} b'"),
        ("for i in range(n):\n    y = 1", "range"),
        ("y = 'a b'.join(x)", "'a b'"),
    ],
)
def test_annotations_texts_and_f_strings_stay_as_they_are(mutated, statement: str, kept: str) -> None:
    for each in mutated(statement, statement.splitlines()[0]):
        assert kept in each.new or each.operator in ("argument", "augmented")


def test_the_header_of_a_compound_statement_alone_is_changed(mutated) -> None:
    found = mutated("if a > 1:\n    y = a + b\nelse:\n    y = 2", "if")
    assert {each.new for each in found} == {
        "if a >= 1:",
        "if a <= 1:",
        "if a > 2:",
        "if a > 0:",
        "if not a > 1:",
    }


def test_a_mutant_says_where_it_stands(mutated) -> None:
    found = mutated("def f(a):\n    return (a +\n            1)\n", "return")
    assert [each.id for each in found][:2] == ["ops.py:2:5/arithmetic/0", "ops.py:2:5/constant/0"]
    assert {(each.function, each.old, each.span.end_line, each.equations) for each in found} == {
        ("f", "return a + 1", 3, ("a.b",))
    }


TEXT = """\
def f(a, b):
    x = a * 2; y = (a +
         b)  # two lines
    if a > 1:  # a header
        z = 'ü' + str(a); z = a + b
    return x
"""


def test_the_text_with_a_mutant_differs_in_its_statement_alone(source) -> None:
    file = source(TEXT)
    before = file.text.split("\n")
    for statement in file.statements:
        for mutant in mutants(statement, ()):
            text = text_with(file, mutant)
            after = text.split("\n")
            assert len(after) == len(before)
            span = mutant.span
            changed = {number for number, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]}
            assert changed <= set(range(span.line, span.end_line + 1))
            assert mutant.new in text
            old, new = ast.parse(file.text), ast.parse(text)
            kept = [ast.dump(each) for each in ast.walk(old) if isinstance(each, ast.stmt)]
            assert sum(ast.dump(each) not in kept for each in ast.walk(new) if isinstance(each, ast.stmt)) >= 1


def test_statements_on_the_same_line_stay(source) -> None:
    file = source(TEXT)
    (statement,) = [each for each in file.statements if each.source.startswith("y = (a")]
    mutant = next(iter(mutants(statement, ())))
    lines = text_with(file, mutant).split("\n")
    assert lines[1:4] == ["    x = a * 2; y = a - b  # two lines", "", "    if a > 1:  # a header"]


def test_columns_count_characters(source) -> None:
    file = source(TEXT)
    (statement,) = [each for each in file.statements if each.source == "z = a + b"]
    mutant = next(iter(mutants(statement, ())))
    assert text_with(file, mutant).split("\n")[4] == "        z = 'ü' + str(a); z = a - b"
