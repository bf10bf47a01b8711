"""C3 and C5: two measures against each other, better towards the top right, the Pareto frontier drawn and named."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.plot import (
    STRIP_PX,
    Plot,
    description,
    drawn,
    make_plot,
    point_description,
    staircase_path,
)
from leaderboard.charts.labels import Anchor, Box, Label, place_labels, text_width
from leaderboard.charts.marks import Axis, Point, readable
from leaderboard.charts.theme import Width

DESCRIBED_UP_TO = 300
TICKS = ",.3~f"


def scatter(
    points: Sequence[Point],
    *,
    x_axis: Axis,
    y_axis: Axis,
    width: Width,
    noun: str,
    price_strips: bool = False,
) -> Spec:
    """The whole chart. Points without a drawable value are left out; the caller's page says how many."""
    plot = make_plot(points, x_axis, y_axis, width, price_strips)
    labels = _labels(plot)
    layers = [
        _quadrant(plot),
        _staircase(plot),
        *_marks(plot),
        _text(labels_rows(labels), name="labels", font=plot.frame.font, weight=600),
        _text(_corner_words(plot), name="words", font=plot.frame.font, italic=True),
        *([_text(_key_rows(plot, labels), name="key", font=plot.frame.font)] if _keyed(labels) else []),
    ]
    key_height = len(_keyed(labels)) * (plot.frame.font + 5)
    frame = plot.frame
    return layered(
        layers,
        size=(frame.plot_width, frame.height),
        padding=(frame.left, frame.right, frame.top, frame.bottom + key_height),
        description=description(plot, noun),
        font=frame.font,
        usermeta={"plotted": [p.id for p in drawn(plot)], "labelled": [label.id for label in labels]},
    )


def _axis_words(axis: Axis, *, towards: str) -> list[str]:
    scale = "log scale" if axis.is_log else "linear scale"
    better = "lower" if axis.lower_is_better else "higher"
    return [f"{axis.title}, {axis.unit}", f"{scale}, {better} is better{towards}"]


def _marks(plot: Plot) -> list[Layer]:
    frame = plot.frame
    x_words = _axis_words(plot.x_axis, towards=", to the right →")
    y_words = _axis_words(plot.y_axis, towards="")
    one_line = frame.width == theme.WIDE
    x = alt.X(
        "x:Q",
        scale=alt.Scale(
            type="log" if plot.x.is_log else "linear",
            domain=plot.x.domain,
            range=[plot.strip_left, plot.strip_left + plot.x.length_px],
            nice=False,
        ),
        axis=alt.Axis(
            values=list(plot.x.ticks),
            format=TICKS,
            title=", ".join(x_words) if one_line else x_words,
            titleAnchor="end",
            titlePadding=12,
            labelFlush=False,
        ),
    )
    # The bottom of a flipped pixel axis is the domain's first value for Vega-Lite.
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log" if plot.y.is_log else "linear", domain=plot.y.domain[::-1], nice=False),
        axis=alt.Axis(
            values=list(plot.y.ticks),
            format=TICKS,
            title=", ".join(y_words) if one_line else y_words[:1],
            titleAngle=0,
            titleAlign="left",
            titleBaseline="bottom",
            titleX=-frame.left + 4,
            titleY=-16,
        ),
    )
    solid = [p for p in drawn(plot) if not p.provisional and p in plot.points]
    pending = [p for p in drawn(plot) if p.provisional and p in plot.points]
    layers = [_point_layer(solid, plot, name="points").encode(x=x, y=y)]
    if pending:
        layers.append(_point_layer(pending, plot, name="provisional", dash=[2.5, 2]).encode(x=x, y=y))
    places = ((plot.unknown, "unknown", STRIP_PX / 2), (plot.free, "free", frame.plot_width - STRIP_PX / 2))
    for strip, name, x_px in places:
        if strip:
            layer = _point_layer(list(strip), plot, name=f"strip_{name}")
            layers.append(layer.encode(x=alt.value(x_px), y=y))
    return [*layers]


def _point_layer(points: list[Point], plot: Plot, *, name: str, dash: list[float] | None = None) -> Layer:
    many = len(plot.points) > DESCRIBED_UP_TO
    size = 26 if many else 64
    rows = [_point_row(p, plot, size) for p in points]
    options: dict[str, Any] = {"strokeDash": dash} if dash else {}
    chart = rows_chart(rows, name).mark_point(
        opacity=1, strokeWidth=1.6 if dash else 1.2, aria=not many, **options
    )
    encoding: dict[str, Any] = {
        "fill": alt.Fill("fill:N", scale=None, legend=None),
        "stroke": alt.Stroke("stroke:N", scale=None, legend=None),
        "size": alt.Size("size:Q", scale=None, legend=None),
        "shape": alt.Shape(
            "weights:N",
            scale=alt.Scale(domain=list(theme.WEIGHTS_SHAPES), range=list(theme.WEIGHTS_SHAPES.values())),
            legend=None,
        ),
        "href": alt.Href("href:N"),
    }
    if not many:
        encoding["description"] = alt.Description("description:N")
    return chart.encode(**encoding)


def _point_row(point: Point, plot: Plot, size: int) -> Spec:
    colour = theme.REST if point.muted else theme.WEIGHTS_COLOURS.get(point.weights, theme.NEUTRAL)
    hollow = point.self_hosted or point.provisional
    return {
        "id": readable(point.id),
        "name": readable(point.name),
        "x": point.x,
        "y": point.y,
        "weights": point.weights,
        "href": point.href,
        "fill": "none" if hollow else colour,
        "stroke": colour if hollow else theme.PAPER,
        "size": size * (1.7 if point.on_frontier else 1) * (1.3 if point.weights == "proprietary" else 1),
        "description": point_description(point, plot),
        "frontier": point.on_frontier,
    }


def _quadrant(plot: Plot) -> Layer:
    """The corner beyond both medians, at 6 % tint; it needs three points to mean anything."""
    if len(plot.points) < 3:
        return None
    x_px = plot.strip_left + plot.x.to_px(statistics.median(p.x for p in plot.points if p.x is not None))
    y_px = plot.y.to_px(statistics.median(p.y for p in plot.points if p.y is not None))
    row = {"x1": round(x_px, 1), "x2": plot.frame.plot_width, "y1": 0, "y2": round(y_px, 1)}
    chart = rows_chart([row], "quadrant")
    return chart.mark_rect(aria=False, fill=theme.OPEN, fillOpacity=0.06).encode(
        x=at_px("x1"), x2=alt.X2("x2"), y=at_py("y1"), y2="y2"
    )


def _staircase(plot: Plot) -> Layer:
    path = staircase_path(plot)
    if not path:
        return None
    rows = [{"px": round(x, 1), "py": round(y, 1), "step": i} for i, (x, y) in enumerate(path)]
    chart = rows_chart(rows, "frontier")
    return chart.mark_line(
        interpolate="step-after", strokeDash=[4, 4], strokeWidth=1.3, color=theme.INK, aria=False
    ).encode(x=at_px("px"), y=at_py("py"), order=alt.Order("step:Q"))


def _labels(plot: Plot) -> list[Label]:
    """Few points are labelled; Vega-Lite has no label avoidance, so the places are worked out here."""
    font = plot.frame.font
    anchors = [
        Anchor(p.id, theme.shortened(readable(p.name)), plot.x_px(p), plot.y_px(p)) for p in named(plot)
    ]
    marks = [_mark_box(a.x, a.y) for a in anchors]
    corner = Box(plot.frame.plot_width - text_width("better ↗", font), -14, plot.frame.plot_width, font + 6)
    return place_labels(
        anchors,
        font_px=font,
        plot_width=plot.frame.plot_width,
        plot_height=plot.frame.height,
        taken=[corner, *marks],
    )


def named(plot: Plot) -> list[Point]:
    """The frontier; where a reader highlights points, those and no others."""
    highlighted = [p for p in drawn(plot) if p.labelled]
    return highlighted or plot.frontier


def _mark_box(x: float, y: float) -> Box:
    return Box(x - 6, y - 6, x + 6, y + 6)


def labels_rows(labels: Sequence[Label]) -> list[Spec]:
    return [{"px": round(i.x, 1), "py": round(i.y, 1), "text": i.text, "align": i.align} for i in labels]


def _keyed(labels: Sequence[Label]) -> list[Label]:
    return [label for label in labels if label.number is not None]


def _key_rows(plot: Plot, labels: Sequence[Label]) -> list[Spec]:
    names = {p.id: theme.shortened(readable(p.name)) for p in named(plot)}
    top = plot.frame.height + plot.frame.bottom + plot.frame.font - 6
    return [
        {"px": 0, "py": top + i * (plot.frame.font + 5), "text": f"{k.number} {names[k.id]}", "align": "left"}
        for i, k in enumerate(_keyed(labels))
    ]


def _corner_words(plot: Plot) -> list[Spec]:
    width = plot.frame.plot_width
    rows: list[Spec] = [{"px": width - 4, "py": 14, "text": "better ↗", "align": "right"}]
    bottom = plot.frame.height - 8
    if plot.free:
        rows.append({"px": width - STRIP_PX / 2, "py": bottom, "text": "free", "align": "center"})
    if plot.unknown:
        rows.append({"px": STRIP_PX / 2, "py": bottom, "text": "price ?", "align": "center"})
    return rows


def _text(
    rows: list[Spec], *, name: str, font: float, weight: Literal[400, 600] = 400, italic: bool = False
) -> Layer:
    """Text marks at pixel places; Vega-Lite takes the alignment per mark, so one layer for each."""
    layers = []
    for align in ("left", "right", "center"):
        mine = [row for row in rows if row["align"] == align]
        if not mine:
            continue
        chart = rows_chart(mine, f"{name}_{align}")
        mark = chart.mark_text(
            align=align,
            baseline="alphabetic",
            fontSize=font,
            fontWeight=weight,
            fontStyle="italic" if italic else "normal",
            aria=False,
        )
        layers.append(mark.encode(x=at_px("px"), y=at_py("py"), text=alt.Text("text:N")))
    return alt.layer(*layers) if layers else None
