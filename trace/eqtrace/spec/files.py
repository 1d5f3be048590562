"""Which files are specifications. Nothing is opened."""

from __future__ import annotations

from fnmatch import fnmatchcase

from eqtrace.config import Config

COMPANIONS = ("pages", "literature", "waivers", "reviews")


def covers(pattern: str, name: str) -> bool:
    """Whether a pattern of files is one of a file, by its name below the root; `**` stands for folders."""

    def fits(patterns: list[str], parts: list[str]) -> bool:
        if not patterns or not parts:
            return not parts and all(each == "**" for each in patterns)
        if patterns[0] == "**":
            return fits(patterns[1:], parts) or fits(patterns, parts[1:])
        return fnmatchcase(parts[0], patterns[0]) and fits(patterns[1:], parts[1:])

    return fits(pattern.split("/"), name.split("/"))


def files(config: Config) -> tuple[str, ...]:
    """The files of the specification's topics, in order; those of the other keys are none of them."""
    root = config.root.resolve()
    others = {getattr(config, key) for key in COMPANIONS}
    found = set()
    for pattern in config.spec:
        for path in root.glob(pattern):
            name = path.relative_to(root).as_posix()
            if name not in others and not path.is_dir():
                found.add(name)
    return tuple(sorted(found))
