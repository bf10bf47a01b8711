"""How far a row may be believed: its standing from the last 14 days, its freshness from its last success."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal

Standing = Literal["provisional", "preliminary", "official"]
Freshness = Literal["fresh", "late", "stale", "no_data"]

STANDING_WINDOW = dt.timedelta(days=14)
PRELIMINARY_SAMPLES, PRELIMINARY_SPAN = 8, dt.timedelta(hours=20)
OFFICIAL_SAMPLES, OFFICIAL_SPAN = 20, dt.timedelta(hours=66)
ALL_BLOCKS = 0b111111
"""One bit for each four-hour block of the UTC day."""
STALE_AFTER_AT_LEAST = dt.timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Successes:
    """The ok samples of one series: how many, from when to when, and in which blocks of the day (a bit each)."""

    count: int
    first_at: dt.datetime | None
    last_at: dt.datetime | None
    blocks: int

    @property
    def span(self) -> dt.timedelta:
        if self.first_at is None or self.last_at is None:
            return dt.timedelta(0)
        return self.last_at - self.first_at


def standing_of(successes: Successes) -> Standing:
    """More samples never lower it, so a window that gives `official` settles the matter for any longer one."""
    if (
        successes.count >= OFFICIAL_SAMPLES
        and successes.span >= OFFICIAL_SPAN
        and successes.blocks == ALL_BLOCKS
    ):
        return "official"
    if successes.count >= PRELIMINARY_SAMPLES and successes.span >= PRELIMINARY_SPAN:
        return "preliminary"
    return "provisional"


def freshness_of(last_ok_at: dt.datetime | None, *, as_of: dt.datetime, interval_s: float) -> Freshness:
    """Late after two intervals without success, stale after four or 12 hours, whichever is longer."""
    if last_ok_at is None:
        return "no_data"
    age, interval = as_of - last_ok_at, dt.timedelta(seconds=interval_s)
    if age > max(STALE_AFTER_AT_LEAST, 4 * interval):
        return "stale"
    return "late" if age > 2 * interval else "fresh"


def is_ranked(standing: str, freshness: str) -> bool:
    """Whether a row may stand in ranks, tiles and frontiers beside others of its kind."""
    return standing != "provisional" and freshness in ("fresh", "late")
