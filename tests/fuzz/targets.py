"""What is fuzzed: for each kind of input a strategy that damages valid ones, and what eqtrace does with it."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml
from damage import MARK, as_json, damaged, document, encoded
from guard import Breach
from hypothesis import strategies as st

from eqtrace import auditing
from eqtrace.config import Config, load_file
from eqtrace.errors import EqtraceError
from eqtrace.model.results import Results

REPOSITORY = Path(__file__).resolve().parents[2]
BASE = REPOSITORY / "tests/checks/base"
PROJECTS = REPOSITORY / "tests/functional/projects"
TRAP = '\nopen("ran-by-audit", "w").close()\n'  # at the end of each source: whoever imports one leaves a file


@dataclass(frozen=True)
class Target:
    """A kind of input. `strategy` draws one; `run` does with it, in a project's folder, what eqtrace would."""

    name: str
    strategy: Callable[[], st.SearchStrategy[Any]]
    run: Callable[[Any, Path], None]
    cost: int = 1  # how many times as long as the others it takes: it gets fewer examples


# --- projects -----------------------------------------------------------------------------------------------------


def lay(workshop: Path) -> None:
    """Makes a copy of each project that is damaged below `workshop`, with a trap in each source."""
    _copy(BASE, workshop / "base")
    _copy(BASE, workshop / "prose")
    for name in ("halflife", "shop", "documented"):
        _copy(PROJECTS / name, workshop / name)
    whole = workshop / "whole"
    for name in ("spec", "impl", "tests/impl"):
        _copy(REPOSITORY / name, whole / name)
    shutil.copy(REPOSITORY / "pyproject.toml", whole)


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".eqtrace"))
    for path in target.rglob("*.py"):
        path.write_text(path.read_text("utf-8") + TRAP, "utf-8")


@cache
def _config(root: Path) -> Config:
    return load_file(root / "pyproject.toml")


def _put(path: Path, content: str | bytes) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


# --- what a report may hold ---------------------------------------------------------------------------------------

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
_PLACE = r"file=[^:,]+,line=\d+,col=\d+(,endLine=\d+)?,title=EQ\d+ [a-z-]+"
_ANNOTATION = re.compile(rf"::(error|warning|notice) {_PLACE}::[^\n]*")
_SCHEMES = re.compile(r"\s*(?!https?:|data:|mailto:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def plain(text: str) -> None:
    """A text for a terminal or a log: nothing in it steers either."""
    if found := _CONTROL.search(text) or _COMMAND.search(text):
        raise Breach(f"a report holds {text[max(0, found.start() - 40) : found.end() + 40]!r}")


def reports(results: Results, root: Path, pages: bool = False) -> None:
    """Renders every report of a run, and holds each against what it may hold."""
    from eqtrace.report import github, gitlab, junit, sarif, site, styled, text
    from eqtrace.report import json as as_document
    from eqtrace.report.rows import rows

    report = rows(results)
    plain(styled.plain(text.full(report, root)))
    plain(styled.plain(text.concise(report)))
    for line in github.render(report, "").removesuffix("\n").split("\n"):
        if not _ANNOTATION.fullmatch(line):
            plain(line)
    plain(github.summary(report))
    if f"<{MARK}" in github.summary(report):
        raise Breach("the summary holds an element of somebody's")
    for rendered in (as_document.render(results), sarif.render(report, ""), gitlab.render(report, "")):
        json.loads(rendered)
    ElementTree.fromstring(junit.render(report))
    if pages:
        for name, content in site.render(_config(root), results):
            if name.endswith(".html"):
                html(content.decode("utf-8"))


class _Page(HTMLParser):
    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in ((tag, ""), *attributes):
            if MARK in name or (name in ("href", "src", "action") and value and _SCHEMES.match(value)):
                raise Breach(f"a page holds <{tag} {name}={value!r}>")


def html(page: str) -> None:
    """A page: no element, attribute or script of it is made of somebody's text."""
    parser = _Page(convert_charrefs=True)
    parser.feed(page)
    parser.close()


# --- audits of damaged projects -----------------------------------------------------------------------------------


def _audited(config: Config, root: Path, pages: bool = False) -> None:
    results = auditing.audit(config, None, cache=False)
    reports(results, root, pages)
    if (root / "ran-by-audit").exists():
        raise Breach("code of the project was run")


def _with_file(content: Any, workshop: Path, project: str, path: str, pages: bool = False, only: bool = True) -> None:
    """Audits a project with another content of one of its files."""
    root = workshop / project
    config = _config(root)
    target = root / path
    before = target.read_bytes() if target.exists() else None
    _put(target, content)
    try:
        narrowed = replace(config, spec=(path,), coverage="off") if only and path.endswith(".yaml") else config
        _audited(narrowed, root, pages)
    finally:
        if before is None:
            target.unlink()
        else:
            target.write_bytes(before)


def _loaded(text: str) -> Any:
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


Choice = tuple[str, str, Any]  # a project, a path in it, and its content


@st.composite
def _files(draw: st.DrawFn, files: list[tuple[str, str]], structured: bool) -> Choice:
    project, path = draw(st.sampled_from(files))
    valid = _source(project, path)
    if structured and draw(st.integers(0, 2)):
        return project, path, as_json(draw(document(_loaded(valid))))
    return project, path, draw(encoded(draw(damaged(valid))))


def _source(project: str, path: str) -> str:
    folder = {"base": BASE, "whole": REPOSITORY}.get(project, PROJECTS / project)
    return (folder / path).read_text("utf-8")


def _listed(project: str, *patterns: str) -> list[tuple[str, str]]:
    folder = {"base": BASE, "whole": REPOSITORY}.get(project, PROJECTS / project)
    return sorted((project, str(path.relative_to(folder))) for pattern in patterns for path in folder.glob(pattern))


def _audit(choice: Choice, workshop: Path, pages: bool = False, only: bool = True) -> None:
    project, path, content = choice
    _with_file(content, workshop, project, path, pages, only)


def _topics() -> st.SearchStrategy[Choice]:
    topics = [*_listed("shop", "spec/*.yaml"), *_listed("whole", "spec/*/*.yaml")]
    return _files([("base", "spec/linear.yaml")] * 20 + topics, True)


def _shown() -> st.SearchStrategy[Choice]:
    return _files([("base", "spec/linear.yaml"), ("base", "pages.yaml"), ("base", "literature.yaml")], True)


def _shorts() -> st.SearchStrategy[Choice]:
    return _files([("halflife", "spec/functions.yaml"), *_listed("documented", "spec/*.yaml")], True)


_LEDGER = """'linear.linear/computes/0': {form: 1, prose: 2, code: 3}
'linear.linear/tests/0': {form: 9f86d081884c7d65, prose: 9f86d081884c7d65, code: 9f86d081884c7d65}
"""
_WAIVERS = """- {equation: linear.linear, lacks: test, reason: 'None yet.'}
- {at: 'lab/ops.py:5', in: linear, code: 'return X @ W + b', reason: 'Plain.'}
"""
_COMPANIONS = {
    "pages.yaml": (BASE / "pages.yaml").read_text("utf-8"),
    "literature.yaml": (BASE / "literature.yaml").read_text("utf-8"),
    "waivers.yaml": _WAIVERS,
    "reviews.yaml": _LEDGER,
    "testers.json": '{"schema": 1, "tests": {"tests/test_ops.py::test_worked_example": ["lab/ops.py::linear"]}}',
}


@st.composite
def _companions(draw: st.DrawFn) -> tuple[str, Any]:
    path = draw(st.sampled_from(sorted(_COMPANIONS)))
    valid = _COMPANIONS[path]
    if draw(st.booleans()):
        return path, as_json(draw(document(_loaded(valid))))
    return path, draw(encoded(draw(damaged(valid))))


def _companion(choice: tuple[str, Any], workshop: Path) -> None:
    path, content = choice
    root = workshop / "base"
    key = {"testers.json": "testers"}.get(path, path.partition(".")[0])
    target = root / f"fuzzed-{path}"
    _put(target, content)
    try:
        config = replace(_config(root), **{key: target.name})
        _audited(config, root)
    except EqtraceError as error:
        _refused(error)
    finally:
        target.unlink()


def _refused(error: EqtraceError) -> None:
    """What the command would say on standard error."""
    from eqtrace.cli.main import told

    plain(told(error))


def _sources() -> st.SearchStrategy[Choice]:
    files = [("base", "lab/ops.py"), ("base", "tests/test_ops.py"), ("base", "scenarios.py")] * 6
    return _files([*files, *_listed("halflife", "src/halflife/*.py"), *_listed("shop", "lab/*.py")], False)


def _lifted(choice: Choice, workshop: Path) -> None:
    """Drafts for a damaged source, and every mutant of its statements."""
    from eqtrace import drafting
    from eqtrace.code.index import Index
    from eqtrace.code.mutation.generate import mutants, text_with

    project, path, content = choice
    root = workshop / project
    target = root / path
    before = target.read_bytes()
    _put(target, content)
    try:
        config = replace(_config(root), sources=(path,), spec=(), tests=())
        drafting.rendered(drafting.drafts(config).made)
        file = Index(config).file(path)
        for statement in file.statements if file is not None else ():
            for mutant in mutants(statement, ()):
                text_with(file, mutant)
    finally:
        target.write_bytes(before)


# --- settings -----------------------------------------------------------------------------------------------------


def _settings() -> st.SearchStrategy[Any]:
    own = (BASE / "pyproject.toml").read_text("utf-8")
    more = '[tool.eqtrace.site]\ntitle = "T"\ntheme = {scheme = "dark", ink = "#123456"}\noutput = "out"\nurl = "https://x.y/z"\n'
    whole = f'{own}coverage = "error"\nfail_on = ["line-moved"]\npackages = ["json"]\npythonpath = ["."]\n'
    whole += f'reviews = "reviews.yaml"\nrepository = {{url = "https://host/x", commit = "abc"}}\n{more}'
    whole += '[tool.eqtrace.sizes]\nT = [3, 9]\na = "H*2"\nH = 7\n'
    values = st.sampled_from(
        [
            *("1" * 5000, "1e400", "0x" + "f" * 5000, "[" * 3000, "{" * 3000, "[1, 2]", "nan", "true", "1979-05-27"),
            *(
                '"\\u0007"',
                '""',
                '["../x"]',
                '["/dev/zero"]',
                '["**/**/**/*"]',
                '["["]',
                '["lab/\\u0000"]',
                '"x\\u001by"',
            ),
            *("'''x\ny'''", '"9**9**9**9"', '["9**9**9"]', '"\\u001b[2J::error::x"', '[""]', "{a = 1}", '"\\ud800"'),
            *(
                '["' + "**/" * 60 + '*.yaml"]',
                '["' + "*" * 300 + 'x.yaml"]',
                '["' + "[!a-" * 50 + '"]',
                '["' + "?*" * 99 + 'x"]',
            ),
        ]
    )
    keys = re.findall(r"^(\w+) = ", whole, re.MULTILINE)
    changed = st.tuples(st.sampled_from(keys), values).map(
        lambda pair: re.sub(rf"^{pair[0]} = .*$", lambda _: f"{pair[0]} = {pair[1]}", whole, flags=re.MULTILINE)
    )
    return st.one_of(damaged(whole).flatmap(encoded), changed)


def _configure(content: Any, workshop: Path) -> None:
    root = workshop / "base"
    path = root / "fuzzed.toml"
    _put(path, content)
    try:
        config = load_file(path)
        _audited(config, root)
    except EqtraceError as error:
        _refused(error)
    finally:
        path.unlink()


# --- readers of single texts --------------------------------------------------------------------------------------


@cache
def _stated(key: str) -> tuple[str, ...]:
    """The texts that specifications of this repository hold under a key."""
    found = set()
    for data in _specifications():
        found |= {text for text in _under(data, key) if isinstance(text, str)}
    return tuple(sorted(found))


@cache
def _specifications() -> tuple[Any, ...]:
    files = [*_listed("whole", "spec/*/*.yaml"), *_listed("halflife", "spec/*.yaml")]
    return tuple(yaml.load(_source(*each), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) for each in files)


def _under(data: Any, key: str) -> Iterator[Any]:
    if isinstance(data, dict):
        for name, value in data.items():
            if name == key:
                yield from value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
            yield from _under(value, key)
    elif isinstance(data, list):
        for each in data:
            yield from _under(each, key)


def _texts(*keys: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text for key in keys for text in _stated(key)]).flatmap(damaged)


def _form(text: str, workshop: Path) -> None:
    from eqtrace.formula.parse import parse_conditions, parse_statement, parse_term

    for parse in (parse_statement, parse_conditions, parse_term):
        found, errors = parse(text)
        for error in errors:
            _within(error.offset, text)
        if not errors and found is not None:
            repr(found)


def _within(offset: int, text: str) -> None:
    if not 0 <= offset <= len(text):
        raise Breach(f"a place {offset} outside of the text")


def _bound(text: str, workshop: Path) -> None:
    import ast

    from eqtrace.code import bind

    for statement in ast.parse("return X @ W + b\nx[i] += f(y)\nfor a, b in c: pass").body:
        for read in (bind.parse_right, lambda text, at=statement: bind.parse_left(text, at)):
            try:
                read(text)
            except bind.BindError as error:
                _within(error.offset, text)


def _latex(pair: tuple[str, str], workshop: Path) -> None:
    """A formula shown as MathML, and read back against a form."""
    from eqtrace.formulas import Forms, look
    from eqtrace.report import mathml

    latex, form = pair
    for text in (latex, form):
        try:
            shown = mathml.convert.__wrapped__(text)
            html(shown.markup)
        except mathml.LatexUnreadable as error:
            _within(error.offset, text)
    equation = _equation(workshop)
    form_there, latex_there = replace(equation.statements[0], value=form), replace(equation.latex, value=latex)
    given = replace(equation, latex=latex_there, statements=(form_there,))
    look([given], Forms([given], ("T", "a", "c")), None)


@cache
def _equation(workshop: Path) -> Any:
    from eqtrace.spec.load import load

    return load(_config(workshop / "base")).equations[0]


def _formulas() -> st.SearchStrategy[tuple[str, str]]:
    own = st.sampled_from(
        [
            (r"Y_{tj} = \sum_{k} X_{tk} W_{kj} + b_j", "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])"),
            ("Y = XW + b", "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])"),
            (r"Y = \max(0, X) \text{ if } b > 0", "Eq(Y[t, j], Max(0, X[t, k]))"),
        ]
    )
    damage = own.flatmap(lambda pair: st.tuples(damaged(pair[0], 2), st.one_of(st.just(pair[1]), damaged(pair[1], 2))))
    return st.one_of(damage, st.tuples(_texts("latex"), _texts("sympy")))


def _prose() -> st.SearchStrategy[Any]:
    pages = [path.read_text("utf-8") for path in sorted(REPOSITORY.glob("docs/*.md"))]
    return st.sampled_from([*pages, _DOCSTRING, _DOCSTRING]).flatmap(damaged)


def _documented(text: str, workshop: Path) -> None:
    """Formulas that documentation prints, read as forms."""
    from eqtrace.code.documentation.passage import page
    from eqtrace.code.documentation.printed import printed
    from eqtrace.formula.documented.formula import taken_apart
    from eqtrace.formula.failures import Unsupported

    for found in printed(page("docs/x.md", text)):
        try:
            taken_apart(found)
        except (Unsupported, _unread()):
            continue


@cache
def _unread() -> type[Exception]:
    from eqtrace.formula.latex.errors import Unread

    return Unread


def _docstring(text: str, workshop: Path) -> None:
    """A whole function whose form is read from its docstring."""
    root = workshop / "documents"
    root.mkdir(exist_ok=True)
    _put(root / "lib.py", f"def f(x, A, sigma):\n    {text!r}\n    return A*x/sigma\n")
    _put(root / "spec.yaml", "lib:\n  f: {states: docstring}\n")
    _audited(Config(root=root, spec=("spec.yaml",), sources=("lib.py",)), root)


_DOCSTRING = """Line shape.

    .. math::

        f(x; A, \\sigma) = \\frac{A x}{\\sigma} \\exp\\left[-\\frac{(x-1)^2}{2}\\right]

        g = 1 \\\\ h = 2

    Parameters: ``f = A*x/sigma`` for x > 0, 0 otherwise, with :math:`a > 0`::

        y = x + 1
"""


def _steps(text: str, workshop: Path) -> None:
    from eqtrace.formula.steps.reader import read_step

    found, errors = read_step(text)
    for error in errors:
        _within(error.offset, text)
    repr(found)


def _patterns(text: str, workshop: Path) -> None:
    from eqtrace.cli.settings import selected

    try:
        selected((text[:1000],), _config(workshop / "base"))
    except EqtraceError as error:
        _refused(error)


# --- citations in prose -------------------------------------------------------------------------------------------

_PROSE = """# Notes

See `lab/ops.py:5`, lab/ops.py#L9-L11, line 4 of `lab/ops.py` (`linear`), and `lab/ops.py:2, 7`.

> quoted `lab/ops.py:4`: the function `mlp`.

```
tests/test_ops.py:7: in test_worked_example
```
[code](https://github.com/a/b/blob/0123456789abcdef0123456789abcdef01234567/lab/ops.py#L3-L5), lab/ops.py::linear.
"""
_NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["See `lab/ops.py:5`\n", "and lab/ops.py:9"]},
            {"cell_type": "code", "source": "# lab/ops.py:4"},
        ]
    }
)
_ADOPTED = """- {document: notes.md, cites: 'lab/ops.py:5', path: lab/ops.py, line: 5, holds: 'x', before: a, after: b}
- document: notes.md
  cites: 'lab/ops.py:9'
  occurrence: 1
  path: lab/ops.py
  line: 9
  holds: x
  span: 2
  ends: y
  before: a
  after: b
"""


@st.composite
def _cited(draw: st.DrawFn) -> tuple[str, Any]:
    seeds = {
        "notes.md": _PROSE,
        "notes.rst": _PROSE,
        "notes.html": f"<p>{_PROSE}</p><script>x</script>",
        "notes.adoc": _PROSE,
        "notes.ipynb": _NOTEBOOK,
        "notes.py": '"""See lab/ops.py:5."""\n# and lab/ops.py:9\nx = "lab/ops.py:4"\n',
        "notes.c": '/* lab/ops.py:5 */ // lab/ops.py:9\nassert(x, "lab/ops.py:4");\n',
        ".eqtrace/cites.yaml": _ADOPTED,
    }
    path = draw(st.sampled_from(sorted(seeds)))
    if path.endswith(".yaml") and draw(st.booleans()):
        return path, as_json(draw(document(_loaded(seeds[path]))))
    return path, draw(encoded(draw(damaged(seeds[path]))))


def _cite(choice: tuple[str, Any], workshop: Path) -> None:
    from eqtrace.cites import fix, ledger
    from eqtrace.cites.scan import Options, scan
    from eqtrace.cites.tree import Tree
    from eqtrace.report import cites as report
    from eqtrace.report import styled

    path, content = choice
    root = workshop / "prose"
    (root / ".eqtrace").mkdir(exist_ok=True)
    _put(root / "notes.md", _PROSE)
    target = root / path
    _put(target, content)
    try:
        tree = Tree(root, None)
        cited = scan(tree, [], Options(history=False))
        plain(styled.plain(report.full(cited, root, True)))
        plain(styled.plain(report.concise(cited, True)))
        json.loads(report.render(cited, 0))
        fix.diff(fix.rewritten(tree, [*fix.renumbered(cited.citations), *fix.as_symbols(cited.citations)]).texts)
        ledger.dump(ledger.adopted(cited.citations, tree)[0])
    except EqtraceError as error:
        _refused(error)
    finally:
        target.unlink()


# --- files that eqtrace wrote itself ------------------------------------------------------------------------------

_BASELINE = '{"findings": [{"code": "EQ201", "path": "a.yaml", "equation": "", "method": "", "message": "m #"}]}'


def _baselines() -> st.SearchStrategy[Any]:
    return st.one_of(document(json.loads(_BASELINE)).map(as_json), damaged(_BASELINE)).flatmap(encoded)


def _baseline(content: bytes, workshop: Path) -> None:
    from eqtrace.cli import ratchet
    from eqtrace.report.known import FINDINGS

    path = workshop / "baseline.json"
    _put(path, content)
    try:
        ratchet.hold_back(FINDINGS, (), ratchet.Baseline(path), "audit")
    except EqtraceError as error:
        _refused(error)


@cache
def _kept_audit() -> Any:
    """The entry that an audit of the base project keeps, less where it was."""
    from eqtrace.inputs import Inputs
    from eqtrace.report.kept import encode
    from eqtrace.report.rows import rows

    root = BASE.resolve()
    inputs = Inputs(root)
    results = auditing.audit(_config(root), None, cache=False, inputs=inputs)
    return {"rests": inputs.record(), "report": encode(rows(results))}


@cache
def _kept_results() -> tuple[Any, Any]:
    from eqtrace.cache import encode
    from eqtrace.model.example import Compared, ExampleResult, Outcome, StepValue, Table, Value
    from eqtrace.model.finding import Fault, Related
    from eqtrace.model.span import Span
    from eqtrace.model.verdict import Evidence, MethodResult, Verdict
    from eqtrace.run.example import codec

    fault = Fault("k", "m", Span("s.yaml", 1, 2, 3, 4), "h", (Related(Span("x.py", 5), "r"),), "a.b", None)
    evidence = Evidence(3, 2, 1, 0.5, "x.py:1", "detail", ("one",))
    result = MethodResult("a.b", "value", Verdict.REFUTED, evidence, (fault,), {"a.b/computes/0": 7}, {"a": {1: 2}})
    value = Value((2,), (1.0, 2.0))
    example = ExampleResult(
        "a",
        Outcome.AGREES,
        (StepValue("P", value),),
        (Compared("Y", "result", value, 0.0, True),),
        table=Table(("name",), (("x",),), (("c", 16),)),
        call="f(x)",
    )
    return encode(result), codec.encode(example)


def _entries() -> st.SearchStrategy[tuple[str, Any]]:
    audit, (result, example) = _kept_audit(), _kept_results()
    scores = {"state": "x", "summary": {"killed": 1}, "mutants": []}
    site = {"state": "x", "files": {"index.html": ["a", "b"], "../out": ["a", "b"]}}
    kinds = {"audit": audit, "result": result, "example": example, "scores": scores, "site": site}
    return st.sampled_from(sorted(kinds)).flatmap(lambda kind: st.tuples(st.just(kind), document(kinds[kind])))


def _entry(choice: tuple[str, Any], workshop: Path) -> None:
    """An entry of the cache whose content has the hash that its name says, but that nobody of us wrote."""
    import time

    from eqtrace import cache as kept
    from eqtrace.kept import Kept
    from eqtrace.report import styled, text
    from eqtrace.report.drafts import earlier
    from eqtrace.report.mutants import read_scores
    from eqtrace.run.example import codec

    kind, data = choice
    root = workshop / "base"
    if kind == "audit":
        audits = Kept(_config(root), ())
        shutil.rmtree(root / kept.FOLDER, ignore_errors=True)
        if isinstance(data, dict):
            audits._cache.put(audits._key, data)
        found = Kept(_config(root), ()).find(time.perf_counter())
        if found is not None:
            plain(styled.plain(text.full(found, root)))
        return
    if kind == "site":
        folder = workshop / "built"
        folder.mkdir(exist_ok=True)
        _put(folder / ".eqtrace-site.json", as_json(data))
        earlier(folder)
        return
    read = {"result": kept.decode, "example": codec.decode, "scores": read_scores}[kind]
    damage = (KeyError, TypeError, ValueError, AttributeError) if kind == "scores" else (kept.Unreadable,)
    with contextlib.suppress(*damage):  # what whoever calls it takes for damage
        read(json.loads(as_json(data)))


TARGETS = (
    Target("topics", _topics, _audit, cost=4),
    Target("short-form", _shorts, _audit, cost=8),
    Target("companions", _companions, _companion, cost=2),
    Target("pages", _shown, partial(_audit, pages=True, only=False), cost=16),
    Target("sources", _sources, _audit, cost=4),
    Target("drafts-and-mutants", _sources, _lifted, cost=8),
    Target("settings", _settings, _configure, cost=2),
    Target("forms", partial(_texts, "sympy", "where", "let"), _form),
    Target("binds", partial(_texts, "bind"), _bound),
    Target("latex", _formulas, _latex, cost=2),
    Target("documentation", _prose, _documented),
    Target("docstrings", lambda: damaged(_DOCSTRING), _docstring, cost=2),
    Target("steps", partial(_texts, "steps", "code", "sympy"), _steps),
    Target("selections", lambda: damaged("linear.linear/*"), _patterns, cost=2),
    Target("citations", _cited, _cite, cost=2),
    Target("baselines", _baselines, _baseline),
    Target("caches", _entries, _entry),
)
