"""Numbers as pages show them: whole, bare, one unit a column. The exact value travels in data-v."""

from __future__ import annotations

import datetime as dt
import math
from decimal import ROUND_HALF_EVEN, Decimal

# The published decimals of METRICS: milliseconds 3, tokens/s 4, rates 6, money exact.
DECIMALS = {"ms": 3, "tps": 4, "rate": 6}
Number = int | float | Decimal


def published(value: Number | None, kind: str) -> str:
    """The text that the files have for this value, empty for unknown."""
    if value is None or not math.isfinite(value):
        return ""
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    if kind in DECIMALS:
        exact = exact.quantize(Decimal(1).scaleb(-DECIMALS[kind]), rounding=ROUND_HALF_EVEN)
    text = f"{exact:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def whole(value: Number) -> str:
    """To whole numbers with thin groups; below ten one decimal, where a whole one would hide a tenth of it."""
    if 0 < value < 10:
        text = f"{value:.1f}"
        return text.removesuffix(".0")
    return f"{value:,.0f}"


def money(value: Number) -> str:
    """Three significant digits, positional, at least two decimals below a hundred: 4.38, 0.16, 0.0125, 120."""
    if value == 0:
        return "0"
    digits = max(2 if value < 100 else 0, 2 - math.floor(math.log10(abs(float(value)))))
    text = f"{value:,.{digits}f}"
    if "." not in text:
        return text
    head, _, tail = text.partition(".")
    tail = tail[:2] + tail[2:].rstrip("0")
    return f"{head}.{tail}"


def percent(value: float) -> str:
    """One decimal; short of all is never shown as 100."""
    hundredths = value * 100
    if value < 1 and hundredths >= 99.95:
        return "99.9"
    return f"{hundredths:.1f}".removesuffix(".0")


def instant(moment: dt.datetime) -> str:
    moment = moment.astimezone(dt.UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def instant_iso(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"


def age(moment: dt.datetime, now: dt.datetime) -> str:
    """How long ago, in one unit: "4 minutes", "3 hours", "12 days"."""
    seconds = max(0, (now - moment).total_seconds())
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return "under a minute"
