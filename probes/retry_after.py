"""Retry-After, in seconds or as an HTTP date of any of its three forms; anything else is no delay."""

from __future__ import annotations

import datetime as dt
import math
from email.utils import parsedate_to_datetime

MAX_RETRY_AFTER_S = 86_400.0
"""A day: a longer pause would only hide that the offering is gone."""


def parse_retry_after(value: str | None, *, now: dt.datetime) -> float | None:
    """Whole seconds from `now`, rounded up and capped; a past date is 0, a negative or endless delay is None."""
    if value is None or not value.strip():
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = max(_seconds_until(value.strip(), now), 0.0)
    if not math.isfinite(seconds) or seconds < 0:
        return None
    return min(float(math.ceil(seconds)), MAX_RETRY_AFTER_S)


def _seconds_until(date: str, now: dt.datetime) -> float:
    """Infinity for what is no date. The asctime form has no zone: HTTP means UTC."""
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, IndexError, TypeError, OverflowError):
        return math.inf
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return (moment - now).total_seconds()
