"""The arithmetic of the published aggregates, written a second time from the methodology: no Django, no database."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

MS_DECIMALS, TPS_DECIMALS, RATE_DECIMALS = 3, 4, 6
TAIL_HIDDEN_BELOW = 20
RESAMPLES = 200
NORMAL_LEVELS = 1024


def percentile(ordered: Values, fraction: float) -> float | None:
    """Linear interpolation (type 7) of values in rising order."""
    if not len(ordered):
        return None
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    low = float(ordered[below])
    if below == position:
        return low
    return low + (position - below) * (float(ordered[below + 1]) - low)


def upper_tail(ordered: Values) -> float | None:
    """The 95th percentile, hidden below 20 values."""
    return percentile(ordered, 0.95) if len(ordered) >= TAIL_HIDDEN_BELOW else None


@lru_cache(maxsize=4096)
def lower_rank(count: int) -> int:
    """The largest k with P(Binomial(count, 1/2) < k) at most 0.025, in whole numbers; 0 where there is none."""
    limit = 2**count // 40
    below, term, rank = 0, 1, 0
    while below + term <= limit:
        below += term
        term = term * (count - rank) // (rank + 1)
        rank += 1
    return rank


def median_interval(ordered: Values) -> tuple[float | None, float | None]:
    """The 95 % interval of the median by order statistics; None below six values."""
    rank = lower_rank(len(ordered))
    return (float(ordered[rank - 1]), float(ordered[-rank])) if rank else (None, None)


def bounds(ordered: Values) -> tuple[float, float]:
    """The interval, or the extremes where there are too few values for one."""
    low, high = median_interval(ordered)
    return (float(ordered[0]), float(ordered[-1])) if low is None or high is None else (low, high)


def number_text(value: float | Decimal | None, decimals: int | None = None) -> str:
    """As published: half-even to fixed decimals, trailing zeros left out, empty where unknown."""
    if value is None:
        return ""
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    if decimals is not None:
        exact = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)
    text = f"{exact:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


Pair = tuple[float, float]


def frontier_shares(points: Sequence[tuple[str, Values, Values]], *, seed: str) -> dict[str, float]:
    """For (id, speeds, first-token times) the share of 200 resamples of both medians on the frontier.

    A resample takes the quantile at 1/2 + z / (2 √n), z one of 1,024 normal levels: a median's bootstrap without
    drawing n values.
    """
    usable = sorted((p for p in points if len(p[1]) and len(p[2])), key=lambda p: p[0])
    worst = [(bounds(speeds)[0], -bounds(waits)[1]) for _, speeds, waits in usable]
    contenders = []
    for id_, speeds, waits in usable:
        best = bounds(speeds)[1], -bounds(waits)[0]
        if not any(w[0] > best[0] and w[1] > best[1] for w in worst):
            contenders.append((id_, speeds, waits))
    counts = dict.fromkeys((p[0] for p in usable), 0)
    source = random.Random(seed)  # noqa: S311 a repeatable draw, no secret
    for _ in range(RESAMPLES):
        drawn = [(draw(speeds, source), -draw(waits, source)) for _, speeds, waits in contenders]
        for (id_, _, _), pair in zip(contenders, drawn, strict=True):
            counts[id_] += not any(beats(other, pair) for other in drawn)
    return {id_: count / RESAMPLES for id_, count in counts.items()}


@lru_cache(maxsize=1)
def normal_levels() -> list[float]:
    """1,024 equally likely values of the standard normal law."""
    return [NormalDist().inv_cdf((n + 0.5) / NORMAL_LEVELS) for n in range(NORMAL_LEVELS)]


def draw(ordered: Values, source: random.Random) -> float:
    level = 0.5 + normal_levels()[int(source.random() * NORMAL_LEVELS)] / (2 * math.sqrt(len(ordered)))
    return percentile(ordered, min(max(level, 0.0), 1.0)) or float(ordered[0])


def beats(other: Sequence[float | Decimal], mine: Sequence[float | Decimal]) -> bool:
    """At least as good on every axis and better on one; higher is better."""
    return tuple(other) != tuple(mine) and all(a >= b for a, b in zip(other, mine, strict=True))
