"""Works of the literature as BibTeX."""

from __future__ import annotations

import re

from eqtrace.model.equation import LiteratureReference
from eqtrace.model.topic import Topic, Work
from eqtrace.report.view.citations import place_in

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}


def bibtex(topic: Topic, literature: dict[str, Work]) -> str:
    """An entry for each work that a topic names and the literature holds."""
    entries = [
        _entry(work, [each for each in topic.literature if each.work.value == work.key])
        for work in dict.fromkeys(literature.get(each.work.value) for each in topic.literature)
        if work is not None
    ]
    return "\n\n".join(entries)


def escaped(text: str) -> str:
    """Text that BibTeX and LaTeX show as it is."""
    return "".join(_SPECIAL.get(each, each) for each in " ".join(text.split()))


def _entry(work: Work, places: list[LiteratureReference]) -> str:
    fields = {
        "title": escaped(work.title),
        "author": " and ".join(map(escaped, work.authors)),
        "year": str(work.year),
        "howpublished": escaped(work.venue),
        "doi": work.doi,
        "eprint": work.arxiv,
        "archiveprefix": "arXiv" if work.arxiv else "",
        "note": escaped("; ".join(filter(None, map(place_in, places)))),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    key = re.sub(r"[^\w:.-]", "-", work.key)
    return "\n".join([f"@misc{{{key},", *lines, "}"])
