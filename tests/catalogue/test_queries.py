from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.queries import prices_in_force
from tests.factories import make_offering, make_price

pytestmark = pytest.mark.django_db

JULY = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
AUGUST = dt.datetime(2026, 8, 1, tzinfo=dt.UTC)


def test_prices_in_force_take_one_query_and_the_list_of_the_instant(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    changed, tiered, unpriced = make_offering(), make_offering(), make_offering()
    old = make_price(changed, valid_from=JULY)
    make_price(changed, valid_from=AUGUST, input_usd_per_mtok="0.05")
    make_price(tiered, valid_from=JULY)
    above = make_price(tiered, valid_from=JULY, context_above_tokens=200_000, input_usd_per_mtok="0.20")
    ids = [changed.id, tiered.id, unpriced.id]

    with django_assert_num_queries(1):
        found = prices_in_force(ids, AUGUST - dt.timedelta(seconds=1), prompt_tokens=250_000)

    assert found == {changed.id: old, tiered.id: above}
    assert prices_in_force(ids, AUGUST)[changed.id].input_usd_per_mtok == Decimal("0.05")
