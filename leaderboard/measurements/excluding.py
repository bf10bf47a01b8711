"""An operator's word that samples do not count: they stay stored and published, marked, and enter no figure.

The one change of a stored sample there is. What it was measured as is never touched.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import TruncDate

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Sample

REASONS = ("admin", "maintenance")
"""`maintenance`: the provider said so beforehand, or we were at work; `admin`: anything else, in words."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """How many samples count no more, and the UTC days they lie on."""

    count: int
    days: tuple[dt.date, ...]


@transaction.atomic
def exclude_samples(
    offering: Offering, *, since: dt.datetime, until: dt.datetime, reason: str, location: str = ""
) -> Excluded:
    """Exclude from all figures what was scheduled from `since` on and before `until`; again changes nothing.

    A sample kept out of speed alone so far gets the new reason. Two queries.
    """
    if reason not in REASONS:
        raise ValueError(f"{reason!r} is no reason of an operator's; use one of {', '.join(REASONS)}")
    counted = Sample.objects.filter(
        ~Q(excluded=True, excluded_from="all"),
        offering=offering,
        scheduled_at__gte=since,
        scheduled_at__lt=until,
    )
    if location:
        counted = counted.filter(probe_location=location)
    days = counted.annotate(day=TruncDate("scheduled_at", tzinfo=dt.UTC)).values_list("day", flat=True)
    found = tuple(sorted(set(days)))
    count = counted.update(excluded=True, exclusion_reason=reason, excluded_from="all")
    return Excluded(count, found)
