from __future__ import annotations

import datetime as dt
from decimal import Decimal

from leaderboard.measurements.use import Watch, measured_utilisation, tokens_per_second

START = dt.datetime(2026, 7, 14, tzinfo=dt.UTC)


def at(*readings: tuple[float, int]) -> Watch:
    """Hours since the start, and the counter then."""
    return Watch([(START + dt.timedelta(hours=hours), tokens) for hours, tokens in readings])


def test_time_in_which_we_swept_it_counts_nothing() -> None:
    swept = (START + dt.timedelta(hours=1.2), START + dt.timedelta(hours=1.4))
    watch = Watch(at((0, 0), (1, 3600), (2, 999_999), (3, 1_003_599)).readings, [swept])

    assert tokens_per_second(watch) == (1.0, dt.timedelta(hours=2))


def test_tokens_per_second_is_the_counter_s_rise_over_the_time_watched() -> None:
    assert tokens_per_second(at((0, 1000), (1, 4600), (2, 8200))) == (1.0, dt.timedelta(hours=2))


def test_a_restarted_counter_counts_from_zero() -> None:
    assert tokens_per_second(at((0, 9000), (1, 3600))) == (1.0, dt.timedelta(hours=1))


def test_time_in_which_nobody_watched_counts_nothing() -> None:
    assert tokens_per_second(at((0, 0), (1, 3600), (9, 999_999), (10, 1_003_599))) == (
        1.0,
        dt.timedelta(hours=2),
    )


def test_one_reading_tells_nothing() -> None:
    assert tokens_per_second(at((0, 0))) is None
    assert tokens_per_second(Watch()) is None


def test_the_share_needs_a_day_of_watching_and_a_throughput() -> None:
    day = at(*((hour, hour * 36_000) for hour in range(25)))

    assert measured_utilisation(day, full_tps=100.0) == Decimal("0.1")
    assert measured_utilisation(Watch(day.readings[:-1]), full_tps=100.0) is None
    assert measured_utilisation(day, full_tps=None) is None


def test_the_share_is_never_above_one() -> None:
    day = at(*((hour, hour * 36_000) for hour in range(25)))

    assert measured_utilisation(day, full_tps=5.0) == 1
