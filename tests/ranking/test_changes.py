from __future__ import annotations

import datetime as dt
import math
import random
from itertools import combinations

import pytest

from leaderboard.ranking.changes import (
    CHANCE,
    OUTAGE_FROM,
    Outage,
    newest_shift,
    outages,
    pairs_allowed,
    partitions,
    shifts,
)

START = dt.datetime(2026, 5, 1, 2, tzinfo=dt.UTC)
SLOT = dt.timedelta(hours=3)


def timed(values: list[float]) -> list[tuple[dt.datetime, float]]:
    return [(START + n * SLOT, value) for n, value in enumerate(values)]


def noise(count: int, *, level: float = 100.0, spread: float = 0.1, seed: int = 5) -> list[float]:
    source = random.Random(seed)
    return [level * source.lognormvariate(0, spread) for _ in range(count)]


def test_a_planted_fall_of_38_percent_is_found_after_eight_values_at_its_first() -> None:
    planted = timed(noise(95) + noise(20, level=62.0, seed=6))

    found = shifts(planted)

    assert [shift.at for shift in found] == [START + 95 * SLOT]
    assert -0.42 < found[0].change < -0.34
    assert newest_shift(planted[: 95 + 7]) is None
    assert newest_shift(planted[: 95 + 8]) is not None


def test_delay_on_planted_shifts_is_eight_values_or_a_few_more() -> None:
    delays = []
    for seed in range(60):
        values = timed(noise(60, seed=seed) + noise(30, level=62.0, seed=seed + 1000))
        delays.append(next(n for n in range(1, 31) if newest_shift(values[: 60 + n]) is not None))

    assert min(delays) >= 6
    assert sorted(delays)[len(delays) // 2] == 8
    assert max(delays) <= 10


def test_stable_noise_raises_no_alarm_in_20000_values() -> None:
    for seed, spread in ((1, 0.05), (2, 0.3), (3, 1.0)):
        assert shifts(timed(noise(20_000 // 3, spread=spread, seed=seed))) == []


def test_heavy_tails_and_a_daily_rhythm_raise_no_alarm() -> None:
    source = random.Random(9)
    heavy = [100.0 / max(source.random(), 1e-3) for _ in range(4000)]
    rhythm = [v * (1 + 0.4 * math.sin(n * math.tau / 8)) for n, v in enumerate(noise(4000))]

    assert shifts(timed(heavy)) == []
    assert shifts(timed(rhythm)) == []


def wandering(count: int, *, likeness: float, spread: float, seed: int) -> list[float]:
    """Log-normal noise whose neighbours are alike: an autoregression of the first order."""
    source, at = random.Random(seed), 0.0
    values = []
    for _ in range(count):
        at = likeness * at + source.gauss(0, spread * math.sqrt(1 - likeness**2))
        values.append(100.0 * math.exp(at))
    return values


@pytest.mark.parametrize(("likeness", "most"), [(0.3, 0), (0.5, 0), (0.7, 1), (0.9, 6)])
def test_noise_that_wanders_raises_hardly_an_alarm_in_20000_values(likeness: float, most: int) -> None:
    assert len(shifts(timed(wandering(20_000, likeness=likeness, spread=0.2, seed=1)))) <= most


def test_quiet_weekends_and_short_bursts_raise_no_alarm() -> None:
    weekends = [v * (0.7 if n // 8 % 7 >= 5 else 1) for n, v in enumerate(noise(5000))]
    bursts = [v * (0.6 if n % 50 < 4 else 1) for n, v in enumerate(noise(5000, seed=4))]

    assert len(shifts(timed(weekends))) <= 1  # the first weekend, before one is known
    assert shifts(timed(bursts)) == []


def test_a_fall_in_noise_that_wanders_is_found_as_soon() -> None:
    delays = []
    for seed in range(30):
        values = wandering(140, likeness=0.5, spread=0.1, seed=seed)
        values = timed([v * (0.62 if n >= 110 else 1) for n, v in enumerate(values)])
        delays.append(next((n for n in range(1, 31) if newest_shift(values[: 110 + n])), 31))

    assert sorted(delays)[15] == 8
    assert sum(delay > 12 for delay in delays) <= 3  # lost in what had strayed as far by itself


def test_a_small_shift_is_not_told_though_it_is_certain() -> None:
    assert shifts(timed([100.0 + n % 3 for n in range(60)] + [115.0 + n % 3 for n in range(60)])) == []


def test_one_wild_value_is_no_shift_and_hides_none() -> None:
    values = noise(60) + noise(20, level=62.0, seed=8)
    values[50] = 20.0

    assert shifts(timed([*noise(60), 900.0, *noise(60, seed=3)])) == []
    assert len(shifts(timed(values))) == 1


def test_a_recovery_is_a_shift_of_its_own() -> None:
    values = noise(60) + noise(40, level=50.0, seed=2) + noise(40, seed=3)

    found = shifts(timed(values))

    assert [s.at for s in found] == [START + 60 * SLOT, START + 100 * SLOT]
    assert found[1].change > 0.8


def test_the_rarity_is_counted_exactly() -> None:
    counted: dict[int, int] = {}
    for places in combinations(range(9), 3):  # 3 recent among 6 earlier
        out_of_order = sum(place - n for n, place in enumerate(places))
        counted[out_of_order] = counted.get(out_of_order, 0) + 1

    assert all(partitions(k, 3, 6) == count for k, count in counted.items())
    assert (pairs_allowed(40, 8), pairs_allowed(24, 8), pairs_allowed(23, 8)) == (8, 1, 0)
    assert sum(partitions(k, 8, 40) for k in range(9)) / math.comb(48, 8) < CHANCE


def test_an_outage_is_three_failures_in_a_row_and_ends_with_the_next_success() -> None:
    words = [
        "ok",
        "timeout",
        "timeout",
        "ok",
        "server_error",
        "rate_limited",
        "empty",
        "ours",
        "timeout",
        "ok",
    ]
    times = [START + n * SLOT for n in range(len(words))]

    assert OUTAGE_FROM == 3
    assert outages(list(zip(times, words, strict=True))) == [Outage(times[4], times[9], 3)]
    assert outages(list(zip(times[:9], words[:9], strict=True))) == [Outage(times[4], None, 3)]
    assert outages([]) == []
