"""The price cases of public bug reports, by family; a new case of a known family needs no new code here."""

from __future__ import annotations

import datetime as dt
import json
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import pytest

from leaderboard.catalogue.amounts import BadAmount, read_price
from leaderboard.catalogue.hosting import Rental, usd_per_mtok
from leaderboard.catalogue.pricing import (
    Rates,
    above_tokens,
    blended_usd_per_mtok,
    cost_usd,
    is_free,
    median_usd_per_mtok,
    price_in_force,
)
from tests.catalogue.terms import Terms

CASES = sorted((Path(__file__).parent.parent / "cases" / "price").glob("*.json"))


def decimal(text: object) -> Decimal | None:
    return None if text is None else Decimal(str(text))


def rates(price: dict[str, Any]) -> Rates:
    return Rates(
        input_usd_per_mtok=decimal(price.get("input")),
        output_usd_per_mtok=decimal(price.get("output")),
        cache_read_usd_per_mtok=decimal(price.get("cached_input")),
        cache_write_usd_per_mtok=decimal(price.get("cache_write")),
        reasoning_usd_per_mtok=decimal(price.get("reasoning")),
        request_usd=decimal(price.get("per_request")),
    )


def answer_record(given: dict[str, Any]) -> dict[str, Any]:
    try:
        read = read_price(
            given["record"], unit=given["source_unit"], usd_per_unit=decimal(given.get("usd_per_unit"))
        )
    except BadAmount:
        return {"action": "reject", "free": False}
    if read.hold_reason:
        return {"action": "hold", "free": False}
    mixed = blended_usd_per_mtok(read.rates)
    answer: dict[str, Any] = {
        "input_per_m_usd": read.rates.input_usd_per_mtok,
        "output_per_m_usd": read.rates.output_usd_per_mtok,
        "blended_per_m_usd": mixed,
        "free": is_free(read.rates),
        "action": "accept",
    }
    if read.native is not None:
        answer["native"] = {**read.native, "currency": read.currency}
    if "display_digits" in given and mixed is not None:
        step = Decimal(1).scaleb(-given["display_digits"])
        answer["display"] = f"${mixed.quantize(step, rounding=ROUND_HALF_EVEN)}"
    return answer


def answer_usage(given: dict[str, Any]) -> dict[str, Any]:
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    base = given["price_per_m_usd"]
    prices = [Terms(valid_from=start, rates=rates(base))]
    for tier in base.get("tiers", []):
        above = above_tokens(tier["above_input_tokens"], inclusive=tier.get("inclusive", False))
        stated = {"input": base.get("input"), "output": base.get("output")} | tier
        prices.append(Terms(valid_from=start, rates=rates(stated), context_above_tokens=above))
    usage = given["usage"]
    chosen = price_in_force(prices, start, prompt_tokens=usage["input_tokens"])
    cost = cost_usd(
        chosen.rates if chosen else None,
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        cached_input_tokens=usage.get("cached_tokens"),
        cache_write_tokens=usage.get("cache_write_tokens"),
        reasoning_tokens=usage.get("reasoning_tokens"),
    )
    return {"cost_usd": cost}


def answer_history(given: dict[str, Any]) -> dict[str, Any]:
    sample = given["sample"]
    prices = [
        Terms(
            valid_from=dt.datetime.fromisoformat(price.get("from") or "1970-01-01T00:00:00Z"),
            valid_to=dt.datetime.fromisoformat(price["to"]) if price.get("to") else None,
            rates=rates(price),
        )
        for price in given["prices"]
    ]
    chosen = price_in_force(prices, dt.datetime.fromisoformat(sample["at"]))
    cost = cost_usd(
        chosen.rates if chosen else None,
        input_tokens=sample["input_tokens"],
        output_tokens=sample["output_tokens"],
        cached_input_tokens=sample.get("cached_tokens"),
        reasoning_tokens=sample.get("reasoning_tokens"),
    )
    return {"cost_usd": cost}


def answer_hosting(given: dict[str, Any]) -> dict[str, Any]:
    utilisation = decimal(given.get("utilization", "1"))
    if not utilisation:
        return {"usd_per_m_output": None}
    rental = Rental(gpu_count=given.get("gpus") or 1, usd_per_gpu_hour=decimal(given["usd_per_hour"]))
    price = usd_per_mtok(
        hourly_cost_usd=rental.hourly_cost_usd(),
        throughput_tps=decimal(given["tokens_per_second"]),
        utilisation=utilisation,
    )
    return {"usd_per_m_output": None if price is None else round(price, 4)}


def answer(given: dict[str, Any]) -> dict[str, Any]:
    if "record" in given:
        return answer_record(given)
    if "usage" in given:
        return answer_usage(given)
    if "prices" in given:
        return answer_history(given)
    if given.get("op") == "provider_median":
        median, count = median_usd_per_mtok([decimal(price) for price in given["blended"]])
        return {"median": median, "n": count}
    return answer_hosting(given)


def comparable(value: object) -> object:
    """Decimal strings are compared by value, all else as it is."""
    if isinstance(value, dict):
        return {key: comparable(inner) for key, inner in value.items()}
    try:
        return value if value is None or isinstance(value, bool) else Decimal(str(value))
    except ArithmeticError:
        return value


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_price_case(path: Path) -> None:
    case = json.loads(path.read_text())

    got = answer(case["input"])

    for key, expected in case["expect"].items():
        assert comparable(got.get(key)) == comparable(expected), key


def test_there_are_price_cases() -> None:
    assert len(CASES) >= 28
