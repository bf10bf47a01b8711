from __future__ import annotations

from leaderboard.ranking.ranks import competition_ranks, rank_bounds


def test_ranks_leave_a_gap_after_ties_and_skip_what_has_no_value() -> None:
    assert competition_ranks([50.0, 70.0, None, 50.0, 30.0], higher_is_better=True) == [2, 1, None, 2, 4]
    assert competition_ranks([50.0, 70.0, None, 50.0, 30.0], higher_is_better=False) == [2, 4, None, 2, 1]


def test_unrounded_values_decide() -> None:
    assert competition_ranks([100.0, 100.000_000_01], higher_is_better=True) == [2, 1]


def test_best_and_worst_rank_follow_from_the_intervals() -> None:
    intervals = [(90.0, 110.0), (100.0, 120.0), (10.0, 20.0), None, (20.0, 30.0)]

    assert rank_bounds(intervals, higher_is_better=True) == [(1, 2), (1, 2), (3, 4), None, (3, 3)]
    assert rank_bounds(intervals, higher_is_better=False) == [(3, 4), (3, 4), (1, 1), None, (1, 2)]


def test_equal_single_values_can_only_tie() -> None:
    assert rank_bounds([(5.0, 5.0), (5.0, 5.0)], higher_is_better=True) == [(1, 1), (1, 1)]
