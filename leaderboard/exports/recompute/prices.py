"""Which list price held at an instant, and its blend, from prices.csv."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
STEP = Decimal("1e-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRow:
    """One row of prices.csv; None is unknown."""

    valid_from: dt.datetime
    valid_to: dt.datetime | None
    input: Decimal | None
    output: Decimal | None
    above_tokens: int | None
    hours_utc: str
    weekdays: str
    verified_at: str

    @property
    def specificity(self) -> tuple[int, bool, bool]:
        tier = -1 if self.above_tokens is None else self.above_tokens
        return tier, bool(self.hours_utc), bool(self.weekdays)


def price_rows(prices: pd.DataFrame) -> dict[str, list[PriceRow]]:
    """By offering."""
    found: defaultdict[str, list[PriceRow]] = defaultdict(list)
    for row in prices.to_dict("records"):
        found[row["offering_id"]].append(
            PriceRow(
                valid_from=dt.datetime.fromisoformat(row["valid_from"]),
                valid_to=dt.datetime.fromisoformat(row["valid_to"]) if row["valid_to"] else None,
                input=amount(row["input_usd_per_mtok"]),
                output=amount(row["output_usd_per_mtok"]),
                above_tokens=int(row["context_above_tokens"]) if row["context_above_tokens"] else None,
                hours_utc=row["hours_utc"],
                weekdays=row["weekdays"],
                verified_at=row["verified_at"],
            )
        )
    return dict(found)


def amount(text: str) -> Decimal | None:
    return Decimal(text) if text else None


def price_in_force(rows: list[PriceRow], at: dt.datetime) -> PriceRow | None:
    """Of the newest list begun by then, the row that holds for a short prompt at that hour and day."""
    begun = [row for row in rows if row.valid_from <= at]
    if not begun:
        return None
    newest = max(row.valid_from for row in begun)
    holding = [row for row in begun if row.valid_from == newest and holds(row, at)]
    return max(holding, key=lambda row: row.specificity, default=None)


def holds(row: PriceRow, at: dt.datetime) -> bool:
    if (row.valid_to is not None and at >= row.valid_to) or row.above_tokens is not None:
        return False
    day = at.weekday()
    if row.hours_utc:
        start, end = (dt.time.fromisoformat(text) for text in row.hours_utc.split("-"))
        now = at.time()
        inside = start <= now < end if start < end else now >= start or now < end
        if not inside:
            return False
        # Hours past midnight belong to the day on which their window began.
        day = (day - 1) % 7 if start >= end and now < end else day
    return not row.weekdays or WEEKDAYS[day] in row.weekdays.split(";")


def blended(price: PriceRow | None) -> Decimal | None:
    """(3 input + output) / 4, to eight decimals; None while either is unknown."""
    if price is None or price.input is None or price.output is None:
        return None
    return ((3 * price.input + price.output) / 4).quantize(STEP)
