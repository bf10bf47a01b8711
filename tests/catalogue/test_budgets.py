from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from leaderboard.catalogue.budgets import Forecast, cap_warning, forecast, pause_sentence, probe_cost_usd
from leaderboard.catalogue.models import Board, Provider
from leaderboard.catalogue.pricing import Rates
from probes.workloads import get_workload
from tests.factories import make_offering, make_price

JULY = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
PRICE = Rates(input_usd_per_mtok=Decimal(1), output_usd_per_mtok=Decimal(2))


def test_probe_is_forecast_at_its_longest() -> None:
    assert probe_cost_usd(PRICE, get_workload("medium")) == Decimal("0.004")
    assert probe_cost_usd(PRICE, get_workload("parallel-10")) == Decimal("0.04")
    assert probe_cost_usd(None, get_workload("medium")) is None


@pytest.mark.django_db
def test_forecast_adds_what_is_priced_and_counts_what_is_not() -> None:
    eight_a_day = make_offering(interval_s=10_800, workloads=["medium", "short"])
    make_price(eight_a_day, valid_from=JULY, input_usd_per_mtok="1", output_usd_per_mtok="2")
    unpriced = make_offering(interval_s=86_400)

    found = forecast([eight_a_day, unpriced], at=JULY)

    assert found == Forecast(
        usd_per_day=8 * (Decimal("0.004") + Decimal("0.0007")), probes_per_day=Decimal(17), unpriced=1
    )


@pytest.mark.django_db
def test_ten_at_once_are_forecast_once_a_day() -> None:
    offering = make_offering(interval_s=10_800, workloads=["medium", "parallel-10"])
    make_price(offering, valid_from=JULY, input_usd_per_mtok="1", output_usd_per_mtok="2")

    found = forecast([offering], at=JULY)

    assert (found.usd_per_day, found.probes_per_day) == (8 * Decimal("0.004") + Decimal("0.04"), Decimal(9))


def test_forecast_above_a_cap_is_said_before_it_costs() -> None:
    provider, board = Provider(name="Alfa", daily_cap_usd=Decimal(1)), Board(daily_cap_usd=Decimal(5))

    assert cap_warning(provider, board, Forecast(Decimal("0.9"), Decimal(8))) == ""
    assert cap_warning(provider, board, Forecast(Decimal("1.5"), Decimal(8))) == (
        "The forecast of 1.50 USD a day is above the daily cap of Alfa of 1.00 USD: "
        "probing would pause each day when it is reached."
    )


def test_reached_cap_pauses_with_its_reason() -> None:
    provider, board = Provider(name="Alfa", daily_cap_usd=Decimal(1)), Board(daily_cap_usd=Decimal(5))

    assert pause_sentence(provider, board, spent_usd=Decimal("0.5"), spent_by_all_usd=Decimal(4)) == ""
    assert pause_sentence(provider, board, spent_usd=Decimal(1), spent_by_all_usd=Decimal(4)) == (
        "Paused until 00:00 UTC: the daily cap of 1.00 USD for Alfa is reached."
    )
    assert pause_sentence(provider, board, spent_usd=Decimal(0), spent_by_all_usd=Decimal(5)) == (
        "Paused until 00:00 UTC: the board's daily cap of 5.00 USD is reached."
    )
