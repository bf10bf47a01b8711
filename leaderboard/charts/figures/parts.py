"""Layers that several figures share: words at pixel places, and the two kinds of axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, rows_chart
from leaderboard.charts.scales import Scale

TICKS = ",.3~f"


def words_layer(
    rows: Sequence[Spec],
    *,
    name: str,
    font: float,
    align: Literal["left", "right", "center"] = "left",
    weight: Literal[400, 600] = 400,
    baseline: Literal["alphabetic", "middle"] = "middle",
) -> Layer:
    """Text at `px`, `py` in pixels from the plot's top left."""
    mark = rows_chart(rows, name).mark_text(
        align=align, baseline=baseline, fontSize=font, fontWeight=weight, aria=False
    )
    return mark.encode(x=at_px("px"), y=at_py("py"), text=alt.Text("text:N"))


def x_axis(field: str, scale: Scale, *, title: str | list[str]) -> alt.X:
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(
            type="log" if scale.is_log else "linear", domain=scale.domain, nice=False, zero=False
        ),
        axis=alt.Axis(
            values=list(scale.ticks),
            format=TICKS,
            title=title,
            titleAnchor="end",
            titlePadding=8,
            labelFlush=False,
        ),
    )


def y_axis(field: str, scale: Scale, *, title: str, left: float) -> alt.Y:
    """`scale` as made, its start being the bottom; the title stands flat above the axis."""
    return alt.Y(
        f"{field}:Q",
        scale=alt.Scale(
            type="log" if scale.is_log else "linear", domain=scale.domain, nice=False, zero=False
        ),
        axis=alt.Axis(
            values=list(scale.ticks),
            format=TICKS,
            title=title,
            titleAngle=0,
            titleAlign="left",
            titleBaseline="bottom",
            titleX=-left + 4,
            titleY=-14,
        ),
    )


def is_wide(width: int) -> bool:
    return width == theme.WIDE
