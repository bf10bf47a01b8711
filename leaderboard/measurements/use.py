"""How much an endpoint is really used, from its engine's own token counters."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from decimal import Decimal

from leaderboard.measurements.models import EngineReading

WINDOW = dt.timedelta(days=7)
LEAST_WATCHED = dt.timedelta(hours=24)
"""A share over less than a day says more about the hour than about the use."""
LONGEST_GAP = dt.timedelta(hours=2)
"""Between two readings further apart nobody was watching."""


def tokens_per_second(readings: Sequence[tuple[dt.datetime, int]]) -> tuple[float, dt.timedelta] | None:
    """Mean output tokens/s over the time that was watched, and how long that was; readings in order of time.

    A counter that went down was restarted: what it shows since then is counted, what it did before is lost.
    """
    tokens, watched = 0, dt.timedelta()
    for (before, old), (after, new) in itertools.pairwise(readings):
        if after - before > LONGEST_GAP:
            continue
        tokens += new - old if new >= old else new
        watched += after - before
    if not watched:
        return None
    return tokens / watched.total_seconds(), watched


def measured_utilisation(
    readings: Sequence[tuple[dt.datetime, int]], *, full_tps: float | None
) -> Decimal | None:
    """Share of what the endpoint can do at most; None before a day of readings or without a measured throughput."""
    found = tokens_per_second(readings)
    if found is None or not full_tps or found[1] < LEAST_WATCHED:
        return None
    return min(Decimal(1), round(Decimal(repr(found[0] / full_tps)), 6))


def readings_of(deployment_ids: Sequence[int], now: dt.datetime) -> dict[int, list[tuple[dt.datetime, int]]]:
    """The last week's readings by deployment, in order of time; one query."""
    found: dict[int, list[tuple[dt.datetime, int]]] = {key: [] for key in deployment_ids}
    rows = EngineReading.objects.filter(
        deployment__in=deployment_ids, read_at__gt=now - WINDOW, read_at__lte=now
    )
    for key, read_at, tokens in rows.order_by("deployment", "read_at").values_list(
        "deployment", "read_at", "output_tokens"
    ):
        found[key].append((read_at, tokens))
    return found
