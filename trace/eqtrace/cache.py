"""Results of earlier runs on disk: content-hashed, written whole or not at all, and never executed when they are read.

An entry is a JSON object under a key. What it holds true for is its own business (`run/reuse.py`): here a file that is
damaged, foreign or of another form simply is no entry. A folder that can't be used switches the cache off, with a note.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.regular import content

FOLDER = ".eqtrace/cache"
LARGEST = 64 * 2**20  # bytes of all entries together
KEPT = 8  # entries of one key: the same unit on other branches
_ENTRY = 4 * 2**20  # bytes; a larger file is no entry of ours
_SUFFIX = ".json"

Entry = dict[str, Any]


def digest(*parts: str | bytes) -> str:
    """A hash of texts, in their order; where one ends and the next begins counts."""
    whole = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()


class Cache:
    """The entries below a project's root.

    Runs may share it: entries are written beside it and moved in, and one that another run removes is read as absent.
    """

    def __init__(self, root: Path) -> None:
        self.note = ""  # why the cache could not be used, if it could not
        self._root = root
        self._folder = root / FOLDER
        self._files: dict[str, list[tuple[int, Path]]] | None = None

    def entries(self, key: str) -> Iterator[tuple[int, Entry]]:
        """The entries under a key, newest first, with their numbers."""
        for number, path in enumerate(self._newest(key)):
            entry = _read(path)
            if entry is not None:
                yield number, entry

    def names(self, key: str) -> list[str]:
        """The names of the entries under a key; each tells the content of its entry."""
        return sorted(path.name for _, path in self._listed().get(key, ()))

    def newest(self) -> int:
        """When the newest entry was written, in nanoseconds; 0 where there is none."""
        return max((changed for found in self._listed().values() for changed, _ in found), default=0)

    def used(self, key: str, number: int) -> None:
        """Makes an older entry under a key the newest, so that it is kept longer."""
        if number:
            with contextlib.suppress(OSError):
                os.utime(self._newest(key)[number])

    def _newest(self, key: str) -> list[Path]:
        return [path for _, path in sorted(self._listed().get(key, ()), reverse=True)]

    def put(self, key: str, entry: Entry) -> None:
        """Adds an entry under a key, unless it is there already."""
        body = json.dumps(entry, sort_keys=True, separators=(",", ":"), allow_nan=True).encode()
        name = f"{key}-{digest(body)}{_SUFFIX}"
        try:
            self._prepare()
            _write(self._folder / name, body)
        except OSError as error:
            self.note = f"results could not be kept in {FOLDER}: {error.strerror or error}"

    def tidy(self) -> None:
        """Drops what is too much: all but the newest entries of a key, then the oldest of all."""
        self._files = None
        listed = self._listed()
        kept: list[tuple[int, Path]] = []
        for found in listed.values():
            newest = sorted(found, reverse=True)
            kept += newest[:KEPT]
            for _, path in newest[KEPT:]:
                _remove(path)
        size = 0
        for _, path in sorted(kept, reverse=True):
            with contextlib.suppress(OSError):
                size += path.stat().st_size
            if size > LARGEST:
                _remove(path)
        self._files = None

    def _prepare(self) -> None:
        """Makes the folder, which git is told to ignore.

        Raises:
            OSError: it can't be made, or a link leads it out of the project.
        """
        try:
            inside = self._folder.resolve().is_relative_to(self._root.resolve())
        except RuntimeError:  # links that go round, in some versions of Python
            inside = False
        if not inside:
            raise OSError(f"{FOLDER} is a link that leaves the project")
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            _write(ignore, b"*\n")

    def _listed(self) -> Mapping[str, list[tuple[int, Path]]]:
        """The files by key, with their times of change."""
        if self._files is None:
            self._files = {}
            with contextlib.suppress(OSError), os.scandir(self._folder) as found:
                for item in found:
                    key, _, rest = item.name.partition("-")
                    if rest.endswith(_SUFFIX):
                        with contextlib.suppress(OSError):
                            changed = item.stat(follow_symlinks=False).st_mtime_ns
                            self._files.setdefault(key, []).append((changed, Path(item.path)))
        return self._files


def _read(path: Path) -> Entry | None:
    """An entry; None where the file is not what its name says."""
    try:
        body = content(path, _ENTRY)
        if path.name.partition("-")[2] != digest(body) + _SUFFIX:
            return None
        entry = json.loads(body)
    except (OSError, ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _write(path: Path, body: bytes) -> None:
    """Writes a file whole or not at all; one that is there already only becomes the newest."""
    with contextlib.suppress(OSError):
        if content(path, _ENTRY) == body:
            os.utime(path)
            return
    import tempfile  # takes longer than all reading, and is wanted for writing alone

    descriptor, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(body)
        os.replace(name, path)
    except BaseException:
        _remove(Path(name))
        raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


# --- results as JSON -------------------------------------------------------------------------------------------------


class Unreadable(Exception):
    """JSON that is no result."""


def encode(result: MethodResult) -> Entry:
    """A unit's result as JSON data. Its time is not part of it."""
    evidence = result.evidence
    return {
        "equation": result.equation,
        "method": result.method,
        "verdict": result.verdict.value,
        "evidence": {name: getattr(evidence, name) for name in _EVIDENCE},
        "faults": [encode_fault(fault) for fault in result.faults],
        "executions": dict(result.executions),
        "ways": {anchor: list(found.items()) for anchor, found in result.ways.items()},
    }


def decode(data: Any) -> MethodResult:
    """The result that JSON data stand for.

    Raises:
        Unreadable: they stand for none.
    """
    try:
        evidence = {name: checked(data["evidence"][name], kinds) for name, kinds in _EVIDENCE.items()}
        evidence["limits"] = tuple(checked(each, (str,)) for each in evidence["limits"])
        executions = {checked(name, (str,)): checked(count, (int,)) for name, count in data["executions"].items()}
        return MethodResult(
            checked(data["equation"], (str,)),
            checked(data["method"], (str,)),
            Verdict(data["verdict"]),
            Evidence(**evidence),
            tuple(decode_fault(fault) for fault in data["faults"]),
            executions,
            {checked(name, (str,)): _numbers(found) for name, found in data["ways"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable from error


def _numbers(pairs: Any) -> dict[int, int]:
    return {checked(key, (int,)): checked(value, (int,)) for key, value in pairs}


_EVIDENCE: dict[str, tuple[type, ...]] = {
    "points": (int,),
    "certified": (int,),
    "seed": (int,),
    "worst_ulp": (float, int, type(None)),
    "worst_at": (str,),
    "detail": (str,),
    "limits": (list, tuple),
    "proof_size": (int, type(None)),
}


def checked(value: Any, kinds: tuple[type, ...]) -> Any:
    """A value that must be of one of some types (truth is no number here).

    Raises:
        TypeError: it is not.
    """
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{value!r} is no {kinds}")
    return value


def encode_fault(fault: Fault) -> Entry:
    """A fault as JSON data."""
    return {
        "kind": fault.kind,
        "message": fault.message,
        "span": encode_span(fault.span),
        "hint": fault.hint,
        "related": [[encode_span(each.span), each.message] for each in fault.related],
        "equation": fault.equation,
        "method": fault.method,
    }


def decode_fault(data: Any) -> Fault:
    """The fault that JSON data stand for.

    Raises:
        KeyError, TypeError, ValueError: they stand for none.
    """
    return Fault(
        checked(data["kind"], (str,)),
        checked(data["message"], (str,)),
        decode_span(data["span"]),
        checked(data["hint"], (str,)),
        tuple(Related(decode_span(span), checked(message, (str,))) for span, message in data["related"]),
        checked(data["equation"], (str, type(None))),
        checked(data["method"], (str, type(None))),
    )


def encode_span(span: Span) -> list[str | int]:
    """A place as JSON data."""
    return [span.path, span.line, span.column, span.end_line, span.end_column]


def decode_span(data: Any) -> Span:
    """The place that JSON data stand for.

    Raises:
        TypeError, ValueError: they stand for none.
    """
    path, *numbers = data
    line, column, end_line, end_column = (checked(each, (int,)) for each in numbers)
    return Span(checked(path, (str,)), line, column, end_line, end_column)
