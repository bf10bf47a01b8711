"""What pages read of the past: daily rows, the shapes of the last 14 days, prices and changes. Never samples."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from leaderboard.catalogue.models import Offering, Price
from leaderboard.ranking.models import DailySummary, Event, SeriesProfile
from leaderboard.ranking.shown import ShownGroup

STRIP_DAYS = 90


def daily_of(
    offerings: Iterable[Offering], group: ShownGroup, *, today: dt.date, days: int = STRIP_DAYS
) -> list[DailySummary]:
    """The last `days` of these offerings at the group's place and workload; one query."""
    return list(
        DailySummary.objects.filter(
            offering__in=list(offerings),
            probe_location=group.probe_location,
            workload=group.workload,
            day__gt=today - dt.timedelta(days=days),
        ).order_by("offering", "day", "methodology_version")
    )


def profile_of(offering: Offering, group: ShownGroup) -> SeriesProfile | None:
    return SeriesProfile.objects.filter(
        offering=offering, probe_location=group.probe_location, workload=group.workload
    ).first()


def prices_of(offering: Offering) -> list[Price]:
    """Oldest first."""
    return list(offering.prices.order_by("valid_from", "context_above_tokens"))


def recent_events(
    *,
    offerings: Sequence[Offering] | None = None,
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
    limit: int = 5,
    simulated: bool | None = None,
) -> list[Event]:
    """Newest first; of some offerings, or of all."""
    events = Event.objects.select_related("offering__provider", "offering__model")
    if offerings is not None:
        events = events.filter(offering__in=[o.pk for o in offerings])
    if since is not None:
        events = events.filter(at__gte=since)
    if until is not None:
        events = events.filter(at__lte=until)
    if simulated is not None:
        events = events.filter(simulated=simulated)
    return list(events[:limit])
