"""The board's own task: a snapshot when there is news, and the pictures that pages will ask for."""

from __future__ import annotations

import datetime as dt

from celery import shared_task

from leaderboard.charts.board import home_figures
from leaderboard.charts.pictures import forget_old, prepare
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.groups import model_rows, provider_rows
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import leaderboard_rows
from leaderboard.ranking.schedule import refresh_snapshots
from leaderboard.ranking.shown import shown_group


@shared_task(
    name="charts.publish_snapshot",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=240,
    time_limit=300,
    expires=30,
)
def publish_snapshot() -> None:
    now = dt.datetime.now(dt.UTC)
    snapshot = refresh_snapshots(now)
    if snapshot is not None:
        draw_ahead(snapshot)
        forget_old(now)


def draw_ahead(snapshot: Snapshot) -> None:
    """The home page's pictures, so that no visitor waits for them."""
    group = shown_group(leaderboard_rows(snapshot), Filters())
    if group.rows:
        prepare(home_figures(model_rows(group.rows), provider_rows(group.rows), simulated=group.simulated))
