"""How much an endpoint is really used, from its engine's own token counters."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.measurements.models import EngineReading, Sweep

WINDOW = dt.timedelta(days=7)
LEAST_WATCHED = dt.timedelta(hours=24)
"""A share over less than a day says more about the hour than about the use."""
LONGEST_GAP = dt.timedelta(hours=2)
"""Between two readings further apart nobody was watching."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What was read of one endpoint, in order of time, and when our own sweeps loaded it."""

    readings: Sequence[tuple[dt.datetime, int]] = ()
    sweeps: Sequence[tuple[dt.datetime, dt.datetime]] = ()

    def is_swept(self, start: dt.datetime, end: dt.datetime) -> bool:
        return any(start < over and begun < end for begun, over in self.sweeps)


def tokens_per_second(watch: Watch) -> tuple[float, dt.timedelta] | None:
    """Mean output tokens/s over the time that was watched, and how long that was.

    A counter that went down was restarted: what it shows since then is counted, what it did before is lost. Time
    with a sweep of ours in it says nothing about use.
    """
    tokens, watched = 0, dt.timedelta()
    for (before, old), (after, new) in itertools.pairwise(watch.readings):
        if after - before > LONGEST_GAP or watch.is_swept(before, after):
            continue
        tokens += new - old if new >= old else new
        watched += after - before
    if not watched:
        return None
    return tokens / watched.total_seconds(), watched


def measured_utilisation(watch: Watch, *, full_tps: float | None) -> Decimal | None:
    """Share of what the endpoint can do at most; None before a day of readings or without a measured throughput."""
    found = tokens_per_second(watch)
    if found is None or not full_tps or found[1] < LEAST_WATCHED:
        return None
    return min(Decimal(1), round(Decimal(repr(found[0] / full_tps)), 6))


def watches_of(deployment_ids: Sequence[int], now: dt.datetime) -> dict[int, Watch]:
    """The last week by deployment; two queries."""
    since = now - WINDOW
    readings: dict[int, list[tuple[dt.datetime, int]]] = {key: [] for key in deployment_ids}
    rows = EngineReading.objects.filter(deployment__in=deployment_ids, read_at__gt=since, read_at__lte=now)
    for key, read_at, tokens in rows.order_by("deployment", "read_at").values_list(
        "deployment", "read_at", "output_tokens"
    ):
        readings[key].append((read_at, tokens))
    sweeps: dict[int, list[tuple[dt.datetime, dt.datetime]]] = {key: [] for key in deployment_ids}
    of_ours = Sweep.objects.filter(deployment__in=deployment_ids, finished_at__gt=since)
    for key, begun, over in of_ours.values_list("deployment", "measured_at", "finished_at"):
        sweeps[key].append((begun, over))
    return {key: Watch(readings[key], sweeps[key]) for key in deployment_ids}
