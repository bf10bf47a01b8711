"""Rows of daily.csv."""

from __future__ import annotations

import datetime as dt

from django.db.models import Max, QuerySet

from leaderboard.ranking.models import DailySummary

LAST_DAYS = 35


def last_days(now: dt.datetime) -> tuple[dt.date, str]:
    """The first of the last 35 days, and a text that changes when their rows do; one query."""
    since = now.astimezone(dt.UTC).date() - dt.timedelta(days=LAST_DAYS - 1)
    newest = DailySummary.objects.filter(day__gte=since).aggregate(newest=Max("pk"))["newest"]
    return since, f"{since.isoformat()} {newest}"


def daily_rows(*, since: dt.date | None = None, until: dt.date | None = None) -> QuerySet[DailySummary]:
    """Days from `since` to `until`, both included, sorted by key; one query."""
    rows = DailySummary.objects.select_related("offering").order_by(
        "day", "offering__public_id", "probe_location", "workload", "methodology_version"
    )
    if since is not None:
        rows = rows.filter(day__gte=since)
    if until is not None:
        rows = rows.filter(day__lte=until)
    return rows
