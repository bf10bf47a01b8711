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
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from leaderboard.ranking.ordered import Floats, Ordered

RESAMPLES = 200
LEVELS = 1024


def frontier_shares(ids: Sequence[str], speeds_tps: Ordered, ttfts_ms: Ordered, *, seed: str) -> Floats:
    """For each point its share of resamples on the frontier of speed and time to first token.

    NaN where one of both figures has no values. Ids must be unique; their order does not matter.
    """
    shares = np.full(len(ids), np.nan)
    is_usable = (speeds_tps.counts > 0) & (ttfts_ms.counts > 0)
    usable = np.array(sorted(np.flatnonzero(is_usable).tolist(), key=ids.__getitem__), dtype=np.int64)
    shares[usable] = 0.0
    drawn_ones = usable[~is_hopeless(speeds_tps.some(usable), ttfts_ms.some(usable))]
    if len(drawn_ones):
        drawn = draw_all(speeds_tps.some(drawn_ones), ttfts_ms.some(drawn_ones), seed)
        shares[drawn_ones] = on_frontier(drawn).sum(axis=0) / RESAMPLES
    return shares


def is_hopeless(speeds_tps: Ordered, ttfts_ms: Ordered) -> NDArray[np.bool_]:
    """Whether another's worst case beats a point's best case on both axes."""
    low_tps, high_tps = speeds_tps.bounds()
    low_ms, high_ms = ttfts_ms.bounds()
    tps, ms = worst_steps(low_tps, high_ms)
    quicker = np.searchsorted(-tps, -high_tps, side="left")  # how many steps' worst speed is above my best
    soonest = np.concatenate(([np.inf], ms))[quicker]
    found: NDArray[np.bool_] = soonest < low_ms
    return found


def worst_steps(tps: Floats, ms: Floats) -> tuple[Floats, Floats]:
    """The (speed, wait) pairs that no other beats, from the quickest on: both fall from step to step."""
    order = np.lexsort((ms, -tps))
    tps, ms = tps[order], ms[order]
    before = np.concatenate(([np.inf], np.minimum.accumulate(ms)[:-1])) if len(ms) else ms
    return tps[ms < before], ms[ms < before]


@lru_cache(maxsize=1)
def normal_levels() -> Floats:
    """1,024 equally likely values of the standard normal law."""
    law = NormalDist()
    return np.array([law.inv_cdf((n + 0.5) / LEVELS) for n in range(LEVELS)])


def draw_all(speeds_tps: Ordered, ttfts_ms: Ordered, seed: str) -> Floats:
    """Drawn medians: resample × point × (speed, time to first token)."""
    points = len(speeds_tps.counts)
    uniform = uniforms(seed, RESAMPLES * points * 2)
    drawn: Floats = normal_levels()[(uniform * LEVELS).astype(int)].reshape(RESAMPLES, points, 2)
    drawn[:, :, 0] = drawn_medians(speeds_tps, drawn[:, :, 0])
    drawn[:, :, 1] = drawn_medians(ttfts_ms, drawn[:, :, 1])
    return drawn


def uniforms(seed: str, count: int) -> Floats:
    """What `random.Random(seed).random()` gives so many times: numpy runs the same generator from the same state."""
    _, state, _ = random.Random(seed).getstate()  # noqa: S311 a repeatable draw, no secret
    source = np.random.RandomState()
    source.set_state(("MT19937", np.array(state[:-1], dtype=np.uint32), state[-1], 0, 0.0))
    drawn: Floats = source.random_sample(count)
    return drawn


def drawn_medians(ordered: Ordered, normal: Floats) -> Floats:
    """Each point's own quantiles at the levels that standard normal draws stand for; a column is a point."""
    return ordered.quantiles(np.clip(0.5 + normal / (2 * np.sqrt(ordered.counts)), 0.0, 1.0))


def on_frontier(drawn: Floats) -> NDArray[np.bool_]:
    """Which points no other beats, for each row of (speed, wait) pairs; equal pairs all stay."""
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
