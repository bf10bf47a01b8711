"""Samples → one Snapshot: read the window once, judge, rank, take the frontiers, and publish all rows together.

The same samples give the same digits: nothing depends on the order of rows or on the clock, only on `as_of`.
"""

from __future__ import annotations

import datetime as dt
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from leaderboard.ranking.models import Snapshot
from probes.result import METHODOLOGY_VERSION

DEFAULT_WINDOW_HOURS = 72


@transaction.atomic
def make_snapshot(
    *,
    as_of: dt.datetime,
    window_hours: int = DEFAULT_WINDOW_HOURS,
    remake: bool = False,
    is_pinned: bool = False,
) -> Snapshot:
    """The snapshot of an instant (its whole second), all or nothing; the one that is there already, unless `remake`.

    The rows come first and then the mark that makes them visible.
    """
    as_of = as_of.astimezone(dt.UTC).replace(microsecond=0)
    same = Snapshot.objects.filter(as_of=as_of, window_hours=window_hours)
    if not remake:
        existing = same.filter(is_complete=True).first()
        if existing is not None:
            return existing
    # numpy comes with these: a tenth of a second and some megabytes that only the making of a snapshot should pay
    from leaderboard.ranking.drafts import drafted
    from leaderboard.ranking.summary_copy import copy_summaries

    with collector_paused():
        rows = drafted(as_of=as_of, window_hours=window_hours)
        same.delete()
        snapshot = Snapshot.objects.create(
            as_of=as_of,
            window_hours=window_hours,
            methodology_version=METHODOLOGY_VERSION,
            samples_read=rows.samples_read,
            is_pinned=is_pinned,
        )
        copy_summaries(snapshot.pk, rows.columns)
    snapshot.is_complete = True
    snapshot.save(update_fields=["is_complete"])
    return snapshot


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles while many small objects are made, none of them in a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
