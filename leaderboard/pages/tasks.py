"""The task that draws pages' pictures ahead."""

from __future__ import annotations

import datetime as dt

from celery import shared_task

SECONDS_A_TURN = 2.5
"""Of the five between two turns: the same worker plans probes and makes snapshots."""


@shared_task(
    name="pages.draw_ahead",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=60,
    time_limit=90,
    expires=5,
)
def draw_ahead() -> None:
    # Imported here: the workers that probe register this task too and need none of the pages.
    from leaderboard.pages import ahead

    ahead.draw_ahead(dt.datetime.now(dt.UTC), seconds=SECONDS_A_TURN)
