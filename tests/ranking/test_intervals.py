from __future__ import annotations

from leaderboard.ranking.intervals import is_order_resolved


def test_order_is_resolved_where_intervals_stand_apart() -> None:
    assert is_order_resolved((1.0, 2.0), (2.1, 3.0))
    assert not is_order_resolved((1.0, 2.0), (2.0, 3.0))
    assert not is_order_resolved((2.0, 3.0), (1.0, 9.0))
