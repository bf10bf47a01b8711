"""When snapshots are made and which are kept.

The 72-hour snapshot follows the samples, the others follow at their own pace. Kept are all of the last ten minutes,
the last of each hour for 48 hours, the last of each UTC day for ever, and those an operator made for an instant.
"""

from __future__ import annotations

import datetime as dt

from leaderboard.measurements.models import Sample
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import latest_snapshot
from leaderboard.ranking.summarise import DEFAULT_WINDOW_HOURS, make_snapshot

OTHER_WINDOWS = {24: dt.timedelta(minutes=2), 336: dt.timedelta(minutes=10)}
"""Window in hours: the least time between two snapshots of it."""
AT_LEAST_EVERY = dt.timedelta(minutes=1)
STANDING_STILL_EVERY = dt.timedelta(minutes=10)
"""How soon a board of old samples shows a price, a name or a retirement that changed since."""
KEEP_ALL_FOR = dt.timedelta(minutes=10)
KEEP_HOURLY_FOR = dt.timedelta(hours=48)
LATEST_ARRIVAL = dt.timedelta(hours=4)
"""A probe's sample is stored at most so long after its slot: half an interval and its own run."""


def refresh_snapshots(now: dt.datetime) -> Snapshot | None:
    """The new 72-hour snapshot; None where nothing arrived and the last one is not a minute old."""
    as_of = natural_as_of(now)
    latest = latest_snapshot()
    if latest is not None and not is_due(latest, as_of, now):
        return None
    snapshot = make_snapshot(as_of=as_of, remake=True)
    for window_hours, pause in OTHER_WINDOWS.items():
        other = latest_snapshot(window_hours)
        if other is None or as_of - other.as_of >= pause or as_of == other.as_of:
            make_snapshot(as_of=as_of, window_hours=window_hours, remake=True)
    prune_snapshots(now)
    return snapshot


def is_due(latest: Snapshot, as_of: dt.datetime, now: dt.datetime) -> bool:
    """Whether there is news, or a minute has passed; a board of old samples only follows its catalogue."""
    age = now - latest.made_at
    if latest.as_of >= as_of:
        return age >= STANDING_STILL_EVERY
    return age >= AT_LEAST_EVERY or has_news(latest, now)


def has_news(latest: Snapshot, now: dt.datetime) -> bool:
    """Whether a sample was stored since that snapshot was made; reads the last hours only."""
    return Sample.objects.filter(
        scheduled_at__gt=now - LATEST_ARRIVAL, scheduled_at__lte=now, recorded_at__gt=latest.made_at
    ).exists()


def natural_as_of(now: dt.datetime, window_hours: int = DEFAULT_WINDOW_HOURS) -> dt.datetime:
    """Now; or, where the newest sample is older than the window, that sample's time (rounded up to a second).

    So a board of old samples shows them as they stood, and not an empty table.
    """
    newest = (
        Sample.objects.filter(scheduled_at__lte=now)
        .order_by("-scheduled_at")
        .values_list("scheduled_at", flat=True)
        .first()
    )
    if newest is None or newest > now - dt.timedelta(hours=window_hours):
        return now.replace(microsecond=0)
    return (newest + dt.timedelta(microseconds=999_999)).replace(microsecond=0)


def prune_snapshots(now: dt.datetime) -> int:
    """Delete what is kept no longer; how many. One query to look, one to delete."""
    snapshots = list(
        Snapshot.objects.filter(is_pinned=False, as_of__lt=now - KEEP_ALL_FOR)
        .order_by("-as_of")
        .values_list("pk", "as_of", "window_hours")
    )
    newest_of: set[tuple[int, dt.datetime]] = set()
    doomed = []
    for pk, as_of, window_hours in snapshots:
        kept_as = (window_hours, period_of(as_of, now))
        if kept_as in newest_of:
            doomed.append(pk)
        newest_of.add(kept_as)
    Snapshot.objects.filter(pk__in=doomed).delete()
    return len(doomed)


def period_of(as_of: dt.datetime, now: dt.datetime) -> dt.datetime:
    """The hour or the day of which one snapshot is kept."""
    if as_of > now - KEEP_HOURLY_FOR:
        return as_of.replace(minute=0, second=0, microsecond=0)
    return as_of.replace(hour=0, minute=0, second=0, microsecond=0)
