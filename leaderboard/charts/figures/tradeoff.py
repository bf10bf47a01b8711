"""C3: output speed against time to first token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from leaderboard.charts.figures.scatter import scatter
from leaderboard.charts.marks import FIRST_TOKEN, OUTPUT_SPEED, Point
from leaderboard.charts.theme import Width


def tradeoff(points: Sequence[Point], *, width: Width, noun: str, log_speed: bool = False) -> dict[str, Any]:
    """Points hold milliseconds in x and tokens/s in y; speed is linear from 0 unless `yscale` says log."""
    speed = replace(OUTPUT_SPEED, is_log=log_speed)
    return scatter(points, x_axis=FIRST_TOKEN, y_axis=speed, width=width, noun=noun)
