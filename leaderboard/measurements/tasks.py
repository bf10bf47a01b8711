"""The tasks of the measuring step: ids in, one call, nothing out. Running one twice changes nothing.

A probe goes to the queue of its slot's location, `probes.<location>`; the others go to the board's own queue.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from celery import Task, current_app, shared_task

from leaderboard.measurements import partitions, planning, probing
from leaderboard.measurements.locations import probes_queue
from leaderboard.measurements.models import Slot
from leaderboard.measurements.patience import patiently
from leaderboard.measurements.sweep_tasks import plan_sweeps, read_engines, sweep

__all__ = ["make_partitions", "plan_probes", "plan_sweeps", "probe", "read_engines", "send", "sweep"]


@shared_task(
    name="measurements.plan_probes",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=20,
    time_limit=30,
    expires=5,
)
def plan_probes() -> None:
    now = dt.datetime.now(dt.UTC)
    send(planning.claim_due(now) + planning.unsent(now) + lost(planning.never_taken(now)))


def lost(slots: Iterable[Slot]) -> list[Slot]:
    """Those whose location's queue holds nothing at all: the broker was restarted empty, so they are sent again.

    A worker may hold a few of them taken and not begun; a second message of theirs then finds them started.
    """
    waiting = list(slots)
    empty = {name for name in {slot.probe_location for slot in waiting} if is_queue_empty(name)}
    return [slot for slot in waiting if slot.probe_location in empty]


def is_queue_empty(location: str) -> bool:
    """True too where the broker does not know the queue any more."""
    with current_app.connection_for_write() as broker:
        channel: Any = broker.channel()
        try:
            return bool(channel.queue_declare(probes_queue(location).name, passive=True).message_count == 0)
        except broker.channel_errors:
            return True


def send(slots: Iterable[Slot]) -> None:
    """One message a slot, after its claim is committed; a slot stays unsent where the broker is away."""
    for slot in slots:
        probe.apply_async((slot.pk,), queue=probes_queue(slot.probe_location), expires=slot.expires_at)
        Slot.objects.filter(pk=slot.pk).update(sent_at=dt.datetime.now(dt.UTC))


@shared_task(
    bind=True,
    name="measurements.probe",
    acks_late=True,
    ignore_result=True,
    reject_on_worker_lost=True,
    soft_time_limit=planning.HARD_LIMIT_S - 30,
    time_limit=planning.HARD_LIMIT_S,
)
def probe(self: Task[[int], None], slot_id: int) -> None:
    is_redelivered = bool((self.request.delivery_info or {}).get("redelivered"))
    slot = patiently(lambda: probing.take_up(slot_id, dt.datetime.now(dt.UTC), is_redelivered=is_redelivered))
    if slot is not None:
        probing.measure(slot)


@shared_task(
    name="measurements.make_partitions",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=60,
    time_limit=90,
    expires=3600,
)
def make_partitions() -> None:
    """The tables' hourly care: partitions ahead, and slots that no figure needs any more."""
    now = dt.datetime.now(dt.UTC)
    partitions.make_partitions(partitions.months_wanted(now))
    planning.forget_old_slots(now)
