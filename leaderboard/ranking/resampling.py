"""How sure a frontier is: the share of resamples in which a point is on it.

A resample replaces each median by the sample's own quantile at a level drawn from the law of the median's rank under
resampling with replacement, Beta(n/2, n/2), by its normal approximation: mean 1/2, standard deviation 1/(2√n). That
is the bootstrap of the median without drawing n values. The normal law is taken at 1,024 equally likely levels. Draws
use only `random.Random.random`, whose sequence for a seed Python guarantees, so that the shares can be repeated
anywhere: resample by resample, point by point in order of id, speed and then time to first token.

A point whose whole interval is beaten by another's whole interval is counted as never on the frontier, undrawn.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from probes.intervals import median_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 200
LEVELS = 1024
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Resampled:
    """A point with the values behind both its medians, in rising order."""

    id: str
    speeds_tps: Sequence[float]
    ttfts_ms: Sequence[float]


def frontier_shares(points: Sequence[Resampled], *, seed: str) -> dict[str, float]:
    """For each point with both figures, its share of resamples on the frontier of speed and time to first token."""
    usable = sorted((p for p in points if p.speeds_tps and p.ttfts_ms), key=lambda p: p.id)
    shares = dict.fromkeys((p.id for p in usable), 0.0)
    contenders = not_hopeless(usable)
    if contenders:
        counts = on_frontier(draw_all(contenders, seed)).sum(axis=0)
        shares |= {p.id: int(count) / RESAMPLES for p, count in zip(contenders, counts, strict=True)}
    return shares


def not_hopeless(points: Sequence[Resampled]) -> list[Resampled]:
    """Those whose best case no other's worst case beats on both axes."""
    cases = [(*bounds(p.speeds_tps), *bounds(p.ttfts_ms)) for p in points]
    worst = steps([(low_tps, high_ms) for low_tps, _, _, high_ms in cases])
    return [
        point
        for point, (_, high_tps, low_ms, _) in zip(points, cases, strict=True)
        if not any(tps > high_tps and ms < low_ms for tps, ms in worst)
    ]


def bounds(ordered: Sequence[float]) -> Pair:
    """The interval of the median; the extremes where there are too few values for one."""
    low, high = median_interval(ordered)
    return (ordered[0], ordered[-1]) if low is None or high is None else (low, high)


def steps(pairs: Sequence[Pair]) -> list[Pair]:
    """The (speed, wait) pairs that no other beats; one of equals is enough here."""
    kept: list[Pair] = []
    for pair in sorted(pairs, key=lambda p: (-p[0], p[1])):
        if not kept or pair[1] < kept[-1][1]:
            kept.append(pair)
    return kept


@lru_cache(maxsize=1)
def normal_levels() -> Sequence[float]:
    """1,024 equally likely values of the standard normal law."""
    law = NormalDist()
    return [law.inv_cdf((n + 0.5) / LEVELS) for n in range(LEVELS)]


def draw_all(points: Sequence[Resampled], seed: str) -> NDArray[np.float64]:
    """Drawn medians: resample × point × (speed, time to first token)."""
    import numpy as np  # here: a tenth of a second that only the making of a snapshot should pay

    uniform = uniforms(seed, RESAMPLES * len(points) * 2)
    levels = np.array(normal_levels(), dtype=np.float64)[(uniform * LEVELS).astype(int)]
    drawn: NDArray[np.float64] = levels.reshape(RESAMPLES, len(points), 2)
    drawn[:, :, 0] = quantiles([point.speeds_tps for point in points], drawn[:, :, 0])
    drawn[:, :, 1] = quantiles([point.ttfts_ms for point in points], drawn[:, :, 1])
    return drawn


def uniforms(seed: str, count: int) -> NDArray[np.float64]:
    """What `random.Random(seed).random()` gives so many times: numpy runs the same generator from the same state."""
    import numpy as np

    _, state, _ = random.Random(seed).getstate()  # noqa: S311 a repeatable draw, no secret
    source = np.random.RandomState()
    source.set_state(("MT19937", np.array(state[:-1], dtype=np.uint32), state[-1], 0, 0.0))
    drawn: NDArray[np.float64] = source.random_sample(count)
    return drawn


def quantiles(ordered: Sequence[Sequence[float]], normal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each point's own quantiles (type 7) at the levels that standard normal draws stand for; a column is a point."""
    import numpy as np

    counts = np.array([len(values) for values in ordered])
    flat = np.concatenate([np.asarray(values, dtype=np.float64) for values in ordered])
    starts = np.cumsum(counts) - counts
    position = np.clip(0.5 + normal / (2 * np.sqrt(counts)), 0.0, 1.0) * (counts - 1)
    below = np.floor(position).astype(int)
    low, high = flat[starts + below], flat[starts + np.minimum(below + 1, counts - 1)]
    found: NDArray[np.float64] = low + (position - below) * (high - low)
    return found


def on_frontier(drawn: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points no other beats, for each row of (speed, wait) pairs; equal pairs all stay."""
    import numpy as np

    order = np.lexsort((drawn[:, :, 1], -drawn[:, :, 0]), axis=1)
    pairs = np.take_along_axis(drawn, order[:, :, None], axis=1)
    waits = pairs[:, :, 1]
    kept = np.ones(waits.shape, dtype=bool)
    kept[:, 1:] = waits[:, 1:] < np.minimum.accumulate(waits, axis=1)[:, :-1]
    same = (pairs[:, 1:] == pairs[:, :-1]).all(axis=2)
    for column in np.flatnonzero(same.any(axis=0)):
        kept[:, column + 1] |= same[:, column] & kept[:, column]
    found = np.empty_like(kept)
    np.put_along_axis(found, order, kept, axis=1)
    return found
