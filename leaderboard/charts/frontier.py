"""The frontier of what a chart shows, by ranking's one function: taken anew for each pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leaderboard.charts.marks import Axis, Point
from leaderboard.ranking import pareto


def with_frontier(points: Sequence[Point], *, x_axis: Axis, y_axis: Axis) -> list[Point]:
    """The points, marked where no other ranked one beats them; over the provisional ones while none is ranked."""
    ranked = [p for p in points if not p.provisional]
    contenders = ranked or list(points)
    axes = [_ranking_axis(y_axis), _ranking_axis(x_axis)]
    found = pareto.frontier([pareto.Point(p.id, (p.y, p.x)) for p in contenders], axes)
    return [replace(p, on_frontier=p.id in found.ids) for p in points]


def _ranking_axis(axis: Axis) -> pareto.Axis:
    return pareto.AXES[axis.column]
