"""Daily rows: what the samples of one UTC day say, per offering, location, workload and method version.

A day is open until 06:00 UTC of the next one; then its rows are final and not made again.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef

from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import SLOTS_KEPT
from leaderboard.ranking.models import DailySummary
from leaderboard.ranking.percentiles import percentile, upper_tail
from leaderboard.ranking.series import Series, read_between
from probes.intervals import median_interval
from probes.reliability import success_rate, uptime
from probes.workloads import WORKLOADS

CLOSES_AT = dt.timedelta(hours=6)
DAY = dt.timedelta(days=1)
TOLD_APART = {
    "timeout": "errors_timeout",
    "rate_limited": "errors_rate_limited",
    "server_error": "errors_server",
}


def refresh_daily(now: dt.datetime) -> list[dt.date]:
    """Make today's rows and those of every day that is not final yet; returns the days."""
    today = now.astimezone(dt.UTC).date()
    unfinished = (
        DailySummary.objects.filter(final=False, day__lt=today).values_list("day", flat=True).distinct()
    )
    days = sorted({today, today - DAY, *unfinished})
    return [day for day in days if not is_final(day) and make_day(day, now=now) is not None]


def backfill_daily(now: dt.datetime) -> list[dt.date]:
    """Make every past day that has samples and no rows, as after loading a file; one small query a day looked at."""
    first = Sample.objects.order_by("scheduled_at").values_list("scheduled_at", flat=True).first()
    if first is None:
        return []
    made, day, today = [], first.date(), now.astimezone(dt.UTC).date()
    while day <= today:
        if not is_final(day) and make_day(day, now=now):
            made.append(day)
        day += DAY
    return made


def is_final(day: dt.date) -> bool:
    return DailySummary.objects.filter(day=day, final=True).exists()


@transaction.atomic
def make_day(day: dt.date, *, now: dt.datetime) -> int:
    """Replace the rows of one day; how many there are now."""
    start = dt.datetime.combine(day, dt.time(), tzinfo=dt.UTC)
    holes = holes_between(start, start + DAY) if start > now - SLOTS_KEPT else known_holes(day)
    rows = [
        summary_of(series, day, holes=holes[series_place(series)], final=now >= start + DAY + CLOSES_AT)
        for series in newest_texts(read_between(start, start + DAY))
    ]
    DailySummary.objects.filter(day=day).delete()
    DailySummary.objects.bulk_create(rows, batch_size=1000)
    return len(rows)


Place = tuple[int, str, str]


def series_place(series: Series) -> Place:
    return series.key.offering, series.key.workload, series.key.probe_location


def newest_texts(series: Iterable[Series]) -> list[Series]:
    """One series a method version: where a workload's text changed within the day, the newer text's."""
    newest: dict[tuple[Place, str], Series] = {}
    for one in series:
        place = (series_place(one), one.key.methodology_version)
        if place not in newest or one.key.workload_version > newest[place].key.workload_version:
            newest[place] = one
    return sorted(newest.values(), key=lambda s: (series_place(s), s.key.age_order))


def holes_between(start: dt.datetime, end: dt.datetime) -> Counter[Place]:
    """Planned probes that left no sample and cannot any more, in requests."""
    sampled = Sample.objects.filter(
        scheduled_at=OuterRef("scheduled_at"),
        offering=OuterRef("offering"),
        workload=OuterRef("workload"),
        probe_location=OuterRef("probe_location"),
    )
    rows = (
        Slot.objects.filter(scheduled_at__gte=start, scheduled_at__lt=end, finished_at__isnull=True)
        .filter(~Exists(sampled))
        .values_list("offering", "workload", "probe_location")
        .annotate(holes=Count("pk"))
    )
    return Counter(
        {
            (o, w, place): holes * (WORKLOADS[w].concurrency if w in WORKLOADS else 1)
            for o, w, place, holes in rows
        }
    )


def known_holes(day: dt.date) -> Counter[Place]:
    """Those that the day's rows say already: the slots of a day long past are forgotten."""
    rows = DailySummary.objects.filter(day=day).values_list(
        "offering", "workload", "probe_location", "samples_scheduled", "samples_total"
    )
    return Counter({(o, w, place): planned - made for o, w, place, planned, made in rows})


def summary_of(series: Series, day: dt.date, *, holes: int, final: bool) -> DailySummary:
    """One row; a planned probe without a sample counts as scheduled and nothing else."""
    errors = Counter[str]()
    for outcome, count in series.outcomes.items():
        if outcome != "ok":
            errors[TOLD_APART.get(outcome, "errors_other")] += count
    return DailySummary(
        day=day,
        offering_id=series.key.offering,
        probe_location=series.key.probe_location,
        workload=series.key.workload,
        workload_version=series.key.workload_version,
        methodology_version=series.key.methodology_version,
        simulated=series.simulated,
        samples_scheduled=series.samples_total + holes,
        samples_total=series.samples_total,
        samples_ok=series.outcomes.get("ok", 0),
        samples_excluded=series.samples_excluded,
        success_rate=success_rate(series.outcomes),
        uptime=uptime(series.outcomes),
        errors_timeout=errors["errors_timeout"],
        errors_rate_limited=errors["errors_rate_limited"],
        errors_server=errors["errors_server"],
        errors_other=errors["errors_other"],
        final=final,
        **percentiles_of("output_speed_tps", series.speeds_tps),
        **percentiles_of("ttft_ms", series.ttfts_ms),
        **percentiles_of("ttfat_ms", series.ttfats_ms),
        **percentiles_of("end_to_end_ms", series.end_to_ends_ms),
        **interval_of("output_speed_tps", series.speeds_tps),
        **interval_of("ttft_ms", series.ttfts_ms),
    )


def percentiles_of(measure: str, ordered: Sequence[float]) -> dict[str, Any]:
    return {
        f"{measure}_p05": percentile(ordered, 0.05),
        f"{measure}_p25": percentile(ordered, 0.25),
        f"{measure}_p50": percentile(ordered, 0.5),
        f"{measure}_p75": percentile(ordered, 0.75),
        f"{measure}_p95": upper_tail(ordered),
    }


def interval_of(measure: str, ordered: Sequence[float]) -> dict[str, Any]:
    low, high = median_interval(ordered)
    return {f"{measure}_p50_low": low, f"{measure}_p50_high": high}
