"""What an operator should look at: reviews, keys, prices nobody checked, offerings gone quiet, probes, disk."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Max, Q
from django.urls import reverse

from leaderboard.catalogue.credentials import key_for
from leaderboard.catalogue.models import HeldPrice, Offering, ProbeState, Provider
from leaderboard.measurements.models import Sample, Slot

PRICE_AGE = dt.timedelta(days=30)
STALE_INTERVALS = 4
LEAST_STALE = dt.timedelta(hours=12)
REFUSED_WITHIN = dt.timedelta(days=1)
PROBE_LAG = dt.timedelta(minutes=5)
LEAST_FREE_BYTES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Item:
    text: str
    address: str


def attention(now: dt.datetime) -> list[Item]:
    """What waits, most urgent first; a handful of queries."""
    return [
        *probe_items(now),
        *key_items(),
        *refused_items(now),
        *review_items(),
        *offering_items(now),
        *price_items(now),
        *disk_items(),
    ]


def changelist(model: str, query: str = "") -> str:
    return reverse(f"admin:catalogue_{model}_changelist") + query


def probe_items(now: dt.datetime) -> Iterator[Item]:
    waiting = Slot.objects.filter(
        queued_at__lt=now - PROBE_LAG, started_at=None, finished_at=None, expires_at__gt=now
    ).count()
    if waiting:
        yield Item(f"{waiting} probes wait for more than 5 minutes: is a worker running?", "/status/")


def key_items() -> Iterator[Item]:
    active = Provider.objects.filter(offerings__probe_state=ProbeState.ACTIVE, retired_on=None).distinct()
    for provider in active.filter(~Q(api_key_env="") | ~Q(encrypted_api_key="")):
        if key_for(provider) is None:
            yield Item(
                f"The key of {provider} cannot be read.", reverse("onboarding:test", args=[provider.slug])
            )


def refused_items(now: dt.datetime) -> Iterator[Item]:
    """Keys that were refused, or accounts without credit, in the last probes; silent once an answer came after."""
    recent = Sample.objects.filter(scheduled_at__gt=now - REFUSED_WITHIN, scheduled_at__lte=now)
    refused = recent.filter(outcome__in=("auth", "billing"), simulated=False)
    newest = dict(refused.values_list("offering__provider").annotate(newest=Max("scheduled_at")))
    if not newest:
        return
    answered = (
        Offering.objects.filter(provider__in=newest)
        .values_list("provider")
        .annotate(newest=Max("last_ok_at"))
    )
    well = {pk for pk, at in answered if at and at > newest[pk]}
    for provider in Provider.objects.filter(pk__in=set(newest) - well).order_by("name"):
        yield Item(
            f"The key of {provider} is refused, or its account has no credit.",
            reverse("onboarding:test", args=[provider.slug]),
        )


def review_items() -> Iterator[Item]:
    waiting = Offering.objects.filter(probe_state=ProbeState.PENDING_REVIEW).count()
    if waiting:
        yield Item(
            f"{waiting} offerings wait for review.",
            changelist("offering", "?probe_state__exact=pending_review"),
        )
    held = HeldPrice.objects.filter(resolution="").count()
    if held:
        yield Item(
            f"{held} prices wait to be believed or dismissed.", changelist("heldprice", "?resolution__exact=")
        )


def offering_items(now: dt.datetime) -> Iterator[Item]:
    active = Offering.objects.filter(probe_state=ProbeState.ACTIVE, last_ok_at__isnull=False)
    stale = [
        offering
        for offering in active.only("interval_s", "last_ok_at")
        if offering.last_ok_at
        and now - offering.last_ok_at
        > max(LEAST_STALE, STALE_INTERVALS * dt.timedelta(seconds=offering.interval_s))
    ]
    if stale:
        yield Item(
            f"{len(stale)} active offerings have had no good sample for too long.",
            changelist("offering", "?probe_state__exact=active&o=9"),
        )


def price_items(now: dt.datetime) -> Iterator[Item]:
    checked = Offering.objects.filter(probe_state=ProbeState.ACTIVE).annotate(
        checked=Max("prices__verified_at")
    )
    old = checked.filter(checked__lt=now - PRICE_AGE).count()
    if old:
        yield Item(
            f"{old} active offerings have prices nobody checked for 30 days.",
            changelist("offering", "?probe_state__exact=active&o=8"),
        )


def disk_items() -> Iterator[Item]:
    try:
        free = shutil.disk_usage(settings.DATA_DIR).free
    except OSError:
        return
    if free < LEAST_FREE_BYTES:
        yield Item(f"Only {free // 1_000_000} MB are free where the board keeps its data.", "/status/")
