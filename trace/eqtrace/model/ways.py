"""The ways that a condition went over many runs, as bits: true somewhere, false somewhere."""

TRUE, FALSE = 1, 2
BOTH = TRUE | FALSE


def one_sided(shown: str, way: int) -> str:
    """What a condition always was, in words."""
    was, never = ("true", "false") if way == TRUE else ("false", "true")
    return f"`{shown}` was {was} in every run, never {never}"
