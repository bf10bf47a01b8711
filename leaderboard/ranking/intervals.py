"""Whether two medians can be told apart, by their 95 % intervals."""

from __future__ import annotations


def is_order_resolved(mine: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two intervals stand apart; where they overlap, the order is not resolved."""
    return mine[0] > other[1] or other[0] > mine[1]
