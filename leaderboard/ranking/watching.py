"""The watcher of the watcher: what was planned against what was done, who is silent, and what shrinks unseen.

Numbers for /status/, /status.json and /metrics. Reads slots and offerings, and samples of the last day only.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, Max, Min, Q

from leaderboard.catalogue.models import Offering, ProbeState
from leaderboard.measurements.due import Timetable, slot_number
from leaderboard.measurements.locations import planned_locations
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.partitions import missing_partitions, months_wanted
from leaderboard.measurements.planning import timetables
from leaderboard.ranking.models import DailySummary, Snapshot, Summary
from leaderboard.ranking.standing import freshness_of
from probes.reliability import OUR_FAULT, share

DAY, HOUR = dt.timedelta(days=1), dt.timedelta(hours=1)
STRIP_HOURS = 48


@dataclass(frozen=True, slots=True)
class HourOfWork:
    """One UTC hour at one probe location: probes planned, probes with a sample, and those that never will have one."""

    starts_at: dt.datetime
    probe_location: str
    planned: int
    done: int
    missed: int


@dataclass(frozen=True, slots=True)
class Silent:
    """An active offering without a success for so long that its row is stale, or that never had one."""

    offering_id: str
    last_ok_at: dt.datetime | None
    last_outcome: str | None
    """Of its newest sample of the last day; None where there is none."""


@dataclass(frozen=True, slots=True)
class Denominator:
    """How many rows a snapshot had: a board that loses rows in silence looks better and better."""

    as_of: dt.datetime
    rows: int
    ranked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """The last 24 hours unless a name says otherwise; ages in seconds, None where there is nothing yet."""

    now: dt.datetime
    wanted: int
    """By the timetables of the offerings that are active now; on a board's first day, since its first slot."""
    planned: int
    done: int
    missed: int
    waiting: int
    coverage: float | None
    """Done ÷ wanted, at most 1."""
    start_delay_p50_s: float | None
    start_delay_p95_s: float | None
    client_lag_p95_ms: float | None
    probe_faults: int
    """Samples we had to throw away for our own clock or event loop."""
    our_failures: dict[str, int]
    """Samples whose fault was ours, by outcome; each is an alarm."""
    planner_age_s: float | None
    newest_sample_age_s: float | None
    newest_ok_age_s: float | None
    snapshot_age_s: float | None
    silent: Sequence[Silent]
    denominators: Sequence[Denominator]
    """Now, a day ago and a week ago, where such snapshots are kept."""
    missing_partitions: Sequence[str]
    days_not_closed: int
    hours: Sequence[HourOfWork]


def watch(now: dt.datetime) -> Watch:
    """Everything at once; about a dozen queries, none of which grows with the history."""
    day_slots = Slot.objects.filter(scheduled_at__gt=now - DAY, scheduled_at__lte=now).aggregate(
        planned=Count("pk"),
        done=Count("pk", filter=Q(finished_at__isnull=False)),
        missed=Count("pk", filter=Q(finished_at__isnull=True, expires_at__lt=now)),
        planner=Max("queued_at", filter=Q(manual=False)),
    )
    first_slot = Slot.objects.aggregate(at=Min("scheduled_at"))["at"] or now - DAY
    start = max(first_slot, now - DAY)
    wanted = len(planned_locations()) * sum(slots_within(table, start, now) for table in timetables(now))
    lag_ms, faults, failures = told_by_samples(now)
    delays = start_delays_s(now)
    newest = Sample.objects.filter(scheduled_at__lte=now).order_by("-scheduled_at").first()
    newest_ok = Offering.objects.aggregate(at=Max("last_ok_at"))["at"]
    snapshot = Snapshot.objects.filter(is_complete=True).order_by("-as_of").first()
    return Watch(
        now=now,
        wanted=wanted,
        planned=day_slots["planned"],
        done=day_slots["done"],
        missed=day_slots["missed"],
        waiting=day_slots["planned"] - day_slots["done"] - day_slots["missed"],
        coverage=share(min(day_slots["done"], wanted), wanted),
        start_delay_p50_s=delays[0],
        start_delay_p95_s=delays[1],
        client_lag_p95_ms=lag_ms,
        probe_faults=faults,
        our_failures=failures,
        planner_age_s=age_s(day_slots["planner"], now),
        newest_sample_age_s=age_s(newest.started_at if newest else None, now),
        newest_ok_age_s=age_s(newest_ok, now),
        snapshot_age_s=age_s(snapshot.as_of if snapshot else None, now),
        silent=silent_offerings(now),
        denominators=denominators(now),
        missing_partitions=[f"{month:%Y-%m}" for month in missing_partitions(months_wanted(now, ahead=1))],
        days_not_closed=DailySummary.objects.filter(final=False, day__lt=(now - 2 * DAY).date())
        .values("day")
        .distinct()
        .count(),
        hours=hours_of_work(now),
    )


def age_s(moment: dt.datetime | None, now: dt.datetime) -> float | None:
    return None if moment is None else (now - moment).total_seconds()


def slots_within(table: Timetable, start: dt.datetime, end: dt.datetime) -> int:
    """How many slots of a timetable lie after `start` and up to `end`."""
    last, before = (
        slot_number(moment, table.interval_s, table.offset_s, table.step_s) for moment in (end, start)
    )
    return last - before


def told_by_samples(now: dt.datetime) -> tuple[float | None, int, dict[str, int]]:
    """Event-loop lag, thrown-away probes and failures of our own in the last day; two queries."""
    recent = Sample.objects.filter(scheduled_at__gt=now - DAY, scheduled_at__lte=now)
    failures = Counter(recent.filter(outcome__in=OUR_FAULT).values_list("outcome", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select percentile_cont(0.95) within group (order by client_lag_ms),
                   count(*) filter (where exclusion_reason in ('probe_fault', 'clock_fault'))
            from measurements_sample where scheduled_at > %s and scheduled_at <= %s""",
            [now - DAY, now],
        )
        lag_ms, faults = cursor.fetchall()[0]
    return lag_ms, faults, dict(sorted(failures.items()))


def start_delays_s(now: dt.datetime) -> tuple[float | None, float | None]:
    """Median and 95th percentile of the seconds from a scheduled slot to its probe's start."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select percentile_cont(array[0.5, 0.95])
                   within group (order by extract(epoch from started_at - scheduled_at)::float8)
            from measurements_slot
            where scheduled_at > %s and scheduled_at <= %s and started_at is not null and not manual""",
            [now - DAY, now],
        )
        delays = cursor.fetchall()[0][0]
    return (delays[0], delays[1]) if delays else (None, None)


def silent_offerings(now: dt.datetime) -> list[Silent]:
    """Active, probed, and stale or never well; two queries."""
    active = Offering.objects.filter(
        probe_state=ProbeState.ACTIVE,
        provider__retired_on__isnull=True,
        provider__benchmarks_forbidden=False,
        provider__opted_out_on__isnull=True,
    ).values_list("pk", "public_id", "interval_s", "last_ok_at")
    stale = [
        (pk, public_id, last_ok_at)
        for pk, public_id, interval_s, last_ok_at in active.order_by("public_id")
        if freshness_of(last_ok_at, as_of=now, interval_s=interval_s) in ("stale", "no_data")
    ]
    outcomes = dict(
        Sample.objects.filter(
            scheduled_at__gt=now - DAY, scheduled_at__lte=now, offering__in=[pk for pk, _, _ in stale]
        )
        .order_by("scheduled_at")
        .values_list("offering", "outcome")
    )
    return [Silent(public_id, last_ok_at, outcomes.get(pk)) for pk, public_id, last_ok_at in stale]


def denominators(now: dt.datetime) -> list[Denominator]:
    """Rows and ranked rows of the 72-hour snapshots of now, a day ago and a week ago."""
    found: list[tuple[int, dt.datetime]] = []
    for age in (dt.timedelta(0), DAY, 7 * DAY):
        snapshot = (
            Snapshot.objects.filter(is_complete=True, window_hours=72, as_of__lte=now - age)
            .order_by("-as_of")
            .first()
        )
        if snapshot is not None and snapshot.pk not in [pk for pk, _ in found]:
            found.append((snapshot.pk, snapshot.as_of))
    counts = {
        row["snapshot"]: row
        for row in Summary.objects.filter(snapshot__in=[pk for pk, _ in found])
        .values("snapshot")
        .annotate(rows=Count("pk"), ranked=Count("rank_speed"))
    }
    empty = {"rows": 0, "ranked": 0}
    return [
        Denominator(as_of, counts.get(pk, empty)["rows"], counts.get(pk, empty)["ranked"])
        for pk, as_of in found
    ]


def hours_of_work(now: dt.datetime) -> list[HourOfWork]:
    """The last 48 UTC hours with the current one, per location; an hour without slots is there with zeros.

    As it stood at `now`, so that the same instant gives the same hours later too.
    """
    last = now.astimezone(dt.UTC).replace(minute=0, second=0, microsecond=0)
    starts = [last - HOUR * n for n in reversed(range(STRIP_HOURS))]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select date_trunc('hour', scheduled_at at time zone 'utc') at time zone 'utc', probe_location,
                   count(*), count(*) filter (where finished_at <= %(now)s),
                   count(*) filter (where expires_at < %(now)s and (finished_at is null or finished_at > %(now)s))
            from measurements_slot where scheduled_at >= %(start)s and scheduled_at <= %(now)s group by 1, 2""",
            {"now": now, "start": starts[0]},
        )
        counted = {(at, place): counts for at, place, *counts in cursor.fetchall()}
    places = sorted({place for _, place in counted})
    return [HourOfWork(at, place, *counted.get((at, place), (0, 0, 0))) for place in places for at in starts]
