"""Changes as stored events: found in the samples and the catalogue by a job, shown in /changes and the feeds.

Each event has a key of its kind, subject and instant, so that finding it again changes nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db import connection

from leaderboard.catalogue.models import Offering, Price, ProbeState
from leaderboard.ranking.changes import LOOKED_AT, Timed, newest_shift, outages
from leaderboard.ranking.counting import IS_COUNTED, IS_OK, IS_TIMED
from leaderboard.ranking.models import Event

LOOK_BACK = dt.timedelta(days=14)
OUTAGE_LOOK_BACK = dt.timedelta(days=3)
MEASURED = {
    Event.Kind.SPEED: ("output_speed_tps", IS_TIMED, 4),
    Event.Kind.TTFT: ("ttft_ms", IS_OK, 3),
}
PRICE_COLUMNS = ("input_usd_per_mtok", "output_usd_per_mtok")


@dataclass(frozen=True, slots=True)
class Line:
    """A series' newest values in order of time."""

    offering: int
    workload: str
    probe_location: str
    methodology_version: str
    simulated: bool
    values: Sequence[Timed]


def find_events(now: dt.datetime) -> int:
    """Look at everything once; how many events are new. A fixed number of queries."""
    public_ids = dict(Offering.objects.values_list("pk", "public_id"))
    events = [*shift_events(now, public_ids), *outage_events(now, public_ids), *catalogue_events()]
    return store(events)


def store(events: Iterable[Event]) -> int:
    """Insert those whose key is new; an outage that was open gets its end."""
    events = list(events)
    known = set(Event.objects.filter(key__in=[e.key for e in events]).values_list("key", flat=True))
    for event in events:
        if event.key in known and event.ended_at is not None:
            Event.objects.filter(key=event.key, ended_at__isnull=True).update(
                ended_at=event.ended_at, detail=event.detail
            )
    new = [event for event in events if event.key not in known]
    Event.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def shift_events(now: dt.datetime, public_ids: dict[int, str]) -> Iterator[Event]:
    for kind, (column, condition, decimals) in MEASURED.items():
        last = last_shifts(kind)
        for line in read_lines(now, column, condition, LOOKED_AT):
            since = last.get((line.offering, line.workload, line.probe_location))
            values = [v for v in line.values if since is None or v[0] >= since]
            shift = newest_shift(values)
            if shift is None:
                continue
            yield Event(
                key=event_key(kind, public_ids[line.offering], line.probe_location, line.workload, shift.at),
                kind=kind,
                at=shift.at,
                offering_id=line.offering,
                probe_location=line.probe_location,
                workload=line.workload,
                column=f"{column}_p50",
                before=f"{round(shift.before, decimals)}",
                after=f"{round(shift.after, decimals)}",
                change=shift.change,
                simulated=line.simulated,
            )


def last_shifts(kind: str) -> dict[tuple[int | None, str, str], dt.datetime]:
    """When each series last changed its level: what came before counts no more."""
    return {
        (offering, workload, location): at
        for offering, workload, location, at in Event.objects.filter(kind=kind)
        .order_by("at")
        .values_list("offering", "workload", "probe_location", "at")
    }


def read_lines(now: dt.datetime, column: str, condition: str, count: int) -> list[Line]:
    """The newest values of every series in the last 14 days, newest method and text only; one query."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            select offering_id, workload, probe_location, methodology_version, bool_or(simulated),
                   array_agg(scheduled_at order by scheduled_at, sequence),
                   array_agg({column} order by scheduled_at, sequence)
            from (
                select *, row_number() over (
                    partition by offering_id, workload, probe_location, methodology_version, workload_version
                    order by scheduled_at desc, sequence desc
                ) as position,
                last_value((methodology_version, workload_version)) over (
                    partition by offering_id, workload, probe_location order by scheduled_at, sequence
                    rows between unbounded preceding and unbounded following
                ) as newest
                from measurements_sample
                where scheduled_at > %s and scheduled_at <= %s and connection_kind = 'warm'
                    and {condition} and {column} is not null
            ) numbered
            where position <= %s and newest = (methodology_version, workload_version)
            group by offering_id, workload, probe_location, methodology_version, workload_version
            order by 1, 2, 3""",  # noqa: S608 columns and conditions are constants of this step
            [now - LOOK_BACK, now, count],
        )
        return [
            Line(offering, workload, place, version, simulated, list(zip(times, values, strict=True)))
            for offering, workload, place, version, simulated, times, values in cursor.fetchall()
        ]


def outage_events(now: dt.datetime, public_ids: dict[int, str]) -> Iterator[Event]:
    """Those of the last three days; one that began before is recognised by the event it left open."""
    open_since = {
        (offering, workload, place): at
        for offering, workload, place, at in Event.objects.filter(
            kind=Event.Kind.OUTAGE, ended_at__isnull=True
        ).values_list("offering", "workload", "probe_location", "at")
    }
    for offering, workload, place, simulated, outcomes in read_outcomes(now):
        for outage in outages(outcomes):
            began = outage.started_at
            if began == outcomes[0][0]:
                began = open_since.get((offering, workload, place), began)
            yield Event(
                key=event_key(Event.Kind.OUTAGE, public_ids[offering], place, workload, began),
                kind=Event.Kind.OUTAGE,
                at=began,
                ended_at=outage.ended_at,
                offering_id=offering,
                probe_location=place,
                workload=workload,
                detail=f"{outage.failures} failed probes in a row",
                simulated=simulated,
            )


Outcomes = list[tuple[dt.datetime, str]]


def read_outcomes(now: dt.datetime) -> list[tuple[int, str, str, bool, Outcomes]]:
    """Outcomes of the last three days of series that failed at all; one query."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            select offering_id, workload, probe_location, bool_or(simulated),
                   array_agg(scheduled_at order by scheduled_at, sequence),
                   array_agg(outcome order by scheduled_at, sequence)
            from measurements_sample
            where scheduled_at > %s and scheduled_at <= %s and connection_kind = 'warm' and {IS_COUNTED}
            group by offering_id, workload, probe_location
            having bool_or(outcome <> 'ok')
            order by 1, 2, 3""",  # noqa: S608 the condition is a constant
            [now - OUTAGE_LOOK_BACK, now],
        )
        return [
            (offering, workload, place, simulated, list(zip(times, outcomes, strict=True)))
            for offering, workload, place, simulated, times, outcomes in cursor.fetchall()
        ]


def catalogue_events() -> Iterator[Event]:
    yield from added_and_retired()
    yield from price_events()


def added_and_retired() -> Iterator[Event]:
    """An offering is added on the day it was first probed, and retired on its date."""
    for offering in Offering.objects.select_related("provider").exclude(first_probed_on=None):
        if offering.first_probed_on is not None:
            yield offering_event(Event.Kind.ADDED, offering, offering.first_probed_on, "")
        if offering.probe_state == ProbeState.RETIRED and offering.retired_on is not None:
            yield offering_event(Event.Kind.RETIRED, offering, offering.retired_on, offering.retired_reason)


def offering_event(kind: Event.Kind, offering: Offering, day: dt.date, detail: str) -> Event:
    at = dt.datetime.combine(day, dt.time(), tzinfo=dt.UTC)
    return Event(
        key=f"{kind}:{offering.public_id}:{day}",
        kind=kind,
        at=at,
        offering=offering,
        detail=detail,
        simulated=offering.provider.simulated,
    )


def price_events() -> Iterator[Event]:
    """Each change of an untiered list price against the one before; the first price of an offering is no change."""
    prices = (
        Price.objects.filter(context_above_tokens__isnull=True, hours_utc="", weekdays="")
        .select_related("offering__provider")
        .order_by("offering", "valid_from")
    )
    for before, after in pairwise(prices):
        if before.offering_id != after.offering_id:
            continue
        for column in PRICE_COLUMNS:
            old, new = getattr(before, column), getattr(after, column)
            if old == new:
                continue
            yield Event(
                key=f"price:{after.offering.public_id}:{column}:{after.valid_from:%Y-%m-%dT%H:%M:%S.%fZ}",
                kind=Event.Kind.PRICE,
                at=after.valid_from,
                offering=after.offering,
                column=column,
                before="" if old is None else f"{old.normalize():f}",
                after="" if new is None else f"{new.normalize():f}",
                change=float(new / old - 1) if old and new is not None else None,
                simulated=after.offering.provider.simulated,
            )


def event_key(kind: str, public_id: str, place: str, workload: str, at: dt.datetime) -> str:
    return f"{kind}:{public_id}:{place}:{workload}:{at.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
