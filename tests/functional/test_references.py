"""Each reference of spec/references.py refutes ten named mutants of the code that it is held against.

A mutant replaces one text of one file in a copy of the implementation, and anchors that quote the line with it. Only
the equation's own discrete method runs, without scenarios and without the form: the reference has to notice alone.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from eqtrace import config
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.project import read_project
from eqtrace.run.methods import discrete
from eqtrace.run.session import Session
from eqtrace.run.work import Unit
from eqtrace.working import work_of

ROOT = Path(__file__).resolve().parents[2]
TOKENIZER = "impl/tokenizer.py"
DATA = "impl/data.py"
GENERATE = "impl/generate.py"

SETTINGS = """
[tool.eqtrace]
spec = ["spec/{page}/*.yaml"]
sources = ["impl"]
tests = ["tests/impl"]
literature = "spec/literature.yaml"
references = "spec/references.py"
coverage = "off"
"""


@dataclass(frozen=True)
class Subject:
    """One equation with a reference: where its code is, and the mutants, each a name, an old text and a new one."""

    equation: str
    page: str
    file: str
    mutants: tuple[tuple[str, str, str], ...]


BATCHES = "math.ceil(W / batch_size)"
COUNT = "math.ceil((N - T) / k)"
STARTS = "k * np.arange(W)"
BEST = "max(sorted(f), key=f.__getitem__)"
LISTED = "[UNKNOWN, *text, *merged]"
FIRST_OF_EACH = "tuple(dict.fromkeys(listed))"
LOOKUP = "[self.stoi.get(token, unknown) for token in tokens_of[word]]"
JOINED = '"".join([self.itos[i] for i in ids])'
STEP = "2 if tokens[i] == a and tokens[i + 1 : i + 2] == [b] else 1"
FUSED = "[a + b if j - i == 2 else tokens[i] for i, j in pairwise([*starts, len(tokens)])]"
PRETOKEN = r're.compile(r" ?\w+| ?[^\w\s]+|\s+")'
GREEDY = "return int(np.argmax(logits))"
GUARD = "if temperature < 1e-6:"
CROP = "x = ids[-w:]"
ORDER = 'order = np.argsort(-p, kind="stable")'
KEEP = "keep = order[: np.searchsorted(cum, top_p) + 1]"
ADDED = "f[pair] += word_counts[word]"

SUBJECTS = (
    Subject(
        "shuffling_and_batching.batches_per_epoch",
        "data",
        DATA,
        (
            ("short_batch_dropped", BATCHES, "W // batch_size"),
            ("one_too_many", BATCHES, "W // batch_size + 1"),
            ("rounded", BATCHES, "round(W / batch_size)"),
            ("one_more", BATCHES, "math.ceil(W / batch_size) + 1"),
            ("without_the_first_window", BATCHES, "math.ceil((W - 1) / batch_size)"),
            ("with_another_window", BATCHES, "math.ceil((W + 1) / batch_size)"),
            ("larger_batches", BATCHES, "math.ceil(W / (batch_size + 1))"),
            ("at_least_one", BATCHES, "max(1, math.ceil(W / batch_size))"),
            ("a_batch_each", BATCHES, "W"),
            ("of_the_length", BATCHES, "math.ceil(x.size / batch_size)"),
            ("upside_down", BATCHES, "math.ceil(batch_size / max(W, 1))"),
        ),
    ),
    Subject(
        "window_count.window_count",
        "data",
        DATA,
        (
            ("one_window_too_many", COUNT, "math.ceil((N - T) / k) + 1"),
            ("one_too_few", COUNT, "math.ceil((N - T) / k) - 1"),
            ("no_target_needed", COUNT, "math.ceil((N - T + 1) / k)"),
            ("two_targets_needed", COUNT, "math.ceil((N - T - 1) / k)"),
            ("rounded_down", COUNT, "(N - T) // k"),
            ("rounded_down_and_one", COUNT, "(N - T) // k + 1"),
            ("rounded", COUNT, "round((N - T) / k)"),
            ("length_ignored", COUNT, "math.ceil(N / k)"),
            ("stride_ignored", COUNT, "math.ceil(N - T)"),
            ("stride_of_the_length", COUNT, "math.ceil((N - T) / T)"),
            ("length_and_stride_swapped", COUNT, "math.ceil((N - k) / T)"),
        ),
    ),
    Subject(
        "sliding_windows.window_starts",
        "data",
        DATA,
        (
            ("from_one", STARTS, "k * np.arange(W) + 1"),
            ("from_the_second", STARTS, "k * np.arange(1, W + 1)"),
            ("one_more", STARTS, "k * np.arange(W + 1)"),
            ("one_less", STARTS, "k * np.arange(max(W - 1, 0))"),
            ("stride_ignored", STARTS, "np.arange(W)"),
            ("stride_of_the_length", STARTS, "T * np.arange(W)"),
            ("stride_one_more", STARTS, "(k + 1) * np.arange(W)"),
            ("backwards", STARTS, "k * np.arange(W)[::-1]"),
            ("count_rounded_down", COUNT, "(N - T) // k"),
            ("count_too_large", COUNT, "math.ceil((N - T + 1) / k)"),
            ("aligned_to_the_end", STARTS, "k * np.arange(W) + (N - T - 1) % k"),
        ),
    ),
    Subject(
        "word_counts.pretoken_count",
        "tokenizer",
        TOKENIZER,
        (
            ("without_the_space_before", PRETOKEN, r're.compile(r"\w+| ?[^\w\s]+|\s+")'),
            ("mark_without_the_space", PRETOKEN, r're.compile(r" ?\w+|[^\w\s]+|\s+")'),
            ("white_space_lost", PRETOKEN, r're.compile(r" ?\w+| ?[^\w\s]+")'),
            ("all_spaces_before", PRETOKEN, r're.compile(r" *\w+| ?[^\w\s]+|\s+")'),
            ("marks_one_by_one", PRETOKEN, r're.compile(r" ?\w+| ?[^\w\s]|\s+")'),
            ("spaces_one_by_one", PRETOKEN, r're.compile(r" ?\w+| ?[^\w\s]+|\s")'),
            ("ascii_only", PRETOKEN, r're.compile(r" ?\w+| ?[^\w\s]+|\s+", re.ASCII)'),
            ("letters_only", PRETOKEN, r're.compile(r" ?[^\W\d_]+| ?[^\w\s]+|\s+")'),
            ("not_a_space_alone", PRETOKEN, r're.compile(r" ?\S+|\s+")'),
            ("small_letters", "PRETOKEN.findall(text)\n    return", "PRETOKEN.findall(text.strip())\n    return"),
            ("each_once", "dict(Counter(pretokens))", "dict.fromkeys(pretokens, 1)"),
            ("last_one_not_counted", "dict(Counter(pretokens))", "dict(Counter(pretokens[:-1]))"),
            ("most_common_only", "dict(Counter(pretokens))", "dict(Counter(pretokens).most_common(2))"),
        ),
    ),
    Subject(
        "pair_frequency.pair_count",
        "tokenizer",
        TOKENIZER,
        (
            ("not_weighted", ADDED, "f[pair] += 1"),
            ("weighted_twice", ADDED, "f[pair] += 2 * word_counts[word]"),
            ("only_the_last", ADDED, "f[pair] += word_counts[word] - f[pair]"),
            ("turned", "f[pair] +=", "f[pair[::-1]] +="),
            ("by_length", ADDED, "f[pair] += len(word)"),
            ("first_pair_left_out", "for pair in pairwise(tokens):", "for pair in pairwise(tokens[1:]):"),
            ("last_pair_left_out", "for pair in pairwise(tokens):", "for pair in pairwise(tokens[:-1]):"),
            ("once_a_word", "for pair in pairwise(tokens):", "for pair in set(pairwise(tokens)):"),
            ("characters_again", "for pair in pairwise(tokens):", "for pair in pairwise(word):"),
            ("side_by_side_of_two", "pairwise(tokens):", "zip(tokens, tokens[2:]):"),
            ("every_second_pair", "pairwise(tokens):", "zip(tokens[::2], tokens[1::2]):"),
            ("first_word_left_out", "in words.items():\n        for", "in list(words.items())[1:]:\n        for"),
        ),
    ),
    Subject(
        "pair_frequency.best_pair",
        "tokenizer",
        TOKENIZER,
        (
            ("least_frequent", BEST, "min(sorted(f), key=f.__getitem__)"),
            ("first_met", BEST, "max(f, key=f.__getitem__)"),
            ("largest_of_ties", BEST, "max(sorted(f, reverse=True), key=f.__getitem__)"),
            ("smallest", BEST, "min(f)"),
            ("largest", BEST, "max(f)"),
            ("turned", BEST, "max(sorted(f), key=f.__getitem__)[::-1]"),
            ("longest", BEST, "max(sorted(f), key=lambda pair: len(pair[0]) + f[pair])"),
            ("ties_by_second", BEST, "max(sorted(f, key=lambda pair: pair[::-1]), key=f.__getitem__)"),
            ("second_best", BEST, "sorted(f, key=lambda pair: (-f[pair], pair))[min(1, len(f) - 1)]"),
            ("ties_by_length", BEST, "min(f, key=lambda pair: (-f[pair], len(''.join(pair)), pair[::-1]))"),
            ("most_common", BEST, "f.most_common(1)[0][0]"),
        ),
    ),
    Subject(
        "apply_merge.merge_pair",
        "tokenizer",
        TOKENIZER,
        (
            ("overlapping", FUSED, "[a + b if tokens[i : i + 2] == [a, b] else t for i, t in enumerate(tokens)]"),
            ("second_kept", f"i += {STEP}", "i += 1"),
            ("turned", FUSED, FUSED.replace("a + b", "b + a")),
            ("first_only", FUSED, FUSED.replace("a + b", "a")),
            ("never", STEP, "1"),
            ("first_token_alone", STEP, "2 if tokens[i] == a else 1"),
            ("second_token_alone", STEP, "2 if tokens[i + 1 : i + 2] == [b] else 1"),
            ("either_way", STEP, "2 if sorted(tokens[i : i + 2]) == sorted([a, b]) else 1"),
            ("equal_tokens_left", STEP, f"1 if a == b else {STEP}"),
            ("once_only", STEP, "2 if tokens[i : i + 2] == [a, b] and len(starts) == i + 1 else 1"),
            ("from_the_second", "    i = 0\n    while", "    i = 1\n    while"),
            ("last_token_lost", FUSED, FUSED.replace("[*starts, len(tokens)]", "starts")),
            ("in_one_string", STEP, "2 if ''.join(tokens[i : i + 2]) == a + b and i + 1 < len(tokens) else 1"),
        ),
    ),
    Subject(
        "vocabulary.vocabulary_order",
        "tokenizer",
        TOKENIZER,
        (
            ("unknown_not_first", LISTED, "[*text, UNKNOWN, *merged]"),
            ("unknown_last", LISTED, "[*text, *merged, UNKNOWN]"),
            ("without_unknown", LISTED, "[*text, *merged]"),
            ("characters_sorted", LISTED, "[UNKNOWN, *sorted(text), *merged]"),
            ("characters_backwards", LISTED, "[UNKNOWN, *text[::-1], *merged]"),
            ("merges_first", LISTED, "[UNKNOWN, *merged, *text]"),
            ("merges_backwards", LISTED, "[UNKNOWN, *text, *merged[::-1]]"),
            ("merges_in_another_order", "merges.append(best)", "merges.insert(0, best)"),
            ("without_merges", LISTED, "[UNKNOWN, *text]"),
            ("last_seen", FIRST_OF_EACH, "tuple(dict.fromkeys(listed[::-1]))[::-1]"),
            ("repeats_kept", FIRST_OF_EACH, "tuple(listed)"),
            ("all_sorted", FIRST_OF_EACH, "tuple(sorted(set(listed)))"),
            ("merged_turned", '"".join(pair) for', '"".join(pair[::-1]) for'),
            ("not_merged_in_words", "words = {word: merge_tokens(tokens, best) for", "words = {word: [*tokens] for"),
            ("a_merge_too_many", "range(num_merges)", "range(num_merges + 1)"),
        ),
    ),
    Subject(
        "encode_decode.token_to_id",
        "tokenizer",
        TOKENIZER,
        (
            ("unknown_is_last", LOOKUP, "[self.stoi.get(token, len(self.itos) - 1) for token in tokens_of[word]]"),
            ("unknown_is_left_out", LOOKUP, "[self.stoi[token] for token in tokens_of[word] if token in self.stoi]"),
            ("unknown_is_minus_one", LOOKUP, "[self.stoi.get(token, -1) for token in tokens_of[word]]"),
            ("ids_from_one", LOOKUP, "[self.stoi.get(token, unknown) + 1 for token in tokens_of[word]]"),
            ("backwards", LOOKUP, "[self.stoi.get(token, unknown) for token in tokens_of[word][::-1]]"),
            ("characters", LOOKUP, "[self.stoi.get(token, unknown) for token in word]"),
            ("first_character", LOOKUP, "[self.stoi.get(token[0], unknown) for token in tokens_of[word]]"),
            ("whole_word", LOOKUP, "[self.stoi.get(word, unknown) for token in tokens_of[word]]"),
            ("merges_backwards", "for pair in merges:", "for pair in [*merges][::-1]:"),
            ("first_merge_only", "for pair in merges:", "for pair in [*merges][:1]:"),
            ("last_merge_left_out", "for pair in merges:", "for pair in [*merges][:-1]:"),
            ("merged_once", "tokens = merge_tokens(tokens, pair)", "tokens = merge_tokens(list(word), pair)"),
            ("stops_at_two", "if len(tokens) == 1:", "if len(tokens) <= 2:"),
        ),
    ),
    Subject(
        "encode_decode.decode",
        "tokenizer",
        TOKENIZER,
        (
            ("by_spaces", JOINED, '" ".join([self.itos[i] for i in ids])'),
            ("backwards", JOINED, '"".join([self.itos[i] for i in ids[::-1]])'),
            ("first_lost", JOINED, '"".join([self.itos[i] for i in ids[1:]])'),
            ("last_lost", JOINED, '"".join([self.itos[i] for i in ids[:-1]])'),
            ("next_token", JOINED, '"".join([self.itos[i - 1] for i in ids])'),
            ("stripped", JOINED, '"".join([self.itos[i].strip("<>") for i in ids])'),
            ("without_unknown", JOINED, '"".join([self.itos[i] for i in ids if self.itos[i] != UNKNOWN])'),
            ("first_characters", JOINED, '"".join([self.itos[i][:1] for i in ids])'),
            ("each_once", JOINED, '"".join(dict.fromkeys([self.itos[i] for i in ids]))'),
            ("letters_turned", JOINED, '"".join([self.itos[i][::-1] for i in ids])'),
            ("sorted", JOINED, '"".join([self.itos[i] for i in sorted(ids)])'),
            ("ascii_only", JOINED, '"".join([self.itos[i] for i in ids]).encode("ascii", "ignore").decode()'),
        ),
    ),
    Subject(
        "greedy_guard.greedy",
        "sampling",
        GENERATE,
        (
            ("smallest", GREEDY, "return int(np.argmin(logits))"),
            ("largest_magnitude", GREEDY, "return int(np.argmax(np.abs(logits)))"),
            ("last_of_ties", GREEDY, "return len(logits) - 1 - int(np.argmax(logits[::-1]))"),
            ("rounded", GREEDY, "return int(np.argmax(np.round(logits)))"),
            ("first", GREEDY, "return 0 * int(np.argmax(logits))"),
            ("last", GREEDY, "return len(logits) - 1"),
            ("next_one", GREEDY, "return (int(np.argmax(logits)) + 1) % len(logits)"),
            ("second_largest", GREEDY, "return int(np.argsort(-logits)[min(1, len(logits) - 1)])"),
            ("first_left_out", GREEDY, "return int(np.argmax(logits[1:])) if len(logits) > 1 else 0"),
            ("at_most_one", GREEDY, "return int(np.argmax(np.minimum(logits, 1.0)))"),
            ("guard_with_equality", GUARD, "if temperature <= 1e-6:"),
            ("guard_at_zero", GUARD, "if temperature == 0.0:"),
            ("guard_too_high", GUARD, "if temperature < 1e-3:"),
        ),
    ),
    Subject(
        "generation_loop.context_crop",
        "sampling",
        GENERATE,
        (
            ("first_ids", CROP, "x = ids[:w]"),
            ("one_too_few", CROP, "x = ids[-w + 1 :]"),
            ("one_too_many", CROP, "x = ids[-w - 1 :]"),
            ("all_ids", CROP, "x = ids[:] if w else ids"),
            ("last_one_lost", CROP, "x = ids[-w:][: len(ids) - 1] or ids[-1:]"),
            ("backwards", CROP, "x = ids[-w:][::-1]"),
            ("last_id_alone", CROP, "x = ids[-1:] if w else ids"),
            ("in_whole_windows", CROP, "x = ids[(len(ids) - 1) // w * w :]"),
            ("from_the_width", CROP, "x = ids[w:] or ids"),
            ("sorted", CROP, "x = sorted(ids[-w:])"),
            ("every_second", CROP, "x = ids[-w::2]"),
        ),
    ),
    Subject(
        "top_p.sort",
        "sampling",
        GENERATE,
        (
            ("least_likely_first", ORDER, 'order = np.argsort(p, kind="stable")'),
            ("ties_backwards", ORDER, 'order = np.argsort(p, kind="stable")[::-1]'),
            ("as_they_stand", ORDER, "order = np.arange(len(p))"),
            ("backwards", ORDER, "order = np.arange(len(p))[::-1]"),
            ("ranks", ORDER, 'order = np.argsort(np.argsort(-p, kind="stable"))'),
            ("rounded", ORDER, 'order = np.argsort(-np.round(p, 1), kind="stable")'),
            ("first_stays", ORDER, 'order = np.append(0, 1 + np.argsort(-p[1:], kind="stable"))'),
            ("last_stays", ORDER, 'order = np.append(np.argsort(-p[:-1], kind="stable"), len(p) - 1)'),
            ("turned_by_one", ORDER, 'order = np.roll(np.argsort(-p, kind="stable"), 1)'),
            ("largest_alone_first", ORDER, "order = np.argsort(-(p == p.max()).astype(int), kind='stable')"),
            ("by_the_middle", ORDER, 'order = np.argsort(np.abs(p - 0.5), kind="stable")'),
        ),
    ),
    Subject(
        "top_p.nucleus",
        "sampling",
        GENERATE,
        (
            ("one_too_few", KEEP, "keep = order[: np.searchsorted(cum, top_p)]"),
            ("one_too_many", KEEP, "keep = order[: np.searchsorted(cum, top_p) + 2]"),
            ("beyond_where_reached", KEEP, "keep = order[: np.searchsorted(cum, top_p) + 1 + (top_p in cum)]"),
            ("all", KEEP, "keep = order[: np.searchsorted(cum, top_p) + len(order)]"),
            ("first_alone", KEEP, "keep = order[: 0 * np.searchsorted(cum, top_p) + 1]"),
            ("at_least_two", KEEP, "keep = order[: max(2, np.searchsorted(cum, top_p) + 1)]"),
            ("most_likely_lost", KEEP, "keep = order[1 : np.searchsorted(cum, top_p) + 2]"),
            ("last_ones", KEEP, "keep = order[-1 - np.searchsorted(cum, top_p) :]"),
            ("backwards", KEEP, "keep = order[: np.searchsorted(cum, top_p) + 1][::-1]"),
            ("never_all", KEEP, "keep = order[: np.searchsorted(cum, top_p) + 1][: len(order) - 1]"),
            ("by_id", KEEP, "keep = np.sort(order[: np.searchsorted(cum, top_p) + 1])"),
        ),
    ),
)


class Copy:
    """The code, one page of the specification and its tests, in a folder of their own."""

    def __init__(self, root: Path, page: str) -> None:
        self.root = root
        for folder in ("impl", f"spec/{page}", "tests/impl"):
            shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ("spec/literature.yaml", "spec/references.py"):
            shutil.copy(ROOT / file, root / file)
        (root / "pyproject.toml").write_text(SETTINGS.format(page=page))
        self._page = page

    def mutate(self, file: str, old: str, new: str) -> None:
        """Replaces the one place of a text, and what anchors quote of the lines around it."""
        source = self.root / file
        text = source.read_text("utf-8")
        assert text.count(old) == 1, f"{file} holds {text.count(old)} times {old!r}"
        changed = text.replace(old, new)
        source.write_text(changed, "utf-8")
        before, after = ([line.strip() for line in each.split("\n")] for each in (text, changed))
        pairs = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
        for path in (self.root / "spec" / self._page).glob("*.yaml"):
            quoted = path.read_text("utf-8")
            for left, right in pairs:
                quoted = quoted.replace(f"code: {_quoted(left)}", f"code: {_quoted(right)}")
            path.write_text(quoted, "utf-8")

    def result(self, equation: str) -> MethodResult:
        """The discrete method's answer, in this process."""
        with _own_modules():
            project = read_project(config.load(self.root), frozenset([equation]))
            session = Session(work_of(project, 0), lambda name: None, {})
            return session.run(Unit(equation, "discrete"))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _own_modules() -> Iterator[None]:
    """Imports within belong to one copy: others' modules are put aside and come back."""
    path, finders = list(sys.path), list(sys.meta_path)
    aside = {name: sys.modules.pop(name) for name in [*sys.modules] if _is_of_a_copy(name)}
    try:
        yield
    finally:
        for name in [*sys.modules]:
            if _is_of_a_copy(name):
                del sys.modules[name]
        sys.modules.update(aside)
        sys.path[:], sys.meta_path[:] = path, finders


def _is_of_a_copy(name: str) -> bool:
    return name.partition(".")[0] == "impl" or name in ("eqtrace_references", "eqtrace_scenarios")


@pytest.fixture(autouse=True)
def _reference_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrete, "_SHOWING_FORMS", frozenset({"discrete"}))


MUTANTS = [
    pytest.param(subject, *mutant[1:], id=f"{subject.equation}-{mutant[0]}")
    for subject in SUBJECTS
    for mutant in subject.mutants
]


def test_every_reference_has_ten_mutants() -> None:
    text = (ROOT / "spec/references.py").read_text("utf-8")
    references = set(re.findall(r"^def ([a-z]\w*)\(", text, re.M))
    assert {subject.equation.replace(".", "_") for subject in SUBJECTS} == references
    for subject in SUBJECTS:
        assert len({name for name, _, _ in subject.mutants}) == len(subject.mutants) >= 10, subject.equation


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.equation)
def test_code_as_it_is_agrees(tmp_path: Path, subject: Subject) -> None:
    found = Copy(tmp_path, subject.page).result(subject.equation)
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)


@pytest.mark.parametrize(("subject", "old", "new"), MUTANTS)
def test_mutant_is_refuted(tmp_path: Path, subject: Subject, old: str, new: str) -> None:
    copy = Copy(tmp_path, subject.page)
    copy.mutate(subject.file, old, new)
    found = copy.result(subject.equation)
    told = [fault.message for fault in found.faults]
    assert found.verdict is Verdict.REFUTED, told
    assert any("the reference gives" in message for message in told), told
