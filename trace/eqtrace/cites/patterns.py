"""How citations are written: the patterns of paths, numbers and links."""

from __future__ import annotations

import re

from eqtrace.cites.kinds import NAMES

_PART = r"(?:[\w.@+~$\-]+|\[[\w.\-]{1,60}\]|\([\w\-]{1,60}\))"
_NAMES = "|".join(sorted(map(re.escape, NAMES)))
PATH = re.compile(
    rf"(?<![\w./@\-+~$])(?:[A-Za-z]:)?/?(?:{_PART}/)*+(?:(?:[\w.@+\-$]|\[[\w.\-]{{1,60}}\])*\.(?P<ext>[A-Za-z][A-Za-z0-9]{{0,9}})"
    rf"|(?P<name>{_NAMES}))(?![\w\-]|\.[A-Za-z0-9]|/[\w.])"
)
"""A path with an extension, or a well-known file without one."""

RUN = re.compile(r"(?<!\S)[^\s.]*\.\S+")
"""Characters without a space that may hold a path: looked for first, because that is quick."""

_DASH = r"(?:--?|[ ]{5,6}–|–|—|\.\.\.?)"  # the spaces are what is left of an entity of HTML
_TO = rf"(?:\s?{_DASH}\s?L?|\s(?:to|through)\s(?:line\s)?)"
_ABOUT = "[~≈]?"  # before a number that is only about right
_END = r"(?![\w%]|\.\d|-\d)"  # what may not follow a number: a decimal, a unit, a version

DIRECT = re.compile(
    rf"(?P<head>:L?|#L)(?P<approx>{_ABOUT})L?(?P<first>\d{{1,7}})(?:C\d+)?(?:{_DASH}L?(?P<last>\d{{1,7}})(?:C\d+)?)?"
)
"""`:12`, `:12-20`, `:L12`, `:~12`, `#L12-L20`; also `:12:5`, of which the column is skipped."""

CLOSED = re.compile(r"(?:`|\*\*|</code>)+(?=[:#])")
"""What closes a code span around a path that its line follows: `` `a.py`:12 ``."""

NO_END = re.compile(r"(?!ff?\b)\w|\.\d|\.\w+\.")
"""What may not follow a number after a path: a word (but `12ff`), a decimal, a further extension."""

COLUMN = re.compile(r":\d{1,4}(?!\d)")

MARKUP = re.compile(r"(?:</?(?:code|b|strong|em|tt|a)>|[`*_\"'’”\])])*")
"""What closes a code span, quotes, emphasis or the label of a link."""

WORDS = re.compile(
    rf"(?:(?:\s|,|;|[(\[]|\bat\b|\bon\b|\baround\b|\bnear\b|\babout\b|\bsee\b|`){{1,6}}"
    rf"|\s?(?::|—|–|→|->)\s(?=[Ll]ines?\s))"
    rf"(?:[Ll]ines?\s+|[Ll]ns?\.?\s?|@\s?)?(?<![A-Za-z])(?P<approx>{_ABOUT})L?(?P<tilde>~?)(?P<first>\d{{1,7}})"
    rf"(?:{_TO}(?P<last>\d{{1,7}}))?{_END}"
)
"""After a path: ` (L12)`, ` line 12`, `, lines 12-20`, `: line 12`; that a word or an L is there is tested apart."""

ABOUT = re.compile(r"`\s{1,3}\(?(?P<approx>[~≈])(?P<first>\d{3,7})(?=[),;]|\.\s|\.?$|\s[–—]|\sto\s)", re.M)
"""After a path in a code span: ` ~5346`, ` (~5346)`. Sizes are written so too, but with their unit."""

HEDGED = re.compile(r"\b(?:around|near|about|approximately|approx\.|roughly|circa|ca\.)\s+(?:[Ll]ines?\s+)?$")
"""Words right before a number that say that it is only about right."""

SAYS_LINE = re.compile(r"[Ll]ines?\s|[Ll]ns?\.?\s?\d|(?<![A-Za-z])~?L\d|(?<![A-Za-z])L~")

BEFORE = re.compile(
    rf"\b(?:[Ll]ines?\s+|L)(?P<approx>{_ABOUT})(?P<first>\d{{1,7}})(?:{_TO}(?P<last>\d{{1,7}}))?"
    rf"(?P<more>(?:(?:,\s?|,?\s(?:and|or|&)\s)\d{{1,7}}(?:{_DASH}\d{{1,7}})?)*)\s+"
    r"(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(?:<code>|[`*\"'\[(“‘])*$"
)
"""Before a path: `line 12 of`, `lines 12-20 in`, `lines 12, 14 and 20 of`."""

NUMBERS = re.compile(rf"(?P<first>\d{{1,7}})(?:{_DASH}(?P<last>\d{{1,7}}))?")
"""A number, or a range, of a list that is known to be one."""

MORE_COLON = re.compile(
    rf"(?P<close>[`*]{{0,9}})\s{{0,40}}(?:/|,|;|\+|&|,?\s{{0,40}}\band\b|,?\s{{0,40}}\bor\b|–>|→)\s{{0,40}}(?P<open>[`*]{{0,9}})(?P<head>:L?|L)(?P<approx>{_ABOUT})"
    rf"(?P<first>\d{{1,7}})(?:{_DASH}L?(?P<last>\d{{1,7}}))?{_END}"
)
"""A further number of its own colon or L: `` `x.rs:84-98` / `:104` ``."""

LINES = re.compile(r"\b[Ll]ines\s")
"""Announces more than one number."""

MORE_PLAIN = re.compile(
    rf"(?P<sep>\s?/\s?|,\s{{0,40}}|\s?\+\s?|,?\s(?:and|or|&)\s)(?P<approx>{_ABOUT})(?P<first>\d{{1,7}})(?:{_DASH}(?P<last>\d{{1,7}}))?{_END}"
)
"""A further number without one: `a.rs:49/87/118`, `:323, 342`."""

ENDS_LIST = re.compile(r"\s*(?:$|[`,;.:)\]|*}/+\"']|and\s|or\s|&|—|–|→)")
"""What may follow a plain number of a list outside a code span: `12, 3 of them` is no list."""

BARE = re.compile(
    rf"(?<![\w:./\-#])(?:(?:`|(?<=\()):L?(?P<approx1>{_ABOUT})(?P<first1>\d{{1,7}})(?:{_DASH}L?(?P<last1>\d{{1,7}}))?(?=[`,/;\s)])"
    rf"|(?P<approx2>{_ABOUT})L(?P<tilde2>~?)(?P<first2>\d{{2,7}})(?:{_DASH}L?(?P<last2>\d{{1,7}}))?{_END}"
    rf"|\b[Ll]ines?\s+(?P<approx3>{_ABOUT})(?P<first3>\d{{1,7}})(?:{_TO}(?P<last3>\d{{1,7}}))?{_END}"
    rf"|`(?P<symbol4>[A-Za-z_]\w*(?:\(\))?):(?P<first4>\d{{1,7}})(?:{_DASH}(?P<last4>\d{{1,7}}))?(?=`))"
)
"""`` `:41` ``, `(:41)`, `L4729`, `line 41` and `` `name:41` ``, after a file that was named before."""

BARE_SIGNS = tuple(
    re.compile(pattern)
    for pattern in (r"`:L?[~≈]?\d", r"\(:L?[~≈]?\d", r"L~?\d\d", r"ines?\s+[~≈]?\d", r"`[A-Za-z_]\w*(?:\(\))?:\d")
)
"""Without one of these nothing of `BARE` is there; each begins with a fixed character, which is quick to look for."""

SYMBOL = re.compile(r"(?:::|:)(?P<symbol>[A-Za-z_][\w]*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?(?![\w/:(.]\w|://)")
"""`file.rs::name`, `file.py:name`."""

URL = re.compile(r"(?:https?|ftp|file)://[^\s<>\"'`|\\^{}]+")
PERMALINK = re.compile(
    r"https?://(?P<host>[\w.\-]+(?::\d+)?)/(?P<repo>[^/\s]+/[^/\s]+?(?:/[^/\s]+)*?)/"
    r"(?:-/)?(?:blob|blame|raw|tree|src/branch|src/commit|src/tag|src)/(?P<rest>[^\s#?]+)(?:\?[^\s#]*)?"
    r"#(?:L|lines-)(?P<first>\d{1,7})(?:C\d+)?(?:(?:-L?|:)(?P<last>\d{1,7})(?:C\d+)?)?"
)
"""A line of a file on GitHub, GitLab, Bitbucket, Gitea and their like."""
