"""Reads of the catalogue that more than one step needs."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable

from django.db.models import F, Max, OuterRef, Subquery

from leaderboard.catalogue.models import Price
from leaderboard.catalogue.pricing import price_in_force


def prices_in_force(
    offering_ids: Iterable[int], at: dt.datetime, *, prompt_tokens: int | None = None
) -> dict[int, Price]:
    """The price of each offering at an instant for that prompt length, by offering; those without are left out.

    One query: only each offering's newest price list at that instant is read, whatever its history.
    """
    newest = (
        Price.objects.filter(offering=OuterRef("offering"), valid_from__lte=at)
        .order_by()
        .values("offering")
        .annotate(newest=Max("valid_from"))
        .values("newest")
    )
    lists: defaultdict[int, list[Price]] = defaultdict(list)
    for price in (
        Price.objects.filter(offering__in=list(offering_ids), valid_from__lte=at)
        .annotate(newest=Subquery(newest))
        .filter(valid_from=F("newest"))
        .order_by("offering", "id")
    ):
        lists[price.offering_id].append(price)
    chosen = {key: price_in_force(prices, at, prompt_tokens=prompt_tokens) for key, prices in lists.items()}
    return {key: price for key, price in chosen.items() if price is not None}
