"""Independent references of discrete formulas, named after their equations: topic_equation.

Each takes the equation's symbols by name and gives what the cited line must give, by another algorithm than the code's.
None imports impl. Strings stay strings here; only forms number them.
"""


def shuffling_and_batching_batches_per_epoch(W: int, B: int) -> int:
    """How many rounds of B it takes to hand out W windows."""
    batches = left = 0
    for _ in range(W):
        if left == 0:
            batches, left = batches + 1, B
        left -= 1
    return batches
