"""Reads of the catalogue that more than one step needs."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.catalogue.models import Offering, Price
from leaderboard.catalogue.pricing import Rates, median_usd_per_mtok, price_in_force


def prices_in_force(
    offering_ids: Iterable[int], at: dt.datetime, *, prompt_tokens: int | None = None
) -> dict[int, Price]:
    """The price of each offering at an instant for that prompt length, by offering; those without are left out.

    One query: only each offering's newest price list at that instant is read, whatever its history.
    """
    lists: defaultdict[int, list[Price]] = defaultdict(list)
    for price in newest_price_lists(offering_ids, at):
        lists[price.offering_id].append(price)
    chosen = {key: price_in_force(prices, at, prompt_tokens=prompt_tokens) for key, prices in lists.items()}
    return {key: price for key, price in chosen.items() if price is not None}


def newest_price_lists(offering_ids: Iterable[int], at: dt.datetime) -> QuerySet[Price]:
    """The rows of each offering's newest list begun by then, by offering and age."""
    newer = Price.objects.filter(
        offering=OuterRef("offering"), valid_from__lte=at, valid_from__gt=OuterRef("valid_from")
    )
    return Price.objects.filter(~Exists(newer), offering__in=list(offering_ids), valid_from__lte=at).order_by(
        "offering_id", "id"
    )


def model_median_rates(
    model_id: int, *, at: dt.datetime | None = None, except_offering: int | None = None
) -> Rates:
    """The median input and output price of a model's offerings, free ones left out; None where none is known."""
    at = at or dt.datetime.now(dt.UTC)
    ids = Offering.objects.filter(model=model_id, retired_on=None).values_list("id", flat=True)
    prices = list(prices_in_force([key for key in ids if key != except_offering], at).values())
    return Rates(
        input_usd_per_mtok=median_usd_per_mtok([p.input_usd_per_mtok or None for p in prices])[0],
        output_usd_per_mtok=median_usd_per_mtok([p.output_usd_per_mtok or None for p in prices])[0],
    )
