"""C9: the cumulative distribution of one offering's measure: no bins, and two humps show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer, x_axis
from leaderboard.charts.marks import Axis, readable, spoken
from leaderboard.charts.scales import is_drawable, log_scale
from leaderboard.charts.theme import Width

SHARES = (0, 25, 50, 75, 100)


def distribution(percentiles: Sequence[float], *, axis: Axis, count: int, width: Width) -> Spec:
    """`percentiles` are those from 0 to 100, evenly spaced; `count` is n behind them."""
    wide = is_wide(width)
    left, right, font, height = (48, 26, 12.5, 200) if wide else (40, 22, 11, 170)
    values = [v for v in percentiles if is_drawable(v, is_log=True)]
    plot_width = width - left - right
    scale = log_scale(values, plot_width)
    rows = [
        {
            "px": round(scale.to_px(v), 1),
            "py": round(height * (1 - i / max(1, len(values) - 1)), 1),
            "step": i,
        }
        for i, v in enumerate(values)
    ]
    grid = [{"px": 0, "end": plot_width, "py": height * (1 - s / 100)} for s in SHARES]
    labels = [{"px": -8, "py": height * (1 - s / 100), "text": str(s)} for s in SHARES]
    title = [f"{axis.title.removesuffix(', median')}, {axis.unit}", "log scale"]
    axis_rows = [{"value": v} for v in values[:1]]
    layers: list[Layer] = [
        rows_chart(axis_rows, "axis")
        .mark_point(opacity=0, aria=False)
        .encode(x=x_axis("value", scale, title=", ".join(title) if wide else title)),
        rows_chart(grid, "grid")
        .mark_rule(color=theme.GRID, aria=False)
        .encode(x=at_px("px"), x2=alt.X2("end"), y=at_py("py")),
        words_layer(labels, name="ticks", font=font, align="right"),
        words_layer(
            [{"px": -left + 4, "py": -16, "text": f"Share of samples, %, n = {count}"}],
            name="titles",
            font=font,
        ),
        rows_chart(rows, "curve")
        .mark_line(interpolate="step-after", color=theme.OPEN, strokeWidth=2, aria=False)
        .encode(x=at_px("px"), y=at_py("py"), order=alt.Order("step:Q")),
        *_rules(values, axis, scale.to_px, height, font, plot_width),
    ]
    return layered(
        layers,
        size=(plot_width, height),
        padding=(left, right, 32, 44 if wide else 54),
        description=_description(values, axis, count),
        font=font,
        usermeta={"plotted": ["curve"]},
    )


def _quantile(values: Sequence[float], share: float) -> float:
    return values[round(share * (len(values) - 1))]


def _rules(
    values: Sequence[float],
    axis: Axis,
    to_px: Callable[[float], float],
    height: float,
    font: float,
    plot_width: float,
) -> list[Layer]:
    if not values:
        return []
    rows: list[Spec] = []
    for index, (name, share) in enumerate((("p50", 0.5), ("p95", 0.95))):
        value = _quantile(values, share)
        px = to_px(value)
        rows.append(
            {
                "px": round(px, 1),
                "top": 0,
                "bottom": height,
                "py": height - 12 - 15 * index,
                "text": f"{name} {spoken(value, axis.decimals)}",
                "description": f"{name}, {spoken(value, axis.decimals)} {axis.unit}",
                "right": px > plot_width - 80,
            }
        )
    rule = rows_chart(rows, "points").mark_rule(color=theme.INK, strokeDash=[3, 3], opacity=1)
    layers: list[Layer] = [
        rule.encode(
            x=at_px("px"), y=at_py("top"), y2=alt.Y2("bottom"), description=alt.Description("description:N")
        )
    ]
    for right in (False, True):
        mine = [r | {"px": r["px"] + (-5 if right else 5)} for r in rows if r["right"] is right]
        if mine:
            side = "right" if right else "left"
            layers.append(
                words_layer(mine, name=f"quantiles_{side}", font=font, align="right" if right else "left")
            )
    return layers


def _description(values: Sequence[float], axis: Axis, count: int) -> str:
    if not values:
        return f"Distribution of {axis.title.lower()}: nothing to draw yet."
    p50, p95 = _quantile(values, 0.5), _quantile(values, 0.95)
    return readable(
        f"Cumulative distribution of {axis.title.lower().removesuffix(', median')} over {count} samples: "
        "half are below "
        f"{spoken(p50, axis.decimals)} {axis.unit}, 95 % below {spoken(p95, axis.decimals)} {axis.unit}."
    )
