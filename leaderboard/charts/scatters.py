"""Any two measures of the same offerings against each other: each page's trade-off, and speed against price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from leaderboard.catalogue.pricing import DEFAULT_BLEND_TEXT
from leaderboard.charts.board import labelled, offering_address, offering_name
from leaderboard.charts.frontier import with_frontier
from leaderboard.charts.marks import (
    BLENDED_PRICE,
    OUTPUT_SPEED,
    PRICES,
    RATES,
    SCATTER_AXES,
    Axis,
    Point,
)
from leaderboard.charts.pictures import Figure
from leaderboard.charts.self_hosted import own_points
from leaderboard.charts.theme import Spec, Width
from leaderboard.ranking.endpoints import GpuEndpointRow
from leaderboard.ranking.rows import LeaderboardRow


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
    return replace(axis, is_log=axis.is_log or is_log)


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


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_scatter(found: Sequence[Point], x_axis: Axis, y_axis: Axis, width: Width) -> Spec:
    from leaderboard.charts.figures.scatter import scatter

    strips = x_axis in PRICES
    return scatter(found, x_axis=x_axis, y_axis=y_axis, width=width, noun="offerings", price_strips=strips)
