"""C7: one measure by UTC day, a line with points per offering; a gap is a gap."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer, y_axis
from leaderboard.charts.lines import Line, Mark
from leaderboard.charts.marks import Axis, readable, spoken
from leaderboard.charts.scales import Scale, is_drawable, linear_scale, log_scale
from leaderboard.charts.theme import Width

NAMED = 8
ONE_DAY = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Days:
    """The horizontal axis: whole UTC days, the first at the left edge."""

    first: dt.date
    last: dt.date
    length_px: float

    def to_px(self, day: dt.date) -> float:
        span = (self.last - self.first).days or 1
        return (day - self.first).days / span * self.length_px

    def ticks(self, most: int) -> list[dt.date]:
        """Evenly spaced days, the last included."""
        span = (self.last - self.first).days
        step = max(1, -(-span // max(1, most - 1)))
        return [self.last - n * step * ONE_DAY for n in range(span // step + 1)][::-1]


def history(lines: Sequence[Line], *, axis: Axis, width: Width, marks: Sequence[Mark] = ()) -> Spec:
    """The first eight series in colour with their names at the right, the rest grey."""
    wide = is_wide(width)
    left, right, font, height = (48, 150, 12.5, 240) if wide else (40, 12, 11, 210)
    kept = [_drawable(line, axis) for line in lines]
    shown = [line for line in kept if any(v is not None for _, v in line.values)]
    days = _days(shown, width - left - right)
    scale = _scale(shown, axis, height)
    direction = "lower is better" if axis.lower_is_better else "higher is better"
    title = f"{axis.title}, {axis.unit}" + (f", {direction}" if wide else "")
    layers: list[Layer] = [_day_axis(days, height, font, 7 if wide else 4)]
    layers += [_mark_layer(marks, days, height, font)] if marks else []
    for index, line in enumerate(shown):
        layers += _line_layers(line, index, days, scale, axis, title, left, described=wide)
    named = _end_labels(shown, days, scale.flipped(), font) if wide else _key(shown, height, font)
    layers.append(words_layer(named, name="names", font=font))
    layers += [] if wide else _key_lines(shown, height)
    key_height = 0 if wide else 18 * min(len(shown), NAMED)
    return layered(
        layers,
        size=(width - left - right, height),
        padding=(left, right, 34, 36 + key_height),
        description=_description(shown, axis, days),
        font=font,
        usermeta={"plotted": [line.id for line in shown]},
    )


def _drawable(line: Line, axis: Axis) -> Line:
    values = tuple((d, v if is_drawable(v, is_log=axis.is_log) else None) for d, v in line.values)
    return replace(line, values=values)


def _days(lines: Sequence[Line], length_px: float) -> Days:
    all_days = [day for line in lines for day, value in line.values if value is not None]
    if not all_days:
        return Days(dt.date(2000, 1, 1), dt.date(2000, 1, 2), length_px)
    first, last = min(all_days), max(all_days)
    return Days(first if first < last else last - ONE_DAY, last, length_px)


def _scale(lines: Sequence[Line], axis: Axis, height: float) -> Scale:
    values = [v for line in lines for _, v in line.values if v is not None]
    make = log_scale if axis.is_log else linear_scale
    return make(values, height, reversed_=axis.is_log and axis.lower_is_better)


def _day_axis(days: Days, height: float, font: float, most: int) -> Layer:
    rows = [
        {"px": round(days.to_px(day), 1), "py": height + 16, "text": f"{day.day} {day:%b}"}
        for day in days.ticks(most)
    ]
    return words_layer(rows, name="days", font=font, align="center")


def _mark_layer(marks: Sequence[Mark], days: Days, height: float, font: float) -> Layer:
    rows: list[Spec] = [
        {
            "px": round(days.to_px(m.on), 1),
            "top": 0,
            "bottom": height,
            "py": 8 + 14 * (i % 3),
            "text": m.words,
        }
        for i, m in enumerate(marks)
        if days.first <= m.on <= days.last
    ]
    rules = rows_chart(rows, "marks").mark_rule(color=theme.INK, strokeDash=[2, 3], aria=False)
    return alt.layer(
        rules.encode(x=at_px("px"), y=at_py("top"), y2=alt.Y2("bottom")),
        words_layer([{**r, "px": r["px"] + 4} for r in rows], name="mark_words", font=font - 1),
    )


def style_of(index: int) -> tuple[str, list[int]]:
    """Colour and dash of a series; past the palette the dash tells two of one colour apart."""
    if index >= NAMED:
        return theme.REST, [1, 0]
    colours = theme.SERIES_COLOURS
    return colours[index % len(colours)], list(theme.SERIES_DASHES[index // len(colours)])


def _line_layers(
    line: Line, index: int, days: Days, scale: Scale, axis: Axis, title: str, left: float, *, described: bool
) -> list[Layer]:
    """The narrow picture stands beside the wide one: its points are drawn, and said once."""
    colour, dash = style_of(index)
    rows = [
        {
            "px": round(days.to_px(day), 1),
            "value": value,
            "description": readable(
                f"{line.name}, {day.isoformat()}, {spoken(value, axis.decimals)} {axis.unit}"
            ),
        }
        for day, value in line.values
        if value is not None
    ]
    y = y_axis("value", scale, title=title, left=left)
    layers: list[Layer] = [
        rows_chart(run, f"line{index}")
        .mark_line(color=colour, strokeDash=dash, strokeWidth=1.8, aria=False)
        .encode(x=at_px("px"), y=y)
        for run in _runs(line, rows)
    ]
    points = rows_chart(rows, f"points{index}").mark_point(
        fill=colour,
        stroke=theme.PAPER,
        strokeWidth=0.8,
        size=30 if described else 14,
        opacity=1,
        aria=described,
    )
    said = {"description": alt.Description("description:N")} if described else {}
    return [*layers, points.encode(x=at_px("px"), y=y, **said)]


def _runs(line: Line, rows: Sequence[Spec]) -> list[list[Spec]]:
    """Days in a row; a missing day ends the line, and so does another method."""
    days = [day for day, value in line.values if value is not None]
    runs: list[list[Spec]] = []
    for position, row in enumerate(rows):
        follows = position and days[position] - days[position - 1] == ONE_DAY
        if follows and days[position] not in line.breaks:
            runs[-1].append(row)
        else:
            runs.append([row])
    return [run for run in runs if len(run) > 1]


def _end_labels(lines: Sequence[Line], days: Days, scale: Scale, font: float) -> list[Spec]:
    """Names beside the last points, pushed apart so that none overlaps."""
    ends = []
    for line in lines[:NAMED]:
        value = next(v for _, v in reversed(line.values) if v is not None)
        ends.append((scale.to_px(value), theme.shortened(line.name)[:22]))
    ends.sort()
    places = apart([wanted for wanted, _ in ends], gap=font + 2, most=scale.length_px)
    return [
        {"px": days.length_px + 8, "py": round(place, 1), "text": readable(text)}
        for place, (_, text) in zip(places, ends, strict=True)
    ]


def apart(wanted: Sequence[float], *, gap: float, most: float) -> list[float]:
    """The ordered places, each at least `gap` under the one above; a crowd at the foot moves up, not below `most`."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + gap) if places else place)
    ceiling = most
    for i in reversed(range(len(places))):
        places[i] = min(places[i], ceiling)
        ceiling = places[i] - gap
    return places


def _key(lines: Sequence[Line], height: float, font: float) -> list[Spec]:
    """On a phone the names stand below, in the order of the lines."""
    return [
        {"px": 30, "py": height + 40 + i * 18, "text": theme.shortened(readable(line.name))}
        for i, line in enumerate(lines[:NAMED])
    ]


def _key_lines(lines: Sequence[Line], height: float) -> list[Layer]:
    """Beside each name a piece of its line, in its colour and dash."""
    layers: list[Layer] = []
    for i in range(min(len(lines), NAMED)):
        colour, dash = style_of(i)
        piece = [{"from": 0, "to": 24, "py": height + 40 + i * 18}]
        rule = rows_chart(piece, "key").mark_rule(color=colour, strokeDash=dash, strokeWidth=2, aria=False)
        layers.append(rule.encode(x=at_px("from"), x2=alt.X2("to"), y=at_py("py")))
    return layers


def _description(lines: Sequence[Line], axis: Axis, days: Days) -> str:
    if not lines:
        return f"{axis.title} over time: nothing to draw yet."
    return readable(
        f"{axis.title}, {axis.unit}, by UTC day from {days.first.isoformat()} to {days.last.isoformat()}: "
        f"{', '.join(line.name for line in lines[:NAMED])}."
    )
