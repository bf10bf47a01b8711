from __future__ import annotations

import pytest

from probes.intervals import lower_rank, median_interval


def exact_lower_rank(count: int) -> int | None:
    """The definition in whole numbers: the largest k with P(Binomial(count, 1/2) < k) ≤ 0.025."""
    whole, term, cumulated, rank = 2**count, 1, 0, 0
    while 40 * (cumulated + term) <= whole:
        cumulated += term
        term = term * (count - rank) // (rank + 1)
        rank += 1
    return rank or None


def test_rank_is_exact_for_every_count_up_to_400() -> None:
    assert [lower_rank(n) for n in range(1, 400)] == [exact_lower_rank(n) for n in range(1, 400)]


@pytest.mark.parametrize("count", [2500, 4320, 20_160])
def test_rank_is_exact_for_counts_of_a_whole_window(count: int) -> None:
    assert lower_rank(count) == exact_lower_rank(count)


def test_known_ranks() -> None:
    assert {n: lower_rank(n) for n in (0, 5, 6, 8, 9, 24, 100)} == {
        0: None, 5: None, 6: 1, 8: 1, 9: 2, 24: 7, 100: 40,
    }  # fmt: skip


def test_interval_is_made_of_values_and_null_below_six() -> None:
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0]) == (None, None)
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) == (1.0, 6.0)
    assert median_interval([float(n) for n in range(1, 25)]) == (7.0, 18.0)
