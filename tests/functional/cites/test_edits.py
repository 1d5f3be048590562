"""Edits of the cited code, replayed: the verdict, where the line went, and what --fix writes."""

from pathlib import Path
from typing import Any

TEN = "".join(f"# line {number}\n" for number in range(10))


def test_sound_citations_pass(shop: Any) -> None:
    run = shop.judged()
    assert [each["status"] for each in run.citations] == ["ok", "ok", "ok"]
    assert run.exit == 0


def test_ten_lines_above(shop: Any) -> None:
    shop.write("src/shop.py", TEN + shop.CODE)
    shop.commit()
    run = shop.judged()
    assert [(each["status"], each["proposed"]["line"], each["confidence"]) for each in run.citations] == [
        ("moved", 16, "strong"),
        ("moved", 21, "strong"),
        ("moved", 31, "strong"),
    ]
    assert run.exit == 0  # warnings
    assert shop.cites("--fail-on", "moved").exit == 1


def test_fix_writes_only_the_numbers_and_once(shop: Any) -> None:
    shop.write("src/shop.py", TEN + shop.CODE)
    shop.commit()
    shown = shop.cites("--fix", "--diff")
    assert shop.read("docs/shop.md") == shop.PROSE
    assert "+- `price` (`shop.py:16`) works out an item" in shown.stdout
    shop.cites("--fix")
    expected = shop.PROSE.replace(":6`", ":16`").replace(":11-14`", ":21-24`").replace(":21`\n", ":31`\n")
    assert shop.read("docs/shop.md") == expected
    again = shop.read("docs/shop.md")
    run = shop.judged("--fix")
    assert run.report["edits"] == []
    assert shop.read("docs/shop.md") == again
    assert {each["status"] for each in run.citations} == {"ok"}
    shop.commit("fixed")
    assert {each["status"] for each in shop.judged().citations} == {"ok"}


def test_an_uncommitted_edit_counts_too(shop: Any) -> None:
    shop.write("src/shop.py", TEN + shop.CODE)
    assert shop.judged().of("shop.py:6")["proposed"]["line"] == 16


def test_comment_in_the_body(shop: Any) -> None:
    shop.edit("src/shop.py", lambda text: text.replace("    return item", "    # all of them\n    return item"))
    shop.commit()
    run = shop.judged()
    assert run.status("shop.py:6") == "ok"
    assert run.of("shop.py:21")["proposed"]["line"] == 22


def test_function_renamed(shop: Any) -> None:
    shop.edit("src/shop.py", lambda text: text.replace("price", "cost_of"))
    shop.commit()
    found = shop.judged().of("shop.py:6")
    assert found["status"] != "ok"
    assert found["confidence"] != "strong"


def test_a_constant_changed_where_a_number_is_cited(shop: Any) -> None:
    shop.write("docs/limit.md", "More than `LIMIT = 3` (`shop.py:3`) is cheaper.\n")
    shop.commit()
    assert shop.judged().status("shop.py:3") == "ok"
    shop.edit("src/shop.py", lambda text: text.replace("LIMIT = 3", "limit = Decimal(40)  # in units"))
    shop.commit()
    assert shop.judged().status("shop.py:3") != "ok"


def test_moved_to_another_file(shop: Any) -> None:
    head, tail = shop.CODE.split("def discount")
    body, rest = tail.split("\n\nclass")
    shop.write("src/shop.py", f"from tax import discount\n{head}class{rest}")
    shop.write("src/tax.py", f"LIMIT = 3\n\n\ndef discount{body}\n")
    shop.commit()
    found = shop.judged().of("shop.py:11-14")
    assert found["status"] in ("changed", "mismatch")
    assert any("src/tax.py:4" in each["text"] for each in found["evidence"])


def test_file_renamed(shop: Any) -> None:
    shop.git("mv", "src/shop.py", "src/store.py")
    shop.commit()
    run = shop.judged()
    found = run.of("shop.py:6")
    assert (found["status"], found["proposed"]["path"], found["proposed"]["line"]) == ("missing", "src/store.py", 6)
    assert not found["fixable"]
    assert run.exit == 1


def test_file_renamed_and_then_cited_anew(shop: Any) -> None:
    shop.git("mv", "src/shop.py", "src/store.py")
    shop.edit("docs/shop.md", lambda text: text.replace("shop.py", "store.py"))
    shop.commit()
    shop.edit("src/store.py", lambda text: TEN + text)
    shop.commit()
    assert shop.judged().of("store.py:6")["proposed"]["line"] == 16


def test_file_deleted(shop: Any) -> None:
    shop.git("rm", "-q", "src/shop.py")
    shop.commit()
    run = shop.judged()
    assert {each["status"] for each in run.citations} == {"missing"}
    assert "was deleted in" in run.citations[0]["evidence"][0]["text"]


def test_document_renamed_and_wrapped_anew(shop: Any) -> None:
    shop.git("mv", "docs/shop.md", "docs/store.md")
    shop.commit()
    shop.write("docs/store.md", shop.PROSE.replace("`price` (`shop.py:6`) works", "`price`\n  (`shop.py:6`) works"))
    shop.commit()
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    assert shop.judged().of("shop.py:6")["proposed"]["line"] == 16


def test_history_follows_a_merged_branch(shop: Any) -> None:
    shop.git("checkout", "-q", "-b", "topic")
    shop.write("docs/more.md", "The loop over items stands in `shop.py:22`.\n")
    shop.commit()
    shop.edit("src/shop.py", lambda text: "# one\n" + text)
    shop.commit()
    shop.git("checkout", "-q", "main")
    shop.write("README.md", "# Shop\n")
    shop.commit()
    shop.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    found = shop.judged("docs/more.md").of("shop.py:22")
    assert (found["status"], found["proposed"]["line"]) == ("moved", 23)


def test_wrong_from_the_start(shop: Any) -> None:
    shop.write("docs/wrong.md", "`discount` (`shop.py:8`) and `Basket` (`shop.py:4`)\n")
    shop.commit()
    run = shop.judged("docs/wrong.md")
    one, other = run.citations
    assert (one["status"], one["proposed"]["line"]) == ("mismatch", 11)
    assert one["evidence"][0]["text"] == (
        "names `discount`; line 8 is `return item.cost * item.count`; `discount` is at 11"
    )
    assert any("so it was when it was written" in each["text"] for each in one["evidence"])
    assert not one["fixable"]  # its uses might be meant
    assert (other["status"], other["proposed"]["line"], other["fixable"]) == ("mismatch", 17, True)
    assert run.exit == 1


def test_wrong_from_the_start_and_then_moved(shop: Any) -> None:
    shop.write("docs/wrong.md", "`Basket` (`shop.py:14`)\n")
    shop.commit()
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    shop.cites("--fix", "docs/wrong.md")
    assert shop.read("docs/wrong.md") == "`Basket` (`shop.py:27`)\n"  # not 24, where line 14 went


def test_a_use_is_not_taken_for_a_mistake(shop: Any) -> None:
    shop.write("docs/uses.md", "`discount` is called at `shop.py:22`; see `Basket` and `shop.py:22`.\n")
    shop.commit()
    assert {each["status"] for each in shop.judged("docs/uses.md").citations} == {"ok"}


def test_past_the_end(shop: Any) -> None:
    shop.write("docs/far.md", "See `shop.py:400`.\n")
    shop.commit()
    run = shop.judged("docs/far.md")
    assert (run.status("shop.py:400"), run.exit) == ("past-end", 1)
    assert run.citations[0]["evidence"][0]["text"] == "src/shop.py has 22 lines"


def test_without_a_name_history_alone_is_never_fixed_on(shop: Any) -> None:
    shop.write("docs/plain.md", "This is done in `shop.py:12`.\n")
    shop.commit()
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    found = shop.judged("docs/plain.md").of("shop.py:12")
    assert (found["status"], found["proposed"]["line"], found["fixable"]) == ("moved", 22, False)


def test_siblings_that_moved_as_far_bear_it_out(shop: Any) -> None:
    shop.edit("docs/shop.md", lambda text: text + "- this is done in `shop.py:12`\n")
    shop.commit()
    shop.write("docs/both.md", shop.PROSE + "- this is done in `shop.py:12`\n")
    shop.commit()
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    found = shop.judged("docs/both.md").of("shop.py:12")
    assert (found["proposed"]["line"], found["fixable"]) == (22, True)
    assert "offset" in {each["kind"] for each in found["evidence"]}


def test_a_moved_function_is_followed(shop: Any) -> None:
    head, tail = shop.CODE.split("def price")
    price, rest = tail.split("\n\ndef discount")
    shop.write("src/shop.py", f"{head}def discount{rest}\n\ndef price{price}\n")
    shop.commit()
    found = shop.judged().of("shop.py:6")
    assert found["proposed"]["line"] == shop.read("src/shop.py").split("\n").index("def price(item):") + 1
    assert found["fixable"]


def test_records_are_set_aside_and_never_rewritten(shop: Any) -> None:
    shop.write("CHANGELOG.md", shop.PROSE)
    shop.commit()
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    assert "CHANGELOG.md" not in {each["path"] for each in shop.judged().citations}
    run = shop.judged("--records", "--fix")
    assert "CHANGELOG.md" in {each["path"] for each in run.citations}
    assert shop.read("CHANGELOG.md") == shop.PROSE


def test_a_shallow_clone(shop: Any, tmp_path: Path) -> None:
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    clone = type(shop)(tmp_path / "clone")
    clone.git("clone", "-q", "--depth", "1", f"file://{shop.root}", ".")
    run = clone.judged()
    assert "shallow" in run.report["summary"]["history"]
    assert run.status("shop.py:6") == "mismatch"  # by its name


def test_every_line_end_and_mark_stays(shop: Any) -> None:
    shop.write("docs/shop.md", "\ufeff" + shop.PROSE.replace("\n", "\r\n") + "no end")
    shop.commit()
    shop.edit("src/shop.py", lambda text: TEN + text)
    shop.commit()
    shop.cites("--fix")
    fixed = shop.PROSE.replace(":6`", ":16`").replace(":11-14`", ":21-24`").replace(":21`\n", ":31`\n")
    assert shop.read("docs/shop.md") == "\ufeff" + fixed.replace("\n", "\r\n") + "no end"


def test_numbers_that_were_corrected_by_one_mean_other_lines_than_before(shop: Any) -> None:
    """`shop.py:12` stood there before the correction, too, and meant what is at 13 since."""
    rows = "".join(f"- it is done at `shop.py:{number}`, as before\n" for number in range(10, 16))
    shop.write("docs/rows.md", rows)
    shop.commit()
    shop.write("src/shop.py", "# one more\n" + shop.CODE)
    shop.write("docs/rows.md", "".join(f"- it is done at `shop.py:{number}`, as before\n" for number in range(11, 17)))
    shop.commit()
    assert "moved" not in {each["status"] for each in shop.judged("docs/rows.md").citations}
    shop.write("src/shop.py", "# two more\n# and one\n" + shop.CODE)
    shop.commit()
    found = shop.judged("docs/rows.md").citations
    assert [each["proposed"]["line"] - each["target"]["line"] for each in found if each["proposed"]] == [1] * 6


def test_a_bare_number_after_several_files_is_never_fixed_on_a_name_alone(shop: Any) -> None:
    shop.write("src/other.py", "def one():\n    pass\n")
    shop.write("docs/bare.md", "Unlike `other.py`, `shop.py` has a `Basket` (line 4).\n")
    shop.write("docs/one.md", "The `shop.py` has a `Basket` (line 4).\n")
    shop.commit()
    assert shop.judged("docs/one.md").of("line 4")["fixable"]
    assert not shop.judged("docs/bare.md").of("line 4")["fixable"]


def test_written_for_an_earlier_version(shop: Any) -> None:
    """The document was written, then the code changed, then both were committed."""
    shop.write("src/shop.py", TEN + shop.CODE)
    shop.write("docs/late.md", "`discount` (`shop.py:11`), all of it (`shop.py:11-14`), `price` (`shop.py:10`)\n")
    shop.commit()
    run = shop.judged("docs/late.md")
    one, other = run.of("shop.py:11"), run.of("shop.py:10")
    assert (one["status"], one["proposed"]["line"], one["fixable"]) == ("mismatch", 21, True)
    assert "before this was written" in one["evidence"][-1]["text"]
    assert (other["status"], other["fixable"]) == ("mismatch", False)  # 10 was never its line


def test_names_that_all_miss_by_as_much_bear_each_other_out(shop: Any) -> None:
    functions = "".join(f"def step_{n}(x):\n    return x + {n}\n\n\n" for n in range(6))
    uses = "".join(f"STEP_{n} = step_{n}(0)\n" for n in range(6))
    shop.write("src/steps.py", "import os\n\n\n\n" + functions + uses)
    shop.write("docs/steps.md", "".join(f"- `step_{n}` (`steps.py:{2 + 4 * n}`)\n" for n in range(4)))
    shop.write("docs/other.md", "- `step_1` (`steps.py:6`)\n- `step_2` (`steps.py:9`)\n- `step_3` (`steps.py:14`)\n")
    shop.commit()
    found = shop.judged("docs/steps.md").citations
    assert [(each["status"], each["proposed"]["line"], each["fixable"]) for each in found] == [
        ("mismatch", 5 + 4 * n, True) for n in range(4)
    ]
    assert found[0]["evidence"][-1]["kind"] == "offset"
    assert not any(each["fixable"] for each in shop.judged("docs/other.md").citations)  # by +3, +4 and +3
    shop.edit("src/steps.py", lambda text: text.replace("def step_3", "LATE = 1\n\n\ndef step_3"))
    shop.commit()
    found = shop.judged("docs/steps.md").citations  # as far off when they were written, though no longer
    assert [(each["proposed"]["line"], each["fixable"]) for each in found] == [(5, 1), (9, 1), (13, 1), (20, 1)]


def test_where_it_is_defined_is_not_where_it_is_used(shop: Any) -> None:
    shop.write("docs/one.md", "`discount` is defined at `shop.py:13`.\n")
    shop.write("docs/two.md", "`discount` takes a tenth off at `shop.py:13`; it is called at `shop.py:22`.\n")
    shop.write("docs/three.md", "`class Basket` (`shop.py:14`) is a class.\n")
    shop.commit()
    found = shop.judged("docs/one.md").of("shop.py:13")
    assert (found["status"], found["proposed"]["line"], found["fixable"]) == ("mismatch", 11, True)
    assert {each["status"] for each in shop.judged("docs/two.md").citations} <= {"ok", "unknown"}
    found = shop.judged("docs/three.md").of("shop.py:14")
    assert (found["status"], found["proposed"]["line"], found["fixable"]) == ("mismatch", 17, True)


def test_the_order_of_a_list_tells_equal_places_apart(shop: Any) -> None:
    classes = "".join(f"class Case{n}:\n    def check(self):\n        return {n}\n\n\n" for n in range(4))
    shop.write("src/cases.py", classes)
    shop.write("docs/cases.md", "- `Case1` (`cases.py:6`)\n- its `check` (`cases.py:9`)\n- `Case2` (`cases.py:11`)\n")
    shop.write("docs/alone.md", "- its `check` (`cases.py:9`)\n")
    shop.commit()
    found = shop.judged("docs/cases.md").of("cases.py:9")
    assert (found["proposed"]["line"], found["confidence"], found["fixable"]) == (7, "weak", False)
    assert found["evidence"][-1] == {
        "kind": "order",
        "text": "of 4 places that it may mean, 7 alone is after 6 and before 11, as its neighbours are",
    }
    assert shop.judged("docs/alone.md").of("cases.py:9")["proposed"] is None
