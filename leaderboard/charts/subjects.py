"""The figures of one model, one provider and one offering, from the rows of their pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from leaderboard.catalogue.models import Price
from leaderboard.catalogue.pricing import DEFAULT_BLEND_TEXT
from leaderboard.charts.board import labelled, model_address, offering_address, offering_name
from leaderboard.charts.frontier import with_frontier
from leaderboard.charts.lines import Compared, Day, Hour, Line, Mark, Spread, Step
from leaderboard.charts.marks import (
    BLENDED_PRICE,
    FIRST_TOKEN,
    OUTPUT_SPEED,
    PRICES,
    RATES,
    SCATTER_AXES,
    Axis,
    Bar,
    Point,
)
from leaderboard.charts.pictures import Figure
from leaderboard.charts.self_hosted import own_points
from leaderboard.charts.theme import Width
from leaderboard.ranking.endpoints import GpuEndpointRow
from leaderboard.ranking.models import DailySummary
from leaderboard.ranking.rows import LeaderboardRow

Spec = dict[str, Any]


def scatter_figure(
    rows: Sequence[LeaderboardRow],
    *,
    x: str,
    y: str,
    log_y: bool = False,
    chart: str = "tradeoff",
    hl: Sequence[str] = (),
    short_names: bool = False,
    more: Sequence[Point] = (),
) -> Figure:
    """Any two measures by their column names, `more` points among them; the frontier is taken anew for all.

    The same picture for every order of the rows.
    """
    blend = rows[0].blend if rows else DEFAULT_BLEND_TEXT
    x_axis, y_axis = axis_at(x, blend), axis_with(axis_at(y, blend), is_log=log_y)
    drawn = sorted((r for r in rows if r.is_ranked or r.is_provisional), key=lambda r: r.offering_id)
    points = [axis_point(row, x, y, hl, short_names) for row in drawn]
    found = tuple(with_frontier([*points, *more], x_axis=x_axis, y_axis=y_axis))
    simulated = any(row.simulated for row in rows)
    return Figure(
        chart=chart,
        label=labelled(f"{y_axis.title} against {x_axis.title.lower()}, by offering", simulated=simulated),
        shows=(found, x_axis, y_axis),
        draw=partial(draw_scatter, found, x_axis, y_axis),
    )


def axis_at(column: str, blend: str) -> Axis:
    """The axis of a column; that of the blended price names the mix it is of."""
    axis = SCATTER_AXES[column]
    if axis is not BLENDED_PRICE or blend == DEFAULT_BLEND_TEXT:
        return axis
    names, _, weights = blend.partition("=")
    parts = zip(weights.split(":"), names.split(":"), strict=True)
    mix = " : ".join(f"{weight} {name.replace('_', ' ')}" for weight, name in parts)
    return replace(axis, title=f"Blended price, {mix}")


def axis_with(axis: Axis, *, is_log: bool) -> Axis:
    return Axis(
        column=axis.column,
        title=axis.title,
        unit=axis.unit,
        lower_is_better=axis.lower_is_better,
        is_log=axis.is_log or is_log,
        decimals=axis.decimals,
    )


def axis_point(row: LeaderboardRow, x: str, y: str, hl: Sequence[str], short_names: bool) -> Point:
    return Point(
        id=row.offering_id,
        name=row.provider_name + (f" {row.variant}" if row.variant else "")
        if short_names
        else offering_name(row),
        x=axis_value(row, x),
        y=axis_value(row, y),
        weights=row.weights,
        href=offering_address(row.offering_id),
        self_hosted=row.hosting == "self_hosted",
        provisional=row.is_provisional,
        muted=bool(hl) and row.offering_id not in hl,
        labelled=row.offering_id in hl,
    )


def axis_value(row: LeaderboardRow, column: str) -> float | None:
    """As the axis shows it: rates in percent."""
    value = getattr(row, column)
    if value is None:
        return None
    return float(value) * 100 if SCATTER_AXES[column] in RATES else float(value)


def price_figure(rows: Sequence[LeaderboardRow], own: Sequence[GpuEndpointRow] = ()) -> Figure:
    """C5: APIs at their blended list price, and own GPUs at what all their tokens cost at full use."""
    weights = rows[0].weights if rows else "open"
    provisional = not any(row.is_ranked for row in rows)
    return scatter_figure(
        rows,
        x=BLENDED_PRICE.column,
        y=OUTPUT_SPEED.column,
        chart="price",
        short_names=True,
        more=own_points(own, weights=weights, provisional=provisional),
    )


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


def history_figure(
    days: Iterable[DailySummary],
    names: Mapping[int, str],
    axis: Axis,
    *,
    simulated: bool,
    marks: Sequence[Mark] = (),
) -> Figure:
    """One line for each offering of `names` (by primary key, in the order to draw them)."""
    values: dict[int, list[tuple[dt.date, float | None]]] = {pk: [] for pk in names}
    for day in days:
        if day.offering_id in values:
            values[day.offering_id].append((day.day, getattr(day, axis.column)))
    found = tuple(
        Line(id=str(pk), name=name, values=tuple(sorted(values[pk])))
        for pk, name in names.items()
        if len(values[pk]) > 0
    )
    return Figure(
        chart=f"history-{'speed' if axis is OUTPUT_SPEED else 'ttft'}",
        label=labelled(f"{axis.title} by day", simulated=simulated),
        shows=(found, axis, tuple(marks)),
        draw=partial(draw_history, found, axis, tuple(marks)),
    )


def price_history_figure(prices: Iterable[Price], until: dt.datetime) -> Figure:
    """The flat list price over time; the day is rounded so that the picture is kept for a day."""
    flat = sorted(
        (p for p in prices if p.context_above_tokens is None and not p.hours_utc), key=lambda p: p.valid_from
    )
    inputs = tuple(step_of(p, p.input_usd_per_mtok) for p in flat)
    outputs = tuple(step_of(p, p.output_usd_per_mtok) for p in flat)
    until = until.replace(hour=0, minute=0, second=0, microsecond=0) + dt.timedelta(days=1)
    return Figure(
        chart="price-history",
        label="List price over time",
        shows=(inputs, outputs, until),
        draw=partial(draw_prices, inputs, outputs, until),
    )


def step_of(price: Price, value: object) -> Step:
    return Step(
        since=price.valid_from,
        value=None if value is None else float(str(value)),
        verified_at=price.verified_at,
    )


def distribution_figure(percentiles: Sequence[float], axis: Axis, *, count: int, simulated: bool) -> Figure:
    found = tuple(percentiles)
    return Figure(
        chart=f"distribution-{'speed' if axis is OUTPUT_SPEED else 'ttft'}",
        label=labelled(f"Distribution of {axis.title.lower().removesuffix(', median')}", simulated=simulated),
        shows=(found, axis, count),
        draw=partial(draw_distribution, found, axis, count),
    )


def hours_figure(buckets: Sequence[Mapping[str, Any]], *, simulated: bool) -> Figure:
    found = tuple(
        Hour(
            hour=b["bucket"],
            samples=b["samples"],
            p25=b["output_speed_tps_p25"],
            p50=b["output_speed_tps_p50"],
            p75=b["output_speed_tps_p75"],
        )
        for b in buckets
    )
    return Figure(
        chart="hours",
        label=labelled("Output speed by hour of the day", simulated=simulated),
        shows=found,
        draw=partial(draw_hours, found),
    )


def day_of(row: DailySummary) -> Day:
    return Day(
        on=row.day,
        scheduled=row.samples_scheduled,
        total=row.samples_total,
        ok=row.samples_ok,
        timeouts=row.errors_timeout,
        rate_limited=row.errors_rate_limited,
        server_errors=row.errors_server,
        other=row.errors_other,
        success_rate=row.success_rate,
    )


def reliability_figure(
    days: Sequence[Day], until: dt.date, *, simulated: bool, name: str = "", suffix: str = ""
) -> Figure:
    found = tuple(days)
    of = f" of {name}" if name else ""
    return Figure(
        chart=f"reliability{suffix}",
        label=labelled(f"Success rate by day{of}", simulated=simulated),
        shows=(found, until),
        draw=partial(draw_reliability, found, until),
    )


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


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_scatter(found: Sequence[Point], x_axis: Axis, y_axis: Axis, width: Width) -> Spec:
    from leaderboard.charts.figures.scatter import scatter

    strips = x_axis in PRICES
    return scatter(found, x_axis=x_axis, y_axis=y_axis, width=width, noun="offerings", price_strips=strips)


def draw_spread(found: Sequence[Spread], axis: Axis, width: Width) -> Spec:
    from leaderboard.charts.figures.spread import spread

    return spread(found, axis=axis, width=width)


def draw_history(found: Sequence[Line], axis: Axis, marks: Sequence[Mark], width: Width) -> Spec:
    from leaderboard.charts.figures.history import history

    return history(found, axis=axis, width=width, marks=marks)


def draw_prices(inputs: Sequence[Step], outputs: Sequence[Step], until: dt.datetime, width: Width) -> Spec:
    from leaderboard.charts.figures.prices import price_history

    return price_history(inputs, outputs, until=until, width=width)


def draw_distribution(found: Sequence[float], axis: Axis, count: int, width: Width) -> Spec:
    from leaderboard.charts.figures.distribution import distribution

    return distribution(found, axis=axis, count=count, width=width)


def draw_hours(found: Sequence[Hour], width: Width) -> Spec:
    from leaderboard.charts.figures.hours import hours_of_day

    return hours_of_day(found, axis=OUTPUT_SPEED, width=width)


def draw_reliability(found: Sequence[Day], until: dt.date, width: Width) -> Spec:
    from leaderboard.charts.figures.reliability import reliability_strip

    return reliability_strip(found, until=until, width=width)


def draw_ratios(found: Sequence[Bar], width: Width) -> Spec:
    from leaderboard.charts.figures.ratios import ratios

    return ratios(found, width=width, title="× the median speed, log scale, higher is better")


def draw_comparison(found: Sequence[Compared], width: Width) -> Spec:
    from leaderboard.charts.figures.comparison import comparison

    return comparison(found, width=width)


def draw_answer_time(found: Sequence[Compared], tokens: int, width: Width) -> Spec:
    from leaderboard.charts.figures.comparison import answer_time

    return answer_time(found, tokens=tokens, width=width)
