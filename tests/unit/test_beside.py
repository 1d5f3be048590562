"""Work beside: the value is the same with a process of its own, without one, and where that is lost."""

import os
import signal
import threading

import pytest

from eqtrace import beside
from eqtrace.beside import Beside

HERE = os.getpid()


@pytest.fixture(autouse=True)
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_two_at_once", lambda: True)


def test_the_work_is_done_once_in_another_process() -> None:
    with Beside(os.getpid) as working:
        found = working.value()
        assert working.value() == found != HERE


def test_what_is_not_worth_it_is_done_here() -> None:
    with Beside(os.getpid, worth=False) as working:
        assert working.value() == HERE


def test_a_lost_process_costs_time_alone() -> None:
    def work() -> str:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    with Beside(work) as working:
        assert working.value() == "done"


def test_what_cannot_be_sent_is_worked_out_here() -> None:
    with Beside(lambda: threading.Lock()) as working:
        assert working.value() is not None


def test_an_error_is_raised_here() -> None:
    def work() -> None:
        raise ValueError("no")

    with Beside(work) as working, pytest.raises(ValueError, match="no"):
        working.value()


def test_no_process_is_left_where_nobody_asks() -> None:
    with Beside(lambda: threading.Event().wait(60)) as working:
        child = working._child
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
