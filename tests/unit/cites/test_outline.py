"""Definitions in Python by syntax tree, in other languages by the look of their lines."""

import pytest

from eqtrace.cites.outline import Outline

RUST = """//! A module.
use std::fmt;

/// Picks one.
#[derive(Debug)]
pub enum Output {
    File(String),
}

pub(crate) async fn select_backend(
    kind: Kind,
) -> Result<Backend> {
    let chosen = kind.pick();
    Ok(chosen)
}

impl fmt::Display for Output {
    fn fmt(&self) -> String {
        todo!()
    }
}
"""

C = """#define LIMIT 3

static int count(const char *text)
{
    return strlen(text);
}

struct item *
find(int key) {
    if (count(key)) {
        return 0;
    }
}
"""

PYTHON = """import os

# why
@cache
def one():
    x = 1


class Two:
    y = 3
    def three(self):
        pass
"""


def places(outline: Outline) -> dict[str, tuple[int, int, int]]:
    return {each.qualified: (each.top, each.line, each.end) for each in outline.definitions}


def test_python() -> None:
    assert places(Outline("a.py", PYTHON.split("\n"))) == {
        "one": (3, 5, 6),
        "Two": (9, 9, 12),
        "Two.y": (10, 10, 10),
        "Two.three": (11, 11, 12),
    }


def test_rust() -> None:
    found = places(Outline("a.rs", RUST.split("\n")))
    assert found["Output.fmt"] == (18, 18, 20)
    assert found["select_backend"] == (10, 10, 15)
    assert (4, 6, 8) in {(each.top, each.line, each.end) for each in Outline("a.rs", RUST.split("\n")).named("Output")}


def test_c() -> None:
    outline = Outline("a.c", C.split("\n"))
    assert [each.line for each in outline.named("LIMIT")] == [1]
    assert [(each.line, each.end) for each in outline.named("count")] == [(3, 6)]
    assert [each.line for each in outline.named("strlen")] == []


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.go", "func (s *Store) Fetch(key string) error {", "Fetch"),
        ("a.ts", "export const createServer = async () => {", "createServer"),
        ("a.ts", "  private readonly handle(request: Request): void {", "handle"),
        ("a.java", "    public static List<String> names(int n) {", "names"),
        ("a.sh", "deploy() {", "deploy"),
        ("a.yaml", "  build-it: here", "build-it"),
        ("a.rb", "  def total", "total"),
        ("a.py", "broken(:\ndef f():", "f"),
    ],
)
def test_other_languages(path: str, line: str, name: str) -> None:
    assert Outline(path, line.split("\n")).named(name)


@pytest.mark.parametrize("line", ["    foo(bar, baz);", "  return total(x) {", "    if (ready(x)) {", "  x.call(1,"])
def test_calls_are_no_definitions(line: str) -> None:
    assert Outline("a.c", [line]).definitions == ()
