"""Written prices → Decimal USD per million tokens: units, currencies, sentinels and the guards before belief.

What is no price (missing, -1, "varies") is None. What cannot be read at all raises BadAmount; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from leaderboard.catalogue.pricing import MILLION, Rates

NO_PRICE_WORDS = frozenset(
    {"", "-", "–", "—", "varies", "variable", "dynamic", "n/a", "na", "none", "null", "unknown"}
)
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)
CURRENCY_SIGNS = {"$": "USD", "US$": "USD", "USD$": "USD", "€": "EUR", "£": "GBP", "RMB": "CNY", "CN¥": "CNY"}
CURRENCY = re.compile(r"[A-Z]{3}")
TOKENS_PER_UNIT = {
    "token": Decimal(1),
    "1k": Decimal(1000),
    "1m": MILLION,
    "1b": MILLION * 1000,
}
UNIT_WORDS = {
    "thousand": "1k",
    "million": "1m",
    "billion": "1b",
    "k": "1k",
    "m": "1m",
    "b": "1b",
    "mtok": "1m",
    "1": "token",
}
UNIT_NUMBERS = {"1000": "1k", "1000000": "1m", "1000000000": "1b"}

HIGHEST_BELIEVED_USD_PER_MTOK = Decimal(2000)
"""The dearest list price seen is 600 USD per million; beyond this a unit has been mixed up."""
LOWEST_BELIEVED_USD_PER_MTOK = Decimal("0.0005")
"""The cheapest list price seen is 0.002 USD per million; below this it looks like dollars per token."""
FAR_OFF_FACTOR = 30


class BadAmount(ValueError):
    """Not a price that can be read; the text says what was seen and what to write instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPrice:
    """A price record as read: its rates in USD, what it said in its own currency, and whether to believe it."""

    rates: Rates
    currency: str = "USD"
    usd_per_unit: Decimal | None = None
    native: Mapping[str, Decimal] | None = None
    """Amounts per million tokens in the record's own currency, kept where that is not USD."""
    hold_reason: str | None = None
    """Why a person should look before this is believed; None where nothing speaks against it."""


def read_amount(written: object) -> Decimal | None:
    """The number written; None for what is no price. Raises BadAmount for text that is not a plain number."""
    if written is None:
        return None
    if isinstance(written, bool) or not isinstance(written, int | float | str | Decimal):
        raise BadAmount(f"{written!r} is not a price. Write a number such as 0.15, or leave it empty.")
    text = str(written).strip().removeprefix("$").strip()
    if text.lower() in NO_PRICE_WORDS:
        return None
    if text.lower() == "free":
        return Decimal(0)
    if not NUMBER.fullmatch(text):
        raise BadAmount(
            f"{str(written)[:40]!r} is not a number. Write it with a point and no thousands sign, as 1234.50."
        )
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise BadAmount(f"{str(written)[:40]!r} is not a number.") from None
    return amount if amount >= 0 else None


def tokens_per_unit(unit: str) -> Decimal:
    """How many tokens the amounts of a unit are for: `per_token`, `per_1k`, `per_1m_tokens`, `USD/MTok` …"""
    words = re.sub(r"[^a-z0-9]+", " ", unit.lower().replace(",", "")).split()
    kept = [word for word in words if word not in ("per", "usd", "tokens", "a", "of")]
    if len(kept) > 1:
        kept = [word for word in kept if word not in ("token", "1")]
    name = UNIT_NUMBERS.get(kept[0], UNIT_WORDS.get(kept[0], kept[0])) if len(kept) == 1 else ""
    if name not in TOKENS_PER_UNIT:
        raise BadAmount(f"Unknown price unit {unit[:40]!r}. Known are per_token, per_1k, per_1m and per_1b.")
    return TOKENS_PER_UNIT[name]


def currency_code(written: object) -> str:
    """ISO 4217 code; missing is USD. A bare ¥ may be yuan or yen, so it is refused."""
    if written is None or not str(written).strip():
        return "USD"
    text = re.sub(r"\s+", "", str(written)).upper()
    code = CURRENCY_SIGNS.get(text, text)
    if not CURRENCY.fullmatch(code):
        raise BadAmount(f"{str(written)[:20]!r} is no currency. Write its three letters, as USD or CNY.")
    return code


FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "input_usd_per_mtok": ("input", "prompt"),
    "output_usd_per_mtok": ("output", "completion"),
    "cache_read_usd_per_mtok": ("cache_read", "cached_input", "input_cache_read"),
    "cache_write_usd_per_mtok": ("cache_write", "input_cache_write"),
    "reasoning_usd_per_mtok": ("reasoning", "internal_reasoning"),
}


def read_price(
    record: Mapping[str, object],
    *,
    unit: str,
    usd_per_unit: Decimal | None = None,
    model_median: Rates | None = None,
) -> ReadPrice:
    """A record's rates per million tokens; its own `unit` and `currency` win over the source's.

    Amounts may stand in the record or under `pricing`, by the names of FIELD_NAMES; `request` is per request.
    A currency without a rate leaves USD unknown and keeps the amounts as they were said. Raises BadAmount.
    """
    pricing = record.get("pricing")
    amounts: Mapping[str, object] = {**record, **pricing} if isinstance(pricing, Mapping) else record
    factor = MILLION / tokens_per_unit(str(amounts.get("unit") or unit))
    currency = currency_code(amounts.get("currency"))
    said = {field: scaled(first_said(amounts, names), factor) for field, names in FIELD_NAMES.items()}
    said["request_usd"] = read_amount(amounts.get("request"))
    rate = Decimal(1) if currency == "USD" else usd_per_unit
    rates = Rates(**{f: None if rate is None or a is None else a * rate for f, a in said.items()})
    return ReadPrice(
        rates=rates,
        currency=currency,
        usd_per_unit=None if currency == "USD" else rate,
        native=None if currency == "USD" else native_amounts(said),
        hold_reason=hold_reason(rates, model_median=model_median),
    )


def first_said(amounts: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((amounts[name] for name in names if amounts.get(name) is not None), None)


def scaled(written: object, factor: Decimal) -> Decimal | None:
    amount = read_amount(written)
    return None if amount is None else amount * factor


def native_amounts(said: Mapping[str, Decimal | None]) -> dict[str, Decimal]:
    return {FIELD_NAMES.get(f, ("request",))[0]: amount for f, amount in said.items() if amount is not None}


def hold_reason(rates: Rates, *, model_median: Rates | None = None) -> str | None:
    """Why a price should be confirmed before it is believed: its unit, or its distance from the model's median."""
    for field in ("input_usd_per_mtok", "output_usd_per_mtok"):
        amount: Decimal | None = getattr(rates, field)
        if amount is None or amount == 0:
            continue
        reason = unit_doubt(amount) or distance_doubt(amount, getattr(model_median, field, None))
        if reason:
            return reason
    return None


def unit_doubt(amount: Decimal) -> str | None:
    if amount < LOWEST_BELIEVED_USD_PER_MTOK:
        meant = plain(amount * MILLION, at_least_decimals=2)
        return f"{plain(amount)} looks like dollars per token. Did you mean {meant} per 1M?"
    if amount > HIGHEST_BELIEVED_USD_PER_MTOK:
        return f"{plain(amount)} USD per 1M tokens is beyond any list price. Is the amount per 1M tokens already?"
    return None


def distance_doubt(amount: Decimal, median: Decimal | None) -> str | None:
    if not median:
        return None
    if amount >= median * FAR_OFF_FACTOR:
        return f"{amount / median:.0f} times the median for this model. Tick to confirm."
    if amount * FAR_OFF_FACTOR <= median:
        return f"{median / amount:.0f} times below the median for this model. Tick to confirm."
    return None


def plain(amount: Decimal, *, at_least_decimals: int = 0) -> str:
    """Without exponent and without trailing zeros beyond the decimals asked for."""
    text = f"{amount.normalize():f}"
    decimals = len(text.partition(".")[2])
    return f"{amount:.{at_least_decimals}f}" if decimals < at_least_decimals else text
