"""The task that keeps the history up to date."""

from __future__ import annotations

import datetime as dt

from celery import shared_task

from leaderboard.ranking import history


@shared_task(
    name="ranking.refresh_history",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=240,
    time_limit=300,
    expires=300,
)
def refresh_history() -> None:
    history.refresh_history(dt.datetime.now(dt.UTC))
