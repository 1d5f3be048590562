"""Entries on disk, and results as JSON."""

import json
import os
import stat

import pytest

from eqtrace import cache as module
from eqtrace.cache import FOLDER, Cache, Unreadable, decode, digest, encode
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict

ENTRY = {"needs": {"a": "b"}, "result": [1, None, 0.5]}
RESULT = MethodResult(
    "a.b",
    "value",
    Verdict.REFUTED,
    Evidence(3, 2, 1, float("inf"), "x.py:1", "detail", ("one", "two")),
    (Fault("k", "m", Span("s.yaml", 1, 2, 3, 4), "h", (Related(Span("x.py", 5), "r"),), "a.b", None),),
    {"a.b/computes/0": 7},
)


def files(root):
    return sorted((root / FOLDER).glob("*.json"))


def test_what_is_put_is_found_again_by_another_cache(tmp_path):
    Cache(tmp_path).put("key", ENTRY)
    assert [entry for _, entry in Cache(tmp_path).entries("key")] == [ENTRY]
    assert list(Cache(tmp_path).entries("other")) == []
    assert (tmp_path / FOLDER / ".gitignore").read_text() == "*\n"


def test_nothing_is_there_at_first_and_looking_writes_nothing(tmp_path):
    assert list(Cache(tmp_path).entries("key")) == []
    assert list(tmp_path.iterdir()) == []


def test_the_newest_comes_first_and_the_same_entry_is_one_file(tmp_path):
    cache = Cache(tmp_path)
    for number in (1, 2):
        cache.put("key", {"n": number})
        for file in files(tmp_path):
            os.utime(file, (number, number))
    os.utime(files(tmp_path)[0], (9, 9))
    newest = json.loads(files(tmp_path)[0].read_text())
    assert next(iter(Cache(tmp_path).entries("key"))) == (0, newest)
    cache.put("key", {"n": 1})
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-3]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\x80\x04cos\nsystem\n"),
        lambda path: path.write_text('{"needs": {"a": "c"}}'),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), path.symlink_to("nowhere")),
        lambda path: path.rename(path.with_name("key-0123.json")),
    ],
)
def test_a_damaged_or_foreign_file_is_no_entry(tmp_path, damage):
    Cache(tmp_path).put("key", ENTRY)
    damage(files(tmp_path)[0])
    assert list(Cache(tmp_path).entries("key")) == []


def test_a_damaged_entry_is_written_again(tmp_path):
    Cache(tmp_path).put("key", ENTRY)
    files(tmp_path)[0].write_bytes(b"")
    Cache(tmp_path).put("key", ENTRY)
    assert [entry for _, entry in Cache(tmp_path).entries("key")] == [ENTRY]


def test_an_entry_that_is_no_object_is_none(tmp_path):
    body = b"[1]"
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / f"key-{digest(body)}.json").write_bytes(body)
    assert list(Cache(tmp_path).entries("key")) == []


def test_a_folder_that_cannot_be_written_is_noted_and_no_error(tmp_path, monkeypatch):
    (tmp_path / ".eqtrace").write_text("a file")
    cache = Cache(tmp_path)
    cache.put("key", ENTRY)
    assert FOLDER in cache.note
    assert list(cache.entries("key")) == []


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    cache.put("key", ENTRY)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "replace", full)
    cache.put("key", {"n": 2})
    assert "No space left" in cache.note
    assert len(list((tmp_path / FOLDER).iterdir())) == 2  # the entry and .gitignore


def test_a_link_out_of_the_project_is_not_followed(tmp_path):
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    (root / ".eqtrace").mkdir(parents=True)
    (root / FOLDER).symlink_to(outside)
    cache = Cache(root)
    cache.put("key", ENTRY)
    assert "leaves the project" in cache.note
    assert list(outside.iterdir()) == []


def test_tidy_keeps_few_entries_of_a_key_and_bounds_the_size(tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    for number in range(12):
        cache.put("key", {"n": number})
        cache.put(f"key{number}", {"n": "x" * 1000})
        for file in files(tmp_path):
            if file.stat().st_mtime > 1000:
                os.utime(file, (number, number))
    cache.tidy()
    assert [entry["n"] for _, entry in Cache(tmp_path).entries("key")] == [*range(11, 3, -1)]
    monkeypatch.setattr(module, "LARGEST", 4500)
    cache.tidy()
    assert sum(file.stat().st_size for file in files(tmp_path)) <= 4500
    assert list(Cache(tmp_path).entries("key11"))
    assert not list(Cache(tmp_path).entries("key0"))


def test_an_older_entry_that_is_used_becomes_the_newest(tmp_path):
    for number in range(3):
        Cache(tmp_path).put("key", {"n": number})
        for file in files(tmp_path):
            if file.stat().st_mtime > 1000:
                os.utime(file, (number, number))
    cache = Cache(tmp_path)
    assert [(number, entry["n"]) for number, entry in cache.entries("key")] == [(0, 2), (1, 1), (2, 0)]
    cache.used("key", 2)
    assert next(iter(Cache(tmp_path).entries("key"))) == (0, {"n": 0})


def test_entries_are_files_that_only_hold_data(tmp_path):
    Cache(tmp_path).put("key", ENTRY)
    assert stat.S_IMODE(files(tmp_path)[0].stat().st_mode) & 0o111 == 0


def test_parts_of_a_digest_are_kept_apart():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a") == digest(b"a")


def test_a_result_comes_back_as_it_was_but_for_its_time():
    assert decode(json.loads(json.dumps(encode(RESULT)))) == RESULT


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "splendid"},
        {"equation": 3},
        {"faults": [{}]},
        {"faults": [{**encode(RESULT)["faults"][0], "span": ["a", "b", 1, 1, 1]}]},
        {"evidence": {}},
        {"executions": {"a": "many"}},
        {"evidence": {**encode(RESULT)["evidence"], "points": True}},
        {"evidence": {**encode(RESULT)["evidence"], "limits": "abc"}},
    ],
)
def test_what_is_no_result_is_refused(change):
    with pytest.raises(Unreadable):
        decode({**encode(RESULT), **change})
    for nothing in (None, [], "x", {}):
        with pytest.raises(Unreadable):
            decode(nothing)
