"""Retry-After, in seconds or as an HTTP date of any of its three forms; anything else is no delay."""

from __future__ import annotations

import datetime as dt
import math
from email.utils import parsedate_to_datetime

MAX_RETRY_AFTER_S = 86_400.0
"""A day: a longer pause would only hide that the offering is gone."""


def parse_retry_after(value: str | None, *, now: dt.datetime, unit_s: float = 1.0) -> float | None:
    """Whole seconds from `now`, rounded up and capped; a past date is 0, a negative or endless delay is None.

    A number counts units of `unit_s` seconds.
    """
    if value is None or not value.strip():
        return None
    try:
        seconds = float(value) * unit_s
    except ValueError:
        seconds = max(_seconds_until(value.strip(), now), 0.0)
    if not math.isfinite(seconds) or seconds < 0:
        return None
    return min(float(math.ceil(seconds)), MAX_RETRY_AFTER_S)


def parse_http_date(text: str | None) -> dt.datetime | None:
    """Aware UTC; None for what is no date. The asctime form has no zone: HTTP means UTC."""
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text.strip())
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=dt.UTC)


def _seconds_until(date: str, now: dt.datetime) -> float:
    """Infinity for what is no date."""
    moment = parse_http_date(date)
    return math.inf if moment is None else (moment - now).total_seconds()
