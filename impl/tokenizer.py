"""Byte-pair encoding on characters (Sennrich et al., 2016, algorithm 1).

A text is cut into pre-tokens: a word or a run of punctuation, with the one space before it, or a run of white space.
Pairs are merged inside pre-tokens only, so the strings of the tokens, joined, are the text again.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

UNKNOWN = "<unk>"
PRETOKEN = re.compile(r" ?\w+| ?[^\w\s]+|\s+")

Pair = tuple[str, str]


def count_words(text: str) -> dict[str, int]:
    """Return how often each pre-token of the text occurs, in order of first sight.

    Computes word_counts.pretoken_count.
    """
    pretokens = PRETOKEN.findall(text)
    return dict(Counter(pretokens))


def merge_tokens(tokens: list[str], pair: Pair) -> list[str]:
    """Return the tokens with each occurrence of the pair fused, from left to right without overlap.

    Computes apply_merge.merge_pair.
    """
    a, b = pair
    starts: list[int] = []  # of the pieces that stay whole: a pair, or a single token
    i = 0
    while i < len(tokens):
        starts.append(i)
        i += 2 if tokens[i] == a and tokens[i + 1 : i + 2] == [b] else 1
    return [a + b if j - i == 2 else tokens[i] for i, j in pairwise([*starts, len(tokens)])]


def count_pairs(words: dict[str, list[str]], word_counts: dict[str, int]) -> Counter[Pair]:
    """Return how often each pair of tokens stands side by side in the text: in words, times how often these occur.

    Computes pair_frequency.pair_count.
    """
    f: Counter[Pair] = Counter()
    for word, tokens in words.items():
        for pair in pairwise(tokens):
            f[pair] += word_counts[word]
    return f


def train_bpe(word_counts: dict[str, int], num_merges: int) -> list[Pair]:
    """Return the merges learnt, first one first; fewer than num_merges where no pair is left.

    Each merge fuses the most frequent pair of neighbours; among equally frequent pairs, the smallest by code points.
    Computes pair_frequency.pair_count and pair_frequency.best_pair.
    """
    words = {word: list(word) for word in word_counts}
    merges: list[Pair] = []
    for _ in range(num_merges):
        f = count_pairs(words, word_counts)
        if not f:
            break
        best = max(sorted(f), key=f.__getitem__)
        merges.append(best)
        words = {word: merge_tokens(tokens, best) for word, tokens in words.items()}
    return merges


def train_bpe_on_text(text: str, num_merges: int) -> list[Pair]:
    """Return the merges that train_bpe learns from the pre-tokens of the text."""
    return train_bpe(count_words(text), num_merges)


def apply_merges(word: str, merges: Iterable[Pair]) -> list[str]:
    """Return the tokens of one pre-token: its characters, with the merges applied in the order they were learnt."""
    tokens = list(word)
    for pair in merges:
        if len(tokens) == 1:
            break
        tokens = merge_tokens(tokens, pair)
    return tokens


@dataclass(frozen=True)
class Tokenizer:
    """The merges, in the order learnt, and the vocabulary: the id of a token is its place in `itos`."""

    merges: tuple[Pair, ...]
    itos: tuple[str, ...]

    @cached_property
    def stoi(self) -> dict[str, int]:
        """The id of each token."""
        return {token: i for i, token in enumerate(self.itos)}

    @property
    def vocab_size(self) -> int:
        """V, the number of tokens."""
        return len(self.itos)

    def encode(self, text: str) -> list[int]:
        """Return the ids of the text's tokens; tokens outside the vocabulary get the id of `<unk>`.

        Computes encode_decode.token_to_id.
        """
        unknown = self.stoi[UNKNOWN]
        ids: list[int] = []
        tokens_of: dict[str, list[str]] = {}
        for word in PRETOKEN.findall(text):
            if word not in tokens_of:
                tokens_of[word] = apply_merges(word, self.merges)
            ids += [self.stoi.get(token, unknown) for token in tokens_of[word]]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the tokens' strings, joined. Computes encode_decode.decode."""
        return "".join([self.itos[i] for i in ids])


def build_tokenizer(text: str, num_merges: int) -> Tokenizer:
    """Learn merges from the text, and number `<unk>`, the characters as first seen, then each new merged token.

    Computes vocabulary.vocabulary_order.
    """
    merges = train_bpe_on_text(text, num_merges)
    merged = ["".join(pair) for pair in merges]
    listed = [UNKNOWN, *text, *merged]
    itos = tuple(dict.fromkeys(listed))
    return Tokenizer(tuple(merges), itos)
