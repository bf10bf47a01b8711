"""Finding changes in a series of values: pure functions, with their false-alarm rate stated.

**Shift.** The last 8 values against up to 40 before them (24 at least). It is a shift if (a) almost every recent value
lies beyond almost every earlier one: the number of pairs in the other order is so small that, were all values drawn
alike and each by itself, it would come with a probability of at most 2e-7 on either side (exact, by counting orders;
with 40 before that allows 8 of 320 pairs); (b) the medians differ by at least 20 %; and (c) the recent median lies 2.5
times as far from the earlier one, as a ratio, as any 8 values in a row strayed within up to 104 before (14 days with
the recent ones). Noise that wanders, whose neighbours are alike, breaks what (a) supposes; (c) measures how far it
wanders by itself. Eight slots are a whole day, so a daily rhythm alone is no shift. The rates are in
docs/changes-found.md. The delay is the 8 values that must come after it, a day at the default interval. After a shift
the earlier values count no more, so the same shift is not found twice.

**Outage.** At least 3 failures of the provider (server_error, timeout, stream_broken, empty) in a row, from the first
of them to the next ok. Where 1 % of requests fail independently, that is one false alarm in a million values.
"""

from __future__ import annotations

import datetime as dt
import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from probes.reliability import DOWN

RECENT = 8
BASELINE_MAX, BASELINE_MIN = 40, 24
CHANCE = 2e-7
"""Probability, on either side, of so few pairs in the other order if nothing changed."""
LEAST_CHANGE = 0.20
STRAYING_MAX = 104
"""Earlier values whose wandering is looked at."""
TIMES_STRAYED = 2.5
LOOKED_AT = RECENT + STRAYING_MAX
OUTAGE_FROM = 3

Timed = tuple[dt.datetime, float]


@dataclass(frozen=True, slots=True)
class Shift:
    """`at` is the first value of the new level; `change` is relative to the old median: -0.38 is 38 % less."""

    at: dt.datetime
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after / self.before - 1


@dataclass(frozen=True, slots=True)
class Outage:
    """`ended_at` None: still down."""

    started_at: dt.datetime
    ended_at: dt.datetime | None
    failures: int


def newest_shift(values: Sequence[Timed]) -> Shift | None:
    """Whether the newest values, in order of time, stand on another level than those before; looks at the end only."""
    window = values[-(RECENT + BASELINE_MAX) :]
    earlier, recent = [v for _, v in window[:-RECENT]], [v for _, v in window[-RECENT:]]
    if len(earlier) < BASELINE_MIN:
        return None
    if not is_apart(earlier, recent):
        return None
    start = best_start(window)
    before = statistics.median(v for _, v in window[:start])
    after = statistics.median(v for _, v in window[start:])
    shift = Shift(window[start][0], before, after)
    if abs(shift.change) < LEAST_CHANGE:
        return None
    moved = distance(statistics.median(recent), statistics.median(earlier))
    strayed = straying([v for _, v in values[-LOOKED_AT:-RECENT]])
    return shift if moved >= TIMES_STRAYED * strayed else None


def distance(one: float, other: float) -> float:
    """Of two values above zero, as a ratio: twice as much is as far as half as much."""
    return abs(math.log(one / other))


def straying(values: Sequence[float]) -> float:
    """How far from the median of all the medians of as many in a row as are called recent lie, at most."""
    middle = statistics.median(values)
    return max(
        distance(statistics.median(values[n : n + RECENT]), middle) for n in range(len(values) - RECENT + 1)
    )


def shifts(values: Sequence[Timed]) -> list[Shift]:
    """Every shift in a history, as it would have been found value by value."""
    found: list[Shift] = []
    first = 0
    for end in range(1, len(values) + 1):
        begin = max(first, end - LOOKED_AT)
        shift = newest_shift(values[begin:end])
        if shift is not None:
            found.append(shift)
            first = next(i for i in range(begin, end) if values[i][0] == shift.at)
    return found


def is_apart(earlier: Sequence[float], recent: Sequence[float]) -> bool:
    """Whether so few pairs are in the other order that chance does not explain it; a tie is half a pair."""
    ordered = sorted(earlier)
    above = sum((bisect_left(ordered, r) + bisect_right(ordered, r)) / 2 for r in recent)
    return min(above, len(earlier) * len(recent) - above) <= pairs_allowed(len(earlier), len(recent))


@lru_cache(maxsize=256)
def pairs_allowed(earlier: int, recent: int) -> int:
    """The most pairs in the other order whose probability, or less, is at most CHANCE; -1 where none is so rare.

    The number of orders with exactly k such pairs is the number of partitions of k into at most `recent` parts of
    at most `earlier` each (the null distribution of the rank-sum test).
    """
    orders = math.comb(earlier + recent, recent)
    allowed, cumulated = -1, 0
    while True:
        cumulated += partitions(allowed + 1, recent, earlier)
        if cumulated > CHANCE * orders:
            return allowed
        allowed += 1


@lru_cache(maxsize=65_536)
def partitions(total: int, parts: int, largest: int) -> int:
    """Ways to write `total` as a sum of at most `parts` numbers from 1 to `largest`, order aside."""
    if total == 0:
        return 1
    if total < 0 or parts == 0 or largest == 0:
        return 0
    return partitions(total, parts, largest - 1) + partitions(total - largest, parts - 1, largest)


def best_start(window: Sequence[Timed]) -> int:
    """Where the new level begins: the cut that leaves the smallest sum of distances from the two medians."""
    values = [v for _, v in window]

    def cost(cut: int) -> float:
        left, right = statistics.median(values[:cut]), statistics.median(values[cut:])
        return sum(abs(v - left) for v in values[:cut]) + sum(abs(v - right) for v in values[cut:])

    nearest = len(values) - RECENT
    return min(
        range(max(BASELINE_MIN // 2, nearest - RECENT), nearest + RECENT // 2 + 1), key=lambda c: (cost(c), c)
    )


def outages(outcomes: Sequence[tuple[dt.datetime, str]]) -> list[Outage]:
    """Runs of failures in order of time; what is neither ok nor down (a rate limit, our own fault) is passed over."""
    found: list[Outage] = []
    run: list[dt.datetime] = []
    for at, outcome in outcomes:
        if outcome in DOWN:
            run.append(at)
        elif outcome == "ok":
            if len(run) >= OUTAGE_FROM:
                found.append(Outage(run[0], at, len(run)))
            run = []
    if len(run) >= OUTAGE_FROM:
        found.append(Outage(run[0], None, len(run)))
    return found
