from __future__ import annotations

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.ranking.filters import WINDOW_HOURS
from leaderboard.ranking.models import Summary
from leaderboard.ranking.schedule import natural_as_of
from leaderboard.ranking.summarise import DEFAULT_WINDOW_HOURS, make_snapshot


class Command(BaseCommand):
    help = "Recomputes the ranking now, or as of a time. A snapshot made for a time is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--as-of", metavar="TIME", help="ISO 8601, UTC unless it says otherwise")

    def handle(self, *args: Any, as_of: str | None, **options: Any) -> None:
        now = dt.datetime.now(dt.UTC)
        moment = natural_as_of(now) if as_of is None else parsed(as_of, now)
        for hours in WINDOW_HOURS.values():
            snapshot = make_snapshot(
                as_of=moment, window_hours=hours, remake=True, is_pinned=as_of is not None
            )
            if hours == DEFAULT_WINDOW_HOURS:
                rows = Summary.objects.filter(snapshot=snapshot)
                ranked = rows.filter(rank_speed__isnull=False).count()
                self.stdout.write(
                    f"as_of {snapshot.as_of:%Y-%m-%dT%H:%M:%SZ}: {rows.count()} rows, {ranked} of them ranked, "
                    f"from {snapshot.samples_read} samples of {hours} hours"
                )


def parsed(text: str, now: dt.datetime) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise CommandError(f"{text!r} is no ISO 8601 time; write it like 2026-07-15T12:00:00Z.") from None
    if moment > now:
        raise CommandError(f"{text} is in the future.")
    return moment
