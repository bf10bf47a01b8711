"""Rows of daily.csv."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

LAST_DAYS = 35


def last_days(now: dt.datetime) -> tuple[dt.date, str]:
    """The first of the last 35 days, and a text that changes when their rows do."""
    since = now.astimezone(dt.UTC).date() - dt.timedelta(days=LAST_DAYS - 1)
    return since, since.isoformat()


def daily_rows(*, since: dt.date | None = None, until: dt.date | None = None) -> Iterable[Any]:
    """Days from `since` to `until`, both included, sorted by key."""
    return []
