from __future__ import annotations

from decimal import Decimal

import pytest

from leaderboard.catalogue.amounts import (
    BadAmount,
    currency_code,
    hold_reason,
    read_amount,
    read_price,
    tokens_per_unit,
)
from leaderboard.catalogue.pricing import Rates


@pytest.mark.parametrize("written", [None, "", " ", -1, "-1", "varies", "Varies", "n/a"])
def test_what_is_no_price_is_unknown(written: object) -> None:
    assert read_amount(written) is None


@pytest.mark.parametrize(
    "written", ["0,15", "1.234,50", "1,234.50", "NaN", "Infinity", "1/2", True, [], "0x1"]
)
def test_what_cannot_be_read_is_refused(written: object) -> None:
    with pytest.raises(BadAmount):
        read_amount(written)


def test_floats_are_read_as_they_are_written() -> None:
    assert read_amount(1.5e-07) == Decimal("1.5e-7")
    assert read_amount("$0.15") == Decimal("0.15")
    assert read_amount("Free") == 0


@pytest.mark.parametrize(
    ("unit", "tokens"),
    [
        ("per_token", 1),
        ("per_1k", 1000),
        ("per 1,000 tokens", 1000),
        ("per_1m_tokens", 1_000_000),
        ("USD/MTok", 1_000_000),
        ("per million tokens", 1_000_000),
        ("per_1b", 1_000_000_000),
    ],
)
def test_units_are_known_by_their_usual_spellings(unit: str, tokens: int) -> None:
    assert tokens_per_unit(unit) == tokens


def test_unknown_unit_is_refused() -> None:
    with pytest.raises(BadAmount, match="Known are per_token"):
        read_price({"input": 1}, unit="per_image")


def test_bare_yen_sign_is_no_currency() -> None:
    assert currency_code(" us$ ") == "USD"
    with pytest.raises(BadAmount, match="three letters"):
        currency_code("¥")


def test_price_typed_per_token_asks_with_the_meant_figure() -> None:
    reason = hold_reason(Rates(input_usd_per_mtok=Decimal("0.0000008")))

    assert reason == "0.0000008 looks like dollars per token. Did you mean 0.80 per 1M?"


@pytest.mark.parametrize(
    ("amount", "reason"),
    [
        ("3", "30 times the median for this model. Tick to confirm."),
        ("2.9", None),
        ("0.0033", "30 times below the median for this model. Tick to confirm."),
        ("0", None),
    ],
)
def test_price_far_off_the_median_asks(amount: str, reason: str | None) -> None:
    median = Rates(input_usd_per_mtok=Decimal("0.1"))

    assert hold_reason(Rates(input_usd_per_mtok=Decimal(amount)), model_median=median) == reason
