"""The command's options, exit codes and reports, and repositories without git."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

TEN = "".join(f"# line {number}\n" for number in range(10))


@pytest.fixture
def plain(repository: Any) -> Any:
    """The shop without git."""
    repository.write("src/shop.py", repository.CODE)
    repository.write("docs/shop.md", repository.PROSE)
    return repository


def test_without_git(plain: Any) -> None:
    run = plain.judged()
    assert (run.exit, {each["status"] for each in run.citations}) == (0, {"ok"})
    assert run.report["summary"]["history"] == "there is no git history here"


def test_without_git_names_find_what_moved(plain: Any) -> None:
    plain.write("src/shop.py", TEN + plain.CODE)
    run = plain.judged()
    assert [(each["status"], each["proposed"]["line"]) for each in run.citations[:2]] == [
        ("mismatch", 16),
        ("mismatch", 21),
    ]
    assert run.citations[2]["status"] == "ok"  # a `total` stands there too
    assert run.exit == 1


def test_the_json_report_keeps_to_its_schema(shop: Any) -> None:
    shop.write("docs/more.md", "`far.py:1`, `shop.py:99`, [x](../src/gone.py#L3), `src/shop.py::price`, `a.b:c`\n")
    shop.write("src/shop.py", TEN + shop.CODE)
    schema = json.loads(files("eqtrace.report").joinpath("cites.schema.json").read_text())
    for arguments in ((), ("--fix", "--diff"), ("--no-history",), ("--to-symbols", "--diff")):
        jsonschema.validate(shop.judged(*arguments).report, schema)


def test_nothing_to_check_is_no_pass(repository: Any) -> None:
    repository.write("README.md", "# Nothing\n")
    run = repository.cites()
    assert run.exit == 2
    assert "nothing was checked" in run.stderr


def test_unusable_input(shop: Any, tmp_path: Path) -> None:
    for arguments in (
        ("nowhere.md",),
        (str(tmp_path),),
        ("--diff",),
        ("--adopt", "--fix"),
        ("--write-baseline",),
        ("--baseline", "nowhere.json"),
        ("--changed", "nowhere"),
        ("--fail-on", "movd"),
    ):
        run = shop.cites(*arguments)
        assert run.exit == 2, arguments
        assert run.stderr.startswith("eqtrace: "), arguments


def test_paths_select_documents(shop: Any) -> None:
    shop.write("other.md", "`shop.py:99`\n")
    assert shop.judged("docs").exit == 0
    assert shop.judged("other.md").exit == 1
    assert shop.cites("../other.md", folder="docs").exit == 1


def test_text_reports_show_both_places_and_the_evidence(shop: Any) -> None:
    shop.write("docs/wrong.md", "`Basket` (`shop.py:14`)\n")
    full = shop.cites("docs/wrong.md").stdout
    assert "docs/wrong.md:1:12: [mismatch] `shop.py:14` (src/shop.py:14): is src/shop.py:17" in full
    assert "14 |     return total" in full
    assert "17 | class Basket:" in full
    assert "names: names `Basket`; line 14 is `return total`; `Basket` is at 17" in full
    concise = shop.cites("--format", "concise", "docs/wrong.md").stdout.splitlines()
    assert len(concise) == 2
    assert shop.cites("--exit-zero", "docs/wrong.md").exit == 0


def test_output_file(shop: Any) -> None:
    run = shop.cites("--format", "json", "--output-file", "out/cites.json")
    assert run.stdout == ""
    assert json.loads(shop.read("out/cites.json"))["exit"] == 0


def test_ambiguous_names_are_said(shop: Any) -> None:
    shop.write("lib/shop.py", shop.CODE)
    shop.write("docs/two.md", "see `shop.py:6`\n")
    shop.write("docs/one.md", "see `src/shop.py:6`, that is `shop.py:7`\n")
    run = shop.judged("docs/one.md", "docs/two.md")
    assert [each["status"] == "ambiguous" for each in run.citations] == [False, False, True]
    assert "lib/shop.py, src/shop.py" in run.citations[2]["evidence"][0]["text"]


def test_candidates_that_are_too_short_are_discarded(shop: Any) -> None:
    shop.write("lib/shop.py", "short = 1\n")
    shop.write("docs/two.md", "`price` (`shop.py:6`)\n")
    assert shop.judged("docs/two.md").of("shop.py:6")["target"]["path"] == "src/shop.py"


def test_another_projects_file_is_no_error(shop: Any) -> None:
    shop.write("docs/other.md", "as in `Python/ceval.c:120` and https://github.com/o/n/blob/main/x.py#L3\n")
    run = shop.judged("docs/other.md")
    assert [each["status"] for each in run.citations] == ["unknown"]
    assert run.exit == 0


def test_permalinks(shop: Any) -> None:
    commit = shop.git("rev-parse", "HEAD").strip()
    shop.git("remote", "add", "origin", "git@github.com:o/n.git")
    base = "https://github.com/o/n/blob"
    shop.write("docs/links.md", f"{base}/{commit}/src/shop.py#L6 [`price`]({base}/main/src/shop.py#L6-L8)\n")
    shop.write("src/shop.py", TEN + shop.CODE)
    pinned, floating = shop.judged("docs/links.md").citations
    assert pinned["status"] == "ok"
    assert (floating["status"], floating["proposed"]["line"]) == ("mismatch", 16)


def test_symbols(shop: Any) -> None:
    shop.write("docs/symbols.md", "`src/shop.py::Basket.total`, `shop.py::price` and `shop.py::refund`\n")
    run = shop.judged("docs/symbols.md")
    assert [each["status"] for each in run.citations] == ["ok", "ok", "missing"]
    shop.write("src/refunds.py", "def refund():\n    pass\n")
    assert "src/refunds.py:1" in shop.judged("docs/symbols.md").citations[2]["evidence"][1]["text"]


def test_to_symbols_rewrites_definitions_only(shop: Any) -> None:
    shop.cites("--to-symbols", "docs")
    text = shop.read("docs/shop.md")
    assert text == shop.PROSE.replace("`shop.py:6`", "`shop.py::price`").replace(
        "`shop.py:21`", "`shop.py::Basket.total`"
    )
    assert {each["status"] for each in shop.judged("docs").citations} == {"ok"}
    shop.cites("--to-symbols", "docs")
    assert shop.read("docs/shop.md") == text


def test_the_ledger_finds_a_line_without_names_or_history(plain: Any) -> None:
    plain.write("docs/plain.md", "This is done in `src/shop.py:12-13`, and nowhere else.\n")
    run = plain.cites("--adopt")
    assert (run.exit, "4 adopted, 0 refused" in run.stderr) == (0, True)
    plain.write("src/shop.py", TEN + plain.CODE.replace("def price", "def cost"))
    found = plain.judged("docs/plain.md").of("src/shop.py:12-13")
    assert (found["status"], found["proposed"]["line"], found["proposed"]["end_line"]) == ("moved", 22, 23)
    assert (found["evidence"][0]["kind"], found["fixable"]) == ("ledger", True)
    plain.cites("--fix")
    assert plain.read("docs/plain.md") == "This is done in `src/shop.py:22-23`, and nowhere else.\n"
    found = plain.judged("docs/plain.md").of("src/shop.py:22-23")
    assert (found["status"], found["evidence"][0]["kind"]) == ("ok", "ledger")
    plain.edit("src/shop.py", lambda text: text.replace("if total > LIMIT", "if total >= 2 * LIMIT"))
    assert plain.judged("docs/plain.md").status("src/shop.py:22-23") == "changed"


def test_adopting_refuses_what_is_wrong(plain: Any) -> None:
    plain.write("docs/wrong.md", "`shop.py:400`\n")
    run = plain.cites("--adopt", "docs/wrong.md")
    assert run.exit == 1
    assert "docs/wrong.md:1:2: not adopted: `shop.py:400` is past-end" in run.stderr


def test_a_damaged_ledger_is_said(plain: Any) -> None:
    for text in ("- {document: a}\n", "x: [", "3\n", "- 4\n"):
        plain.write(".eqtrace/cites.yaml", text)
        run = plain.cites()
        assert run.exit == 2
        assert ".eqtrace/cites.yaml can't be read" in run.stderr


def test_a_baseline_holds_back_what_it_knows(shop: Any) -> None:
    shop.write("docs/wrong.md", "`Basket` (`shop.py:14`)\n")
    assert shop.cites("--baseline", "base.json", "--write-baseline").exit == 0
    run = shop.judged("--baseline", "base.json")
    assert (run.exit, run.report["summary"]["held_back"]) == (0, 1)
    shop.edit("docs/wrong.md", lambda text: "\n\nmore\n\n" + text + "\nand `shop.py:99`\n")
    run = shop.judged("--baseline", "base.json")
    assert (run.exit, [each["text"] for each in run.citations if each["status"] == "past-end"]) == (1, ["shop.py:99"])
    shop.write("docs/wrong.md", "`shop.py:99`\n")
    assert "1 of its findings are gone" in shop.cites("--baseline", "base.json").stderr
    shop.write("base.json", "[]")
    assert shop.cites("--baseline", "base.json").exit == 2


def test_changed_looks_at_what_a_difference_touches(shop: Any) -> None:
    shop.write("src/other.py", "def one():\n    pass\n")
    shop.write("docs/old.md", "`other.py:40`\n")
    shop.commit()
    run = shop.judged("--changed")
    assert (run.exit, run.citations, run.report["summary"]["left_out"]) == (0, [], 4)
    shop.edit("docs/old.md", lambda text: text + "and `shop.py:99`\n")
    assert [each["text"] for each in shop.judged("--changed").citations] == ["shop.py:99"]
    shop.edit("src/other.py", lambda text: text + "\n")
    assert "other.py:40" in [each["text"] for each in shop.judged("--changed").citations]
    assert len(shop.judged("--changed", "HEAD~1").citations) == 2


def test_links_out_of_the_repository_are_not_followed(shop: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("`shop.py:99`\n")
    (shop.root / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    run = shop.judged()
    assert run.exit == 0
    assert run.report["summary"]["unreadable"] == ["docs/link.md"]


def test_a_repositorys_configuration_starts_no_program(shop: Any) -> None:
    marker = shop.root / "started"
    script = f"touch '{marker}'"
    for key in ("diff.external", "core.fsmonitor", "diff.x.textconv", "core.pager"):
        shop.git("config", key, script)
    shop.write(".gitattributes", "*.py diff=x\n*.md diff=x\n")
    shop.write("src/shop.py", TEN + shop.CODE)
    marker.unlink(missing_ok=True)
    assert shop.judged().of("shop.py:6")["proposed"]["line"] == 16
    assert not marker.exists()


def test_binary_and_odd_files_are_counted(shop: Any) -> None:
    (shop.root / "docs" / "odd.md").write_bytes(b"\xff\xfe `shop.py:99`")
    assert shop.judged().report["summary"]["unreadable"] == ["docs/odd.md"]
