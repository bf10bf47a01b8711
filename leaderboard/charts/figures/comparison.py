"""C12: two to six offerings side by side: four small dot plots on shared rows, then the time of a whole answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer
from leaderboard.charts.lines import Compared
from leaderboard.charts.marks import readable, spoken
from leaderboard.charts.scales import Scale, linear_scale
from leaderboard.charts.theme import Width

ROW = 26
NAMED_ROW = 36
"""On a phone a row has its name above its dot."""
DARK = "#1a1a1a"
"""Neither kind of weights: colour means those alone. The style sheet turns it light in the dark."""
Value = Callable[[Compared], float | None]


@dataclass(frozen=True, slots=True)
class RowShape:
    """Pixels of one row, and how far down in it the dot stands."""

    height: float
    dot: float


@dataclass(frozen=True, slots=True)
class Measure:
    title: str
    unit: str
    value: Value
    low: Value
    high: Value
    decimals: int = 0


def _none(_: Compared) -> float | None:
    return None


MEASURES = (
    Measure("Output speed", "tokens/s", lambda c: c.speed, lambda c: c.speed_low, lambda c: c.speed_high),
    Measure("First token", "ms", lambda c: c.ttft, lambda c: c.ttft_low, lambda c: c.ttft_high),
    Measure("Success", "%", lambda c: None if c.success is None else c.success * 100, _none, _none, 1),
    Measure("Blended price", "USD per 1M", lambda c: c.price, _none, _none, 3),
)


def comparison(rows: Sequence[Compared], *, width: Width) -> Spec:
    """Each panel is linear from 0 with its own scale; intervals are those of the medians."""
    wide = is_wide(width)
    gutter, columns, font = (200, 2, 12.5) if wide else (4, 1, 11)
    gap = 26
    panel = (width - gutter - 30 - gap * (columns - 1)) / columns
    line = RowShape(ROW, ROW / 2) if wide else RowShape(NAMED_ROW, NAMED_ROW - 11)
    panel_height = len(rows) * line.height + 40
    layers: list[Layer] = []
    for index, measure in enumerate(MEASURES):
        left = index % columns * (panel + gap)
        top = index // columns * panel_height + 22
        layers += _panel(rows, measure, (left, top, panel), line, font, named=not wide)
    if wide:
        names = [
            {
                "px": -gutter,
                "py": 22 + band * panel_height + i * line.height + line.dot,
                "text": theme.shortened(readable(r.name)),
            }
            for band in range(len(MEASURES) // columns)
            for i, r in enumerate(rows)
        ]
        layers.append(words_layer(names, name="names", font=font))
    return layered(
        layers,
        size=(width - gutter - 30, panel_height * (len(MEASURES) // columns)),
        padding=(gutter, 30, 6, 6),
        description=_description(rows),
        font=font,
        usermeta={"plotted": [r.id for r in rows]},
    )


def _panel(
    rows: Sequence[Compared],
    measure: Measure,
    place: tuple[float, float, float],
    line: RowShape,
    font: float,
    *,
    named: bool,
) -> list[Layer]:
    """`place` is the panel's left, top and width."""
    left, top, panel = place
    values = [measure.value(r) for r in rows]
    ends = [v for r in rows for v in (measure.value(r), measure.high(r)) if v is not None]
    scale = linear_scale(ends, panel - 46)
    dots = [
        _dot(r, v, measure, scale, left, top + i * line.height + line.dot)
        for i, (r, v) in enumerate(zip(rows, values, strict=True))
        if v is not None
    ]
    base = [{"px": left, "top": top, "bottom": top + len(rows) * line.height}]
    intervals = [d for d in dots if "from" in d]
    layers: list[Layer] = [
        rows_chart(base, "zero")
        .mark_rule(color=theme.GRID, aria=False)
        .encode(x=at_px("px"), y=at_py("top"), y2=alt.Y2("bottom")),
        words_layer(
            [{"px": left, "py": top - 12, "text": f"{measure.title}, {measure.unit}"}],
            name="titles",
            font=font,
        ),
        rows_chart(dots, "points")
        .mark_point(opacity=1, size=64, strokeWidth=1)
        .encode(
            x=at_px("px"),
            y=at_py("py"),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            stroke=alt.value(theme.PAPER),
            href=alt.Href("href:N"),
            description=alt.Description("description:N"),
        ),
        words_layer([d | {"px": d["end"] + 8} for d in dots], name="values", font=font, weight=600),
    ]
    if intervals:
        rule = rows_chart(intervals, "intervals").mark_rule(strokeWidth=1.6, color=theme.INK, aria=False)
        layers.insert(2, rule.encode(x=at_px("from"), x2=alt.X2("to"), y=at_py("py")))
    if named:
        rows_of_names = [
            {
                "px": left + 4,
                "py": top + i * line.height + 9,
                "text": theme.shortened(readable(r.name)),
            }
            for i, r in enumerate(rows)
        ]
        layers.append(words_layer(rows_of_names, name="names", font=font))
    return layers


def _dot(row: Compared, value: float, measure: Measure, scale: Scale, left: float, py: float) -> Spec:
    low, high = measure.low(row), measure.high(row)
    said = spoken(value, measure.decimals)
    dot: Spec = {
        "px": round(left + scale.to_px(value), 1),
        "py": py,
        "text": f"{value:,.{measure.decimals}f}" if measure.decimals else f"{value:,.0f}",
        "fill": theme.WEIGHTS_COLOURS.get(row.weights, theme.NEUTRAL),
        "href": row.href,
        "description": readable(f"{row.name}, {measure.title}, {said} {measure.unit}"),
        "end": round(left + scale.to_px(max(value, high or value)), 1) + 4,
    }
    if low is not None and high is not None:
        dot |= {"from": round(left + scale.to_px(low), 1), "to": round(left + scale.to_px(high), 1)}
    return dot


def _description(rows: Sequence[Compared]) -> str:
    return readable(
        f"{len(rows)} offerings compared by output speed, first token, success rate and blended price: "
        f"{'; '.join(r.name for r in rows)}."
    )


def answer_time(rows: Sequence[Compared], *, tokens: int, width: Width) -> Spec:
    """Stacked bars: the wait for the first token, then `tokens` at the median speed; seconds, linear from 0."""
    wide = is_wide(width)
    gutter, font = (180, 12.5) if wide else (4, 11)
    row = ROW if wide else 40
    plot_width = width - gutter - 60
    timed = [(r, r.ttft / 1000, tokens / r.speed) for r in rows if r.ttft is not None and r.speed]
    scale = linear_scale([wait + run for _, wait, run in timed], plot_width)
    data: list[Spec] = []
    for index, (offering, wait, run) in enumerate(timed):
        middle = (index + 0.5) * row + (0 if wide else 8)
        parts = (
            (0.0, wait, theme.NEUTRAL, "first token"),
            (wait, wait + run, DARK, f"{tokens} tokens"),
        )
        data += [
            {
                "from": round(scale.to_px(start), 1),
                "to": round(scale.to_px(end), 1),
                "py": middle,
                "name_y": middle if wide else middle - 16,
                "fill": fill,
                "description": readable(f"{offering.name}, {words}, {end - start:.2f} s"),
                "text": f"{wait + run:.2f}",
                "name": theme.shortened(readable(offering.name)),
            }
            for start, end, fill, words in parts
        ]
    totals = [d for i, d in enumerate(data) if i % 2]
    layers: list[Layer] = [
        rows_chart(data, "bars")
        .mark_bar(height=12, orient="horizontal", opacity=1)
        .encode(
            x=at_px("from"),
            x2=alt.X2("to"),
            y=at_py("py"),
            fill=alt.Fill("fill:N", scale=None),
            description=alt.Description("description:N"),
        ),
        words_layer([{**d, "px": d["to"] + 8} for d in totals], name="values", font=font, weight=600),
        words_layer(
            [{**d, "px": -gutter, "py": d["name_y"], "text": d["name"]} for d in totals],
            name="names",
            font=font,
        ),
    ]
    return layered(
        layers,
        size=(plot_width, max(1, len(timed)) * row),
        padding=(gutter, 60, 4, 6),
        description=f"Seconds for {tokens} output tokens: the wait for the first token, then the generation.",
        font=font,
        usermeta={"plotted": [r.id for r, _, _ in timed]},
    )
