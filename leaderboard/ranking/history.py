"""Everything that is made from samples beside snapshots: daily rows, events, the shapes of pair pages."""

from __future__ import annotations

import datetime as dt

from leaderboard.ranking.daily import backfill_daily, refresh_daily
from leaderboard.ranking.events import find_events
from leaderboard.ranking.profiles import refresh_profiles
from leaderboard.ranking.schedule import natural_as_of


def refresh_history(now: dt.datetime) -> None:
    """What new samples change; costs the last 14 days, whatever came before."""
    refresh_daily(now)
    find_events(now)
    refresh_profiles(natural_as_of(now))


def catch_up_history(now: dt.datetime) -> None:
    """The same after samples of any age were loaded: every day that has samples and no final rows is made."""
    backfill_daily(now)
    find_events(now)
    refresh_profiles(natural_as_of(now))
