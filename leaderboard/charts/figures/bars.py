"""C1, C2 and C4: a ranked list of bars from zero, with the spread of what each value is the median of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.labels import text_width
from leaderboard.charts.marks import Bar, readable, spoken
from leaderboard.charts.scales import Scale, is_drawable, linear_scale
from leaderboard.charts.svg import NAME_SEPARATOR
from leaderboard.charts.theme import Width

DRAWN = 12
# Past this many times the longest bar, a spread is cut and marked with an arrow: one outlier offering
# would otherwise flatten every bar.
SPREAD_LIMIT = 2.0


@dataclass(frozen=True, slots=True)
class BarFrame:
    """Sizes of one width. The wide one is shown at 0.73 of its size beside another, so its type is larger."""

    width: Width
    gutter: int
    right: int
    row: int
    font: float
    bar: int
    name_above: bool


HALF_PAGE = BarFrame(theme.WIDE, gutter=318, right=84, row=42, font=18, bar=15, name_above=False)
FULL_PAGE = BarFrame(theme.WIDE, gutter=250, right=56, row=27, font=12.5, bar=11, name_above=False)
PHONE = BarFrame(theme.NARROW, gutter=2, right=50, row=40, font=12, bar=9, name_above=True)


def bars(
    rows: Sequence[Bar],
    *,
    width: Width,
    unit: str,
    title: str,
    lower_is_better: bool = False,
    half_page: bool = True,
    drawn: int = DRAWN,
) -> Spec:
    """The first `drawn` drawable rows in the order given; linear from zero, since a log bar has no base."""
    frame = PHONE if width == theme.NARROW else HALF_PAGE if half_page else FULL_PAGE
    shown = [b for b in rows if is_drawable(b.value, is_log=False)][:drawn]
    plot_width = frame.width - frame.gutter - frame.right
    scale = _scale(shown, plot_width)
    data = [_row(i, b, scale, frame, unit) for i, b in enumerate(shown)]
    height = max(len(shown), 1) * frame.row
    layers: list[Layer] = [_baseline(height), _bar_layer(data, scale, frame)]
    if any("low" in row for row in data):
        layers += _spread_layers([row for row in data if "low" in row], scale)
    layers += [_names(data, frame), _values(data, frame)]
    return layered(
        layers,
        size=(plot_width, height),
        padding=(frame.gutter, frame.right, 4, 4),
        description=_description(shown, title, unit, lower_is_better),
        font=frame.font,
        usermeta={"plotted": [b.id for b in shown], "bar_target": min(frame.row, 36)},
    )


def _scale(shown: Sequence[Bar], length_px: float) -> Scale:
    longest = max((b.value or 0 for b in shown), default=0)
    furthest = max((b.high or 0 for b in shown), default=0)
    end = max(longest, min(furthest, longest * SPREAD_LIMIT))
    return Scale(0, end or 1, length_px, False, linear_scale([end], length_px).ticks)


def _row(index: int, bar: Bar, scale: Scale, frame: BarFrame, unit: str) -> Spec:
    value = bar.value or 0.0
    colour = theme.WEIGHTS_COLOURS.get(bar.weights or "", theme.NEUTRAL)
    ends = [value]
    row: Spec = {
        "id": readable(bar.id),
        "name": _name(bar, frame),
        "value": value,
        "middle": (index + 0.5) * frame.row + (frame.row * 0.22 if frame.name_above else 0),
        "above": index * frame.row + frame.font + 2,
        "text": f"{value:,.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0"),
        "href": bar.href,
        "fill": "none" if bar.provisional else colour,
        "stroke": colour,
        "description": _spoken_row(bar, unit),
    }
    if bar.low is not None and bar.high is not None and bar.high > bar.low:
        row["low"], row["high"] = bar.low, min(bar.high, scale.end)
        row["cut"] = "→" if bar.high > scale.end else ""
        ends.append(row["high"])
    row["end_px"] = round(scale.to_px(max(ends)), 1)
    return row


def _name(bar: Bar, frame: BarFrame) -> str:
    """Name and, where it fits the gutter beside it, the creator; the glyph repeats what the colour says."""
    glyph = {"open": "● ", "proprietary": "▲ "}.get(bar.weights or "", "")
    name = glyph + theme.shortened(readable(bar.name))
    room = (frame.width - frame.right if frame.name_above else frame.gutter) - 12
    whole = text_width(name, frame.font * 0.9) + text_width(bar.creator, frame.font * 0.75) + frame.font
    if not bar.creator or whole > room:
        return name
    return f"{name} {NAME_SEPARATOR}{readable(bar.creator)}"


def _spoken_row(bar: Bar, unit: str) -> str:
    words = f"{readable(bar.name)}, {spoken(bar.value or 0)} {unit}"
    if bar.low is not None and bar.high is not None and bar.high > bar.low:
        words += f", from {spoken(bar.low)} to {spoken(bar.high)} between offerings"
    return words


def _description(shown: Sequence[Bar], title: str, unit: str, lower_is_better: bool) -> str:
    if not shown:
        return f"{title}: nothing to draw yet."
    better = "lower is better" if lower_is_better else "higher is better"
    first = f"{shown[0].name}, {spoken(shown[0].value or 0)} {unit}"
    return readable(f"{title}, {unit}, {better}. {len(shown)} bars, the first is {first}.")


def _x(field: str, scale: Scale) -> alt.X:
    return alt.X(
        f"{field}:Q", scale=alt.Scale(type="linear", domain=scale.domain, nice=False, zero=True), axis=None
    )


def _baseline(height: int) -> Layer:
    chart = rows_chart([{"px": 0, "top": 0, "bottom": height}], "zero")
    return chart.mark_rule(color=theme.GRID, aria=False).encode(
        x=at_px("px"), y=at_py("top"), y2=alt.Y2("bottom")
    )


def _bar_layer(data: list[Spec], scale: Scale, frame: BarFrame) -> Layer:
    chart = rows_chart(data, "bars")
    return chart.mark_bar(height=frame.bar, opacity=1, orient="horizontal", strokeWidth=1).encode(
        x=_x("value", scale),
        x2=alt.datum(0),
        y=at_py("middle"),
        fill=alt.Fill("fill:N", scale=None, legend=None),
        stroke=alt.Stroke("stroke:N", scale=None, legend=None),
        href=alt.Href("href:N"),
        description=alt.Description("description:N"),
    )


def _spread_layers(data: list[Spec], scale: Scale) -> list[Layer]:
    lines = rows_chart(data, "spread")
    dots = rows_chart([row for row in data if not row["cut"]], "fastest")
    return [
        lines.mark_rule(color=theme.INK, strokeWidth=1.2, aria=False).encode(
            x=_x("low", scale), x2=alt.X2("high"), y=at_py("middle")
        ),
        dots.mark_point(fill=theme.INK, stroke=theme.PAPER, size=34, opacity=1, aria=False).encode(
            x=_x("high", scale), y=at_py("middle")
        ),
    ]


def _names(data: list[Spec], frame: BarFrame) -> Layer:
    chart = rows_chart(data, "names")
    x_px, place = (-frame.gutter, "above") if frame.name_above else (-frame.gutter, "middle")
    return chart.mark_text(
        align="left",
        baseline="alphabetic" if frame.name_above else "middle",
        fontSize=frame.font,
        aria=False,
    ).encode(x=alt.value(x_px), y=at_py(place), text=alt.Text("name:N"))


def _values(data: list[Spec], frame: BarFrame) -> Layer:
    rows = [row | {"words": row["text"] + (" " + row["cut"] if row.get("cut") else "")} for row in data]
    chart = rows_chart(rows, "values")
    return chart.mark_text(
        align="left", baseline="middle", dx=9, fontSize=frame.font, fontWeight=600, aria=False
    ).encode(x=at_px("end_px"), y=at_py("middle"), text=alt.Text("words:N"))
