from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from leaderboard.catalogue.pricing import (
    CACHED_BLEND,
    BadBlend,
    Rates,
    blended,
    cost_usd,
    in_hours,
    is_free,
    median_usd_per_mtok,
    parse_blend,
    price_in_force,
)
from tests.catalogue.terms import Terms

JULY = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
AUGUST = dt.datetime(2026, 8, 1, tzinfo=dt.UTC)


def test_cached_mix_falls_back_to_input_and_says_so() -> None:
    price = Rates(input_usd_per_mtok=Decimal("0.10"), output_usd_per_mtok=Decimal("0.40"))

    mixed = blended(price, CACHED_BLEND)

    assert mixed.usd_per_mtok == Decimal("0.13")
    assert mixed.fell_back_to_input
    assert mixed.blend == "cache_read:input:output=7:2:1"


def test_cached_mix_uses_a_free_cache_rate() -> None:
    price = Rates(
        input_usd_per_mtok=Decimal("0.10"),
        output_usd_per_mtok=Decimal("0.40"),
        cache_read_usd_per_mtok=Decimal(0),
    )

    mixed = blended(price, CACHED_BLEND)

    assert (mixed.usd_per_mtok, mixed.fell_back_to_input) == (Decimal("0.06"), False)


def test_mix_of_a_visitor_needs_only_the_rates_it_weighs() -> None:
    price = Rates(output_usd_per_mtok=Decimal("0.40"))

    assert blended(price, parse_blend("input:output=0:1")).usd_per_mtok == Decimal("0.40")
    assert blended(price).usd_per_mtok is None
    assert blended(None).usd_per_mtok is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3:1",
        "input:output=3",
        "input:input=1:1",
        "input=0",
        "input:lunch=1:1",
        "input=1e9",
        "input=1.1.1",
    ],
)
def test_mix_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadBlend):
        parse_blend(text)


def test_unknown_free_and_zero_tokens_are_three_things() -> None:
    unknown = Rates(input_usd_per_mtok=Decimal(1))
    free = Rates(input_usd_per_mtok=Decimal(0), output_usd_per_mtok=Decimal(0))

    assert cost_usd(unknown, input_tokens=10, output_tokens=10) is None
    assert cost_usd(unknown, input_tokens=10, output_tokens=0) == Decimal("0.00001")
    assert cost_usd(free, input_tokens=None, output_tokens=None) == 0
    assert cost_usd(None, input_tokens=0, output_tokens=0) is None
    assert (is_free(free), is_free(unknown), is_free(Rates())) == (True, False, False)


def test_reasoning_rate_is_charged_for_its_part_and_a_request_has_its_fee() -> None:
    price = Rates(
        input_usd_per_mtok=Decimal(1),
        output_usd_per_mtok=Decimal(10),
        reasoning_usd_per_mtok=Decimal(4),
        request_usd=Decimal("0.005"),
    )

    cost = cost_usd(price, input_tokens=1000, output_tokens=500, reasoning_tokens=400)

    assert cost == Decimal("0.001") + Decimal("0.001") + Decimal("0.0016") + Decimal("0.005")


def test_price_holds_from_its_first_instant_until_the_next() -> None:
    old, new = Terms(valid_from=JULY), Terms(valid_from=AUGUST)

    assert price_in_force([new, old], AUGUST - dt.timedelta(microseconds=1)) is old
    assert price_in_force([new, old], AUGUST) is new
    assert price_in_force([new, old], JULY - dt.timedelta(seconds=1)) is None


def test_price_with_an_announced_end_is_over_then() -> None:
    price = Terms(valid_from=JULY, valid_to=AUGUST)

    assert price_in_force([price], AUGUST - dt.timedelta(seconds=1)) is price
    assert price_in_force([price], AUGUST) is None


def test_new_list_without_tiers_ends_the_tiers_of_the_old_one() -> None:
    flat, tier = Terms(valid_from=JULY), Terms(valid_from=JULY, context_above_tokens=200_000)
    later = Terms(valid_from=AUGUST)

    assert price_in_force([flat, tier], JULY, prompt_tokens=200_001) is tier
    assert price_in_force([flat, tier], JULY) is flat
    assert price_in_force([flat, tier, later], AUGUST, prompt_tokens=200_001) is later


@pytest.mark.parametrize(
    ("hours", "weekdays", "at", "inside"),
    [
        ("16:30-00:30", "", "2026-07-14T16:30:00+00:00", True),
        ("16:30-00:30", "", "2026-07-15T00:29:59+00:00", True),
        ("16:30-00:30", "", "2026-07-15T00:30:00+00:00", False),
        ("08:00-18:00", "", "2026-07-15T18:00:00+00:00", False),
        ("08:00-18:00", "", "2026-07-15T19:00:00+02:00", True),
        ("", "Sat;Sun", "2026-07-18T00:00:00+00:00", True),
        ("", "Sat;Sun", "2026-07-20T00:00:00+00:00", False),
        ("22:00-06:00", "Fri", "2026-07-18T05:00:00+00:00", True),
        ("22:00-06:00", "Fri", "2026-07-17T05:00:00+00:00", False),
    ],
)
def test_hours_and_weekdays_are_utc(hours: str, weekdays: str, at: str, inside: bool) -> None:
    assert in_hours(hours, weekdays, dt.datetime.fromisoformat(at)) is inside


def test_row_bound_to_hours_beats_the_row_of_all_day() -> None:
    day, night = Terms(valid_from=JULY), Terms(valid_from=JULY, hours_utc="16:30-00:30")

    assert price_in_force([night, day], JULY + dt.timedelta(hours=17)) is night
    assert price_in_force([night, day], JULY + dt.timedelta(hours=9)) is day


def test_median_counts_free_and_leaves_out_what_is_no_price() -> None:
    prices = [Decimal(0), None, Decimal(-1), Decimal("NaN"), Decimal("Infinity"), Decimal("0.5")]

    assert median_usd_per_mtok(prices) == (Decimal("0.25"), 2)
    assert median_usd_per_mtok([None]) == (None, 0)
