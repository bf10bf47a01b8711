"""The 95 % interval of a median from exact binomial order statistics: no shape of the data is assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

TAIL = 0.025
"""Probability left out on each side."""


@lru_cache(maxsize=4096)
def lower_rank(count: int) -> int | None:
    """The rank k, from 1, for which (k-th smallest, k-th largest) holds the median in at least 95 % of cases.

    The largest k with P(Binomial(count, 1/2) < k) ≤ 0.025; None where not even the extremes reach it (count < 6).
    """
    start = max(0, int(count / 2 - 10 * math.sqrt(count)))  # what lies below weighs under 1e-86
    term = math.exp(log_binomial(count, start) - count * math.log(2))
    cumulated, rank = 0.0, start
    while cumulated + term <= TAIL:
        cumulated += term
        term *= (count - rank) / (rank + 1)
        rank += 1
    return rank or None


def log_binomial(count: int, chosen: int) -> float:
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)


def median_interval(ordered: Sequence[float]) -> tuple[float | None, float | None]:
    """The low and high bound of the median of values in rising order; both None below six."""
    rank = lower_rank(len(ordered))
    if rank is None:
        return None, None
    return ordered[rank - 1], ordered[-rank]
