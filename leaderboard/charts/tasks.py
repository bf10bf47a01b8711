"""The board's own task: a snapshot when there is news, and the pictures that pages will ask for."""

from __future__ import annotations

import datetime as dt
import logging

from celery import shared_task
from django.db import transaction

from leaderboard.charts.board import home_figures
from leaderboard.charts.pictures import prepare
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.groups import model_rows, provider_rows
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.schedule import refresh_snapshots
from leaderboard.ranking.shown import shown_group

logger = logging.getLogger(__name__)
AT_MOST_EVERY = dt.timedelta(seconds=25)
"""The ticks come more often only so that a board's first sample is seen at once."""


@shared_task(
    name="charts.publish_snapshot",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=240,
    time_limit=300,
    expires=10,
)
def publish_snapshot() -> None:
    now = dt.datetime.now(dt.UTC)
    latest = latest_snapshot()
    if latest is not None and now - latest.made_at < AT_MOST_EVERY:
        return
    with (
        transaction.atomic()
    ):  # a visitor sees the snapshot together with its pictures, and never draws them himself
        snapshot = refresh_snapshots(now)
        if snapshot is not None:
            try_to_draw(snapshot)


def try_to_draw(snapshot: Snapshot) -> None:
    """A picture that cannot be drawn holds back no numbers."""
    try:
        with transaction.atomic():
            draw_ahead(snapshot)
    except Exception:
        logger.exception("The pictures of snapshot %s could not be drawn.", snapshot)


def draw_ahead(snapshot: Snapshot) -> None:
    """The home page's pictures, so that no visitor waits for them."""
    group = shown_group(leaderboard_rows(snapshot), Filters())
    if group.rows:
        prepare(home_figures(model_rows(group.rows), provider_rows(group.rows), simulated=group.simulated))
