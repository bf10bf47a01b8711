"""Narrow views of parsed JSON: a wrong type reads as absent, so that no provider's oddity can raise."""

from __future__ import annotations

import math

JsonObject = dict[str, object]


def object_of(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int | None:
    """A count that is a number or a number in a string; None for anything else, negative or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(number) or number < 0:
        return None
    return int(number)


def first_count(*values: object) -> int | None:
    """The first of the values that is a count."""
    return next((count for count in map(count_of, values) if count is not None), None)
