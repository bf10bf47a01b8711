"""The last page of the flow: prices, three probes now with their outcome as it comes, then publish or review."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from celery.exceptions import OperationalError as CeleryProblem
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from kombu.exceptions import OperationalError as BrokerProblem

from leaderboard.catalogue.admin.price import PriceForm
from leaderboard.catalogue.models import Offering, Price, ProbeState, Provider
from leaderboard.catalogue.queries import prices_in_force
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import plan_now
from leaderboard.measurements.tasks import send
from leaderboard.ranking.models import Snapshot, Summary

SCHEDULER_RUNS_MINUTES = 2
SAMPLES_WANTED = 3
MOST_OFFERINGS = 60
RECENT = dt.timedelta(minutes=15)
BROKER_PROBLEMS = (CeleryProblem, BrokerProblem, OSError)


class GridPriceForm(PriceForm):
    """One row of the price grid; an empty row changes nothing."""

    class Meta:
        model = Price
        fields = ("input_usd_per_mtok", "output_usd_per_mtok", "cache_read_usd_per_mtok", "source_url")


@dataclass(frozen=True, slots=True)
class GridRow:
    offering: Offering
    price: Price | None
    form: GridPriceForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What the probes asked for now have brought so far; None is not known yet."""

    offering: Offering
    done: int
    wanted: int
    outcomes: Mapping[str, int]
    speed_tps: float | None
    ttft_ms: float | None
    would_be: str = ""

    @property
    def is_waiting(self) -> bool:
        return self.done < self.wanted


def offerings_in_hand(provider: Provider) -> QuerySet[Offering]:
    """Those a person has touched, not yet retired: a provider's other listed models are left alone."""
    touched = provider.offerings.filter(Q(edited_by__isnull=False) | Q(approved_at__isnull=False))
    found: QuerySet[Offering] = touched.exclude(probe_state=ProbeState.RETIRED).select_related(
        "provider", "model"
    )
    return found.order_by("public_id")[:MOST_OFFERINGS]


def price_grid(offerings: Iterable[Offering], posted: Mapping[str, str] | None) -> list[GridRow]:
    offerings = list(offerings)
    now = dt.datetime.now(dt.UTC)
    prices = prices_in_force([offering.pk for offering in offerings], now)
    rows = []
    for offering in offerings:
        form = GridPriceForm(posted, prefix=f"price-{offering.pk}", instance=Price(offering=offering))
        rows.append(GridRow(offering, prices.get(offering.pk), form))
    return rows


def ask_for_probes(offerings: Sequence[Offering]) -> str:
    """Claim and send three probes each; a sentence where no worker can be reached, else empty."""
    slots = plan_now(offerings, times=SAMPLES_WANTED)
    try:
        send(slots)
    except BROKER_PROBLEMS:
        return not_sent()
    return ""


def not_sent() -> str:
    """What a person reads where the broker did not answer; a scheduler that runs sends the probes at its next tick."""
    newest = (
        Slot.objects.filter(manual=False).order_by("-queued_at").values_list("queued_at", flat=True).first()
    )
    if newest is None:
        return "Saved. Probes are not running: the scheduler was never seen."
    minutes = int((dt.datetime.now(dt.UTC) - newest).total_seconds() // 60)
    if minutes < SCHEDULER_RUNS_MINUTES:
        return (
            "Saved. The broker did not answer just now; the scheduler runs and sends the probes in a moment."
        )
    return f"Saved. Probes are not running: the scheduler was last seen {minutes} minutes ago."


def progress_of(offerings: Sequence[Offering]) -> list[Progress]:
    """How far the newest probes asked for by hand are, per offering; three queries and one for the ranks."""
    since = dt.datetime.now(dt.UTC) - RECENT
    asked: defaultdict[int, list[Slot]] = defaultdict(list)
    for slot in Slot.objects.filter(
        offering__in=[o.pk for o in offerings],
        manual=True,
        scheduled_at__gte=since,
        probe_location=settings.PROBE_LOCATION,
    ).order_by("scheduled_at"):
        asked[slot.offering_id].append(slot)
    samples: defaultdict[int, list[Sample]] = defaultdict(list)
    for sample in Sample.objects.filter(offering__in=list(asked), scheduled_at__gte=since):
        samples[sample.offering_id].append(sample)
    return [progress(o, asked[o.pk], samples[o.pk]) for o in offerings if asked[o.pk]]


def progress(offering: Offering, slots: Sequence[Slot], samples: Sequence[Sample]) -> Progress:
    newest_minute = max(slot.scheduled_at for slot in slots).replace(second=0, microsecond=0)
    batch = [slot for slot in slots if slot.scheduled_at >= newest_minute]
    mine = [s for s in samples if s.scheduled_at >= newest_minute]
    outcomes: defaultdict[str, int] = defaultdict(int)
    for sample in mine:
        outcomes[sample.outcome] += 1
    speeds = [s.output_speed_tps for s in mine if s.output_speed_tps is not None and not s.excluded]
    waits = [s.ttft_ms for s in mine if s.ttft_ms is not None and s.outcome == "ok"]
    speed = median(speeds) if speeds else None
    done = len({sample.scheduled_at for sample in mine})
    return Progress(
        offering=offering,
        done=min(done, len(batch)),
        wanted=len(batch),
        outcomes=dict(outcomes),
        speed_tps=speed,
        ttft_ms=median(waits) if waits else None,
        would_be=would_be(offering, speed) if speed is not None and done >= len(batch) else "",
    )


def would_be(offering: Offering, speed_tps: float) -> str:
    """Where the speed would stand among the model's offerings of the newest snapshot; empty without any."""
    snapshot = Snapshot.objects.filter(is_complete=True).first()
    others = [
        speed
        for speed in Summary.objects.filter(
            snapshot=snapshot,
            offering__model=offering.model_id,
            simulated=offering.provider.simulated,
            workload=(offering.workloads or ["medium"])[0],
        )
        .exclude(offering=offering.pk)
        .values_list("output_speed_tps_p50", flat=True)
        if speed is not None
    ]
    if not others:
        return ""
    place = 1 + sum(speed > speed_tps for speed in others)
    return f"would be {ordinal(place)} of {len(others) + 1} for speed"


def ordinal(number: int) -> str:
    tail = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{tail}"


def can_approve(user: User, offerings: Iterable[Offering], *, two_person: bool) -> bool:
    """Whether this person may publish them: the last editor may not where review by two is on."""
    return user.has_perm("catalogue.publish_offering") and not (
        two_person and any(offering.edited_by_id == user.pk for offering in offerings)
    )
