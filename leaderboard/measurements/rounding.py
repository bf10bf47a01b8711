"""Published decimals, applied once, when a sample is stored: what is stored is exactly what is published.

Milliseconds 3, tokens/s 4, shares 6, half-even. Medians are then taken of published values and everybody's agree.
"""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_EVEN, Decimal

MS_DECIMALS = 3
TPS_DECIMALS = 4
SHARE_DECIMALS = 6
USD_STEP = Decimal("1e-10")


def decimals_of(column: str) -> int:
    """How many decimals a numeric column is published with, from the unit its name ends in."""
    if column.endswith(("_ms", "_s")):
        return MS_DECIMALS
    if column.endswith("_tps"):
        return TPS_DECIMALS
    return SHARE_DECIMALS


def rounded(column: str, value: float | None) -> float | None:
    return None if value is None else round(value, decimals_of(column))


def rounded_usd(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else amount.quantize(USD_STEP, ROUND_HALF_EVEN)


def to_millisecond(moment: dt.datetime) -> dt.datetime:
    """Instants are published to the millisecond; what is finer is cut off, so that order is kept."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
