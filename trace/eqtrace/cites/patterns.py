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

_DASH = r"(?:-|–|—|\.\.\.?)"
_TO = rf"(?:\s?{_DASH}\s?L?|\s(?:to|through|and)\s(?:line\s)?)"
_END = r"(?![\w%]|\.\d|-\d)"  # what may not follow a number: a decimal, a unit, a version

DIRECT = re.compile(
    rf"(?P<head>:L?|#L)(?P<approx>~?)L?(?P<first>\d{{1,7}})(?:C\d+)?(?:{_DASH}L?(?P<last>\d{{1,7}})(?:C\d+)?)?"
)
"""`:12`, `:12-20`, `:L12`, `:~12`, `#L12-L20`; also `:12:5`, of which the column is skipped."""

COLUMN = re.compile(r":\d{1,4}(?!\d)")

MARKUP = re.compile(r"(?:</?(?:code|b|strong|em|tt)>|[`*_\"'’”\])])*")
"""What closes a code span, quotes, emphasis or the label of a link."""

WORDS = re.compile(
    rf"(?:\s|,|;|[(\[]|\bat\b|\bon\b|\baround\b|\bnear\b|\bsee\b|`){{1,6}}"
    rf"(?:[Ll]ines?\s+|[Ll]ns?\.?\s?|@\s?)?(?<![A-Za-z])(?P<approx>~?)L?(?P<first>\d{{1,7}})(?:{_TO}(?P<last>\d{{1,7}}))?{_END}"
)
"""After a path: ` (L12)`, ` line 12`, `, lines 12-20`; whether a word or an L stands there is tested apart."""

SAYS_LINE = re.compile(r"[Ll]ines?\s|[Ll]ns?\.?\s?\d|(?<![A-Za-z])~?L\d|(?<![A-Za-z])L~")

BEFORE = re.compile(
    rf"\b(?:[Ll]ines?\s+|L)(?P<approx>~?)(?P<first>\d{{1,7}})(?:{_TO}(?P<last>\d{{1,7}}))?\s+"
    r"(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(?:<code>|[`*\"'\[(“‘])*$"
)
"""Before a path: `line 12 of`, `lines 12-20 in`."""

MORE_COLON = re.compile(
    rf"(?P<close>[`*]*)\s*(?:/|,|;|\+|&|,?\s*\band\b|,?\s*\bor\b|–>|→)\s*(?P<open>[`*]*)(?P<head>:L?|L)(?P<approx>~?)"
    rf"(?P<first>\d{{1,7}})(?:{_DASH}L?(?P<last>\d{{1,7}}))?{_END}"
)
"""A further number of its own colon or L: `` `x.rs:84-98` / `:104` ``."""

MORE_PLAIN = re.compile(
    rf"(?P<sep>/|,\s{{0,40}}|\s?\+\s?|,?\s(?:and|or|&)\s)(?P<approx>~?)(?P<first>\d{{1,7}})(?:{_DASH}(?P<last>\d{{1,7}}))?{_END}"
)
"""A further number without one: `a.rs:49/87/118`, `:323, 342`."""

ENDS_LIST = re.compile(r"\s*(?:$|[`,;.:)\]|*}/+\"']|and\s|or\s|&|—|–|→)")
"""What may follow a plain number of a list outside a code span: `12, 3 of them` is no list."""

BARE = re.compile(
    rf"(?<![\w:./\-#])(?:`:L?(?P<approx1>~?)(?P<first1>\d{{1,7}})(?:{_DASH}L?(?P<last1>\d{{1,7}}))?(?=[`,/;\s])"
    rf"|(?P<approx2>~?)L(?P<tilde2>~?)(?P<first2>\d{{2,7}})(?:{_DASH}L?(?P<last2>\d{{1,7}}))?{_END}"
    rf"|\b[Ll]ines?\s+(?P<approx3>~?)(?P<first3>\d{{1,7}})(?:{_TO}(?P<last3>\d{{1,7}}))?{_END}"
    rf"|`(?P<symbol4>[A-Za-z_]\w*(?:\(\))?):(?P<first4>\d{{1,7}})(?:{_DASH}(?P<last4>\d{{1,7}}))?(?=`))"
)
"""`` `:41` ``, `L4729`, `line 41` and `` `name:41` ``, after a file that was named before."""

BARE_SIGNS = tuple(
    re.compile(pattern) for pattern in (r"`:L?~?\d", r"L~?\d\d", r"ines?\s+~?\d", r"`[A-Za-z_]\w*(?:\(\))?:\d")
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
