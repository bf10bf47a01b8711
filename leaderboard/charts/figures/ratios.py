"""A provider's models against each model's median: 1 is the middle, a log axis makes twice and half equally far."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer
from leaderboard.charts.marks import Bar, readable
from leaderboard.charts.theme import Width

DRAWN = 40


def ratios(rows: Sequence[Bar], *, width: Width, title: str) -> Spec:
    """Bar values are ratios above 0; the furthest ahead first."""
    wide = is_wide(width)
    gutter, right, row, font = (230, 62, 25, 12.5) if wide else (4, 48, 38, 11)
    shown = sorted((b for b in rows if b.value), key=lambda b: (-(b.value or 0), b.id))[:DRAWN]
    plot_width = width - gutter - right
    furthest = max((abs(math.log2(b.value or 1)) for b in shown), default=1)
    reach = max(1, math.ceil(furthest))

    def x(ratio: float) -> float:
        return round((math.log2(ratio) / reach + 1) / 2 * plot_width, 1)

    height = max(1, len(shown)) * row
    data = [_row(i, b, x, row, above=not wide) for i, b in enumerate(shown)]
    ticks = [2.0**power for power in range(-reach, reach + 1)]
    grid = [{"px": x(t), "top": 0, "bottom": height} for t in ticks]
    layers: list[Layer] = [
        rows_chart(grid, "grid")
        .mark_rule(color=theme.GRID, aria=False)
        .encode(x=at_px("px"), y=at_py("top"), y2=alt.Y2("bottom")),
        rows_chart([{"px": x(1), "top": 0, "bottom": height}], "one")
        .mark_rule(color=theme.INK, aria=False)
        .encode(x=at_px("px"), y=at_py("top"), y2=alt.Y2("bottom")),
        words_layer(
            [{"px": x(t), "py": height + 12, "text": f"{t:g}×"} for t in ticks],
            name="ticks",
            font=font,
            align="center",
        ),
        words_layer(
            [{"px": plot_width, "py": height + 30, "text": title}], name="titles", font=font, align="right"
        ),
        rows_chart(data, "stems")
        .mark_rule(color=theme.NEUTRAL, strokeWidth=2, aria=False)
        .encode(x=at_px("middle"), x2=alt.X2("px"), y=at_py("py")),
        rows_chart(data, "points")
        .mark_point(opacity=1, size=64, strokeWidth=1)
        .encode(
            x=at_px("px"),
            y=at_py("py"),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            stroke=alt.value(theme.PAPER),
            href=alt.Href("href:N"),
            description=alt.Description("description:N"),
        ),
        words_layer(
            [{**d, "px": -gutter, "py": d["name_y"], "text": d["name"]} for d in data],
            name="names",
            font=font,
        ),
        words_layer(
            [{**d, "px": plot_width + 10, "text": d["said"]} for d in data],
            name="values",
            font=font,
            weight=600,
        ),
    ]
    return layered(
        layers,
        size=(plot_width, height),
        padding=(gutter, right, 6, 42),
        description=f"{len(shown)} models against the median of all who serve them; 1 is the median. {title}.",
        font=font,
        usermeta={"plotted": [b.id for b in shown]},
    )


def _row(index: int, bar: Bar, x: Callable[[float], float], row: int, *, above: bool) -> Spec:
    ratio = bar.value or 1
    middle = (index + 0.5) * row + (8 if above else 0)
    return {
        "px": x(ratio),
        "middle": x(1),
        "py": middle,
        "name_y": middle - 16 if above else middle,
        "name": theme.shortened(readable(bar.name)),
        "said": f"{ratio:.2f}",
        "href": bar.href,
        "fill": theme.WEIGHTS_COLOURS.get(bar.weights or "", theme.NEUTRAL),
        "description": readable(f"{bar.name}, {ratio:.2f} times the median"),
    }
