"""Which files are specifications. Nothing is opened."""

from __future__ import annotations

from eqtrace.config import Config

COMPANIONS = ("pages", "literature", "waivers", "reviews")


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
