"""What is real before anything was measured: who is registered, what is listed, and at which list prices."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from leaderboard.catalogue.models import Offering, Price, ProbeState, Provider
from leaderboard.catalogue.pricing import blended_usd_per_mtok, median_usd_per_mtok
from leaderboard.catalogue.queries import prices_in_force


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A provider with the medians of its offerings' list prices; None where no price is known."""

    provider: Provider
    models: int
    input_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal | None
    priced: int


def registered_providers() -> list[Registered]:
    """Most models first; three queries."""
    offerings = Offering.objects.exclude(probe_state=ProbeState.RETIRED).values_list(
        "id", "provider_id", "model_id"
    )
    models: defaultdict[int, set[int]] = defaultdict(set)
    owner: dict[int, int] = {}
    for offering_id, provider_id, model_id in offerings:
        models[provider_id].add(model_id)
        owner[offering_id] = provider_id
    inputs: defaultdict[int, list[Decimal | None]] = defaultdict(list)
    outputs: defaultdict[int, list[Decimal | None]] = defaultdict(list)
    for offering_id, price in prices_in_force(owner, timezone.now()).items():
        inputs[owner[offering_id]].append(price.input_usd_per_mtok)
        outputs[owner[offering_id]].append(price.output_usd_per_mtok)
    found = [
        Registered(
            provider=provider,
            models=len(models[provider.pk]),
            input_usd_per_mtok=median_usd_per_mtok(inputs[provider.pk])[0],
            output_usd_per_mtok=median_usd_per_mtok(outputs[provider.pk])[0],
            priced=len(inputs[provider.pk]),
        )
        for provider in Provider.objects.filter(simulated=False, retired_on__isnull=True)
    ]
    return sorted(found, key=lambda r: (-r.models, r.provider.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An offering that is sold, without figures in this view; prices are None where none is known."""

    offering: Offering
    input_usd_per_mtok: Decimal | None = None
    output_usd_per_mtok: Decimal | None = None
    cache_read_usd_per_mtok: Decimal | None = None
    blended_usd_per_mtok: Decimal | None = None
    verified_at: dt.datetime | None = None

    @property
    def state(self) -> str:
        """A draft is what catalogues list and nobody here measures."""
        if self.offering.probe_state == ProbeState.DRAFT:
            return "listed"
        reason = self.offering.paused_reason
        return f"paused: {reason}" if reason else self.offering.get_probe_state_display().lower()


def listed_offerings(offerings: Iterable[Offering], *, measured: Collection[str]) -> list[Listed]:
    """The offerings that are not among the measured (by public id) nor retired, cheapest first; one query."""
    chosen = [o for o in offerings if o.public_id not in measured and o.probe_state != ProbeState.RETIRED]
    prices = prices_in_force([o.pk for o in chosen], timezone.now()) if chosen else {}
    return sorted((listed_at(o, prices.get(o.pk)) for o in chosen), key=cheapest_first)


def listed_at(offering: Offering, price: Price | None) -> Listed:
    if price is None:
        return Listed(offering=offering)
    return Listed(
        offering=offering,
        input_usd_per_mtok=price.input_usd_per_mtok,
        output_usd_per_mtok=price.output_usd_per_mtok,
        cache_read_usd_per_mtok=price.cache_read_usd_per_mtok,
        blended_usd_per_mtok=blended_usd_per_mtok(price),
        verified_at=price.verified_at,
    )


def cheapest_first(row: Listed) -> tuple[bool, Decimal, str]:
    """Unknown last."""
    blended = row.blended_usd_per_mtok
    return blended is None, blended or Decimal(0), row.offering.public_id


def listed_sentence(count: int, *, measured: int) -> str:
    """What stands listed beside what is measured; empty where nothing is listed."""
    if not count:
        return ""
    return f"{count} listed, none measured yet." if not measured else f"{count} more listed, not measured."
