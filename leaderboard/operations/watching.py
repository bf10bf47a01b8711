"""What an operator must know, as figures: one place for /metrics and the alarms, so that they cannot differ."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import kombu
from django.conf import settings
from django.db.models import Avg, Count, F, Max, Min, Q

from leaderboard.catalogue.models import Offering, ProbeState, Provider
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.partitions import missing_partitions, months_wanted
from leaderboard.measurements.spending import providers_over_cap
from leaderboard.ranking.models import Snapshot

HOUR = dt.timedelta(hours=1)
REFUSALS_WITHIN = dt.timedelta(hours=6)
BROKER_TIMEOUT_S = 2


@dataclass(frozen=True, slots=True)
class SlotCounts:
    """Of the slots of the last hour; `waiting` and `oldest_wait_s` of those that may still start."""

    planned: int
    finished: int
    missed: int
    waiting: int
    start_delay_s: float | None
    oldest_wait_s: float | None


def slot_counts(now: dt.datetime) -> SlotCounts:
    """One query."""
    open_still = Q(started_at__isnull=True, finished_at__isnull=True, expires_at__gte=now)
    counts = Slot.objects.filter(scheduled_at__gt=now - HOUR, scheduled_at__lte=now).aggregate(
        planned=Count("pk"),
        finished=Count("pk", filter=Q(finished_at__isnull=False)),
        missed=Count("pk", filter=Q(finished_at__isnull=True, expires_at__lt=now)),
        waiting=Count("pk", filter=open_still),
        wait=Avg(F("started_at") - F("scheduled_at"), filter=Q(started_at__isnull=False, manual=False)),
        oldest=Min("queued_at", filter=open_still),
    )
    wait, oldest = counts["wait"], counts["oldest"]
    return SlotCounts(
        planned=counts["planned"],
        finished=counts["finished"],
        missed=counts["missed"],
        waiting=counts["waiting"],
        start_delay_s=wait.total_seconds() if wait is not None else None,
        oldest_wait_s=(now - oldest).total_seconds() if oldest is not None else None,
    )


def outcomes(now: dt.datetime) -> dict[tuple[str, bool], int]:
    """Samples of the last hour's slots by outcome and whether they are simulated; one query."""
    recent = Sample.objects.filter(scheduled_at__gt=now - HOUR, scheduled_at__lte=now)
    rows = recent.order_by().values_list("outcome", "simulated").annotate(number=Count("*"))
    return {(outcome, simulated): number for outcome, simulated, number in rows}


def faults_of_ours(now: dt.datetime) -> dict[str, int]:
    """Real samples of the last hour that failed by our own fault, by `outcome: detail`; one query."""
    recent = Sample.objects.filter(
        scheduled_at__gt=now - HOUR,
        scheduled_at__lte=now,
        simulated=False,
        outcome__in=("ours", "bad_request"),
    )
    rows = recent.order_by().values_list("outcome", "detail").annotate(number=Count("*"))
    return {f"{outcome}: {detail or 'no detail'}": number for outcome, detail, number in rows}


def refusing_providers(now: dt.datetime) -> list[Provider]:
    """Real providers that last answered our key with a refusal (401, 403, 402); two queries."""
    refusals = dict(
        Sample.objects.filter(
            scheduled_at__gt=now - REFUSALS_WITHIN,
            scheduled_at__lte=now,
            simulated=False,
            outcome__in=("auth", "billing"),
        )
        .order_by()
        .values_list("offering__provider")
        .annotate(last=Max("started_at"))
    )
    if not refusals:
        return []
    found = Provider.objects.filter(pk__in=refusals).annotate(last_ok=Max("offerings__last_ok_at"))
    return [p for p in found.order_by("slug") if p.last_ok is None or p.last_ok < refusals[p.pk]]


def providers_at_cap(now: dt.datetime) -> list[Provider]:
    """Real providers that probing has spent today's budget of; four queries at most."""
    over = providers_over_cap(now)
    return list(Provider.objects.filter(pk__in=over).order_by("slug")) if over else []


def partitions_ahead(now: dt.datetime) -> int:
    """Months after this one whose partition is there, counted without a gap; -1 where this month's is missing."""
    wanted = months_wanted(now)
    missing = set(missing_partitions(wanted))
    return next((number for number, month in enumerate(wanted) if month in missing), len(wanted)) - 1


def snapshot_age(now: dt.datetime) -> dt.timedelta | None:
    """Of the newest complete snapshot; None before the first."""
    newest = Snapshot.objects.filter(is_complete=True, as_of__lte=now).aggregate(at=Max("as_of"))["at"]
    return None if newest is None else now - newest


def last_ok_age(now: dt.datetime) -> dt.timedelta | None:
    """Of the newest good sample, real or simulated."""
    newest = Offering.objects.aggregate(at=Max("last_ok_at"))["at"]
    return None if newest is None else now - newest


@dataclass(frozen=True, slots=True)
class ActiveOfferings:
    """The real offerings that are to be probed."""

    number: int
    shortest_interval_s: int | None
    last_ok_at: dt.datetime | None


def active_offerings() -> ActiveOfferings:
    found = Offering.objects.filter(
        probe_state=ProbeState.ACTIVE, provider__simulated=False, provider__retired_on__isnull=True
    ).aggregate(number=Count("pk"), shortest=Min("interval_s"), last=Max("last_ok_at"))
    return ActiveOfferings(found["number"], found["shortest"], found["last"])


def known_queues(now: dt.datetime) -> list[str]:
    """The board's own queue and one for each location that had slots in the last hour; one query."""
    recent = Slot.objects.filter(scheduled_at__gt=now - HOUR, scheduled_at__lte=now)
    locations = {*recent.values_list("probe_location", flat=True).distinct(), settings.PROBE_LOCATION}
    return ["board", *(f"probes.{location}" for location in sorted(locations))]


def queue_lengths(queues: Iterable[str]) -> dict[str, int]:
    """Messages waiting at the broker by queue; empty where it does not answer, without a queue that is not there."""
    lengths = {}
    try:
        with kombu.Connection(settings.CELERY_BROKER_URL, connect_timeout=BROKER_TIMEOUT_S) as broker:
            broker.ensure_connection(max_retries=0, timeout=BROKER_TIMEOUT_S)
            for queue in queues:
                lengths[queue] = length_of(broker, queue)
    except Exception:  # every transport has errors of its own
        return {}
    return {queue: length for queue, length in lengths.items() if length is not None}


def length_of(broker: kombu.Connection, queue: str) -> int | None:
    """A channel for each: RabbitMQ closes the one on which a missing queue was asked for."""
    channel: Any = broker.channel()
    try:
        return int(channel.queue_declare(queue, passive=True).message_count)
    except (*broker.channel_errors, *broker.connection_errors):
        return None
    finally:
        channel.close()
