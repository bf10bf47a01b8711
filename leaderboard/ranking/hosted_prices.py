"""What others ask for the same models: the list prices that own GPUs are held against."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.models import Offering
from leaderboard.catalogue.queries import prices_in_force


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedPrice:
    """One offering's list price of output tokens; offerings without a known price are left out and counted."""

    offering_id: str
    provider_name: str
    model_id: str
    quantization: str
    output_usd_per_mtok: Decimal
    input_usd_per_mtok: Decimal | None


@dataclass(frozen=True, slots=True)
class HostedPrices:
    """Cheapest first, ties by offering id."""

    prices: tuple[HostedPrice, ...]
    unknown: int
    """Offerings of these models whose output price is not known."""

    def cheapest(self, count: int = 3) -> tuple[HostedPrice, ...]:
        """Those that are sold: nothing can be cheaper than free, so free ones make no rule."""
        return tuple(price for price in self.prices if price.output_usd_per_mtok > 0)[:count]


def hosted_prices(model_ids: Iterable[str], *, simulated: bool, now: dt.datetime) -> HostedPrices:
    """List prices in force of what others serve of these models; two queries."""
    offerings = list(
        Offering.objects.filter(model__slug__in=list(model_ids), retired_on=None, provider__retired_on=None)
        .filter(provider__simulated=simulated)
        .exclude(hosting="self_hosted")
        .exclude(provider__kind="self_hosted")
        .select_related("provider", "model")
    )
    in_force = prices_in_force([offering.pk for offering in offerings], now)
    found = [
        HostedPrice(
            offering_id=offering.public_id,
            provider_name=offering.provider.name,
            model_id=offering.model.slug,
            quantization=offering.quantization,
            output_usd_per_mtok=price.output_usd_per_mtok,
            input_usd_per_mtok=price.input_usd_per_mtok,
        )
        for offering in offerings
        if (price := in_force.get(offering.pk)) is not None and price.output_usd_per_mtok is not None
    ]
    found.sort(key=lambda price: (price.output_usd_per_mtok, price.offering_id))
    return HostedPrices(tuple(found), len(offerings) - len(found))
