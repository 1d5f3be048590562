"""Files read without trust: regular ones only, so much of them at most, and never waiting for one to answer."""

from __future__ import annotations

import errno
import os
import stat

LARGEST = 64 * 2**20  # bytes; nothing that eqtrace reads comes near
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


def regular(real: str | os.PathLike[str], most: int) -> bytes | None:
    """At most so many bytes of a regular file, however it grows meanwhile; None of anything else. It never blocks.

    Raises:
        OSError, ValueError: it can't be opened or read.
    """
    descriptor = os.open(real, _FLAGS)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        return None
    room = min(status.st_size + 1, 2**20)  # what it holds is read at once, and then that there is no more
    with open(descriptor, "rb", buffering=0) as file:
        parts = []
        while part := file.read(min(most, room)):
            parts.append(part)
            most -= len(part)
    return b"".join(parts)


def content(path: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """All bytes of a regular file that is no larger.

    Raises:
        OSError: it can't be read, is a device, a pipe or a folder, or is larger.
    """
    try:
        found = regular(path, most + 1)
    except ValueError:  # no path at all
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
    if found is None:
        raise OSError(errno.EINVAL, "not a regular file", path)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"larger than {most // 2**20} MB", path)
    return found
