"""One value → the text that stands for it in every file; None is unknown and becomes an empty cell or null.

The text of a number or boolean is also its JSON form, so a CSV and its JSON sibling cannot differ.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from decimal import ROUND_HALF_EVEN, Decimal

from .columns import Column, Value

# Half-width and full-width: spreadsheets in East Asian locales evaluate both.
FORMULA_START = re.compile(r"[=+\-@＝＋－＠\t\r\n]")
# Characters no reader agrees on: C0 and C1 controls but tab, LF and CR; DEL; halves of surrogate pairs; non-characters.
UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\ufffd"


def plain_text(text: str) -> str:
    return UNREADABLE.sub(REPLACEMENT, text)


def guarded_text(text: str) -> str:
    """Text that a spreadsheet will not evaluate: formula starters get a leading apostrophe."""
    text = plain_text(text)
    return f"'{text}" if FORMULA_START.match(text) else text


def decimal_text(number: Decimal) -> str | None:
    """Exact and positional, without trailing zeros; None where it is not finite."""
    if not number.is_finite():
        return None
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def float_text(number: float, decimals: int | None) -> str | None:
    """Positional and without noise: rounded half-even to `decimals`, or the shortest text that reads back the same."""
    if not math.isfinite(number):
        return None
    exact = Decimal(repr(number))
    if decimals is not None:
        exact = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)
    return decimal_text(exact)


def instant_text(instant: dt.datetime, *, always_milliseconds: bool) -> str:
    """ISO 8601 in UTC with Z; a fraction is shown in milliseconds, cut and not rounded."""
    if instant.tzinfo is None:
        raise ValueError("a published instant must carry its time zone")
    instant = instant.astimezone(dt.UTC)
    precise = always_milliseconds or instant.microsecond >= 1000
    text = instant.replace(tzinfo=None).isoformat(timespec="milliseconds" if precise else "seconds")
    return f"{text}Z"


def bare_text(column: Column, value: Value) -> str | None:
    """The text of a value that is not free text; None where unknown."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return float_text(value, column.decimals)
        case Decimal():
            return float_text_of_decimal(value, column)
        case dt.datetime():
            return instant_text(value, always_milliseconds=column.shows_milliseconds)
        case dt.date():
            return value.isoformat()
        case uuid.UUID():
            return str(value)
    return None


def float_text_of_decimal(value: Decimal, column: Column) -> str | None:
    """Money is exact; only a figure with fixed decimals is rounded."""
    if column.decimals is None or not value.is_finite():
        return decimal_text(value)
    step = Decimal(1).scaleb(-column.decimals)
    return decimal_text(value.quantize(step, rounding=ROUND_HALF_EVEN))


def cell_text(column: Column, value: Value, *, guarded: bool = True) -> str:
    """What a CSV reader gives back for the cell; empty where unknown. Unguarded text is for typed formats."""
    if isinstance(value, str):
        return guarded_text(value) if guarded else plain_text(value)
    return bare_text(column, value) or ""
