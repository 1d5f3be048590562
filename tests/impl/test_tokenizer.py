import pytest

from impl.tokenizer import (
    UNKNOWN,
    apply_merges,
    build_tokenizer,
    count_words,
    merge_tokens,
    train_bpe,
    train_bpe_on_text,
)

TEXT = "low lower lowest, new newer newest.\n\n  Zoë says: “low” — 低い 🌊 lower\tlow\n"


def test_count_words():
    counts = count_words("the sea, the sea")
    assert counts == {"the": 1, " sea": 2, ",": 1, " the": 1}
    assert list(counts) == ["the", " sea", ",", " the"]
    assert count_words("") == {}


def test_count_words_loses_no_character():
    assert sum(len(word) * n for word, n in count_words(TEXT).items()) == len(TEXT)


def test_merge_tokens():
    assert merge_tokens(["a", "b", "a", "b", "c"], ("a", "b")) == ["ab", "ab", "c"]
    assert merge_tokens(["a", "a", "a"], ("a", "a")) == ["aa", "a"]
    assert merge_tokens(["b", "a"], ("a", "b")) == ["b", "a"]
    assert merge_tokens([], ("a", "b")) == []


def test_merge_tokens_leaves_its_argument():
    tokens = ["a", "b"]
    merge_tokens(tokens, ("a", "b"))
    assert tokens == ["a", "b"]


def test_train_bpe_weights_pairs_by_word_counts():
    assert train_bpe({"xy": 1, "xyz": 1, "ab": 3}, 1) == [("a", "b")]
    assert train_bpe({"xy": 2, "xyz": 2, "ab": 3}, 1) == [("x", "y")]


def test_train_bpe_counts_a_pair_twice_in_one_word():
    assert train_bpe({"abab": 2, "cd": 3}, 1) == [("a", "b")]


def test_train_bpe_merges_merged_tokens():
    assert train_bpe({"abc": 5, "ab": 1}, 3) == [("a", "b"), ("ab", "c")]


def test_train_bpe_breaks_ties_by_code_points():
    assert train_bpe({"zz": 2, "ab": 2, "aa": 2}, 3) == [("a", "a"), ("a", "b"), ("z", "z")]


def test_train_bpe_stops_where_no_pair_is_left():
    assert train_bpe({"a": 3}, 5) == []
    assert train_bpe({}, 5) == []
    assert train_bpe({"abc": 1}, 0) == []


def test_train_bpe_on_text_never_merges_across_pretokens():
    merges = train_bpe_on_text(TEXT, 1000)
    assert merges == train_bpe(count_words(TEXT), 1000)
    assert len(merges) > 20
    assert all(any(a + b in word for word in count_words(TEXT)) for a, b in merges)


def test_apply_merges_in_the_order_learnt():
    assert apply_merges("abc", [("b", "c"), ("a", "b"), ("a", "bc")]) == ["abc"]
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("", [("a", "b")]) == []


def test_build_tokenizer_vocabulary_order():
    tokenizer = build_tokenizer("cab cab", 3)
    assert tokenizer.itos == (UNKNOWN, "c", "a", "b", " ", "ab", "cab", " cab")
    assert tokenizer.merges == (("a", "b"), ("c", "ab"), (" ", "cab"))
    assert tokenizer.vocab_size == 8


def test_build_tokenizer_numbers_a_token_merged_in_two_ways_once(monkeypatch):
    merges = [("a", "b"), ("ab", "c"), ("b", "c"), ("a", "bc")]
    monkeypatch.setattr("impl.tokenizer.train_bpe_on_text", lambda text, num_merges: merges)
    assert build_tokenizer("abc", 4).itos == (UNKNOWN, "a", "b", "c", "ab", "abc", "bc")


def test_encode_gives_unknown_tokens_the_id_of_unk():
    tokenizer = build_tokenizer("cab cab", 3)
    assert tokenizer.encode("cab dab") == [6, 4, 0, 5]
    assert tokenizer.encode("") == []


def test_decode_joins_the_strings():
    tokenizer = build_tokenizer("cab cab", 3)
    assert tokenizer.decode([6, 4, 0, 5]) == "cab <unk>ab"
    assert tokenizer.decode([]) == ""


@pytest.mark.parametrize("merges", [0, 5, 1000])
def test_encode_and_decode_round_trip(merges):
    tokenizer = build_tokenizer(TEXT, merges)
    assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT
    assert tokenizer.decode(tokenizer.encode("lowest 鯨")) == "lowest <unk>"


def test_encode_uses_the_merges():
    assert len(build_tokenizer(TEXT, 50).encode(TEXT)) < len(TEXT)
    assert len(build_tokenizer(TEXT, 0).encode(TEXT)) == len(TEXT)
