import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from eqtrace.run.outcome import Crashed, Done, Lost
from eqtrace.run.pool import Pool

HARNESS = '''
import ctypes, mmap, multiprocessing, os, random, signal, subprocess, sys, threading, time

START = os.getpid()

class Session:
    """Runs the function that a unit names, announcing it unless its name begins with _."""

    def __init__(self, payload, activity, poisoned):
        self.activity, self.poisoned = activity, poisoned
        if payload == "bad":
            sys.exit("no session")
        if payload == "dies getting ready":
            self.prepare = lambda given: os._exit(8)
        if payload == "crashes getting ready":
            self.prepare = self.crash_once
        if payload in ("thread", "thread at once", "file", "shared memory", "lock", "no random state", "neither"):
            self.does = payload
            self.load, self.prepare = self.begin, self.finish
        if payload == "hangs in a fork":
            os.register_at_fork(after_in_child=lambda: time.sleep(60))
        if payload == "hang at start":
            if "import user" in poisoned:
                return
            activity("import user")
            time.sleep(60)

    def crash_once(self, given):
        if "scenario" not in self.poisoned:
            self.activity("scenario")
            os._exit(8)

    def begin(self):
        """What loading the user's code may do that keeps a process from being copied."""
        with open("loaded", "a") as file: print(os.getpid(), file=file)
        if self.does == "thread at once":
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

    def finish(self, given):
        with open("prepared", "a") as file: print(os.getpid(), file=file)
        if self.does == "thread":
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        if self.does == "file":
            self.held = open("held", "w")
        if self.does == "shared memory":
            self.held = mmap.mmap(-1, 8)
        if self.does == "lock":
            self.held = multiprocessing.Lock()
        random.seed(5)
        if self.does == "no random state":
            random.getstate = random.setstate = os.waitpid = os.setsid = os.dup2 = None

    def run(self, unit):
        name, _, argument = unit.partition(" ")
        if "call " + name in self.poisoned:
            return "not checkable: " + self.poisoned["call " + name].reason
        self.activity("" if name.startswith("_") else "call " + name)
        result = globals()[name](*([argument] if argument else []))
        self.activity("")
        return result

def echo(text): return text
def pid(): return os.getpid()
def slow_pid():
    time.sleep(0.15)
    return os.getpid()
def meet(number):
    """The process, once another one runs the other unit of this name."""
    open("met " + number, "x").close()
    while len([name for name in os.listdir() if name.startswith("met ")]) < 2:
        time.sleep(0.01)
    return os.getpid()
def random_number(number):
    meet(number)
    return random.random()
def in_copy(name):
    """Calls a function in a copy of the process that got ready; that process only waits for it."""
    if os.getpid() == START:
        while not os.path.exists("copied"): time.sleep(0.01)
        return "the original"
    open("copied", "x").close()
    return globals()[name]()
def slow_group(number): return slow_pid()
def hang(): time.sleep(60)
def spin():
    while True: pass
def hang_in_c(): ctypes.CDLL(None).sleep(60)
def leave(): os._exit(3)
def crash(): ctypes.string_at(0)
def die(): os.kill(os.getpid(), signal.SIGKILL)
def loud_death():
    print("last words")
    print("and error", file=sys.stderr)
    os._exit(4)
def leave_for_good(number): os._exit(5)
def _leave(): os._exit(6)
def exit(): sys.exit(2)
def interrupt(): raise KeyboardInterrupt
def fail(): raise ValueError("no")
def unpicklable(): return lambda: 0
def large(): return b"x" * 5_000_000
def cwd(): return os.getcwd()
def standard_input(): return sys.stdin.read()

def fork():
    if os.fork() == 0:
        return "child"
    os.wait()
    return "parent"
def fork_exit():
    if os.fork() == 0:
        sys.exit(7)
    return os.waitstatus_to_exitcode(os.wait()[1])
def fork_raise():
    if os.fork() == 0:
        raise ValueError("in the child")
    return os.waitstatus_to_exitcode(os.wait()[1])
def fork_hang():
    child = os.fork()
    if child == 0:
        time.sleep(60)
    return child
def start_process():
    return subprocess.Popen(["sleep", "60"]).pid

def close_files():
    os.closerange(0, 100)
    return "closed"
def close_everything():
    os.closerange(0, 10_000)
    return "closed"
def change_directory():
    os.chdir("/")
    os.environ["MINE"] = "1"
    return "changed"
def mine(): return os.environ.get("MINE")
def print_much():
    line = "x" * 999 + "\\n"
    for _ in range(100_000): sys.stdout.write(line)
    return "printed"
def handle_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM): signal.signal(number, lambda *_: os._exit(9))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    return "handling"
def start_thread():
    threading.Thread(target=time.sleep, args=(60,)).start()
    return "started"
def replace_streams():
    sys.stdout = sys.stderr = sys.stdin = None
    return "replaced"
def change_path():
    sys.path[:] = []
    return "changed"
def break_time():
    time.monotonic = time.time = lambda: 0.0
    os.write = os.read = os.getpid = None
    return "broken"
def nap():
    time.sleep(0.15)
    return "rested"
def hang_at_exit():
    import atexit
    atexit.register(time.sleep, 60)
    return "registered"
def environment(): return os.environ["PYTHONHASHSEED"], os.environ["OMP_NUM_THREADS"], os.environ.get("PYTHONPATH")
'''


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "lib").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "lib" / "harness.py").write_text(HARNESS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))

    def make(jobs: int = 1, payload: object = None, limit: float = 5.0, **more: object) -> Pool:
        made = Pool(jobs, "harness:Session", limit, root=tmp_path / "project", **more)  # type: ignore[arg-type]
        made.open(payload)
        return made

    return make


def run(pool: Pool, *units: str) -> dict[str, object]:
    results = list(pool.run(units))
    assert sorted(result.unit for result in results) == sorted(units)
    return {result.unit: result.value if isinstance(result, Done) else result for result in results}


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def gone(pid: int) -> bool:
    for _ in range(40):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


def test_results_come_back_for_every_unit(pool):
    units = [f"echo {number}" for number in range(20)]
    assert run(pool(2), *units) == {unit: unit.split()[1] for unit in units}


def test_a_worker_that_started_before_its_units_were_known(pool):
    used = pool(2, payload="bad")  # another payload than the one that it is to get
    used.start()
    (started,) = [process._pid for process in used._workers]
    used.open(None)
    pids = {result.value for result in used.run(["meet 1", "meet 2"])}
    assert len(pids) == 2
    assert started in pids


def test_a_worker_that_died_while_it_waited_is_replaced(pool):
    used = pool(1)
    used.start()
    os.kill(used._workers[0]._pid, signal.SIGKILL)
    assert run(used, "echo 1", "echo 2") == {"echo 1": "1", "echo 2": "2"}


def test_a_worker_that_got_no_unit_is_ended(pool):
    used = pool(9)
    used.start()
    (started,) = [process._pid for process in used._workers]
    used.close()
    assert gone(started)


def test_several_workers_share_the_units_and_none_outlives_the_run(pool):
    pids = {result.value for result in pool(2).run(["meet 1", "meet 2"])}
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="workers are copied on Linux only")


def lines(tmp_path: Path, name: str) -> list[int]:
    return [int(line) for line in (tmp_path / "project" / name).read_text().split()]


@on_linux
def test_workers_are_copies_of_one_that_is_ready(pool, tmp_path):
    pids = {result.value for result in pool(2, payload="neither").run(["meet 1", "meet 2"])}
    assert len(pids) == 2
    assert lines(tmp_path, "loaded") == lines(tmp_path, "prepared")
    assert set(lines(tmp_path, "prepared")) < pids
    assert all(map(gone, pids))


@pytest.mark.parametrize("payload", ["thread", "thread at once", "file", "shared memory", "lock"])
def test_a_process_with_a_thread_or_what_a_fork_would_share_is_not_copied(pool, tmp_path, payload):
    pids = {result.value for result in pool(2, payload=payload).run(["meet 1", "meet 2"])}
    assert len(pids) == 2
    assert set(lines(tmp_path, "loaded")) == set(lines(tmp_path, "prepared")) == pids


def test_a_copy_is_like_the_process_in_what_is_random(pool):
    found = run(pool(2, payload="neither"), "random_number 1", "random_number 2")
    assert len(set(found.values())) == 1


@on_linux
def test_what_user_code_replaces_keeps_no_copy_from_being_made(pool, tmp_path):
    pids = {result.value for result in pool(2, payload="no random state").run(["meet 1", "meet 2"])}
    assert len(pids) == 2
    assert len(lines(tmp_path, "prepared")) == 1


@on_linux
def test_a_fork_that_hangs_in_a_handler_costs_no_unit(pool, monkeypatch):
    monkeypatch.setattr("eqtrace.run.process._COPYING", 0.5)
    before = time.monotonic()
    assert run(pool(2, payload="hangs in a fork"), "echo 1", "echo 2") == {"echo 1": "1", "echo 2": "2"}
    assert time.monotonic() - before < 15  # of the 60 that the handler takes


def test_ended_children_that_are_forgotten_lose_nothing(pool):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert len({result.value for result in pool(2, payload="neither").run(["meet 1", "meet 2"])}) == 2
        used = pool(2)
        assert run(used, "leave", "echo 1") == {"leave": "not checkable: ended", "echo 1": "1"}
    finally:
        signal.signal(signal.SIGCHLD, before)


@on_linux
@pytest.mark.parametrize(
    ("unit", "reason", "text"),
    [
        ("leave", "exited with status 3", ""),
        ("crash", "killed by signal SEGV", "in crash"),
        ("hang", "timed out after 0.6 s", "in hang"),
        ("loud_death", "exited with status 4", "last words\nand error\n"),
    ],
)
def test_what_becomes_of_a_copy_is_told_as_of_any_worker(pool, unit, reason, text):
    used = pool(2, payload="neither", limit=0.6)
    found = [result.value for result in used.run([f"in_copy {unit}"] * 2)]
    assert sorted(found) == sorted(["the original", f"not checkable: {reason}"])
    lost = used.poisoned["call in_copy"]
    assert lost.reason == reason
    assert text in lost.traceback + lost.output


@on_linux
def test_a_copy_that_user_code_forks_does_not_talk_to_the_pool(pool):
    found = sorted(str(result.value) for result in pool(2, payload="neither").run(["in_copy fork_exit"] * 2))
    assert found == ["7", "the original"]


def test_what_costs_a_worker_while_it_gets_ready_costs_no_unit(pool):
    used = pool(2, payload="crashes getting ready")
    assert run(used, "echo 1", "echo 2") == {"echo 1": "1", "echo 2": "2"}
    assert used.poisoned["scenario"].reason == "exited with status 8"


def test_units_are_answered_where_getting_ready_is_hopeless(pool):
    assert run(pool(2, payload="dies getting ready"), "echo 1", "echo 2") == {"echo 1": "1", "echo 2": "2"}


def test_units_of_a_group_go_to_one_worker(pool):
    units = [f"slow_group {number}" for number in range(6)]
    found = list(pool(2).run(units, lambda unit: "ab"[int(unit.split()[1]) % 2]))
    workers = {group: {each.value for each in found if int(each.unit.split()[1]) % 2 == group} for group in (0, 1)}
    assert len(found) == 6
    assert len(workers[0]) == len(workers[1]) == 1


def test_a_group_whose_worker_died_goes_to_another(pool):
    found = list(pool(2).run(["echo 1", "leave", "echo 2"], lambda unit: "one"))
    assert sorted(str(each.unit) for each in found) == ["echo 1", "echo 2", "leave"]


@pytest.mark.parametrize(
    ("unit", "reason"),
    [
        ("leave", "exited with status 3"),
        ("crash", "killed by signal SEGV"),
        ("die", "killed by signal KILL"),
    ],
)
def test_a_dead_worker_poisons_its_activity_and_the_others_go_on(pool, unit, reason):
    used = pool()
    results = run(used, "echo 1", unit, "echo 2")
    assert results == {"echo 1": "1", unit: f"not checkable: {reason}", "echo 2": "2"}
    assert used.poisoned[f"call {unit}"].reason == reason


def test_a_crash_tells_where(pool):
    used = pool()
    run(used, "crash")
    assert "in crash" in used.poisoned["call crash"].traceback
    assert "Segmentation fault" in used.poisoned["call crash"].traceback


@pytest.mark.parametrize("unit", ["hang", "spin", "hang_in_c"])
def test_a_hanging_worker_is_ended_and_tells_where(pool, unit):
    used = pool(limit=0.4)
    assert run(used, unit, "echo 1") == {unit: "not checkable: timed out after 0.4 s", "echo 1": "1"}
    assert f"in {unit}" in used.poisoned[f"call {unit}"].traceback


def test_the_limit_counts_for_each_activity(pool):
    assert set(run(pool(limit=0.3), *["nap"] * 1, "echo 1").values()) == {"rested", "1"}
    results = list(pool(limit=0.3).run(["nap"] * 5))
    assert [result.value for result in results] == ["rested"] * 5


def test_what_was_printed_last_is_kept(pool):
    used = pool()
    run(used, "loud_death")
    assert used.poisoned["call loud_death"].output == "last words\nand error\n"


def test_a_hang_while_the_session_starts(pool):
    used = pool(2, payload="hang at start", limit=0.4)
    assert run(used, "echo 1", "echo 2", "echo 3") == {"echo 1": "1", "echo 2": "2", "echo 3": "3"}
    assert used.poisoned["import user"].reason == "timed out after 0.4 s"


def test_a_unit_that_is_lost_again_is_given_up(pool):
    results = run(pool(), "_leave", "echo 1")
    assert results["echo 1"] == "1"
    lost = results["_leave"]
    assert isinstance(lost, Lost)
    assert (lost.activity, lost.reason) == ("", "exited with status 6")


def test_a_session_that_cannot_start_is_a_crash_for_every_unit(pool):
    results = run(pool(payload="bad"), "echo 1", "echo 2")
    assert all(isinstance(result, Crashed) and "no session" in result.traceback for result in results.values())


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("exit", "SystemExit: 2"),
        ("interrupt", "KeyboardInterrupt"),
        ("fail", "ValueError: no"),
        ("unpicklable", "the result cannot be sent"),
    ],
)
def test_an_exception_is_a_result(pool, unit, text):
    results = run(pool(), unit, "echo 1")
    assert results["echo 1"] == "1"
    assert isinstance(results[unit], Crashed)
    assert text in results[unit].traceback


def test_a_large_result(pool):
    assert run(pool(), "large")["large"] == b"x" * 5_000_000


def test_surroundings_of_a_worker(pool, tmp_path):
    results = run(pool(), "cwd", "standard_input", "environment")
    assert results["cwd"] == str(tmp_path / "project")
    assert results["standard_input"] == ""
    assert results["environment"] == ("0", "1", str(tmp_path / "lib"))


def test_the_users_folders_do_not_shadow_what_a_worker_needs(pool, tmp_path, monkeypatch):
    for name in ("random", "yaml", "pickle", "traceback", "signal", "ctypes"):
        (tmp_path / "project" / f"{name}.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "project"), str(tmp_path / "lib")]))
    assert run(pool(), "echo 1") == {"echo 1": "1"}


@pytest.mark.parametrize(("unit", "value"), [("fork", "parent"), ("fork_exit", 7), ("fork_raise", 1)])
def test_a_forked_child_does_not_talk_to_the_pool(pool, unit, value):
    results = [(result.unit, result.value) for result in pool().run([unit, "echo 1", "echo 2"])]
    assert results == [(unit, value), ("echo 1", "1"), ("echo 2", "2")]


@pytest.mark.parametrize("unit", ["fork_hang", "start_process"])
def test_what_user_code_started_is_ended(pool, unit):
    assert gone(run(pool(), unit)[unit])


@pytest.mark.parametrize(
    "unit",
    [
        "close_files",
        "change_directory",
        "print_much",
        "handle_signals",
        "start_thread",
        "replace_streams",
        "change_path",
        "break_time",
        "hang_at_exit",
    ],
)
def test_user_code_that_changes_the_process_is_survived(pool, tmp_path, unit):
    used = pool()
    results = run(used, unit, "nap", "cwd", "mine", "standard_input", "loud_death")
    assert isinstance(results[unit], str)
    assert results["nap"] == "rested"
    assert results["cwd"] == str(tmp_path / "project")
    assert results["mine"] is None
    assert results["standard_input"] == ""
    assert used.poisoned["call loud_death"].output == "last words\nand error\n"


def test_user_code_that_closes_every_file_loses_only_its_unit(pool):
    results = run(pool(), "close_everything", "echo 1")
    assert results["echo 1"] == "1"
    assert isinstance(results["close_everything"], Lost)


def test_leaving_early_ends_the_workers(pool):
    used = pool(2)
    results = used.run(["pid", "hang", "hang"])
    pid = next(results).value
    results.close()
    assert gone(pid)


def _takes_interrupts() -> None:
    """A shell has what it runs in the background ignore them, and so its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def parent_of(tmp_path: Path, jobs: int, units: list[str]) -> tuple["subprocess.Popen[bytes]", int]:
    """Another process that runs a pool, and the number of its first worker."""
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(f"""
        from eqtrace.run.pool import Pool
        pool = Pool({jobs}, "harness:Session", 60, root={str(tmp_path / "project")!r})
        for result in pool.run({units!r}):
            print(result.value, flush=True)
        """)
    )
    package = str(Path(sys.modules["eqtrace"].__file__ or "").parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ["PYTHONPATH"]])}
    command = [sys.executable, str(script)]
    parent = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, preexec_fn=_takes_interrupts
    )
    assert parent.stdout is not None
    return parent, next(int(line) for line in parent.stdout if line.strip().isdigit())


def test_interrupting_the_parent_ends_the_workers(pool, tmp_path):
    parent, pid = parent_of(tmp_path, 2, ["pid", "hang", "hang"])
    parent.send_signal(signal.SIGINT)
    _, error = parent.communicate(timeout=30)  # half of what the hang would take
    assert b"KeyboardInterrupt" in error
    assert gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells a child of its parent's death on Linux only")
def test_workers_end_when_their_parent_is_killed(pool, tmp_path):
    parent, pid = parent_of(tmp_path, 1, ["pid", "spin"])
    parent.kill()
    parent.communicate(timeout=10)
    assert gone(pid)


@on_linux
def test_copies_end_when_their_parent_is_killed(pool, tmp_path):
    parent, pid = parent_of(tmp_path, 2, ["in_copy pid", "in_copy pid", "spin", "spin"])
    parent.kill()
    parent.communicate(timeout=10)
    assert gone(pid)
