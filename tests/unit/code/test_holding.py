"""An index that holds few syntax trees says what one says that holds all."""

from pathlib import Path

from eqtrace.code.calls import CallGraph
from eqtrace.code.entity import FunctionRef
from eqtrace.code.index import Index
from eqtrace.config import Config

COUNT = 12


def _project(root: Path) -> Config:
    (root / "lab").mkdir()
    (root / "tests").mkdir()
    for number in range(COUNT):
        after = (number + 1) % COUNT
        text = f"from lab import m{after}\n\n\n"
        text += f"class C{number}:\n    def go(self):\n        self.kept = m{after}.f{after}\n\n\n"
        text += f"def f{number}(x):\n    y = [m{after}.f{after} for _ in x]\n    return m{after}.C{after}().go()\n"
        (root / f"lab/m{number}.py").write_text(text)
        test = f"from lab.m{number} import f{number}\n\n\ndef test_it():\n    f{number}([])\n"
        (root / f"tests/test_{number}.py").write_text(test)
    return Config(root, sources=("lab",), tests=("tests",))


def _said(index: Index) -> list[object]:
    graph = CallGraph(index)
    said: list[object] = []
    for path in (*index.sources(), *index.tests()):
        file = index.file(path)
        assert file is not None
        said += [(path, name, sorted(graph.reached(FunctionRef(path, name)))) for name in list(file.functions)]
    for path in index.sources():
        file = index.file(path)
        assert file is not None
        for statement in list(file.statements):
            there = file.statement_at(statement.line, statement.span.column, statement.function)
            said.append(
                (str(statement.span), statement.source, there and there.source, sorted(graph.calls_of(statement)))
            )
    return said


def test_both_say_the_same(tmp_path: Path) -> None:
    config = _project(tmp_path)
    everything, few = Index(config), Index(config, held=400)
    assert _said(few) == _said(everything)
    assert len(few._held) < 5
    assert len(few._aside) > 15


def test_what_was_let_go_is_the_text_that_was_read(tmp_path: Path) -> None:
    index = Index(_project(tmp_path), held=1)
    first = index.file("lab/m0.py")
    assert first is not None
    index.file("lab/m1.py")
    (tmp_path / "lab/m0.py").write_text("changed = True\n")
    again = index.file("lab/m0.py")
    assert again is not None
    assert again is not first
    assert again.text == first.text
    assert index.problem("lab/m0.py") is None


def test_leading_to_a_function_is_reaching_it(tmp_path: Path) -> None:
    graph = CallGraph(Index(_project(tmp_path)))
    start = FunctionRef("tests/test_0.py", "test_it")
    for number in range(COUNT):
        end = FunctionRef(f"lab/m{number}.py", f"f{number}")
        assert graph.leads([start], [end]) == graph.reaches(start, end)
    assert not graph.leads([start], [FunctionRef("lab/m0.py", "nothing")])
    assert not graph.leads([start], [])
