"""Daily rows: what the samples of one UTC day say, per offering, location, workload and method version.

A day is open until 06:00 UTC of the next one; then its rows are final and not made again.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef

from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import SLOTS_KEPT
from leaderboard.ranking.models import DailySummary
from probes.workloads import WORKLOADS

PUBLISHED_FIGURES = (
    *(
        f"{measure}_{share}"
        for measure in ("output_speed_tps", "ttft_ms", "ttfat_ms", "end_to_end_ms")
        for share in ("p05", "p25", "p50", "p75", "p95")
    ),
    *(f"{measure}_p50_{end}" for measure in ("output_speed_tps", "ttft_ms") for end in ("low", "high")),
)
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
        DailySummary(
            day=day,
            final=now >= start + DAY + CLOSES_AT,
            samples_scheduled=fields["samples_total"] + holes[place],
            **fields,
        )
        for place, fields in day_rows(start)
    ]
    DailySummary.objects.filter(day=day).delete()
    DailySummary.objects.bulk_create(rows, batch_size=1000)
    return len(rows)


Place = tuple[int, str, str]


def day_rows(start: dt.datetime) -> Iterable[tuple[Place, dict[str, Any]]]:
    """What the samples of the day say, by columns of the table; a planned probe without a sample says nothing."""
    # numpy comes with these: a tenth of a second and some megabytes that only the making of aggregates should pay
    from leaderboard.ranking.ordered import known
    from leaderboard.ranking.window import read_between

    window = read_between(start, start + DAY)
    figures, tallies = window.figures(), window.tallies
    columns = {
        "offering_id": window.offerings.tolist(),
        "simulated": window.simulated.tolist(),
        "samples_total": tallies.total().tolist(),
        "samples_ok": tallies.ok().tolist(),
        "samples_excluded": tallies.excluded().tolist(),
        "success_rate": known(tallies.success_rates()),
        "uptime": known(tallies.uptimes()),
        **{name: known(figures[name]) for name in PUBLISHED_FIGURES},
    }
    outcomes = {name: counts.tolist() for name, counts in tallies.outcomes().items()}
    for n, part in enumerate(window.parts):
        fields = {name: values[n] for name, values in columns.items()}
        errors = errors_of({name: counts[n] for name, counts in outcomes.items()})
        yield (
            (fields["offering_id"], part.workload, part.probe_location),
            fields | part._asdict() | errors,
        )


def errors_of(outcomes: Mapping[str, int]) -> dict[str, int]:
    errors = dict.fromkeys((*TOLD_APART.values(), "errors_other"), 0)
    for outcome, count in outcomes.items():
        if outcome != "ok":
            errors[TOLD_APART.get(outcome, "errors_other")] += count
    return errors


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
