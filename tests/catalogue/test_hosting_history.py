from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from leaderboard.catalogue.hosting_history import keep_former_terms, terms_at
from leaderboard.catalogue.models import Deployment, FormerTerms
from tests.factories import make_deployment

pytestmark = pytest.mark.django_db

RENTED = {"cost_basis": "rental_on_demand", "usd_per_gpu_hour": "4"}
MONDAY = dt.datetime(2026, 7, 13, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def changed(deployment: Deployment, at: dt.datetime, **fields: Any) -> FormerTerms | None:
    before = Deployment.objects.get(pk=deployment.pk)
    for name, value in fields.items():
        setattr(deployment, name, value)
    former = keep_former_terms(before, deployment, now=at)
    deployment.save()
    deployment.refresh_from_db()
    return former


def hourly_at(deployment: Deployment, moment: dt.datetime) -> Decimal | None:
    return terms_at(deployment, moment).hourly_cost_of(2)


def test_each_instant_has_the_rate_that_held_then() -> None:
    deployment = make_deployment(**RENTED)
    changed(deployment, MONDAY, usd_per_gpu_hour=Decimal(3))
    changed(deployment, MONDAY + 2 * DAY, usd_per_gpu_hour=Decimal(2))

    days = [MONDAY - DAY, MONDAY, MONDAY + DAY, MONDAY + 2 * DAY, MONDAY + 9 * DAY]

    assert [hourly_at(deployment, day) for day in days] == [8, 6, 6, 4, 4]


def test_buying_what_was_rented_keeps_the_rent_of_the_past() -> None:
    deployment = make_deployment(**RENTED)
    bought = {"cost_basis": "owned_amortised", "usd_per_gpu_hour": None, "purchase_usd": Decimal(26_280),
              "lifetime_hours": Decimal(26_280), "watts_per_gpu": Decimal(500), "power_source": "declared",
              "pue": Decimal(1), "usd_per_kwh": Decimal("0.20")}  # fmt: skip

    changed(deployment, MONDAY, **bought)

    assert hourly_at(deployment, MONDAY - DAY) == 8
    assert hourly_at(deployment, MONDAY) == Decimal("1.20")  # 1 USD of purchase and 1 kW


def test_filling_in_what_was_unknown_counts_from_the_beginning() -> None:
    deployment = make_deployment()

    assert changed(deployment, MONDAY, cost_basis="rental_on_demand", usd_per_gpu_hour=Decimal(4)) is None
    assert changed(deployment, MONDAY + DAY, pue=Decimal("1.2")) is None
    assert hourly_at(deployment, MONDAY - DAY) == 8


def test_another_source_or_another_field_is_no_other_rate() -> None:
    deployment = make_deployment(**RENTED, cost_source_url="https://example.com/a")

    assert changed(deployment, MONDAY, cost_source_url="https://example.com/b", region="eu") is None
    assert not FormerTerms.objects.exists()
