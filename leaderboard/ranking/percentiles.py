"""Percentiles by linear interpolation (type 7): what Postgres calls percentile_cont and pandas calls quantile.

The arithmetic is Postgres' own, step by step, so that both give the same double from the same values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

PUBLISHED_FRACTIONS = (0.05, 0.25, 0.5, 0.75, 0.95)
TAIL_HIDDEN_BELOW = 20
"""A 95th percentile of fewer values is not shown at all."""
TAIL_WEAK_BELOW = 59
"""Below it no value need lie beyond the true 95th percentile with 95 % confidence: 0.95 ** 59 < 0.05."""


def usable(values: Iterable[float | Decimal | None]) -> list[float]:
    """The finite values above zero, in rising order; a duration or a speed of 0 or less was never measured."""
    numbers = (float(value) for value in values if value is not None)
    return sorted(number for number in numbers if math.isfinite(number) and number > 0)


def percentile(ordered: Sequence[float], fraction: float) -> float | None:
    """The percentile of values in rising order; None of none."""
    if not ordered:
        return None
    position = fraction * (len(ordered) - 1)
    below, above = math.floor(position), math.ceil(position)
    low, high = ordered[below], ordered[above]
    return low if below == above else low + (position - below) * (high - low)


def median(ordered: Sequence[float]) -> float | None:
    """The middle value, or the mean of the middle two; None of none."""
    return percentile(ordered, 0.5)


def upper_tail(ordered: Sequence[float]) -> float | None:
    """The 95th percentile, hidden where too few values stand behind it."""
    return percentile(ordered, 0.95) if len(ordered) >= TAIL_HIDDEN_BELOW else None


def is_weak_tail(count: int) -> bool:
    """Whether a 95th percentile of so many values says less than its name."""
    return count < TAIL_WEAK_BELOW


def median_of_medians(medians: Iterable[float | Decimal | None]) -> float | None:
    """One vote for each offering, however many runs stand behind it; unknown ones do not vote, 0 (free) does."""
    votes = sorted(float(value) for value in medians if value is not None and math.isfinite(value))
    return median(votes)
