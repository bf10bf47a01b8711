"""Offerings beside each other, and a provider beside everyone who serves the same models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from leaderboard.charts.board import labelled, model_address, offering_address, offering_name
from leaderboard.charts.lines import Compared
from leaderboard.charts.marks import (
    Bar,
)
from leaderboard.charts.pictures import Figure
from leaderboard.charts.theme import Spec, Width
from leaderboard.ranking.rows import LeaderboardRow


def compared(row: LeaderboardRow) -> Compared:
    price = row.blended_usd_per_mtok
    return Compared(
        id=row.offering_id,
        name=offering_name(row),
        href=offering_address(row.offering_id),
        weights=row.weights,
        speed=row.output_speed_tps_p50,
        speed_low=row.output_speed_tps_p50_low,
        speed_high=row.output_speed_tps_p50_high,
        ttft=row.ttft_ms_p50,
        ttft_low=row.ttft_ms_p50_low,
        ttft_high=row.ttft_ms_p50_high,
        success=row.success_rate,
        price=None if price is None else float(price),
    )


def compare_figures(rows: Sequence[LeaderboardRow], *, tokens: int) -> list[Figure]:
    found = tuple(compared(row) for row in rows)
    simulated = any(row.simulated for row in rows)
    return [
        Figure(
            chart="compare",
            label=labelled("Offerings compared", simulated=simulated),
            shows=found,
            draw=partial(draw_comparison, found),
        ),
        Figure(
            chart="answer-time",
            label=labelled(f"Seconds for {tokens} output tokens", simulated=simulated),
            shows=(found, tokens),
            draw=partial(draw_answer_time, found, tokens),
        ),
    ]


def ratio_figure(rows: Sequence[tuple[LeaderboardRow, float]], *, simulated: bool) -> Figure:
    """A provider's offerings against the median speed of all who serve the same model."""
    found = tuple(
        Bar(
            id=row.offering_id,
            name=row.model_name + (f" {row.variant}" if row.variant else ""),
            creator=row.creator,
            value=ratio,
            href=model_address(row.model_id),
            weights=row.weights,
        )
        for row, ratio in rows
    )
    return Figure(
        chart="ratios",
        label=labelled("Speed against each model's median", simulated=simulated),
        shows=found,
        draw=partial(draw_ratios, found),
    )


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_comparison(found: Sequence[Compared], width: Width) -> Spec:
    from leaderboard.charts.figures.comparison import comparison

    return comparison(found, width=width)


def draw_answer_time(found: Sequence[Compared], tokens: int, width: Width) -> Spec:
    from leaderboard.charts.figures.comparison import answer_time

    return answer_time(found, tokens=tokens, width=width)


def draw_ratios(found: Sequence[Bar], width: Width) -> Spec:
    from leaderboard.charts.figures.ratios import ratios

    return ratios(found, width=width, title="× the median speed, log scale, higher is better")
