"""Workers of verification as forks of one process that has imported what they need.

A worker imports for half a second before it looks at a project. Tests that verify many small projects in their own
process save that; those of workers themselves, and those of the command, have them started as they are elsewhere.
"""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path

from eqtrace.run import process, worker

_MOST = 200_000  # bytes that one request takes
_ORIGINAL = """import sys
sys.path.insert(0, sys.argv[1])
import eqtrace
del sys.path[0]
import os, pickle, random, socket, time
import eqtrace.run.answers
import numpy
from eqtrace.run import worker

def begun(wanted, numbers):
    root, environment, parent = pickle.loads(wanted)
    os.setsid()
    while os.getppid() != parent:
        time.sleep(0.0005)
    asked.send(str(os.getpid()).encode())
    asked.close()
    os.chdir(root)
    os.environ.clear()
    os.environ.update(environment)
    *others, output = numbers
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    random.seed()
    numpy.random.seed()
    worker.main(*others, parent)

asked = socket.socket(fileno=int(sys.argv[2]))
while True:
    wanted, numbers, *_ = socket.recv_fds(asked, int(sys.argv[3]), 16)
    if not wanted:
        break
    child = os.fork()
    if not child:
        if not os.fork():
            begun(wanted, numbers)
        os._exit(0)  # so that the worker becomes a child of whom it works for
    for number in numbers:
        os.close(number)
    os.waitpid(child, 0)
"""


class Forks:
    """The process that is forked, and what stands in for `Process.started`."""

    def __init__(self) -> None:
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        package = Path(worker.__file__).parents[2]
        command = [sys.executable, "-P", "-c", _ORIGINAL, str(package), str(theirs.fileno()), str(_MOST)]
        variables, _ = process.environment(())
        with theirs:
            self._original = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], env=variables, start_new_session=True
            )

    def started(self, start: bytes, root: str, environment: dict[str, str]) -> process.Process:
        """A new worker."""
        made = process.Process()
        message, made._payload = process._file(start), process._file()
        made._copies, copies = socket.socketpair()
        numbers = [*made._theirs, made._traces, message, made._payload, copies.fileno(), made._output]
        with process._adopting(), copies:
            socket.send_fds(self._asking, [pickle.dumps((root, environment, os.getpid()))], numbers)
            made._pid = int(self._asking.recv(_MOST))
        made._let_go(message)
        return made

    def close(self) -> None:
        self._asking.close()
        self._original.wait()
