"""C6: how a model's offerings spread, each with its percentiles and the interval of its median."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer, x_axis
from leaderboard.charts.lines import Spread
from leaderboard.charts.marks import Axis, readable, spoken
from leaderboard.charts.scales import Scale, is_drawable, linear_scale, log_scale
from leaderboard.charts.theme import Width

DRAWN = 40


def spread(rows: Sequence[Spread], *, axis: Axis, width: Width) -> Spec:
    """Best median first; thin line p05 to p95, thick line p25 to p75, dot the median, ticks its interval."""
    known = [r for r in rows if is_drawable(r.p50, is_log=axis.is_log)]
    known.sort(key=lambda r: ((r.p50 or 0) if axis.lower_is_better else -(r.p50 or 0), r.id))
    shown = known[:DRAWN]
    gutter, font, row = (210, 12.5, 28) if is_wide(width) else (4, 11, 38)
    size = width - gutter - 22, max(1, len(shown)) * row
    scale = _scale(shown, axis, size[0])
    data = [_row(i, r, axis, row, above=not is_wide(width)) for i, r in enumerate(shown)]
    direction = "lower is better" if axis.lower_is_better else "higher is better"
    title = f"{axis.title}, {axis.unit}, {direction}"
    x_title = [f"{axis.title}, {axis.unit}", direction] if not is_wide(width) else title
    layers: list[Layer] = [
        _rule(data, "p05", "p95", scale, x_title, 1.2),
        _rule(data, "p25", "p75", scale, x_title, 5),
        _ticks(data, "low", scale),
        _ticks(data, "high", scale),
        _dots(data, scale),
        words_layer(
            [{"px": -gutter, "py": r["name_y"], "text": r["name"]} for r in data], name="names", font=font
        ),
    ]
    return layered(
        layers,
        size=size,
        padding=(gutter, 22, 10, 44 if is_wide(width) else 56),
        description=_description(shown, axis),
        font=font,
        usermeta={"plotted": [r.id for r in shown]},
    )


def _scale(rows: Sequence[Spread], axis: Axis, length_px: float) -> Scale:
    values = [v for r in rows for v in (r.p05, r.p25, r.p50, r.p75, r.p95) if v is not None]
    make = log_scale if axis.is_log else linear_scale
    return make(values, length_px, reversed_=axis.is_log and axis.lower_is_better)


def _row(index: int, spread_: Spread, axis: Axis, row: int, *, above: bool) -> Spec:
    colour = theme.WEIGHTS_COLOURS.get(spread_.weights, theme.NEUTRAL)
    hollow = spread_.self_hosted or spread_.provisional
    middle = (index + 0.5) * row
    values = {name: getattr(spread_, name) for name in ("p05", "p25", "p50", "p75", "p95", "low", "high")}
    said = f"{spoken(spread_.p50 or 0, axis.decimals)} {axis.unit}"
    return {
        "id": readable(spread_.id),
        "name": theme.shortened(readable(spread_.name)),
        **values,
        "py": middle + (8 if above else 0),
        "name_y": middle - 9 if above else middle,
        "href": spread_.href,
        "fill": theme.PAPER if hollow else colour,
        "stroke": colour,
        "weights": spread_.weights,
        "description": readable(f"{spread_.name}, {said}{_tails(spread_, axis)}"),
    }


def _tails(row: Spread, axis: Axis) -> str:
    if row.p05 is None or row.p95 is None:
        return ""
    return f", p05 {spoken(row.p05, axis.decimals)}, p95 {spoken(row.p95, axis.decimals)}"


def _description(rows: Sequence[Spread], axis: Axis) -> str:
    if not rows:
        return f"{axis.title}: nothing to draw yet."
    return readable(
        f"{axis.title}, {axis.unit}, of {len(rows)} offerings: thin lines run from p05 to p95, thick ones from p25 "
        f"to p75. The best median is {rows[0].name}, {spoken(rows[0].p50 or 0, axis.decimals)} {axis.unit}."
    )


def _rule(
    data: Sequence[Spec], start: str, end: str, scale: Scale, title: str | list[str], thickness: float
) -> Layer:
    rows = [row for row in data if row[start] is not None and row[end] is not None]
    return (
        rows_chart(rows, f"{start}_{end}")
        .mark_rule(strokeWidth=thickness, aria=False, opacity=1)
        .encode(
            x=x_axis(start, scale, title=title),
            x2=f"{end}:Q",
            y=at_py("py"),
            stroke=alt.Stroke("stroke:N", scale=None, legend=None),
        )
    )


def _ticks(data: Sequence[Spec], field: str, scale: Scale) -> Layer:
    rows = [row | {"px": round(scale.to_px(row[field]), 1)} for row in data if row[field] is not None]
    return (
        rows_chart(rows, field)
        .mark_tick(orient="vertical", size=13, thickness=1.4, color=theme.INK, aria=False, opacity=1)
        .encode(x=at_px("px"), y=at_py("py"))
    )


def _dots(data: Sequence[Spec], scale: Scale) -> Layer:
    rows = [row | {"px": round(scale.to_px(row["p50"]), 1)} for row in data]
    return (
        rows_chart(rows, "points")
        .mark_point(opacity=1, size=74, strokeWidth=1.8)
        .encode(
            x=at_px("px"),
            y=at_py("py"),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            stroke=alt.Stroke("stroke:N", scale=None, legend=None),
            shape=alt.Shape(
                "weights:N",
                scale=alt.Scale(domain=list(theme.WEIGHTS_SHAPES), range=list(theme.WEIGHTS_SHAPES.values())),
                legend=None,
            ),
            href=alt.Href("href:N"),
            description=alt.Description("description:N"),
        )
    )
