"""Boards that are stopped, killed or refused: each leaves nothing behind, and the next start works."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.operations.environment import ROOT
from tests.stack.board import RunningBoard, eventually, processes_of, run_manage

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("stack")]

# setpriv itself may still pass folders that are closed to the user it becomes: only a child's start proves the right.
RUN_ITSELF = "import subprocess, sys; subprocess.check_call([sys.executable, '-c', 'import django, redis'])"
SLOTS = "select count(*) from measurements_slot where finished_at is not null"
PAIRS = """
    select count(*), count(distinct (offering_id, workload, probe_location, scheduled_at))
    from measurements_sample
"""


def first_sample(board: RunningBoard) -> int:
    board.wait_until_ready()
    return eventually(lambda: board.count(SLOTS), within_s=60, what="a first sample")


def test_killed_whole_it_starts_again_with_every_sample(data_dir: Path) -> None:
    killed = RunningBoard(data_dir)
    first_sample(killed)
    samples = killed.count(SLOTS)

    killed.kill_everything()
    eventually(lambda: not processes_of(data_dir), within_s=10, what="no process left")
    again = RunningBoard(data_dir)
    eventually(
        lambda: again.wait_until_ready() and again.count(SLOTS) > samples, within_s=60, what="more samples"
    )

    stored, distinct = again.query(PAIRS)[0]
    assert stored == distinct >= samples
    assert not [line for line in again.lines if line.startswith("admin login")]
    started = time.monotonic()
    assert again.stop(signal.SIGINT) == 0
    assert time.monotonic() - started < 10
    assert again.lines[-2:] == ["stopping", "stopped"]
    assert processes_of(data_dir) == []


def test_killed_supervisor_takes_every_part_with_it(data_dir: Path) -> None:
    board = RunningBoard(data_dir, "--no-demo", "--no-probes")
    board.wait_until_ready()
    assert board.pids("web")
    assert board.pids("probe-worker") == board.pids("lab") == []

    board.process.kill()
    board.process.wait()

    eventually(lambda: not processes_of(data_dir), within_s=10, what="no process left")


def test_stop_before_ready_is_clean_too(data_dir: Path) -> None:
    board = RunningBoard(data_dir, "--no-demo")
    eventually(lambda: processes_of(data_dir), within_s=20, what="a first process")

    assert board.stop(signal.SIGINT) == 0
    assert processes_of(data_dir) == []


def test_command_without_a_running_up_starts_the_database_for_itself(data_dir: Path) -> None:
    shown = run_manage(
        data_dir,
        "shell",
        "-v",
        "0",
        "-c",
        "from django.db import connection; print(connection.cursor().execute('select 1').fetchone())",
    )

    assert shown.stdout == "(1,)\n"
    assert processes_of(data_dir) == []


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "sentence"),
    [
        (
            ["--data-dir", "/proc/nowhere"],
            {},
            1,
            "Cannot start: The data directory /proc/nowhere cannot be written (",
        ),
        (
            ["--host", "no-such-host.invalid"],
            {},
            1,
            "Cannot start: --host no-such-host.invalid is not an address",
        ),
        ([], {"DATABASE_URL": "mysql://x"}, 1, "Cannot start: DATABASE_URL must start with postgres://"),
        (
            [],
            {"CELERY_BROKER_URL": "nonsense"},
            1,
            "Cannot start: CELERY_BROKER_URL must start with redis://",
        ),
        (
            [],
            {"LEADERBOARD_BASE_URL": "board"},
            1,
            "Cannot start: LEADERBOARD_BASE_URL must be the site's origin",
        ),
        (
            [],
            {"LEADERBOARD_DATADIR": "/x"},
            1,
            "Cannot start: LEADERBOARD_DATADIR is not a variable of this board.",
        ),
        (["--port", "http"], {}, 2, "usage: manage.py up"),
        (["--port", "70000"], {}, 2, "usage: manage.py up"),
        (["--prot", "1"], {}, 2, "usage: manage.py up"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], code: int, sentence: str
) -> None:
    refused = run_manage(tmp_path, "up", "--port", "0", *arguments, **environment)

    assert refused.returncode == code
    assert refused.stderr.startswith(sentence)
    assert "Traceback" not in refused.stderr
    assert processes_of(tmp_path) == []


def test_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]

        refused = run_manage(tmp_path, "up", "--port", str(port))

    assert refused.returncode == 1
    assert f"Cannot start: Port {port} on 127.0.0.1 is in use; " in refused.stderr


def test_half_named_first_admin_is_refused_without_a_traceback(data_dir: Path) -> None:
    run_manage(
        data_dir,
        "shell",
        "-v",
        "0",
        "-c",
        "from django.contrib.auth.models import User; User.objects.all().delete()",
    )

    refused = run_manage(data_dir, "up", "--port", "0", "--no-demo", DJANGO_SUPERUSER_USERNAME="ada")

    assert refused.returncode == 1
    assert "DJANGO_SUPERUSER_USERNAME and DJANGO_SUPERUSER_PASSWORD belong together" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.fixture
def as_nobody() -> Iterator[tuple[list[str], Path, dict[str, str]]]:
    """Command prefix, data dir and environment of an ordinary user, made from root's."""
    if os.geteuid() != 0:
        pytest.skip("the whole run is an ordinary user's already")
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    shutil.chown(folder, "nobody")
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    packages = {"PYTHONPATH": next(p for p in sys.path if p.endswith("site-packages"))}
    for python in (sys.executable, "/usr/bin/python3.11"):
        tried = subprocess.run(
            [*prefix, python, "-c", RUN_ITSELF], env=packages, capture_output=True, cwd=ROOT
        )
        if tried.returncode == 0:
            yield [*prefix, python], folder, packages
            break
    else:
        pytest.skip("no Python here that an ordinary user may run")
    shutil.rmtree(folder)


def test_ordinary_user_runs_it_too(as_nobody: tuple[list[str], Path, dict[str, str]]) -> None:
    prefix, folder, packages = as_nobody
    board = RunningBoard(folder, "--no-demo", prefix=prefix, **packages)
    board.wait_until_ready()

    assert {Path(f"/proc/{pid}").stat().st_uid for pid in processes_of(folder)} == {65534}
    assert board.stop() == 0
    assert processes_of(folder) == []
