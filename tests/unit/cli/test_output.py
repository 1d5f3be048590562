import io
import sys

import pytest

from eqtrace.cli.output import progress


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert progress() is None


def test_progress_keeps_one_line_and_clears_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", stream)
    show = progress()
    assert show is not None
    show(1, 2, "linear.linear")
    show(2, 2, "linear.bias")
    assert stream.getvalue() == "\r\x1b[K1/2 linear.linear\r\x1b[K"
