"""The values of many series at once, each series' own in rising order: percentiles and intervals of all of them.

The arithmetic is that of `percentiles` and `intervals`, step by step, so that both give the same double; a test holds
them together. NaN is unknown. numpy is loaded with this module, so it is imported where a snapshot is made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.ranking.percentiles import TAIL_HIDDEN_BELOW
from probes.intervals import lower_rank

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
SPARE_CELLS = 100_000


@dataclass(frozen=True, slots=True)
class Ordered:
    """`values` one series after the other; series `n` has `counts[n]` of them from `starts[n]` on."""

    values: Floats
    """With one NaN behind the last, where a series without values may point to."""
    starts: Whole
    counts: Whole

    def of(self, series: int) -> list[float]:
        """One series' values in rising order."""
        start = self.starts[series]
        values: list[float] = self.values[start : start + self.counts[series]].tolist()
        return values

    def some(self, series: Whole) -> Ordered:
        """Only these series, in this order; the values are shared."""
        return Ordered(self.values, self.starts[series], self.counts[series])

    def quantiles(self, fractions: float | Floats) -> Floats:
        """Of each series at the fraction, or at its own fraction of each row; linear interpolation (type 7)."""
        last = np.maximum(self.counts - 1, 0)
        position = fractions * last
        below = np.floor(position).astype(np.int64)
        low = self.values[self.starts + below]
        high = self.values[self.starts + np.minimum(below + 1, last)]
        found: Floats = low + (position - below) * (high - low)
        return np.where(self.counts > 0, found, np.nan)

    def upper_tail(self) -> Floats:
        """The 95th percentile, hidden where too few values stand behind it."""
        return np.where(self.counts >= TAIL_HIDDEN_BELOW, self.quantiles(0.95), np.nan)

    def median_interval(self) -> tuple[Floats, Floats]:
        """The 95 % interval of each median; NaN below six values."""
        ranks = self._lower_ranks()
        low = self.values[self.starts + np.maximum(ranks - 1, 0)]
        high = self.values[self.starts + np.maximum(self.counts - ranks, 0)]
        return np.where(ranks > 0, low, np.nan), np.where(ranks > 0, high, np.nan)

    def bounds(self) -> tuple[Floats, Floats]:
        """The interval, or the extremes where there are too few values for one."""
        low, high = self.median_interval()
        last = self.values[self.starts + np.maximum(self.counts - 1, 0)]
        has_one = ~np.isnan(low) | (self.counts == 0)
        return np.where(has_one, low, self.values[self.starts]), np.where(has_one, high, last)

    def _lower_ranks(self) -> Whole:
        """0 where there is none."""
        known, place = np.unique(self.counts, return_inverse=True)
        ranks = np.array([lower_rank(count) or 0 for count in known.tolist()], dtype=np.int64)
        return ranks[place] if len(ranks) else ranks


def ordered_by_series(values: Floats, series: Whole, how_many: int) -> Ordered:
    """Values, and the number of the series of each in rising order; unknown values are left out."""
    is_known = ~np.isnan(values)
    values, series = values[is_known], series[is_known]
    counts = np.bincount(series, minlength=how_many)
    starts = np.cumsum(counts) - counts
    return Ordered(np.append(each_sorted(values, series, starts, counts), np.nan), starts, counts)


def each_sorted(values: Floats, series: Whole, starts: Whole, counts: Whole) -> Floats:
    """Each series' values in rising order, in its own place."""
    longest = int(counts.max(initial=0))
    if longest * len(counts) > SPARE_CELLS + 4 * len(values):  # a few long series: rows would be mostly empty
        return values[np.lexsort((values, series))]
    rows = np.full((len(counts), longest), np.inf)
    rows[series, np.arange(len(values)) - starts[series]] = values
    rows.sort(axis=1)
    found: Floats = rows[np.arange(longest) < counts[:, None]]
    return found


def measure_columns(measure: str, ordered: Ordered) -> dict[str, Floats]:
    """The published percentiles of one measure by their column names, and the interval of its median."""
    low, high = ordered.median_interval()
    return {
        f"{measure}_p05": ordered.quantiles(0.05),
        f"{measure}_p25": ordered.quantiles(0.25),
        f"{measure}_p50": ordered.quantiles(0.5),
        f"{measure}_p75": ordered.quantiles(0.75),
        f"{measure}_p95": ordered.upper_tail(),
        f"{measure}_p50_low": low,
        f"{measure}_p50_high": high,
    }


def known(values: Floats) -> list[float | None]:
    """With None for what is unknown, as rows and tables say it."""
    return [None if value != value else value for value in values.tolist()]
