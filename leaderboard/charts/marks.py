"""What a figure draws: points and bars with a name, values (None is unknown) and the address they open."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One measure on a scatter: its words, its unit, and which way is better."""

    column: str
    title: str
    unit: str
    lower_is_better: bool
    is_log: bool = False
    decimals: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One mark of a scatter. The frontier is the caller's, taken by ranking's one function on full precision."""

    id: str
    name: str
    x: float | None
    y: float | None
    weights: str
    href: str
    on_frontier: bool = False
    self_hosted: bool = False
    provisional: bool = False
    muted: bool = False
    labelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One row of a bar list; `low` and `high` are the slowest and fastest of what the value is a median of."""

    id: str
    name: str
    creator: str
    value: float | None
    href: str
    weights: str | None = None
    low: float | None = None
    high: float | None = None
    provisional: bool = False


def milliseconds(column: str, title: str) -> Axis:
    return Axis(column=column, title=title, unit="ms", lower_is_better=True, is_log=True)


def price(column: str, title: str) -> Axis:
    return Axis(
        column=column, title=title, unit="USD per 1M tokens", lower_is_better=True, is_log=True, decimals=2
    )


def percent(column: str, title: str) -> Axis:
    return Axis(column=column, title=title, unit="%", lower_is_better=False, decimals=1)


OUTPUT_SPEED = Axis(
    column="output_speed_tps_p50", title="Output speed, median", unit="tokens/s", lower_is_better=False
)
FIRST_TOKEN = milliseconds("ttft_ms_p50", "Time to first token, median")
FIRST_ANSWER = milliseconds("ttfat_ms_p50", "Time to first answer token, median")
END_TO_END = milliseconds("end_to_end_ms_p50", "End to end, median")
RESPONSE_500 = milliseconds("response_time_500_ms_p50", "Response time for 500 tokens, median")
BLENDED_PRICE = price("blended_usd_per_mtok", "Blended price, 3 input : 1 output")
INPUT_PRICE = price("input_usd_per_mtok", "Input price")
OUTPUT_PRICE = price("output_usd_per_mtok", "Output price")
SUCCESS = percent("success_rate", "Success rate")
UPTIME = percent("uptime", "Uptime")
PRICES = (BLENDED_PRICE, INPUT_PRICE, OUTPUT_PRICE)
RATES = (SUCCESS, UPTIME)
SCATTER_AXES = {
    a.column: a for a in (OUTPUT_SPEED, FIRST_TOKEN, FIRST_ANSWER, END_TO_END, RESPONSE_500, *PRICES, *RATES)
}


def readable(text: str) -> str:
    """Text without control characters and lone surrogates: names come from outside, and XML allows neither."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)


def spoken(value: float, decimals: int = 0) -> str:
    """A number as a label says it: whole, or with one decimal where a whole number would hide a tenth of it."""
    if decimals == 0 and value < 10:
        decimals = 1
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
