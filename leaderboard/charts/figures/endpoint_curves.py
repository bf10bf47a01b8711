"""What C13, C14 and C15 share: a frame, two scales, one curve for each endpoint, rules, and labels that keep apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.curves import Curve, Level, Rule
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.labels import Box, Label, text_width
from leaderboard.charts.marks import readable
from leaderboard.charts.scales import Scale
from leaderboard.charts.spots import Ground
from leaderboard.charts.theme import Width

TICKS = ",.4~g"
Align = Literal["left", "right", "center"]


@dataclass(frozen=True, slots=True)
class Frame:
    """Sizes of one width's plot, in pixels."""

    width: Width
    left: int
    right: int
    top: int
    bottom: int
    height: int
    font: float

    @property
    def plot_width(self) -> int:
        return self.width - self.left - self.right


WIDE_FRAME = Frame(theme.WIDE, left=58, right=16, top=36, bottom=50, height=340, font=12.5)
NARROW_FRAME = Frame(theme.NARROW, left=46, right=10, top=34, bottom=62, height=260, font=11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one axis: what it measures, and how it is to be read."""

    title: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    frame: Frame
    x: Scale
    y: Scale
    """Pixel 0 is the top."""
    curves: tuple[Curve, ...]
    rules: tuple[Rule, ...] = ()

    def place(self, level: Level) -> tuple[float, float]:
        return self.x.to_px(level.x), self.y.to_px(level.y)

    @property
    def levels(self) -> list[tuple[Curve, Level]]:
        return [(curve, level) for curve in self.curves for level in curve.levels]


def frame_of(width: Width) -> Frame:
    return WIDE_FRAME if width == theme.WIDE else NARROW_FRAME


def make_plot(
    curves: Sequence[Curve], *, width: Width, x: Scale, y: Scale, rules: Sequence[Rule] = ()
) -> Plot:
    return Plot(frame=frame_of(width), x=x, y=y, curves=tuple(curves), rules=tuple(rules))


def curve_layers(plot: Plot, x_words: Words, y_words: Words) -> list[Layer]:
    """Axes and a line for each endpoint through its levels; nothing else."""
    x, y = axes(plot, x_words, y_words)
    # An invisible corner keeps the axes where there is no curve to carry them.
    corner = rows_chart([{"x": plot.x.start, "y": plot.y.start}], "corner")
    layers: list[Layer] = [corner.mark_point(opacity=0, size=1, aria=False).encode(x=x, y=y)]
    for number, curve in enumerate(plot.curves):
        look = curve.look
        rows = [{"x": level.x, "y": level.y, "step": i} for i, level in enumerate(curve.levels)]
        line = rows_chart(rows, f"curve_{number}").mark_line(
            strokeWidth=1.6, strokeDash=list(look.dash), color=look.colour, aria=False
        )
        layers.append(line.encode(x=x, y=y, order="step:Q"))
    return layers


def axes(plot: Plot, x_words: Words, y_words: Words) -> tuple[alt.X, alt.Y]:
    frame = plot.frame
    on_one_line = frame.width == theme.WIDE
    x_title: Any = f"{x_words.title}, {x_words.hint}" if on_one_line else [x_words.title, x_words.hint]
    y_title = f"{y_words.title}, {y_words.hint}" if on_one_line else y_words.title
    x = alt.X(
        "x:Q",
        scale=scale_of(plot.x, plot.x.domain),
        axis=alt.Axis(
            values=list(plot.x.ticks), format=TICKS, title=x_title, titleAnchor="end", titlePadding=12,
            labelFlush=False,
        ),
    )  # fmt: skip
    # The bottom of a flipped pixel axis is the domain's first value for Vega-Lite.
    y = alt.Y(
        "y:Q",
        scale=scale_of(plot.y, plot.y.domain[::-1]),
        axis=alt.Axis(
            values=list(plot.y.ticks), format=TICKS, title=y_title, titleAngle=0, titleAlign="left",
            titleBaseline="bottom", titleX=-frame.left + 4, titleY=-16,
        ),
    )  # fmt: skip
    return x, y


def scale_of(scale: Scale, domain: list[float]) -> alt.Scale:
    return alt.Scale(type="log" if scale.is_log else "linear", domain=domain, nice=False, zero=False)


def point_layer(
    plot: Plot, describe: Callable[[Curve, Level], str], x_words: Words, y_words: Words
) -> Layer | None:
    """Hollow marks: these are our own GPUs. Those on the frontier are drawn larger and last."""
    x, y = axes(plot, x_words, y_words)
    marks = sorted(plot.levels, key=lambda pair: pair[1].on_frontier)
    rows = [
        {
            "id": f"{readable(curve.id)}@{level.concurrency}",
            "x": level.x,
            "y": level.y,
            "colour": curve.look.colour,
            "shape": curve.look.shape,
            "size": 78 if level.on_frontier else 40,
            "width": 2 if level.on_frontier else 1.4,
            "href": curve.href,
            "description": readable(describe(curve, level)),
        }
        for curve, level in marks
    ]
    if not rows:
        return None
    return rows_chart(rows, "points").mark_point(opacity=1, fill=theme.PAPER).encode(
        x=x,
        y=y,
        stroke=alt.Stroke("colour:N", scale=None, legend=None),
        strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
        shape=alt.Shape("shape:N", scale=None, legend=None),
        size=alt.Size("size:Q", scale=None, legend=None),
        href="href:N",
        description="description:N",
    )  # fmt: skip


def rule_layer(plot: Plot) -> Layer | None:
    rows = [
        {"top": round(plot.y.to_px(rule.height), 1), "left": 0, "right": plot.frame.plot_width}
        for rule in plot.rules
    ]
    if not rows:
        return None
    rules = rows_chart(rows, "rules").mark_rule(color=theme.NEUTRAL, strokeDash=[1, 3], aria=False)
    return rules.encode(x=at_px("left"), x2="right", y=at_py("top"))


def ground_of(plot: Plot, taken: Sequence[Box] = ()) -> Ground:
    """What labels must keep clear of: marks, words already there, and the lines if they can."""
    ground = Ground(plot.frame.plot_width, plot.frame.height, marks=list(taken))
    for curve in plot.curves:
        ground.add_line([plot.place(level) for level in curve.levels])
    return ground


def level_labels(plot: Plot, ground: Ground) -> tuple[list[Label], list[Label]]:
    """Each endpoint's name at its fullest level, and `×8` at every other level that has room.

    What finds none is left out: the key, the table and the descriptions have it.
    """
    font = plot.frame.font
    for _, level in plot.levels:
        ground.add_mark(*plot.place(level))
    names = [
        ground.place(curve.id, wordings(curve), plot.place(curve.levels[-1]), font_px=font)
        for curve in plot.curves
        if curve.levels
    ]
    numbers = [
        ground.place(
            f"{curve.id}@{level.concurrency}", [f"×{level.concurrency}"], plot.place(level), font_px=font - 1
        )
        for curve in plot.curves
        for level in curve.levels[:-1]
    ]
    return [n for n in names if n], [n for n in numbers if n]


def wordings(curve: Curve) -> list[str]:
    name = theme.shortened(readable(curve.name))
    return [f"{name} ×{curve.levels[-1].concurrency}", name]


def rule_labels(plot: Plot, taken: Sequence[Box] = (), *, at_left: bool = False) -> list[Label]:
    """At one end of each rule, above it or else below; at the other end where that one is taken."""
    font, width = plot.frame.font - 1, plot.frame.plot_width
    placed: list[Label] = []
    for rule in plot.rules:
        text = theme.shortened(readable(rule.seller)) + f" {rule.price}"
        py, length = plot.y.to_px(rule.height), text_width(text, font) * 0.92
        ends: list[tuple[Align, float, float]] = [("right", width, width - length), ("left", 3, 3)]
        for align, x, left in reversed(ends) if at_left else ends:
            spots = [
                (y, Box(left, y - font * 0.85, left + length, y + font * 0.25))
                for y in (py - 4, py + font + 1)
            ]
            boxes = [*taken, *(label.box for label in placed)]
            free = [(y, box) for y, box in spots if not any(box.overlaps(other) for other in boxes)]
            if free:
                placed.append(Label(rule.label, text, x, free[0][0], align, free[0][1]))
                break
    return placed


def text_layers(
    labels: Sequence[Label], *, name: str, font: float, weight: Literal[400, 600] = 400
) -> list[Layer]:
    """Text marks at pixel places; Vega-Lite takes the alignment per mark, so one layer for each."""
    layers: list[Layer] = []
    aligns: tuple[Align, ...] = ("left", "right", "center")
    for align in aligns:
        rows = [
            {"px": round(i.x, 1), "py": round(i.y, 1), "text": i.text} for i in labels if i.align == align
        ]
        if rows:
            mark = rows_chart(rows, f"{name}_{align}").mark_text(
                align=align, baseline="alphabetic", fontSize=font, fontWeight=weight, aria=False
            )
            layers.append(mark.encode(x=at_px("px"), y=at_py("py"), text="text:N"))
    return layers


def better_corner(plot: Plot) -> tuple[Layer, Box]:
    font = plot.frame.font
    row = {"px": plot.frame.plot_width - 4, "py": 14, "text": "better ↗"}
    mark = rows_chart([row], "words_right").mark_text(
        align="right", baseline="alphabetic", fontSize=font, fontStyle="italic", aria=False
    )
    box = Box(plot.frame.plot_width - text_width("better ↗", font), -14, plot.frame.plot_width, font + 6)
    return mark.encode(x=at_px("px"), y=at_py("py"), text="text:N"), box


def assemble(layers: Sequence[Layer | None], plot: Plot, *, description: str, plotted: list[str]) -> Spec:
    frame = plot.frame
    return layered(
        layers,
        size=(frame.plot_width, frame.height),
        padding=(frame.left, frame.right, frame.top, frame.bottom),
        description=readable(description),
        font=frame.font,
        usermeta={"plotted": plotted},
    )
