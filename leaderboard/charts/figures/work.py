"""C16: probes done of those planned, one cell an hour for 48 hours, one row a probe location."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer
from leaderboard.charts.marks import readable
from leaderboard.charts.theme import Width
from leaderboard.ranking.watching import HourOfWork

CELLS = 48
FULL, FAIR = 0.995, 0.9


def hours_of_work(hours: Sequence[HourOfWork], *, width: Width) -> Spec:
    """Colour, glyph and text say the share; an hour without plans is hollow."""
    wide = is_wide(width)
    gutter, font, per_row = (110, 12.5, CELLS) if wide else (2, 11, 24)
    cell = (width - gutter - 4) / per_row
    places = sorted({hour.probe_location for hour in hours})
    band = 30 if wide else 78
    rows: list[Spec] = []
    for number, place in enumerate(places):
        mine = [hour for hour in hours if hour.probe_location == place][-CELLS:]
        rows += [_cell(h, i, number * band + (0 if wide else 16), per_row, cell) for i, h in enumerate(mine)]
    names = [
        {"px": -gutter, "py": n * band + (11 if wide else 6), "text": theme.shortened(readable(place))}
        for n, place in enumerate(places)
    ]
    height = max(1, len(places)) * band
    ends = [{"px": 0, "py": height + 8, "text": f"{hours[0].starts_at:%d %b, %H:%M} UTC"}] if hours else []
    layers: list[Layer] = [
        rows_chart(rows, "hours")
        .mark_rect(strokeWidth=1, opacity=1)
        .encode(
            x=at_px("left"),
            x2=alt.X2("right"),
            y=at_py("top"),
            y2=alt.Y2("bottom"),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            stroke=alt.Stroke("stroke:N", scale=None, legend=None),
            description=alt.Description("description:N"),
        ),
        words_layer([r for r in rows if r["text"]], name="glyphs", font=11, align="center"),
        words_layer(names, name="names", font=font),
        words_layer(ends, name="first", font=font),
        words_layer(
            [{"px": per_row * cell, "py": height + 8, "text": "now"}], name="last", font=font, align="right"
        ),
    ]
    return layered(
        layers,
        size=(per_row * cell, height),
        padding=(gutter, width - gutter - per_row * cell, 4, 20),
        description=_description(hours, places),
        font=font,
        usermeta={"plotted": places},
    )


def _cell(hour: HourOfWork, index: int, top: float, per_row: int, cell: float) -> Spec:
    share = hour.done / hour.planned if hour.planned else None
    left, top = index % per_row * cell, top + index // per_row * 28
    if share is None:
        fill, glyph = "none", ""
    elif share >= FULL:
        fill, glyph = theme.SERIES_COLOURS[2], ""
    elif share >= FAIR:
        fill, glyph = theme.NEUTRAL, "•"
    else:
        fill, glyph = theme.PROPRIETARY, "×"
    when = f"{hour.starts_at:%Y-%m-%d %H:00} UTC"
    said = "nothing planned" if share is None else f"{hour.done} of {hour.planned} probes done"
    return {
        "left": round(left + 0.8, 1),
        "right": round(left + cell - 0.8, 1),
        "top": top,
        "bottom": top + 22,
        "px": round(left + cell / 2, 1),
        "py": top + 11,
        "fill": fill,
        "stroke": theme.NEUTRAL if share is None else fill,
        "text": glyph,
        "description": readable(f"{hour.probe_location}, {when}, {said}"),
    }


def _description(hours: Sequence[HourOfWork], places: Sequence[str]) -> str:
    planned, done = sum(h.planned for h in hours), sum(h.done for h in hours)
    return f"Our own work in the last 48 hours at {len(places)} locations: {done} of {planned} planned probes done."
