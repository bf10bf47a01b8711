"""Claims on slots. Inserting the row is the claim, on a natural key: two planners at once are harmless."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

from django.db import connection, transaction
from django.db.models import Q

from leaderboard.catalogue.models import Offering, ProbeState
from leaderboard.catalogue.review import resume
from leaderboard.measurements.due import (
    DAILY_STEP_S,
    DueSlot,
    InFlight,
    Timetable,
    admitted,
    due_slots,
    offset_s,
)
from leaderboard.measurements.locations import own_location, planned_locations
from leaderboard.measurements.models import Slot
from leaderboard.measurements.spending import cap_pauses, tell_providers
from probes.workloads import DEFAULT_WORKLOAD, WORKLOADS, Workload, get_workload

HARD_LIMIT_S = 300
"""No probe runs longer; a slot that was started longer ago and left no sample is not in flight but dead."""
MANUAL_EXPIRY = dt.timedelta(minutes=30)
UNSENT_AFTER = dt.timedelta(seconds=15)
"""A claim whose message never left (a crash, no broker) is sent by a later tick."""
NEVER_TAKEN_AFTER = dt.timedelta(seconds=30)
ADVISORY_LOCK = 0x51075
SLOTS_KEPT = dt.timedelta(days=40)
"""Daily rows count a day's slots when it closes; after that nobody asks for them."""


def claim_due(now: dt.datetime) -> list[Slot]:
    """Claim what is due, at every location; returns only slots that nobody had claimed before.

    A second planner that comes while one is at work claims nothing.
    """
    with transaction.atomic():
        if not taken_alone():
            return []
        resume_paused(now)
        due = due_slots(timetables(now), now)
        if not due:
            return []
        over_cap = cap_pauses(now)
        tell_providers(over_cap, asked=(slot.provider_id for slot in due), now=now)
        affordable = [slot for slot in due if slot.provider_id not in over_cap]
        return [slot for location in planned_locations() for slot in claim_at(location, affordable, now)]


def claim_at(location: str, due: Sequence[DueSlot], now: dt.datetime) -> list[Slot]:
    """Each location has its own limits: its probes share no machine with another's. Four queries."""
    unclaimed = leave_out_claimed(due, location)
    return insert_claims(admitted(unclaimed, in_flight(now, location)), location, manual=False)


def taken_alone() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        row = cursor.fetchone()
    return bool(row and row[0])


def resume_paused(now: dt.datetime) -> None:
    """Take up offerings whose pause had an end that is past; one query where there are none."""
    over = Offering.objects.filter(probe_state=ProbeState.PAUSED, paused_until__lte=now)
    for offering in over.select_related("provider"):
        resume(offering, None)


def timetables(now: dt.datetime) -> list[Timetable]:
    """Of every offering that may be probed; one query."""
    pause_over = Q(paused_until__isnull=True) | Q(paused_until__lte=now)
    provider_active = Q(provider__paused_until__isnull=True, provider__paused_reason="") | Q(
        provider__paused_until__lte=now
    )
    offerings = Offering.objects.filter(
        pause_over,
        provider_active,
        probe_state=ProbeState.ACTIVE,
        provider__retired_on__isnull=True,
        provider__benchmarks_forbidden=False,
        provider__opted_out_on__isnull=True,
    ).values_list("pk", "public_id", "provider_id", "interval_s", "workloads", "not_before")
    return [
        timetable(pk, public_id, provider_id, get_workload(slug), usual_s=interval_s, not_before=not_before)
        for pk, public_id, provider_id, interval_s, workloads, not_before in offerings
        for slug in workloads or [DEFAULT_WORKLOAD]
        if slug in WORKLOADS
    ]


def timetable(
    pk: int,
    public_id: str,
    provider_id: int,
    workload: Workload,
    *,
    usual_s: int,
    not_before: dt.datetime | None,
) -> Timetable:
    """`usual_s` is the offering's interval; a daily workload keeps to its own."""
    interval_s = workload.interval_s(usual_s)
    return Timetable(
        offering_id=pk,
        provider_id=provider_id,
        workload=workload.slug,
        interval_s=interval_s,
        offset_s=offset_s(public_id, workload.slug, interval_s),
        step_s=DAILY_STEP_S if workload.is_daily else 0,
        not_before=not_before,
    )


def leave_out_claimed(due: Sequence[DueSlot], location: str) -> list[DueSlot]:
    """Those without a Slot row yet; one query over the open slots only."""
    if not due:
        return []
    claimed = set(
        Slot.objects.filter(
            probe_location=location,
            scheduled_at__gte=min(slot.scheduled_at for slot in due),
        ).values_list("offering_id", "workload", "scheduled_at")
    )
    return [s for s in due if (s.offering_id, s.workload, s.scheduled_at) not in claimed]


def in_flight(now: dt.datetime, location: str) -> InFlight:
    """Queued or running at one location: waiting and not expired, or started and not yet dead; one query."""
    waiting = Q(started_at__isnull=True, expires_at__gte=now)
    running = Q(started_at__gt=now - dt.timedelta(seconds=HARD_LIMIT_S), started_at__lte=now)
    pairs = Slot.objects.filter(
        waiting | running, probe_location=location, finished_at__isnull=True
    ).values_list("offering_id", "offering__provider_id")
    return InFlight(frozenset(o for o, _ in pairs), Counter(p for _, p in pairs))


def insert_claims(slots: Iterable[DueSlot], location: str, *, manual: bool) -> list[Slot]:
    """Insert or ignore; the rows that this call inserted. One query."""
    slots = list(slots)
    if not slots:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            """
            insert into measurements_slot
                (offering_id, workload, probe_location, scheduled_at, expires_at, manual)
            select offering_id, workload, %(location)s, scheduled_at, expires_at, %(manual)s
            from unnest(%(offerings)s::bigint[], %(workloads)s::text[], %(times)s::timestamptz[],
                        %(expiries)s::timestamptz[]) as due (offering_id, workload, scheduled_at, expires_at)
            on conflict do nothing
            returning id
            """,
            {
                "location": location,
                "manual": manual,
                "offerings": [slot.offering_id for slot in slots],
                "workloads": [slot.workload for slot in slots],
                "times": [slot.scheduled_at for slot in slots],
                "expiries": [slot.expires_at for slot in slots],
            },
        )
        ids = [row[0] for row in cursor.fetchall()]
    return list(Slot.objects.filter(pk__in=ids).order_by("pk"))


def plan_now(
    offerings: Iterable[Offering],
    *,
    workload: str | None = None,
    times: int = 1,
    now: dt.datetime | None = None,
) -> list[Slot]:
    """Claim probes outside the schedule, `times` for each offering; returns those that are new, to be sent.

    Their instants are whole milliseconds after the minute, never a schedule's whole seconds, so that asking again
    within the minute claims nothing new and no scheduled slot is taken. Offerings that must not be probed are left
    out; a pause, a draft state and a cap do not stop an operator.
    """
    now = now or dt.datetime.now(dt.UTC)
    minute = now.replace(second=0, microsecond=0)
    slots = [
        DueSlot(
            offering_id=offering.pk,
            provider_id=offering.provider_id,
            workload=workload or (offering.workloads or [DEFAULT_WORKLOAD])[0],
            scheduled_at=minute + dt.timedelta(milliseconds=1 + number),
            expires_at=now + MANUAL_EXPIRY,
        )
        for offering in offerings
        if not offering.provider.probing_forbidden
        for number in range(times)
    ]
    return insert_claims(slots, own_location(), manual=True)


def unsent(now: dt.datetime) -> list[Slot]:
    """Claims whose message never left, and that may still start; one query."""
    return list(
        Slot.objects.filter(
            sent_at__isnull=True,
            started_at__isnull=True,
            finished_at__isnull=True,
            queued_at__lt=now - UNSENT_AFTER,
            expires_at__gt=now,
        ).order_by("pk")
    )


def forget_old_slots(now: dt.datetime) -> int:
    """Delete slots of days that were closed long ago; how many. The samples stay."""
    deleted, _ = Slot.objects.filter(scheduled_at__lt=now - SLOTS_KEPT).delete()
    return deleted


def never_taken(now: dt.datetime) -> list[Slot]:
    """Sent a while ago, taken up by nobody, and still to be started; they wait in a queue or were lost. One query."""
    return list(
        Slot.objects.filter(
            sent_at__lt=now - NEVER_TAKEN_AFTER,
            started_at__isnull=True,
            finished_at__isnull=True,
            expires_at__gt=now,
        ).order_by("pk")
    )
