"""The tasks of operations: ids in, one call, nothing out. Running one twice changes nothing."""

from __future__ import annotations

import datetime as dt

from celery import shared_task

from leaderboard.operations.alarms.bell import ring
from leaderboard.operations.alarms.telling import ask_deadman
from leaderboard.operations.webhooks import tell_webhooks


@shared_task(
    name="operations.watch",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=40,
    time_limit=50,
    expires=60,
)
def watch() -> None:
    ask_deadman()
    ring(dt.datetime.now(dt.UTC))


@shared_task(
    name="operations.tell_webhooks",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=100,
    time_limit=110,
    expires=60,
)
def tell_webhooks_of_changes() -> None:
    tell_webhooks(dt.datetime.now(dt.UTC))
