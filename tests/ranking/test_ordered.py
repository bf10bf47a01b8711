from __future__ import annotations

import math
import random

import numpy as np
import pytest

from leaderboard.ranking import ordered as module
from leaderboard.ranking.ordered import known, measure_columns, ordered_by_series
from leaderboard.ranking.percentiles import PUBLISHED_FRACTIONS, percentile, upper_tail
from probes.intervals import median_interval

COUNTS = (0, 1, 2, 5, 6, 19, 20, 21, 58, 59, 60, 0, 300, 7)


def some_series() -> list[list[float]]:
    source = random.Random(7)
    return [[round(source.lognormvariate(4, 1), 3) for _ in range(count)] for count in COUNTS]


@pytest.mark.parametrize("spare", [0, 1_000_000], ids=["one sort", "a row each"])
def test_columns_are_the_digits_of_the_plain_functions(spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPARE_CELLS", spare)
    series = some_series()
    values = np.array([v for one in series for v in one])
    numbers = np.array([n for n, one in enumerate(series) for _ in one], dtype=np.int64)

    found = ordered_by_series(values, numbers, len(series))

    assert [found.of(n) for n in range(len(series))] == [sorted(one) for one in series]
    columns = {name: known(column) for name, column in measure_columns("x", found).items()}
    for n, one in enumerate(map(sorted, series)):
        expected = [
            *(percentile(one, f) for f in PUBLISHED_FRACTIONS[:-1]),
            upper_tail(one),
            *median_interval(one),
        ]
        assert [column[n] for column in columns.values()] == expected


def test_unknown_values_are_in_no_series() -> None:
    found = ordered_by_series(np.array([3.0, math.nan, 1.0, math.nan]), np.array([0, 0, 0, 1]), 2)

    assert (found.of(0), found.of(1), found.counts.tolist()) == ([1.0, 3.0], [], [2, 0])
    assert known(found.quantiles(0.5)) == [2.0, None]


def test_bounds_are_the_extremes_where_there_are_too_few_for_an_interval() -> None:
    found = ordered_by_series(np.array([5.0, 4.0, 9.0]), np.array([0, 0, 2]), 3)

    low, high = found.bounds()

    assert (known(low), known(high)) == ([4.0, None, 9.0], [5.0, None, 9.0])


def test_no_series_at_all_have_no_figures() -> None:
    found = ordered_by_series(np.empty(0), np.empty(0, dtype=np.int64), 0)

    assert all(len(column) == 0 for column in measure_columns("x", found).values())
