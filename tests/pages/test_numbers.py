from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from leaderboard.pages.numbers import age, money, percent, published, whole

NOW = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "ms", ""),
        (float("nan"), "ms", ""),
        (205.0, "ms", "205"),
        (205.00049, "ms", "205"),
        (0.00005, "tps", "0"),
        (773.12345, "tps", "773.1234"),
        (0.999999, "rate", "0.999999"),
        (Decimal("0.10000000"), "usd", "0.1"),
        (Decimal("0E-8"), "usd", "0"),
        (1e-7, "usd", "0.0000001"),
    ],
)
def test_published_value_is_rounded_half_even_and_plain(
    value: float | Decimal | None, kind: str, text: str
) -> None:
    assert published(value, kind) == text


@pytest.mark.parametrize(
    ("value", "text"), [(3502.4, "3,502"), (9.96, "10.0"), (3.04, "3"), (3.44, "3.4"), (0, "0")]
)
def test_whole_numbers_keep_a_tenth_below_ten(value: float, text: str) -> None:
    assert whole(value) == text.removesuffix(".0")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.379, "4.38"),
        (0.16, "0.16"),
        (0.448, "0.448"),
        (0.0125, "0.0125"),
        (12.5, "12.50"),
        (120, "120"),
        (0, "0"),
    ],
)
def test_money_has_three_significant_digits(value: float, text: str) -> None:
    assert money(Decimal(str(value))) == text


@pytest.mark.parametrize(("value", "text"), [(1.0, "100"), (0.9999, "99.9"), (0.952, "95.2"), (0, "0")])
def test_less_than_all_is_never_100_percent(value: float, text: str) -> None:
    assert percent(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (10, "under a minute"),
        (60, "1 minute"),
        (7300, "2 hours"),
        (200_000, "2 days"),
        (-5, "under a minute"),
    ],
)
def test_age_is_one_unit(seconds: int, text: str) -> None:
    assert age(NOW - dt.timedelta(seconds=seconds), NOW) == text
