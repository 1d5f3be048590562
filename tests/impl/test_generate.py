from collections import Counter

import numpy as np
import pytest

from impl.generate import generate, sample_next
from impl.transformer import forward


def drawn(p, temperature=1.0, top_k=0, top_p=1.0, n=4000):
    """The share of n draws that each token gets."""
    rng = np.random.default_rng(3)
    logits = np.log(np.array(p, dtype=float))
    counts = Counter(sample_next(logits, temperature, top_k, top_p, rng) for _ in range(n))
    return [counts[i] / n for i in range(len(p))]


def test_sample_next_greedy_guard_takes_the_first_of_the_largest(rng):
    logits = np.array([1.0, 3.0, 3.0, 2.0])
    assert {sample_next(logits, 0.0, 0, 1.0, rng) for _ in range(20)} == {1}
    assert sample_next(logits, 9e-7, 0, 1.0, rng) == 1


def test_sample_next_greedy_guard_ends_at_a_millionth(rng):
    assert {sample_next(np.zeros(2), 1e-6, 0, 1.0, rng) for _ in range(60)} == {0, 1}


def test_sample_next_temperature():
    assert drawn([0.1, 0.2, 0.7]) == pytest.approx([0.1, 0.2, 0.7], abs=0.03)
    assert drawn([0.1, 0.2, 0.7], temperature=0.5) == pytest.approx([1 / 54, 4 / 54, 49 / 54], abs=0.03)
    assert drawn([0.1, 0.2, 0.7], temperature=1e9) == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=0.03)


def test_sample_next_top_k_keeps_and_renormalises():
    assert drawn([0.1, 0.4, 0.2, 0.3], top_k=2) == pytest.approx([0, 4 / 7, 0, 3 / 7], abs=0.03)
    assert drawn([0.1, 0.4, 0.2, 0.3], top_k=1) == [0, 1, 0, 0]


def test_sample_next_top_k_keeps_ties_at_the_kth_value():
    assert drawn([0.4, 0.25, 0.25, 0.1], top_k=2) == pytest.approx([4 / 9, 2.5 / 9, 2.5 / 9, 0], abs=0.03)


def test_sample_next_top_k_larger_than_the_vocabulary_keeps_all():
    assert drawn([0.5, 0.25, 0.25], top_k=10) == pytest.approx([0.5, 0.25, 0.25], abs=0.03)


def test_sample_next_refuses_a_negative_top_k(rng):
    with pytest.raises(ValueError, match="top_k"):
        sample_next(np.zeros(3), 1.0, -1, 1.0, rng)


def test_sample_next_top_p_keeps_the_shortest_prefix():
    assert drawn([0.1, 0.4, 0.2, 0.3], top_p=0.6) == pytest.approx([0, 4 / 7, 0, 3 / 7], abs=0.03)
    assert drawn([0.1, 0.4, 0.2, 0.3], top_p=0.75) == pytest.approx([0, 4 / 9, 2 / 9, 3 / 9], abs=0.03)


def test_sample_next_top_p_includes_the_token_that_reaches_the_threshold():
    # 0.5 is exact: the first token alone reaches 0.5, and one more is needed just above it
    assert drawn([0.5, 0.25, 0.25], top_p=0.5) == [1, 0, 0]
    assert drawn([0.5, 0.25, 0.25], top_p=0.5000001) == pytest.approx([2 / 3, 1 / 3, 0], abs=0.03)


def test_sample_next_top_p_keeps_at_least_one_token():
    assert drawn([0.2, 0.5, 0.3], top_p=1e-9) == [0, 1, 0]
    assert drawn([0.2, 0.5, 0.3], top_p=0.0) == [0, 1, 0]


def test_sample_next_top_p_keeps_all_where_rounding_leaves_the_total_short():
    p = np.full(10, 0.1)
    assert min(drawn(p, top_p=np.nextafter(1.0, 0.0))) > 0.05


def test_sample_next_top_p_follows_top_k():
    assert drawn([0.4, 0.3, 0.2, 0.1], top_k=3, top_p=0.7) == pytest.approx([4 / 7, 3 / 7, 0, 0], abs=0.03)


def test_sample_next_draws_repeatably_and_leaves_the_logits():
    logits = np.array([0.3, 0.1, 0.2])
    draws = [[sample_next(logits, 1.0, 2, 0.9, np.random.default_rng(5)) for _ in range(1)] for _ in range(2)]
    assert draws[0] == draws[1]
    assert logits.tolist() == [0.3, 0.1, 0.2]


def test_generate_appends_to_the_prompt(params, config, rng):
    prompt = [3, 1]
    ids = generate(prompt, 6, params, config, rng)
    assert ids[:2] == prompt == [3, 1]
    assert len(ids) == 8
    assert all(0 <= i < config.vocab_size for i in ids)
    assert generate(prompt, 0, params, config, rng) == prompt


def test_generate_greedily_takes_the_last_logits_of_the_cropped_context(params, config, rng):
    expected = [3, 1, 4, 1, 5, 9]
    for _ in range(5):
        logits, _ = forward(np.array(expected[-5:]), params, config)
        expected.append(int(logits[-1].argmax()))
    assert generate([3, 1, 4, 1, 5, 9], 5, params, config, rng, temperature=0.0) == expected


def test_generate_crops_the_context_to_the_last_seq_len_ids(params, config, rng, monkeypatch):
    seen = []

    def spy(x, *others):
        seen.append(x.tolist())
        return forward(x, *others)

    monkeypatch.setattr("impl.generate.forward", spy)
    ids = generate([3, 1, 4, 1], 4, params, config, rng)
    assert seen == [ids[:4], ids[:5], ids[1:6], ids[2:7]]


def test_generate_refuses_an_empty_prompt(params, config, rng):
    with pytest.raises(ValueError, match="the prompt is empty"):
        generate([], 3, params, config, rng)
