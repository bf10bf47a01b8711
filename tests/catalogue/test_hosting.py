from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from leaderboard.catalogue.hosting import (
    ModelShape,
    Ownership,
    Rental,
    break_even_utilisation,
    fit,
    joules_per_token,
    kwh_per_mtok,
    tokens_per_usd,
    usd_per_mtok,
)


def test_usd_per_mtok_gives_the_methodology_s_worked_example() -> None:
    price = usd_per_mtok(hourly_cost_usd=Decimal("1.30"), throughput_tps=Decimal(1000))

    assert price is not None
    assert round(price, 3) == Decimal("0.361")


@pytest.mark.parametrize(("utilisation", "expected"), [("1", "0.1536"), ("0.5", "0.3071")])
def test_usd_per_mtok_doubles_at_half_use(utilisation: str, expected: str) -> None:
    price = usd_per_mtok(
        hourly_cost_usd=Decimal(4), throughput_tps=Decimal(7236), utilisation=Decimal(utilisation)
    )

    assert price is not None
    assert round(price, 4) == Decimal(expected)


def test_tokens_per_usd_is_the_reciprocal() -> None:
    price = usd_per_mtok(hourly_cost_usd=Decimal(4), throughput_tps=Decimal(7236))
    tokens = tokens_per_usd(hourly_cost_usd=Decimal(4), throughput_tps=Decimal(7236))

    assert price is not None
    assert tokens == 1 / price


@pytest.mark.parametrize("utilisation", ["0", "-0.1", "1.01"])
def test_usd_per_mtok_refuses_an_impossible_utilisation(utilisation: str) -> None:
    with pytest.raises(ValueError, match="share over 0 and at most 1"):
        usd_per_mtok(hourly_cost_usd=Decimal(1), throughput_tps=Decimal(1), utilisation=Decimal(utilisation))


def test_unknown_cost_stays_unknown() -> None:
    assert Rental(gpu_count=8, usd_per_gpu_hour=None).hourly_cost_usd() is None
    assert usd_per_mtok(hourly_cost_usd=None, throughput_tps=Decimal(1000)) is None
    assert usd_per_mtok(hourly_cost_usd=Decimal(2), throughput_tps=None) is None
    assert usd_per_mtok(hourly_cost_usd=Decimal(2), throughput_tps=Decimal(0)) is None
    assert joules_per_token(gpu_count=1, watts_per_gpu=None, throughput_tps=Decimal(9)) is None


def test_owned_gpus_cost_their_write_off_and_their_power() -> None:
    owned = Ownership(
        gpu_count=8,
        purchase_usd=Decimal(262_800),
        lifetime_hours=Decimal(26_280),  # three years
        watts_per_gpu=Decimal(700),
        pue=Decimal("1.25"),
        usd_per_kwh=Decimal("0.10"),
    )

    # 10 USD of write-off; 8 × 0.7 kW × 1.25 × 0.10 = 0.70 USD of power
    assert owned.hourly_cost_usd() == Decimal("10.70")


def test_owned_gpus_without_a_price_of_power_are_unknown() -> None:
    owned = Ownership(
        gpu_count=1,
        purchase_usd=Decimal(1000),
        lifetime_hours=Decimal(1000),
        watts_per_gpu=Decimal(700),
        pue=Decimal(1),
        usd_per_kwh=None,
    )

    assert owned.hourly_cost_usd() is None


def test_break_even_is_where_both_cost_the_same() -> None:
    share = break_even_utilisation(
        hourly_cost_usd=Decimal(4), throughput_tps=Decimal(7236), list_usd_per_mtok=Decimal("0.30")
    )

    assert share is not None
    own = usd_per_mtok(hourly_cost_usd=Decimal(4), throughput_tps=Decimal(7236), utilisation=share)
    assert own is not None
    assert round(own, 12) == Decimal("0.30")
    assert round(share, 3) == Decimal("0.512")


def test_break_even_against_free_is_unknown() -> None:
    assert (
        break_even_utilisation(
            hourly_cost_usd=Decimal(4), throughput_tps=Decimal(10), list_usd_per_mtok=Decimal(0)
        )
        is None
    )


def test_energy_of_a_token_and_of_a_million() -> None:
    joules = joules_per_token(
        gpu_count=1, watts_per_gpu=Decimal(1000), throughput_tps=Decimal(2000), pue=Decimal("1.2")
    )

    assert joules == Decimal("0.6")
    # 0.6 J × 1e6 / 3.6e6 J per kWh
    assert kwh_per_mtok(joules) == Decimal(600) / Decimal(3600)


def test_fit_adds_weights_and_cache_and_bounds_the_speed() -> None:
    shape = ModelShape(
        params_total_b=Decimal(70),
        params_active_b=Decimal(70),
        bits_per_weight=Decimal(8),
        layers=80,
        kv_heads=8,
        head_size=128,
    )

    found = fit(
        shape,
        gpu_count=1,
        memory_gib=Decimal(141),
        bandwidth_gb_per_s=Decimal(4800),
        context_tokens=8192,
        concurrency=16,
    )

    # 2 × 80 × 8 × 128 × 2 bytes = 327,680 bytes a token; × 8,192 × 16 = 40 GiB
    assert found.cache_gib == Decimal(40)
    assert round(found.weights_gib, 2) == Decimal("65.19")
    assert found.usable_gib == Decimal("126.9")
    assert found.fits
    # 4.8e12 / (70e9 + 327,680 × 8,192)
    assert found.speed_bound_tps is not None
    assert round(found.speed_bound_tps, 1) == Decimal("66.0")


def test_fit_says_no_when_memory_is_short() -> None:
    shape = ModelShape(params_total_b=Decimal(120), params_active_b=Decimal(5), bits_per_weight=Decimal(16))

    found = fit(
        shape,
        gpu_count=1,
        memory_gib=Decimal(80),
        bandwidth_gb_per_s=None,
        context_tokens=1,
        concurrency=1,
    )

    assert not found.fits
    assert found.cache_gib is None
    assert found.speed_bound_tps is None


# One machine of eight, worked by hand: bought for 280,320 USD and written off over four years (35,040 h), or rented.
# Write-off 8 USD an hour. Power 8 × 0.7 kW × 1.25 × 0.12 USD = 0.84 USD. Rent 8 × 2.16 = 17.28 USD.
# 12,000 output tokens/s are 43.2 million an hour.
BOUGHT = Ownership(
    gpu_count=8,
    purchase_usd=Decimal(280_320),
    lifetime_hours=Decimal(35_040),
    watts_per_gpu=Decimal(700),
    pue=Decimal("1.25"),
    usd_per_kwh=Decimal("0.12"),
)
RENTED = Rental(gpu_count=8, usd_per_gpu_hour=Decimal("2.16"))
FULL_TPS = Decimal(12_000)


@pytest.mark.parametrize(
    ("hourly", "utilisation", "millionths"),
    [
        (RENTED.hourly_cost_usd(), "1", 400_000),  # 17.28 / 43.2
        (RENTED.hourly_cost_usd(), "0.25", 1_600_000),
        (RENTED.hourly_cost_usd(), "0.125", 3_200_000),
        (BOUGHT.hourly_cost_usd(), "1", 204_630),  # 8.84 / 43.2
        (BOUGHT.hourly_cost_usd(), "0.25", 818_519),
    ],
)
def test_a_machine_rented_and_bought_at_several_uses(
    hourly: Decimal, utilisation: str, millionths: int
) -> None:
    price = usd_per_mtok(hourly_cost_usd=hourly, throughput_tps=FULL_TPS, utilisation=Decimal(utilisation))

    assert price is not None
    assert round(price * 1_000_000) == millionths


@pytest.mark.parametrize(
    ("list_usd", "share"),
    [
        ("1.60", "0.25"),
        ("0.80", "0.5"),
        ("0.40", "1"),
        ("0.20", "2"),  # never: full use costs twice as much
    ],
)
def test_break_even_of_the_rented_machine(list_usd: str, share: str) -> None:
    assert break_even_utilisation(
        hourly_cost_usd=RENTED.hourly_cost_usd(),
        throughput_tps=FULL_TPS,
        list_usd_per_mtok=Decimal(list_usd),
    ) == Decimal(share)


def test_a_machine_that_was_given_still_costs_its_power() -> None:
    given = replace(BOUGHT, purchase_usd=Decimal(0))

    assert given.hourly_cost_usd() == Decimal("0.84")


def test_a_machine_that_costs_nothing_breaks_even_at_once_and_gives_no_tokens_per_usd() -> None:
    free = {"hourly_cost_usd": Decimal(0), "throughput_tps": FULL_TPS}

    assert usd_per_mtok(**free) == 0
    assert break_even_utilisation(**free, list_usd_per_mtok=Decimal("0.40")) == 0
    assert tokens_per_usd(**free) is None


@pytest.mark.parametrize("missing", ["purchase_usd", "lifetime_hours", "watts_per_gpu", "pue", "usd_per_kwh"])
def test_owning_with_any_figure_missing_is_unknown_and_never_zero(missing: str) -> None:
    unknown: dict[str, Any] = {missing: None}

    assert replace(BOUGHT, **unknown).hourly_cost_usd() is None


@pytest.mark.parametrize(("pue", "joules"), [("1", "0.56"), ("1.25", "0.7")])
def test_the_energy_of_a_token_counts_every_gpu_and_the_meter_s_share(pue: str, joules: str) -> None:
    # 8 × 840 W / 12,000 tokens/s
    found = joules_per_token(
        gpu_count=8, watts_per_gpu=Decimal(840), throughput_tps=FULL_TPS, pue=Decimal(pue)
    )

    assert found == Decimal(joules)
    assert kwh_per_mtok(found) == found * 1_000_000 / 3_600_000
