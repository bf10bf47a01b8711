"""C11: the median of each UTC hour of the day, with its quartiles and n."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer, y_axis
from leaderboard.charts.lines import Hour
from leaderboard.charts.marks import Axis, readable, spoken
from leaderboard.charts.scales import linear_scale
from leaderboard.charts.theme import Width


def hours_of_day(hours: Sequence[Hour], *, axis: Axis, width: Width) -> Spec:
    """24 places from 0 to 23 UTC, linear from 0; an hour without samples stays empty."""
    wide = is_wide(width)
    left, right, font, height = (48, 12, 12.5, 190) if wide else (40, 8, 11, 170)
    plot_width = width - left - right
    step = plot_width / 24
    known = [h for h in hours if h.p50 is not None]
    scale = linear_scale([h.p75 or h.p50 or 0 for h in known], height)
    rows = [
        {
            "px": round((h.hour + 0.5) * step, 1),
            "p25": h.p25,
            "p50": h.p50,
            "p75": h.p75,
            "description": f"{h.hour:02} UTC, {spoken(h.p50 or 0, axis.decimals)} {axis.unit}, n {h.samples}",
        }
        for h in known
    ]
    every = 1 if wide else 4
    below = [
        {"px": round((h.hour + 0.5) * step, 1), "py": height + 14, "text": str(h.hour)}
        for h in hours
        if h.hour % every == 0
    ]
    counts = [
        {"px": round((h.hour + 0.5) * step, 1), "py": height + 31, "text": str(h.samples)}
        for h in hours
        if h.hour % every == 0
    ]
    y_title = f"{axis.title}, {axis.unit}"
    band = [row for row in rows if row["p25"] is not None and row["p75"] is not None]
    layers: list[Layer] = [
        rows_chart(band, "band")
        .mark_rule(color=theme.OPEN, strokeWidth=5, strokeOpacity=0.35, aria=False)
        .encode(x=at_px("px"), y=y_axis("p25", scale, title=y_title, left=left), y2=alt.Y2("p75:Q")),
        rows_chart(rows, "points")
        .mark_point(fill=theme.OPEN, stroke=theme.PAPER, size=56, opacity=1)
        .encode(
            x=at_px("px"),
            y=y_axis("p50", scale, title=y_title, left=left),
            description=alt.Description("description:N"),
        ),
        words_layer(below, name="hours", font=font, align="center"),
        words_layer(counts, name="counts", font=font - 1.5 if wide else font, align="center"),
        words_layer(
            [{"px": -8, "py": height + 14, "text": "UTC"}, {"px": -8, "py": height + 31, "text": "n"}],
            name="heads",
            font=font,
            align="right",
        ),
    ]
    return layered(
        layers,
        size=(plot_width, height),
        padding=(left, right, 32, 46),
        description=_description(known, axis),
        font=font,
        usermeta={"plotted": [h.hour for h in known]},
    )


def _description(known: Sequence[Hour], axis: Axis) -> str:
    if not known:
        return f"{axis.title} by hour of the day: nothing to draw yet."
    best = min(known, key=lambda h: (h.p50 or 0) if axis.lower_is_better else -(h.p50 or 0))
    return readable(
        f"{axis.title}, {axis.unit}, by UTC hour, {len(known)} hours with samples. "
        f"The best is {best.hour:02} UTC, {spoken(best.p50 or 0, axis.decimals)} {axis.unit}."
    )
