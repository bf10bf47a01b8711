"""C13, C14 and C15 from the rows of gpu_endpoints: the figures of the pages on own GPUs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Literal
from urllib.parse import quote

from leaderboard.charts.board import labelled
from leaderboard.charts.curves import Curve, Kind, Level, Look, Rule, looks
from leaderboard.charts.marks import Point
from leaderboard.charts.pictures import ORIGIN, Figure
from leaderboard.charts.theme import Width
from leaderboard.ranking.endpoints import GpuEndpointRow, best_level, by_endpoint
from leaderboard.ranking.hosted_prices import HostedPrice

Display = Literal["usd_per_mtok", "tokens_per_usd"]


def endpoint_address(endpoint_id: str) -> str:
    return f"{ORIGIN}/self-hosted/{quote(endpoint_id)}/"


def throughput_figure(rows: Sequence[GpuEndpointRow], *, simulated: bool) -> Figure:
    curves = curves_of(rows)
    return Figure(
        chart="gpu-throughput",
        label=labelled("Output tokens per second of each GPU against one user's speed", simulated=simulated),
        shows=curves,
        draw=partial(draw_throughput, curves),
    )


def curves_of(rows: Sequence[GpuEndpointRow]) -> tuple[Curve, ...]:
    """One for each endpoint, its height the output tokens/s of each GPU."""
    found = looks_of(rows)
    return tuple(curve_of(levels, found, lambda row: row.throughput_tps_gpu) for levels in levels_of(rows))


def looks_of(rows: Sequence[GpuEndpointRow]) -> dict[str, Look]:
    """By endpoint, over all that the page shows, so that each looks the same in every figure."""
    return looks({row.endpoint_id: Kind(row.gpu_model, row.quantization) for row in rows})


def levels_of(rows: Sequence[GpuEndpointRow]) -> list[list[GpuEndpointRow]]:
    """Each endpoint's levels in order of concurrency, whatever the order of the table."""
    ordered = sorted(rows, key=lambda row: (row.endpoint_id, row.concurrency))
    return list(by_endpoint(ordered).values())


def cost_figure(
    rows: Sequence[GpuEndpointRow], asked: Sequence[HostedPrice], *, simulated: bool, display: Display
) -> Figure:
    """Cost at the use and the rate that the rows carry; both displays from the same numbers."""
    is_cost = display == "usd_per_mtok"
    found = looks_of(rows)
    curves = tuple(
        curve_of(levels, found, lambda row: row.usd_per_mtok_output if is_cost else row.mtok_output_per_usd)
        for levels in levels_of(rows)
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
    for levels in levels_of(rows):
        best = best_level(levels, ttft_max_ms=ttft_max_ms, speed_min_tps=speed_min_tps)
        if best is not None and best.usd_per_mtok_output is not None:
            found.append((best, float(best.usd_per_mtok_output * best.utilisation)))
    look, rules = looks_of(rows), rules_of(asked)
    ends = tuple((row.level_id, look[row.endpoint_id], cost) for row, cost in found)
    return Figure(
        chart="gpu-break-even",
        label=labelled("USD per 1M output tokens over utilisation", simulated=simulated),
        shows=(ends, rules),
        draw=partial(draw_break_even, tuple(found), rules, look=look),
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


def own_points(rows: Sequence[GpuEndpointRow], *, weights: str, provisional: bool) -> list[Point]:
    """Levels with a known cost as marks beside APIs: both coordinates are of the same level, at full use.

    The price is that of all tokens, prompt and output alike, in the workload's own mix. They count as provisional
    where all APIs are, so that one frontier holds both.
    """
    return [
        Point(
            id=row.level_id,
            name=f"{name_of(row)} ×{row.concurrency}",
            x=float(row.usd_per_mtok_total),
            y=row.output_speed_tps_user_p50,
            weights=weights,
            href=endpoint_address(row.endpoint_id),
            self_hosted=True,
            provisional=provisional,
        )
        for row in rows
        if row.usd_per_mtok_total is not None
    ]


def name_of(row: GpuEndpointRow) -> str:
    """The public label: hardware and engine stand in the table."""
    return row.endpoint_id


Height = float | Decimal | None


def curve_of(
    levels: Sequence[GpuEndpointRow], look: Mapping[str, Look], height_of: Callable[[GpuEndpointRow], Height]
) -> Curve:
    """A level without either figure has no place; the table still has it."""
    first = levels[0]
    return Curve(
        id=first.endpoint_id,
        name=name_of(first),
        href=endpoint_address(first.endpoint_id),
        look=look[first.endpoint_id],
        levels=tuple(
            Level(
                concurrency=row.concurrency,
                x=row.output_speed_tps_user_p50,
                y=float(height),
                on_frontier=row.on_frontier,
            )
            for row in levels
            if (height := height_of(row)) is not None and row.output_speed_tps_user_p50 is not None
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
    found: Sequence[tuple[GpuEndpointRow, float]],
    rules: Sequence[Rule],
    width: Width,
    *,
    look: Mapping[str, Look],
) -> dict[str, object]:
    from leaderboard.charts.figures.break_even import FullUse, break_even

    ends = [
        FullUse(
            id=row.endpoint_id,
            name=f"{name_of(row)} ×{row.concurrency}",
            look=look[row.endpoint_id],
            href=endpoint_address(row.endpoint_id),
            usd_per_mtok=cost,
        )
        for row, cost in found
    ]
    return break_even(ends, rules, width=width)
