"""Independent references of discrete formulas, named after their equations: topic_equation.

Each takes the equation's symbols by name and gives what the cited line must give, by another algorithm than the code's.
None imports impl. Strings stay strings here; only forms number them.
"""

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Pair = tuple[str, str]
UNKNOWN = "<unk>"


def word_counts_pretoken_count(text: str) -> dict[str, int]:
    """Each pre-token of the text, with the number of places where it stands."""
    found = _pretokens(text)
    return {word: sum(other == word for other in found) for word in found}


def pair_frequency_pair_count(
    n: dict[str, int], s: dict[str, list[str]] | None = None, w: str | None = None
) -> dict[str, object]:
    """Of each pair of tokens all places in all words, each word as often as it occurs; and what one place adds."""
    words = [tokens for word, tokens in (s or {}).items() for _ in range(n[word])]
    pairs = [(tokens[i], tokens[i + 1]) for tokens in words for i in range(len(tokens) - 1)]
    f = {pair: pairs.count(pair) for pair in set(pairs)}
    return {"f": f, "g": sum(count for word, count in n.items() if word == w)}


def pair_frequency_best_pair(f: dict[Pair, int]) -> dict[str, str]:
    """The pair that no other one is before: none occurs more often, and none that occurs as often is smaller."""
    (first,) = [pair for pair in f if not any((-f[other], other) < (-f[pair], pair) for other in f)]
    return {"astar": first[0], "bstar": first[1]}


def apply_merge_merge_pair(s: list[str], a: str, b: str) -> list[str]:
    """The first pair is replaced, and then what is right of it."""
    left: list[str] = []
    rest = [*s]
    while rest:
        places = [i for i in range(len(rest) - 1) if (rest[i], rest[i + 1]) == (a, b)]
        if not places:
            break
        left += [*rest[: places[0]], a + b]
        rest = rest[places[0] + 2 :]
    return left + rest


def vocabulary_vocabulary_order(text: str, num_merges: int) -> dict[str, list[str]]:
    """Learns by counting each occurrence of a word by itself, and numbers what is not numbered yet."""
    words = [[*word] for word in _pretokens(text)]
    listed = [UNKNOWN, *text]
    for _ in range(num_merges):
        pairs = [pair for tokens in words for pair in pairwise(tokens)]
        if not pairs:
            break
        a, b = min(pairs, key=lambda pair: (-pairs.count(pair), pair))
        words = [apply_merge_merge_pair(tokens, a, b) for tokens in words]
        listed.append(a + b)
    return {"z": listed, "itos": [token for i, token in enumerate(listed) if token not in listed[:i]]}


def encode_decode_token_to_id(word: str, merges: list[Pair], itos: list[str]) -> list[int]:
    """Merges one after the other, then for each token its place in the list."""
    tokens = [*word]
    for a, b in merges:
        tokens = apply_merge_merge_pair(tokens, a, b)
    return [itos.index(token if token in itos else UNKNOWN) for token in tokens]


def encode_decode_decode(itos: list[str], ids: list[int]) -> str:
    """The first token's string, and what the others give behind it."""
    return itos[ids[0]] + encode_decode_decode(itos, ids[1:]) if len(ids) else ""


def greedy_guard_greedy(z: Array, tau: float) -> dict[str, int | bool]:
    """The first of the largest, found in one walk; and whether the temperature is below a millionth."""
    best = 0
    for i in range(1, len(z)):
        if z[i] > z[best]:
            best = i
    return {"next": best, "guard": tau < 0.000001}


def generation_loop_context_crop(ids: Sequence[int], w: int) -> list[int]:
    """Ids handed through a line that holds w of them: when it is full, the first one leaves."""
    held: list[int] = []
    for each in ids:
        if len(held) == w:
            held.pop(0)
        held.append(int(each))
    return held


def top_p_sort(p: Array) -> list[int]:
    """Ids put in one by one, each behind all that are at least as likely."""
    order: list[int] = []
    for i in range(len(p)):
        place = 0
        while place < len(order) and p[order[place]] >= p[i]:
            place += 1
        order.insert(place, i)
    return order


def top_p_nucleus(pi_: Array, C: Array, rho: float) -> dict[str, int | list[int]]:
    """Ids taken one after the other, until the total reaches the share; all of them where it never does."""
    kept: list[int] = []
    for m in range(len(C)):
        kept.append(int(pi_[m]))
        if C[m] >= rho:
            return {"s": m, "keep": kept}
    return {"s": len(C), "keep": kept}


def _pretokens(text: str) -> list[str]:
    """Runs of letters and digits, of white space and of all else; a single space goes to the run behind it."""
    runs = ["".join(run) for _, run in groupby(text, _kind)]
    found: list[str] = []
    space = ""
    for i, run in enumerate(runs):
        if run == " " and i + 1 < len(runs):
            space = run
        else:
            found.append(space + run)
            space = ""
    return found


def _kind(character: str) -> str:
    if character.isspace():
        return "space"
    return "word" if character.isalnum() or character == "_" else "mark"


def shuffling_and_batching_batches_per_epoch(W: int, B: int) -> int:
    """How many rounds of B it takes to hand out W windows."""
    batches = left = 0
    for _ in range(W):
        if left == 0:
            batches, left = batches + 1, B
        left -= 1
    return batches


def window_count_window_count(N: int, T: int, k: int) -> int:
    """Windows are counted one by one for as long as the text has a target for the last position."""
    count = 0
    while count * k + T < N:
        count += 1
    return count


def sliding_windows_window_starts(N: int, T: int, k: int) -> list[int]:
    """Of all positions with T ids behind them, those that k divides."""
    return [start for start in range(max(N - T, 0)) if start % k == 0]
