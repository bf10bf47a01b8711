"""How far a row may be believed: its standing from the last 14 days, its freshness from its last success."""

from __future__ import annotations

import datetime as dt
from typing import Literal

Standing = Literal["provisional", "preliminary", "official"]
Freshness = Literal["fresh", "late", "stale", "no_data"]

STANDING_WINDOW = dt.timedelta(days=14)
PRELIMINARY_SAMPLES, PRELIMINARY_SPAN = 8, dt.timedelta(hours=20)
OFFICIAL_SAMPLES, OFFICIAL_SPAN = 20, dt.timedelta(hours=66)
PRELIMINARY_SPAN_S, OFFICIAL_SPAN_S = PRELIMINARY_SPAN.total_seconds(), OFFICIAL_SPAN.total_seconds()
ALL_BLOCKS = 0b111111
"""One bit for each four-hour block of the UTC day."""
STALE_AFTER_AT_LEAST = dt.timedelta(hours=12)


def standing_of(samples_ok: int, *, span_s: float, blocks: int) -> Standing:
    """Of a series' ok samples, from the first slot to the last, and the four-hour blocks they lie in (a bit each).

    More samples never lower it, so a window that gives `official` settles the matter for any longer one.
    """
    if samples_ok >= OFFICIAL_SAMPLES and span_s >= OFFICIAL_SPAN_S and blocks == ALL_BLOCKS:
        return "official"
    if samples_ok >= PRELIMINARY_SAMPLES and span_s >= PRELIMINARY_SPAN_S:
        return "preliminary"
    return "provisional"


def freshness_of(last_ok_at: dt.datetime | None, *, as_of: dt.datetime, interval_s: float) -> Freshness:
    """Late after two intervals without success, stale after four or 12 hours, whichever is longer."""
    if last_ok_at is None:
        return "no_data"
    return freshness_at((as_of - last_ok_at).total_seconds(), interval_s=interval_s)


def freshness_at(age_s: float, *, interval_s: float) -> Freshness:
    """The same, of the seconds since the last success."""
    if age_s > max(STALE_AFTER_AT_LEAST.total_seconds(), 4 * interval_s):
        return "stale"
    return "late" if age_s > 2 * interval_s else "fresh"


def is_ranked(standing: str, freshness: str) -> bool:
    """Whether a row may stand in ranks, tiles and frontiers beside others of its kind."""
    return standing != "provisional" and freshness in ("fresh", "late")
