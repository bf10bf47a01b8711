"""How sure a frontier is: the share of resamples in which a point is on it.

A resample replaces each median by the sample's own quantile at a level drawn from the law of the median's rank under
resampling with replacement, Beta(n/2, n/2), by its normal approximation: mean 1/2, standard deviation 1/(2√n). That
is the bootstrap of the median without drawing n values. Draws use only `random.Random.random`, whose sequence for a
seed Python guarantees, so that the shares can be repeated anywhere.

A point whose whole interval is beaten by another's whole interval is counted as never on the frontier, undrawn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from leaderboard.ranking.intervals import median_interval
from leaderboard.ranking.percentiles import percentile

RESAMPLES = 200
STANDARD_NORMAL = NormalDist()
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Resampled:
    """A point with the values behind both its medians, in rising order."""

    id: str
    speeds_tps: Sequence[float]
    ttfts_ms: Sequence[float]

    @property
    def best_case(self) -> Pair:
        return bounds(self.speeds_tps)[1], -bounds(self.ttfts_ms)[0]

    @property
    def worst_case(self) -> Pair:
        return bounds(self.speeds_tps)[0], -bounds(self.ttfts_ms)[1]


def bounds(ordered: Sequence[float]) -> Pair:
    """The interval of the median; the extremes where there are too few values for one."""
    low, high = median_interval(ordered)
    return (ordered[0], ordered[-1]) if low is None or high is None else (low, high)


def frontier_shares(points: Sequence[Resampled], *, seed: str) -> dict[str, float]:
    """For each point with both figures, its share of resamples on the frontier of speed and time to first token."""
    usable = sorted((p for p in points if p.speeds_tps and p.ttfts_ms), key=lambda p: p.id)
    contenders = not_hopeless(usable)
    counts = dict.fromkeys((p.id for p in usable), 0)
    source = random.Random(seed)  # noqa: S311 a repeatable draw, no secret
    for _ in range(RESAMPLES):
        drawn = [(draw(p.speeds_tps, source), -draw(p.ttfts_ms, source)) for p in contenders]
        for index in on_frontier(drawn):
            counts[contenders[index].id] += 1
    return {id_: count / RESAMPLES for id_, count in counts.items()}


def not_hopeless(points: Sequence[Resampled]) -> list[Resampled]:
    """Those whose best case no other's worst case beats on both axes."""
    worst = on_frontier_values([p.worst_case for p in points])
    return [p for p in points if not any(w[0] > p.best_case[0] and w[1] > p.best_case[1] for w in worst)]


def on_frontier_values(pairs: Sequence[Pair]) -> list[Pair]:
    return [pairs[index] for index in on_frontier(pairs)]


def draw(ordered: Sequence[float], source: random.Random) -> float:
    """The quantile at a drawn level; a draw is used up even where there is one value."""
    u = min(max(source.random(), 1e-12), 1 - 1e-12)
    level = 0.5 + STANDARD_NORMAL.inv_cdf(u) / (2 * math.sqrt(len(ordered)))
    drawn = percentile(ordered, min(max(level, 0.0), 1.0))
    return ordered[0] if drawn is None else drawn


def on_frontier(pairs: Sequence[Pair]) -> list[int]:
    """Indices of the pairs that no other beats, both axes rising; equal pairs all stay. One sort and one sweep."""
    order = sorted(range(len(pairs)), key=lambda i: (-pairs[i][0], -pairs[i][1]))
    kept: list[int] = []
    best_second = -math.inf
    last: Pair | None = None
    for index in order:
        pair = pairs[index]
        if pair[1] > best_second or pair == last:
            kept.append(index)
            best_second, last = max(best_second, pair[1]), pair
    return kept
