"""C16's figure: our own work in the last 48 hours, an hour a cell, a probe location a row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from leaderboard.charts.pictures import Figure
from leaderboard.charts.theme import Width
from leaderboard.ranking.watching import HourOfWork


def work_figure(hours: Sequence[HourOfWork]) -> Figure:
    found = tuple(hours)
    return Figure(
        chart="freshness",
        label="Probes done of those planned, by hour and location",
        shows=found,
        draw=partial(draw_work, found),
    )


def draw_work(found: Sequence[HourOfWork], width: Width) -> dict[str, Any]:
    from leaderboard.charts.figures.work import hours_of_work

    return hours_of_work(found, width=width)
