from __future__ import annotations

import random

import pytest
from django.db import connection

from leaderboard.ranking.percentiles import PUBLISHED_FRACTIONS, is_weak_tail, percentile, upper_tail


@pytest.mark.django_db
def test_percentiles_are_postgres_own_to_the_last_bit() -> None:
    source = random.Random(7)
    for count in (1, 2, 3, 7, 24, 100, 577):
        values = sorted(round(source.lognormvariate(5, 1), 4) for _ in range(count))
        with connection.cursor() as cursor:
            cursor.execute(
                "select percentile_cont(%s::float8[]) within group (order by v) from unnest(%s::float8[]) v",
                [list(PUBLISHED_FRACTIONS), values],
            )
            (theirs,) = cursor.fetchall()[0]

        assert [percentile(values, fraction) for fraction in PUBLISHED_FRACTIONS] == theirs


def test_an_upper_tail_is_hidden_below_20_and_weak_below_59() -> None:
    assert upper_tail([1.0] * 19) is None
    assert upper_tail([1.0] * 20) == 1.0
    assert (is_weak_tail(58), is_weak_tail(59)) == (True, False)
