"""Mutants as rows: scores by equation, topic, operator and method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from eqtrace.model.mutant import Judged, Score, Status, score

_GROUPS = ("equations", "topics", "operators")


@dataclass(frozen=True, slots=True)
class Mutation:
    """What became of all mutants; scores of each kind in the order of their names."""

    score: Score
    equations: Mapping[str, Score]
    topics: Mapping[str, Score]
    operators: Mapping[str, Score]
    methods: Mapping[str, int]  # that killed so many


def mutation(judged: tuple[Judged, ...]) -> Mutation:
    """The scores of a run. A mutant counts for every equation that cites its statement, for each topic once."""
    return Mutation(
        score(judged),
        _by(judged, lambda each: each.mutant.equations),
        _by(judged, lambda each: {name.partition(".")[0] for name in each.mutant.equations}),
        _by(judged, lambda each: [each.mutant.operator]),
        dict(Counter(each.by for each in judged if each.status is Status.KILLED).most_common()),
    )


def noticed(score: Score) -> str:
    """A score in words: how many mutants were noticed of those that say something."""
    judged = score.killed + score.survived
    parts = [
        f"{score.equivalent:,} proved to compute the same" * bool(score.equivalent),
        f"{score.crash:,} raised" * bool(score.crash),
        f"{score.timeout:,} ran out of time" * bool(score.timeout),
    ]
    beside = ", ".join(filter(None, parts))
    return f"{score.killed:,} of {judged:,} were noticed{f' (beside these, {beside})' if beside else ''}"


def _by(judged: Iterable[Judged], groups: Callable[[Judged], Iterable[str]]) -> dict[str, Score]:
    found: dict[str, list[Judged]] = {}
    for each in judged:
        for group in groups(each):
            found.setdefault(group, []).append(each)
    return {group: score(members) for group, members in sorted(found.items())}


def document(judged: tuple[Judged, ...]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The mutants and their scores as JSON data."""
    found = mutation(judged)
    scores = {
        "score": _score(found.score),
        "equations": {name: _score(each) for name, each in found.equations.items()},
        "topics": {name: _score(each) for name, each in found.topics.items()},
        "operators": {name: _score(each) for name, each in found.operators.items()},
        "methods": dict(found.methods),
    }
    return [_mutant(each) for each in judged], scores


def read_scores(entry: Mapping[str, Any]) -> Mutation:
    """Scores from JSON data, as `document` gives them.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the data are others.
    """
    groups = {name: {each: _read(found) for each, found in entry[name].items()} for name in _GROUPS}
    return Mutation(
        _read(entry["score"]), methods={name: int(each) for name, each in entry["methods"].items()}, **groups
    )


def _read(found: Mapping[str, Any]) -> Score:
    return Score(**{status.value: int(found[status.value]) for status in Status})


def _score(found: Score) -> dict[str, Any]:
    return {**asdict(found), "total": found.total, "share": None if found.share is None else round(found.share, 4)}


def _mutant(judged: Judged) -> dict[str, Any]:
    mutant = judged.mutant
    return {
        "id": mutant.id,
        "path": mutant.span.path,
        "line": mutant.span.line,
        "operator": mutant.operator,
        "diff": f"- {mutant.old}\n+ {mutant.new}",
        "status": judged.status.value,
        "by": judged.by or None,
        "reason": judged.reason or None,
        "equations": list(mutant.equations),
    }
