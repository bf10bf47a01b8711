"""C10: one cell a UTC day for 90 days: colour, glyph and text say the success rate; no data is hatched, not green."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer
from leaderboard.charts.lines import Day
from leaderboard.charts.theme import Width

DAYS = 90
GOOD, FAIR = 0.995, 0.95
# Bluish green, neutral and vermillion, each with a glyph of its own.
LOOKS = {
    "good": (theme.SERIES_COLOURS[2], ""),
    "fair": (theme.NEUTRAL, "•"),
    "poor": (theme.PROPRIETARY, "×"),
}


def grade(day: Day | None) -> str:
    """good, fair, poor, or none where nothing was attempted."""
    if day is None or day.success_rate is None:
        return "none"
    if day.success_rate >= GOOD:
        return "good"
    return "fair" if day.success_rate >= FAIR else "poor"


def reliability_strip(days: Sequence[Day], *, until: dt.date, width: Width) -> Spec:
    """90 cells ending with `until`; one row of cells when wide, three of 30 on a phone."""
    wide = is_wide(width)
    per_row, cell, font = (DAYS, 8.3, 12.5) if wide else (30, 9.8, 11)
    height_of_row = 26
    known = {day.on: day for day in days}
    rows = [
        _cell(
            known.get(until - dt.timedelta(days=DAYS - 1 - i)),
            until - dt.timedelta(days=DAYS - 1 - i),
            i,
            per_row,
            cell,
            height_of_row,
        )
        for i in range(DAYS)
    ]
    height = height_of_row * (DAYS // per_row)
    layers: list[Layer] = [
        rows_chart(rows, "days")
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
        words_layer(
            [
                {"px": (r["left"] + r["right"]) / 2, "py": r["middle"], "text": r["glyph"]}
                for r in rows
                if r["glyph"]
            ],
            name="glyphs",
            font=11,
            align="center",
        ),
        words_layer(
            [{"px": 0, "py": height + 12, "text": f"{_first(until).day} {_first(until):%b}"}],
            name="first",
            font=font,
        ),
        words_layer(
            [{"px": per_row * cell, "py": height + 12, "text": f"{until.day} {until:%b}"}],
            name="last",
            font=font,
            align="right",
        ),
    ]
    size = (per_row * cell, height)
    return layered(
        layers,
        size=size,
        padding=(2, max(2, width - 2 - size[0]), 4, 22),
        description=_description(rows, known),
        font=font,
        usermeta={"plotted": [r["day"] for r in rows]},
    )


def _first(until: dt.date) -> dt.date:
    return until - dt.timedelta(days=DAYS - 1)


def _cell(day: Day | None, on: dt.date, index: int, per_row: int, cell: float, row: int) -> Spec:
    graded = grade(day)
    fill, glyph = LOOKS.get(graded, ("none", "/"))
    left, top = index % per_row * cell, index // per_row * row
    ours = day is not None and day.is_ours
    return {
        "day": on.isoformat(),
        "left": round(left + 0.8, 1),
        "right": round(left + cell - 0.8, 1),
        "top": top,
        "bottom": top + row - 6,
        "middle": top + (row - 6) / 2,
        "fill": fill,
        "stroke": theme.SERIES_COLOURS[0] if ours else theme.NEUTRAL if graded == "none" else fill,
        "glyph": "!" if ours else glyph,
        "description": _words(day, on),
    }


def _words(day: Day | None, on: dt.date) -> str:
    if day is None or (day.success_rate is None and not day.is_ours):
        return f"{on.isoformat()}, no data"
    if day.success_rate is None:
        return f"{on.isoformat()}, our probes were down"
    return f"{on.isoformat()}, {100 * day.success_rate:.1f} % of {day.total} attempts"


def _description(rows: Sequence[Spec], known: dict[dt.date, Day]) -> str:
    measured = [d for d in known.values() if d.success_rate is not None]
    good = sum(1 for d in measured if grade(d) == "good")
    return (
        f"Success rate by UTC day over {len(rows)} days, {len(measured)} of them with attempts; "
        f"{good} at 99.5 % or better."
    )
