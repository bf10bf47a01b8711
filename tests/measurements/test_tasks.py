from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from celery import Task

from leaderboard.celery import app
from leaderboard.measurements import tasks
from leaderboard.measurements.locations import probes_queue
from leaderboard.measurements.models import Slot
from leaderboard.measurements.planning import HARD_LIMIT_S, never_taken, plan_now
from leaderboard.operations.embedded.paths import broker_url
from leaderboard.operations.embedded.valkey import EmbeddedValkey
from tests.factories import make_offering

TASKS: list[Any] = [tasks.plan_probes, tasks.probe, tasks.make_partitions]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_is_acknowledged_late_leaves_nothing_and_ends(task: Task[Any, Any]) -> None:
    assert task.acks_late is True
    assert task.ignore_result is True
    assert task.soft_time_limit is not None
    assert task.time_limit is not None
    assert task.soft_time_limit < task.time_limit


def test_names_are_the_agreed_ones_and_the_board_has_a_queue_of_its_own() -> None:
    assert [task.name for task in TASKS] == [
        "measurements.plan_probes",
        "measurements.probe",
        "measurements.make_partitions",
    ]
    assert app.amqp.router.route({}, "measurements.plan_probes")["queue"].name == "board"
    assert sorted(app.amqp.queues) == ["board", "probes.local"]


def test_a_planner_never_outlives_its_tick_in_the_queue() -> None:
    assert tasks.plan_probes.expires == 5
    assert tasks.probe.time_limit == HARD_LIMIT_S


@pytest.mark.django_db
def test_a_message_goes_to_its_locations_queue_and_dies_with_its_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[tuple[tuple[int], dict[str, Any]]] = []
    monkeypatch.setattr(tasks.probe, "apply_async", lambda args, **options: sent.append((args, options)))
    (slot,) = plan_now([make_offering()], now=dt.datetime(2026, 7, 15, tzinfo=dt.UTC))

    tasks.send([slot])

    ((ids, options),) = sent
    assert ids == (slot.pk,)
    assert (options["queue"].name, options["expires"]) == ("probes.local", slot.expires_at)
    assert Slot.objects.get().sent_at is not None


@pytest.mark.django_db
def test_a_slot_stays_unsent_where_the_broker_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(tasks.probe, "apply_async", fail)
    slots = plan_now([make_offering()], now=dt.datetime(2026, 7, 15, tzinfo=dt.UTC))

    with pytest.raises(ConnectionError):
        tasks.send(slots)

    assert Slot.objects.get().sent_at is None


@pytest.mark.django_db
def test_messages_of_a_broker_that_lost_them_are_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once half a minute passed and the location's queue is empty; never while messages still wait there."""
    broker = EmbeddedValkey(tmp_path)
    broker.start()
    monkeypatch.setattr(app.conf, "broker_write_url", broker_url(tmp_path))
    now = dt.datetime(2026, 7, 15, tzinfo=dt.UTC)
    slots = plan_now([make_offering()], now=now)
    Slot.objects.update(sent_at=now)

    early = never_taken(now + dt.timedelta(seconds=29))
    again = tasks.lost(never_taken(now + dt.timedelta(seconds=31)))
    with app.connection_for_write() as sending:
        tasks.probe.apply_async((slots[0].pk,), queue=probes_queue("local"), connection=sending)
    waiting = tasks.lost(never_taken(now + dt.timedelta(seconds=31)))
    expired = never_taken(now + dt.timedelta(hours=1))

    broker.stop()
    assert (early, again, waiting, expired) == ([], slots, [], [])


@pytest.mark.django_db
def test_a_probe_task_of_an_unknown_or_old_slot_does_nothing() -> None:
    tasks.probe(12345)
