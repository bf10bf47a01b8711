"""Which terms held when: a sweep is costed at the rate of its own time, whatever is paid today.

Filling in what was unknown is no change: the first terms ever stated count from the beginning.
"""

from __future__ import annotations

import datetime as dt

from leaderboard.catalogue.models import Deployment, FormerTerms
from leaderboard.catalogue.models.hosting_terms import TERMS, HostingTerms

UNKNOWN = (None, "", "unknown", "none")
NOT_TERMS = frozenset({"cost_source_url"})
"""Where a rate was read is no part of it."""


def replaces_known_terms(before: HostingTerms, after: HostingTerms) -> bool:
    """Whether anything that was known is different now."""
    return any(
        getattr(before, name) not in UNKNOWN and getattr(before, name) != getattr(after, name)
        for name in TERMS
        if name not in NOT_TERMS
    )


def keep_former_terms(before: Deployment, after: Deployment, *, now: dt.datetime) -> FormerTerms | None:
    """Remember the terms that `after` replaces; None where it replaces nothing that was known."""
    if not replaces_known_terms(before, after):
        return None
    return FormerTerms.objects.create(
        deployment=after, held_until=now, **{name: getattr(before, name) for name in TERMS}
    )


def terms_at(deployment: Deployment, moment: dt.datetime) -> HostingTerms:
    """The terms in force at an instant; no query where `former_terms` is prefetched."""
    later = [former for former in deployment.former_terms.all() if former.held_until > moment]
    return min(later, key=lambda former: former.held_until, default=deployment)
