"""Where probes start from: a location is known once a probe worker started there, and is planned for from then on."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from kombu import Exchange, Queue


@cache
def probes_queue(location: str) -> Queue:
    """The queue of one location's workers; declared by whoever sends to it or reads from it first."""
    name = f"probes.{location}"
    return Queue(name, Exchange("probes"), routing_key=name)


def announce(location: str, *, is_the_only_one: bool = False) -> None:
    """A starting worker says that it works here; where the broker is one machine's own, nobody works elsewhere."""
    from leaderboard.measurements.models import ProbeLocation

    ProbeLocation.objects.update_or_create(name=location, defaults={"is_used": True})
    if is_the_only_one:
        ProbeLocation.objects.exclude(name=location).update(is_used=False)


def planned_locations() -> list[str]:
    """Those in use, or this machine's own before any worker was seen; one query."""
    from leaderboard.measurements.models import ProbeLocation

    known = dict(ProbeLocation.objects.order_by("name").values_list("name", "is_used"))
    return [name for name, is_used in known.items() if is_used] if known else [settings.PROBE_LOCATION]


def own_location() -> str:
    """Where a probe asked for by hand starts: here if there are workers here, else at the first location there is."""
    planned = planned_locations()
    return settings.PROBE_LOCATION if settings.PROBE_LOCATION in planned or not planned else planned[0]
