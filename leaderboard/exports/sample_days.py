"""Which UTC days of samples are closed, open, or due to be closed."""

from __future__ import annotations

import datetime as dt

from leaderboard.measurements.models import Sample

CLOSES_AFTER = dt.timedelta(hours=6)
"""Late loads and retried messages of a day have arrived by then."""
MONTH_CLOSES_ON_DAY = 3


def midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), dt.UTC)


def last_closable_day(now: dt.datetime) -> dt.date:
    """The newest day that may be closed: yesterday from 06:00 UTC on, else the day before."""
    return (now - CLOSES_AFTER).astimezone(dt.UTC).date() - dt.timedelta(days=1)


def first_sample_day() -> dt.date | None:
    """The UTC day of the first sample; one look at the key's index."""
    first = Sample.objects.order_by("scheduled_at").values_list("scheduled_at", flat=True).first()
    return first.astimezone(dt.UTC).date() if first else None


def days_due(now: dt.datetime, closed_through: str) -> list[dt.date]:
    """Days to close, oldest first; days without samples among them."""
    last = last_closable_day(now)
    if closed_through:
        day = dt.date.fromisoformat(closed_through) + dt.timedelta(days=1)
    else:
        first = first_sample_day()
        if first is None:
            return []
        day = first
    return [day + dt.timedelta(days=n) for n in range((last - day).days + 1)]


def open_since(now: dt.datetime, closed_through: str) -> dt.datetime | None:
    """Where the days begin that are not closed yet; None where none ever was closed."""
    if not closed_through:
        return None
    return midnight(dt.date.fromisoformat(closed_through) + dt.timedelta(days=1))


def next_month(month: dt.date) -> dt.date:
    return (month.replace(day=28) + dt.timedelta(days=4)).replace(day=1)


def last_closable_month(now: dt.datetime) -> dt.date:
    """The first day of the newest month that may be closed: on the 3rd of the next month."""
    today = now.astimezone(dt.UTC).date()
    this_month = today.replace(day=1)
    previous = (this_month - dt.timedelta(days=1)).replace(day=1)
    if today.day >= MONTH_CLOSES_ON_DAY:
        return previous
    return (previous - dt.timedelta(days=1)).replace(day=1)


def months_due(now: dt.datetime, closed_through: str, closed_month: str) -> list[dt.date]:
    """Months to close, oldest first: over by two days, with all of their days closed."""
    first = first_sample_day()
    if first is None or not closed_through:
        return []
    month = next_month(dt.date.fromisoformat(closed_month)) if closed_month else first.replace(day=1)
    last, closed_day = last_closable_month(now), dt.date.fromisoformat(closed_through)
    due = []
    while month <= last and next_month(month) <= closed_day + dt.timedelta(days=1):
        due.append(month)
        month = next_month(month)
    return due
