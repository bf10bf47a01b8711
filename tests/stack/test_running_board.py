"""One board, started once: what it prints and serves, and that it outlives the death of any of its parts."""

from __future__ import annotations

import contextlib
import http.cookiejar
import json
import os
import re
import signal
import urllib.parse
import urllib.request
from pathlib import Path

import psycopg
import pytest

from tests.stack.board import RunningBoard, eventually, run_manage

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("stack")]

FINISHED = "select count(*) from measurements_slot where finished_at is not null"
# Interrupted late in its slot's life, a probe is over when its message comes back: these have time enough.
YOUNG_RUNNING = """
    select id from measurements_slot
    where started_at is not null and finished_at is null and expires_at > now() + interval '20 seconds'
"""
UNFINISHED = "select count(*) from measurements_slot where id = any(%s) and finished_at is null"
SAMPLES_OF_SLOTS = """
    select slot.id, count(sample.sample_id)
    from measurements_slot slot left join measurements_sample sample
      on (sample.offering_id, sample.workload, sample.probe_location, sample.scheduled_at)
       = (slot.offering_id, slot.workload, slot.probe_location, slot.scheduled_at)
    where slot.finished_at is not null
    group by slot.id
"""


def test_admin_login_is_printed_once_and_lets_in(board: RunningBoard) -> None:
    printed = [line for line in board.lines if line.startswith("admin login ")]
    assert len(printed) == 1
    _, _, name, _, password = printed[0].split()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    page = opener.open(f"{board.url}admin/login/", timeout=10).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token is not None
    form = {"username": name, "password": password, "csrfmiddlewaretoken": token[1], "next": "/admin/"}

    answer = opener.open(f"{board.url}admin/login/", urllib.parse.urlencode(form).encode(), timeout=10)

    assert answer.url == f"{board.url}admin/"


def test_health_and_metrics_answer(board: RunningBoard) -> None:
    assert board.get("healthz") == (200, b"ok\n")
    status, body = board.get("readyz")
    assert (status, json.loads(body)["missing"]) == (200, {})
    assert b"leaderboard_slots_planned " in board.get("metrics")[1]


def test_second_up_on_the_same_data_dir_is_refused(board: RunningBoard, data_dir: Path) -> None:
    board.wait_until_ready()

    second = run_manage(data_dir, "up", "--port", "0")

    assert second.returncode == 1
    assert second.stdout == ""
    assert second.stderr == (
        f"Cannot start: Another `up` (process {board.process.pid}) runs on {data_dir}; "
        "stop it first, or name another directory with --data-dir.\n"
    )


def test_command_attaches_to_the_running_database(board: RunningBoard, data_dir: Path) -> None:
    board.wait_until_ready()

    shown = run_manage(data_dir, "showmigrations", "operations", "catalogue")

    assert shown.returncode == 0
    assert "[X] 0001_initial" in shown.stdout
    assert board.get("readyz")[0] == 200


def test_pictures_of_the_whole_come_from_the_first_minute(board: RunningBoard) -> None:
    stored = eventually(
        lambda: board.query("select distinct simulated from measurements_sample where outcome = 'ok'"),
        within_s=60,
        what="a first good sample",
    )

    assert stored == [(True,)]


@pytest.mark.parametrize("role", ["beat", "web", "lab", "broker", "postgres", "board-worker"])
def test_killed_part_is_replaced_and_probing_goes_on(board: RunningBoard, role: str) -> None:
    board.wait_until_ready()
    killed = eventually(lambda: board.pids(role), within_s=20, what=f"a {role} to kill")[0]
    before = board.count(FINISHED)

    os.kill(killed, signal.SIGKILL)

    eventually(lambda: set(board.pids(role)) - {killed}, within_s=20, what=f"a new {role}")
    eventually(lambda: board.get("readyz")[0] == 200, within_s=20, what=f"ready again after {role}")
    eventually(lambda: finished(board) > before, within_s=40, what=f"a new sample after {role}")
    assert killed not in board.pids(role)


def test_worker_killed_in_mid_probe_loses_and_doubles_no_sample(board: RunningBoard) -> None:
    board.wait_until_ready()
    interrupted = eventually(lambda: board.query(YOUNG_RUNNING), within_s=60, what="a running probe")

    for pid in board.pids("probe-worker"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    ids = [row[0] for row in interrupted]
    eventually(lambda: board.count(UNFINISHED, ids) == 0, within_s=30, what="the interrupted probes again")
    samples = dict(board.query(SAMPLES_OF_SLOTS))
    assert set(ids) <= set(samples)
    assert set(samples.values()) == {1}


def finished(board: RunningBoard) -> int:
    """-1 while the database is away."""
    try:
        return board.count(FINISHED)
    except psycopg.OperationalError:
        return -1


def test_supervisor_says_what_it_did_in_short_lines(board: RunningBoard) -> None:
    board.wait_until_ready()
    killed = board.pids("beat")[0]

    os.kill(killed, signal.SIGKILL)

    eventually(
        lambda: "beat ended (killed by SIGKILL); starting it again" in board.lines,
        within_s=10,
        what="the line about beat",
    )
    assert max(len(line) for line in board.lines) < 120
