"""Everything that can break is broken, one after the other, on one running board; then the books are counted.

Nothing that was finished is lost, nothing is stored twice, no fault is followed by a burst. DRILL=whole runs it all
(four minutes); without, a part that needs no processes.

Simulated, because nothing here may fill a disk or set a clock: a full disk by a trigger that raises Postgres' own
disk_full error (a real one: test_slow_and_full.py), a full broker by a memory limit of one byte.
"""

from __future__ import annotations

import datetime as dt
import os
import signal
import time
from collections.abc import Callable

import psycopg
import pytest

from leaderboard.measurements.due import Timetable, due_slots, offset_s
from probes.lab import Lab
from tests.drill.brokers import RedisLike
from tests.drill.cluster import Cluster, eventually

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drill")]
whole = pytest.mark.skipif(os.environ.get("DRILL") != "whole", reason="minutes long: DRILL=whole")

RECOVERED_WITHIN_S = 60
PROBES_AT_ONCE = 2
READ_ONLY = "alter database leaderboard set default_transaction_read_only = {}"
CUT_OFF = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()
"""
DISK_FULL = """
    create function disk_is_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger disk_is_full before insert on measurements_sample for each row execute function disk_is_full()
"""
# Slots that began within any five seconds of each other, at their most.
BUSIEST = """
    select coalesce(max(number), 0) from (
        select count(*) over (
            order by started_at range between interval '5 seconds' preceding and current row
        ) as number
        from measurements_slot where started_at is not null
    ) windows
"""


def recovery_s(cluster: Cluster) -> float:
    """From the end of the trouble until three more slots are finished."""
    began = time.monotonic()
    before = (
        eventually(lambda: (n := cluster.finished()) >= 0 and n + 1, within_s=30, what="the database") - 1
    )
    eventually(lambda: cluster.finished() >= before + 3, within_s=RECOVERED_WITHIN_S, what="probing goes on")
    return time.monotonic() - began


@whole
def test_board_outlives_every_fault_with_its_books_in_order(cluster: Cluster, lab: Lab) -> None:
    cluster.seed(lab.url, offerings=16, interval_s=20)
    cluster.run_worker("east")
    cluster.run_board()
    cluster.run_beat()
    broker = cluster.broker
    assert isinstance(broker, RedisLike)

    def restart(name: str, start: Callable[[], None]) -> Callable[[], None]:
        def act() -> None:
            cluster.end(name, signal.SIGKILL)
            start()

        return act

    def kill_postgres() -> None:
        assert cluster.postgres.process is not None
        cluster.postgres.process.kill()
        cluster.postgres.process.wait()

    def empty_broker() -> None:
        broker.kill()
        broker.forget()

    def no_memory(limit: str) -> Callable[[], None]:
        return lambda: broker.client().config_set("maxmemory", limit)

    def read_only(value: str) -> Callable[[], None]:
        def act() -> None:
            with psycopg.connect(cluster.database_url, autocommit=True) as connection:
                connection.execute("set default_transaction_read_only = off")
                connection.execute(READ_ONLY.format(value))  # type: ignore[call-overload]
                connection.execute(CUT_OFF)

        return act

    nothing: Callable[[], None] = lambda: None  # noqa: E731
    faults: dict[str, tuple[Callable[[], object], Callable[[], object], float]] = {
        "none": (nothing, nothing, 0),
        "worker killed": (restart("worker-east", lambda: cluster.run_worker("east")), nothing, 0),
        "beat killed": (restart("beat", cluster.run_beat), nothing, 0),
        "board worker killed": (restart("board", cluster.run_board), nothing, 0),
        "broker killed": (broker.kill, broker.start, 3),
        "broker restarted empty": (empty_broker, broker.start, 1),
        "broker full": (no_memory("1"), no_memory("0"), 8),
        "database killed": (kill_postgres, cluster.postgres.start, 5),
        "database read-only": (read_only("on"), read_only("off"), 8),
        "disk full": (
            lambda: cluster.execute(DISK_FULL),
            lambda: cluster.execute("drop function disk_is_full() cascade"),
            8,
        ),
        # Its address stays dead: a refused connection is a sample too.
        "provider away": (lab.stop, nothing, 5),
    }
    recovered = {}
    for name, (begin, end, lasts_s) in faults.items():
        begin()
        time.sleep(lasts_s)  # how long the trouble lasts is what is tested
        end()
        recovered[name] = recovery_s(cluster)
        print(f"{name}: three more samples after {recovered[name]:.1f} s")  # noqa: T201 read with -s

    check_books(cluster)
    outcomes = dict(cluster.query("select outcome, count(*) from measurements_sample group by 1"))
    assert set(outcomes) <= {"ok", "network", "stream_broken"}
    assert max(recovered.values()) < RECOVERED_WITHIN_S


def check_books(cluster: Cluster, *, finished_share: float = 0.5) -> None:
    """Every finished slot has its one sample, every slot has an end, and no five seconds held a burst."""
    ((planned, finished, without, most),) = cluster.query(
        """
        select count(*), count(*) filter (where slot.finished_at is not null),
               count(*) filter (where slot.finished_at is not null and stored.number = 0),
               coalesce(max(stored.number), 0)
        from measurements_slot slot
        left join lateral (
            select count(*) as number from measurements_sample sample
            where (sample.offering_id, sample.workload, sample.probe_location) =
                  (slot.offering_id, slot.workload, slot.probe_location)
              and sample.scheduled_at = date_trunc('milliseconds', slot.scheduled_at)
        ) stored on true
        """
    )
    ((stored, distinct),) = cluster.query(
        "select count(*), count(distinct sample_id) from measurements_sample"
    )
    ((busiest,),) = cluster.query(BUSIEST)
    print(f"planned {planned}, finished {finished}, stored {stored}, at most {busiest} begun in 5 s")  # noqa: T201
    assert without == 0
    assert most == 1
    assert stored == distinct >= finished
    assert finished >= planned * finished_share
    # A short probe takes the lab about a second: two at a time cannot begin more than this in five.
    assert busiest <= 20


def test_a_thousand_slots_overdue_after_a_pause_cause_no_burst() -> None:
    """A pause of nine hours: each offering has at most the one slot that may still start, and most have none."""
    now = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
    timetables = [
        Timetable(
            offering_id=n,
            provider_id=n // 2,
            workload="medium",
            interval_s=10_800,
            offset_s=offset_s(f"offering-{n}", "medium", 10_800),
        )
        for n in range(1000)
    ]
    missed = 1000 * 9 * 3600 // 10_800

    due = due_slots(timetables, now)

    assert missed == 3000
    assert len({slot.offering_id for slot in due}) == len(due)
    assert 400 < len(due) < 600
    assert min(slot.scheduled_at for slot in due) >= now - dt.timedelta(hours=1, minutes=30)


@pytest.mark.parametrize("step", [dt.timedelta(hours=-2), dt.timedelta(hours=2), dt.timedelta(days=40)])
def test_clock_that_steps_claims_no_slot_twice(step: dt.timedelta) -> None:
    """Slots are instants of UTC: a clock set back finds the claims it made, one set forward leaves a hole."""
    timetable = Timetable(offering_id=1, provider_id=1, workload="medium", interval_s=600)
    now = dt.datetime(2026, 10, 25, 0, 59, tzinfo=dt.UTC)  # the night that summer time ends in Europe
    claimed: set[dt.datetime] = set()

    for moment in [now + dt.timedelta(minutes=m) for m in range(240)]:
        claimed |= {slot.scheduled_at for slot in due_slots([timetable], moment)}
    before = len(claimed)
    for moment in [now + step + dt.timedelta(minutes=m) for m in range(240)]:
        claimed |= {slot.scheduled_at for slot in due_slots([timetable], moment)}

    overlap = max(dt.timedelta(), dt.timedelta(hours=4) - abs(step))
    assert before in (24, 25)
    assert abs(len(claimed) - (2 * before - overlap // dt.timedelta(minutes=10))) <= 1
