"""Corrections of what was measured: samples that shall not count, and days counted anew. Never in silence.

Each becomes a public Revision (of simulated rows a private one), the daily rows are made again, and closed files that
hold the day are replaced with a line in the change log. Snapshots follow by themselves within a minute.
"""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Offering
from leaderboard.catalogue.review import ReviewProblem, the_board
from leaderboard.exports.rewriting import FilesBusy, rewrite_days
from leaderboard.measurements.excluding import exclude_samples
from leaderboard.ranking.daily import make_day

LONGEST_SPAN = dt.timedelta(days=31)


def exclude(
    offering: Offering,
    user: User | None,
    *,
    since: dt.datetime,
    until: dt.datetime,
    reason: str,
    words: str,
    now: dt.datetime,
) -> int:
    """Take the samples scheduled from `since` on and before `until` out of every figure; how many. ReviewProblem."""
    if not since < until <= since + LONGEST_SPAN:
        raise ReviewProblem(f"Choose a start before the end, at most {LONGEST_SPAN.days} days apart.")
    with transaction.atomic():
        excluded = exclude_samples(offering, since=since, until=until, reason=reason)
        if not excluded.count:
            raise ReviewProblem("No sample that counts was scheduled in that time.")
        record_revision(
            offering,
            user,
            kind="corrected",
            field="samples",
            old=f"{excluded.count} counted, {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC",
            new=f"excluded: {reason}",
            reason=words,
            is_public=not offering.simulated,
        )
        for day in excluded.days:
            make_day(day, now=now)
    rewrite(excluded.days, f"samples of {offering} excluded, {words}", now)
    return excluded.count


def recompute_day(day: dt.date, user: User | None, *, words: str, now: dt.datetime) -> int:
    """Make a UTC day's rows again from its samples, final or not; how many there are. Raises ReviewProblem."""
    with transaction.atomic():
        count = make_day(day, now=now)
        record_revision(
            the_board(),
            user,
            kind="edited",
            field=f"day {day}",
            new=f"{count} rows counted anew",
            reason=words,
        )
    rewrite([day], f"{day} counted anew, {words}", now)
    return count


def rewrite(days: tuple[dt.date, ...] | list[dt.date], why: str, now: dt.datetime) -> None:
    try:
        rewrite_days(days, reason=why, now=now)
    except FilesBusy as busy:
        raise ReviewProblem(f"Done, but a closed file is not replaced yet. {busy}") from busy
