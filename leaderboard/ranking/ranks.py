"""Competition ranks (1, 2, 2, 4) on unrounded values, and the best and worst rank that the intervals allow."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

Interval = tuple[float, float]


def competition_ranks(values: Sequence[float | None], *, higher_is_better: bool) -> list[int | None]:
    """One more than the number of strictly better values; None where there is no value."""
    ordered = sorted(value for value in values if value is not None)
    if higher_is_better:
        return [None if v is None else 1 + len(ordered) - bisect_right(ordered, v) for v in values]
    return [None if v is None else 1 + bisect_left(ordered, v) for v in values]


def rank_bounds(
    intervals: Sequence[Interval | None], *, higher_is_better: bool
) -> list[tuple[int, int] | None]:
    """Best: 1 + the rows that certainly beat me; worst: 1 + the rows that may beat me. None without an interval."""
    known = [i for i in intervals if i is not None]
    lows, highs = sorted(low for low, _ in known), sorted(high for _, high in known)

    def bounds(mine: Interval) -> tuple[int, int]:
        low, high = mine
        itself = int(high > low)  # a row's own far bound lies beyond its near one
        if higher_is_better:
            return 1 + len(lows) - bisect_right(lows, high), 1 + len(highs) - bisect_right(
                highs, low
            ) - itself
        return 1 + bisect_left(highs, low), 1 + bisect_left(lows, high) - itself

    return [None if interval is None else bounds(interval) for interval in intervals]
