"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from eqtrace import regular


def write(path: Path, content: bytes) -> bool:
    """Writes `content` to `path`, whose folder exists; False where it was there already, byte for byte."""
    try:
        if regular.content(path) == content:
            return False
    except OSError:
        pass
    mode = _mode(path)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return True


def _mode(path: Path) -> int:
    """The mode of the file that stands there, or that of a new one."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
