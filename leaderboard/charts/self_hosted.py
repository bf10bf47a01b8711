"""C13, C14 and C15 from the rows of gpu_endpoints: the figures of the pages on own GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Literal
from urllib.parse import quote

from leaderboard.charts.board import labelled
from leaderboard.charts.curves import Curve, Level, Rule
from leaderboard.charts.pictures import ORIGIN, Figure
from leaderboard.charts.theme import Width
from leaderboard.ranking.endpoints import GpuEndpointRow, best_level, by_endpoint
from leaderboard.ranking.hosted_prices import HostedPrice

Display = Literal["usd_per_mtok", "tokens_per_usd"]


def endpoint_address(endpoint_id: str) -> str:
    return f"{ORIGIN}/self-hosted/{quote(endpoint_id)}/"


def throughput_figure(rows: Sequence[GpuEndpointRow], *, simulated: bool) -> Figure:
    curves = tuple(
        curve_of(levels, [(row, row.throughput_tps_gpu) for row in levels])
        for levels in by_endpoint(rows).values()
    )
    return Figure(
        chart="gpu-throughput",
        label=labelled("Output tokens per second of each GPU against one user's speed", simulated=simulated),
        shows=curves,
        draw=partial(draw_throughput, curves),
    )


def cost_figure(
    rows: Sequence[GpuEndpointRow], asked: Sequence[HostedPrice], *, simulated: bool, display: Display
) -> Figure:
    """Cost at the use and the rate that the rows carry; both displays from the same numbers."""
    is_cost = display == "usd_per_mtok"
    curves = tuple(
        curve_of(
            levels, [(row, row.usd_per_mtok_output if is_cost else row.mtok_output_per_usd) for row in levels]
        )
        for levels in by_endpoint(rows).values()
    )
    rules = rules_of(asked)
    words = "USD per 1M output tokens" if is_cost else "Million output tokens per USD"
    return Figure(
        chart="gpu-cost",
        label=labelled(f"{words} against one user's speed", simulated=simulated),
        shows=(curves, rules, display),
        draw=partial(draw_cost, curves, rules, display=display),
    )


def break_even_figure(
    rows: Sequence[GpuEndpointRow],
    asked: Sequence[HostedPrice],
    *,
    simulated: bool,
    ttft_max_ms: float | None = None,
    speed_min_tps: float | None = None,
) -> Figure:
    """Each endpoint at its fullest level within the limits; costs are those of full use."""
    found = []
    for levels in by_endpoint(rows).values():
        best = best_level(levels, ttft_max_ms=ttft_max_ms, speed_min_tps=speed_min_tps)
        if best is not None and best.usd_per_mtok_output is not None:
            found.append((best, float(best.usd_per_mtok_output * best.utilisation)))
    ends, rules = tuple((row.level_id, name_of(row), cost) for row, cost in found), rules_of(asked)
    return Figure(
        chart="gpu-break-even",
        label=labelled("USD per 1M output tokens over utilisation", simulated=simulated),
        shows=(ends, rules),
        draw=partial(draw_break_even, tuple(found), rules),
    )


def self_hosted_figures(
    rows: Sequence[GpuEndpointRow],
    asked: Sequence[HostedPrice],
    *,
    simulated: bool,
    display: Display = "usd_per_mtok",
    ttft_max_ms: float | None = None,
    speed_min_tps: float | None = None,
) -> list[Figure]:
    return [
        throughput_figure(rows, simulated=simulated),
        cost_figure(rows, asked, simulated=simulated, display=display),
        break_even_figure(
            rows, asked, simulated=simulated, ttft_max_ms=ttft_max_ms, speed_min_tps=speed_min_tps
        ),
    ]


def name_of(row: GpuEndpointRow) -> str:
    """The public label: hardware and engine stand in the table."""
    return row.endpoint_id


Height = float | Decimal | None


def curve_of(levels: Sequence[GpuEndpointRow], heights: Sequence[tuple[GpuEndpointRow, Height]]) -> Curve:
    """A level without either figure has no place; the table still has it."""
    first = levels[0]
    return Curve(
        id=first.endpoint_id,
        name=name_of(first),
        gpu_model=first.gpu_model,
        quantization=first.quantization,
        href=endpoint_address(first.endpoint_id),
        levels=tuple(
            Level(
                concurrency=row.concurrency,
                x=row.output_speed_tps_user_p50,
                y=float(height),
                on_frontier=row.on_frontier,
            )
            for row, height in heights
            if height is not None and row.output_speed_tps_user_p50 is not None
        ),
    )


def rules_of(asked: Sequence[HostedPrice]) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            seller=price.provider_name,
            price=f"{price.output_usd_per_mtok.normalize():f} USD",
            height=float(price.output_usd_per_mtok),
        )
        for price in asked
    )


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_throughput(curves: Sequence[Curve], width: Width) -> dict[str, object]:
    from leaderboard.charts.figures.gpu_levels import gpu_throughput

    return gpu_throughput(curves, width=width)


def draw_cost(
    curves: Sequence[Curve], rules: Sequence[Rule], width: Width, *, display: Display
) -> dict[str, object]:
    from leaderboard.charts.figures.gpu_levels import gpu_cost

    return gpu_cost(curves, rules, width=width, display=display)


def draw_break_even(
    found: Sequence[tuple[GpuEndpointRow, float]], rules: Sequence[Rule], width: Width
) -> dict[str, object]:
    from leaderboard.charts.figures.break_even import FullUse, break_even

    ends = [
        FullUse(
            id=row.endpoint_id,
            name=f"{name_of(row)} ×{row.concurrency}",
            gpu_model=row.gpu_model,
            quantization=row.quantization,
            href=endpoint_address(row.endpoint_id),
            usd_per_mtok=cost,
        )
        for row, cost in found
    ]
    return break_even(ends, rules, width=width)
