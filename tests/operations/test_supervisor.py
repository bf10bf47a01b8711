from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from leaderboard.operations.embedded.child import ServiceError, is_alive
from leaderboard.operations.supervisor import Program, Supervisor, describe_end


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Mortal:
    """A service whose process ends at once; counts its starts."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.refuses = False

    def start(self) -> None:
        if self.refuses:
            raise ServiceError("no room")
        self.starts += 1
        self.process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"], start_new_session=True)
        self.process.wait()

    def stop(self) -> None:
        self.process = None


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def said() -> list[str]:
    return []


def test_ended_service_is_started_again_at_once_then_after_growing_pauses(
    clock: Clock, said: list[str]
) -> None:
    supervisor = Supervisor(said.append, now_s=clock)
    service = Mortal()
    supervisor.start("web", service)

    starts = []
    for _ in range(40):
        supervisor.tend()
        starts.append(service.starts)
        clock.now += 0.25

    assert starts[:2] == [2, 2]
    assert [starts.index(n) * 0.25 for n in (3, 4)] == [1.25, 5.5]
    assert said[0] == "web ended (exit code 3); starting it again"


def test_service_that_ends_again_and_again_is_named(clock: Clock, said: list[str]) -> None:
    supervisor = Supervisor(said.append, now_s=clock)
    supervisor.start("web", Mortal())

    named = []
    for _ in range(7):
        supervisor.tend()
        named.append(supervisor.never_settles())
        clock.now += 30

    assert named == [None, None, None, None, None, "web", "web"]


def test_service_that_had_settled_is_forgiven(clock: Clock, said: list[str]) -> None:
    supervisor = Supervisor(said.append, now_s=clock)
    supervisor.start("web", Mortal())

    for _ in range(10):
        clock.now += 61
        supervisor.tend()

    assert supervisor.never_settles() is None


def test_start_that_fails_is_tried_again(clock: Clock, said: list[str]) -> None:
    supervisor = Supervisor(said.append, now_s=clock)
    service = Mortal()
    supervisor.start("postgres", service)
    service.refuses = True
    supervisor.tend()
    service.refuses = False
    clock.now += 30

    supervisor.tend()

    assert service.starts == 2
    assert said[1] == "postgres does not start: no room"


def test_children_of_a_killed_program_end_with_it(tmp_path: Path, said: list[str]) -> None:
    parent = (
        "import subprocess, sys, time; "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
        "print(child.pid, flush=True); time.sleep(600)"
    )
    log = tmp_path / "logs" / "parent.log"
    program = Program([sys.executable, "-c", parent], log, {}, tmp_path, grace_s=5)
    supervisor = Supervisor(said.append)
    supervisor.start("parent", program)
    child = int(wait_for_line(log))
    assert program.process is not None
    program.process.kill()
    program.process.wait()

    supervisor.tend()

    wait_until_dead(child)
    supervisor.stop()


def test_stop_kills_a_program_that_will_not_listen(tmp_path: Path, said: list[str]) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
    log = tmp_path / "logs" / "deaf.log"
    program = Program([sys.executable, "-c", deaf], log, {}, tmp_path, grace_s=0.1)
    supervisor = Supervisor(said.append)
    supervisor.start("deaf", program)
    wait_for_line(log)

    supervisor.stop()

    assert program.process is not None
    assert describe_end(program.process.returncode) == "killed by SIGKILL"


def wait_for_line(log: Path) -> str:
    deadline = time.monotonic() + 20
    while not (log.exists() and log.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return log.read_text().split("\n")[0]


def wait_until_dead(pid: int) -> None:
    deadline = time.monotonic() + 20
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
