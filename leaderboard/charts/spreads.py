"""How far samples lie apart: percentiles by provider, and one offering's whole distribution."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from leaderboard.charts.board import labelled, offering_address
from leaderboard.charts.lines import Spread
from leaderboard.charts.marks import (
    FIRST_TOKEN,
    OUTPUT_SPEED,
    Axis,
)
from leaderboard.charts.pictures import Figure
from leaderboard.charts.theme import Spec, Width
from leaderboard.ranking.rows import LeaderboardRow


def speed_spread_figure(rows: Sequence[LeaderboardRow]) -> Figure:
    return spread_figure(rows, OUTPUT_SPEED, "output_speed_tps", "spread-speed")


def ttft_spread_figure(rows: Sequence[LeaderboardRow]) -> Figure:
    return spread_figure(rows, FIRST_TOKEN, "ttft_ms", "spread-ttft")


def spread_figure(rows: Sequence[LeaderboardRow], axis: Axis, stem: str, chart: str) -> Figure:
    found = tuple(spread_of(row, stem) for row in rows if row.is_ranked or row.is_provisional)
    simulated = any(row.simulated for row in rows)
    return Figure(
        chart=chart,
        label=labelled(f"{axis.title}, by provider", simulated=simulated),
        shows=(found, axis),
        draw=partial(draw_spread, found, axis),
    )


def spread_of(row: LeaderboardRow, stem: str) -> Spread:
    variant = f" {row.variant}" if row.variant else ""
    return Spread(
        id=row.offering_id,
        name=f"{row.provider_name}{variant}",
        href=offering_address(row.offering_id),
        weights=row.weights,
        p05=getattr(row, f"{stem}_p05"),
        p25=getattr(row, f"{stem}_p25"),
        p50=getattr(row, f"{stem}_p50"),
        p75=getattr(row, f"{stem}_p75"),
        p95=getattr(row, f"{stem}_p95"),
        low=getattr(row, f"{stem}_p50_low"),
        high=getattr(row, f"{stem}_p50_high"),
        self_hosted=row.hosting == "self_hosted",
        provisional=row.is_provisional,
    )


def distribution_figure(percentiles: Sequence[float], axis: Axis, *, count: int, simulated: bool) -> Figure:
    found = tuple(percentiles)
    return Figure(
        chart=f"distribution-{'speed' if axis is OUTPUT_SPEED else 'ttft'}",
        label=labelled(f"Distribution of {axis.title.lower().removesuffix(', median')}", simulated=simulated),
        shows=(found, axis, count),
        draw=partial(draw_distribution, found, axis, count),
    )


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_spread(found: Sequence[Spread], axis: Axis, width: Width) -> Spec:
    from leaderboard.charts.figures.spread import spread

    return spread(found, axis=axis, width=width)


def draw_distribution(found: Sequence[float], axis: Axis, count: int, width: Width) -> Spec:
    from leaderboard.charts.figures.distribution import distribution

    return distribution(found, axis=axis, count=count, width=width)
