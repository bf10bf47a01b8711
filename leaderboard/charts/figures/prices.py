"""C8: list prices over time as steps, input and output in two panels of one scale each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, layered, rows_chart
from leaderboard.charts.figures.parts import is_wide, words_layer
from leaderboard.charts.lines import Step
from leaderboard.charts.marks import readable, spoken
from leaderboard.charts.scales import Scale, linear_scale
from leaderboard.charts.theme import Width

UNCHECKED_AFTER = dt.timedelta(days=30)
PANEL, GAP = 96, 46


def price_history(
    inputs: Sequence[Step], outputs: Sequence[Step], *, until: dt.datetime, width: Width
) -> Spec:
    """A dot at each change; dashed from 30 days after the price was last seen."""
    wide = is_wide(width)
    left, right, font = (48, 60, 12.5) if wide else (40, 44, 11)
    plot_width = width - left - right
    starts = [s.since for s in (*inputs, *outputs)]
    first = min(starts, default=until - dt.timedelta(days=1))
    first = min(first, until - dt.timedelta(days=1))
    layers: list[Layer] = []
    for number, (title, steps) in enumerate((("Input", inputs), ("Output", outputs))):
        top = number * (PANEL + GAP)
        layers += _panel(title, steps, first, until, plot_width, top, left, font)
    return layered(
        layers,
        size=(plot_width, 2 * PANEL + GAP),
        padding=(left, right, 26, 30),
        description=_description(inputs, outputs),
        font=font,
        usermeta={"plotted": ["input", "output"]},
    )


def _panel(
    title: str,
    steps: Sequence[Step],
    first: dt.datetime,
    until: dt.datetime,
    plot_width: float,
    top: float,
    left: float,
    font: float,
) -> list[Layer]:
    known = [s for s in steps if s.value is not None]
    scale = linear_scale([s.value or 0 for s in known], PANEL).flipped()

    def x(moment: dt.datetime) -> float:
        return round((moment - first) / (until - first) * plot_width, 1)

    grid = [{"px": 0, "end": plot_width, "py": top + scale.to_px(t)} for t in scale.ticks]
    labels = [
        {"px": -8, "py": top + scale.to_px(t), "text": f"{t:,.4g}"} for t in (scale.ticks[0], scale.ticks[-1])
    ]
    ends = [{"px": x(m), "py": top + PANEL + 14, "text": f"{m.day} {m:%b %Y}"} for m in (first,)]
    layers: list[Layer] = [
        rows_chart(grid, "grid")
        .mark_rule(color=theme.GRID, aria=False)
        .encode(x=at_px("px"), x2=alt.X2("end"), y=at_py("py")),
        words_layer(labels, name="ticks", font=font, align="right"),
        words_layer(ends, name="days", font=font),
        words_layer(
            [{"px": -left + 4, "py": top - 14, "text": f"{title}, USD per 1M tokens, linear from 0"}],
            name="titles",
            font=font,
        ),
    ]
    for solid in (True, False):
        layers += _lines(steps, scale, x, top, until, solid=solid)
    dots = [
        {
            "px": x(s.since),
            "py": top + scale.to_px(s.value or 0),
            "description": f"{title}, from {s.since:%Y-%m-%d}, {spoken(s.value or 0, 4)} USD per 1M tokens",
        }
        for s in known
    ]
    point = rows_chart(dots, "points").mark_point(fill=theme.NEUTRAL, stroke=theme.PAPER, size=52, opacity=1)
    layers.append(point.encode(x=at_px("px"), y=at_py("py"), description=alt.Description("description:N")))
    last = known[-1:] if known and known[-1] is steps[-1] else []
    layers.append(
        words_layer(
            [
                {"px": plot_width + 8, "py": top + scale.to_px(s.value or 0), "text": f"{s.value:,.4g}"}
                for s in last
            ],
            name="values",
            font=font,
            weight=600,
        )
    )
    return layers


def _lines(
    steps: Sequence[Step],
    scale: Scale,
    x: Callable[[dt.datetime], float],
    top: float,
    until: dt.datetime,
    *,
    solid: bool,
) -> list[Layer]:
    """Horizontal pieces; a price not seen for a month goes on dashed."""
    rows = []
    for index, step in enumerate(steps):
        if step.value is None:
            continue
        end = steps[index + 1].since if index + 1 < len(steps) else until
        sure_until = min(end, (step.verified_at or step.since) + UNCHECKED_AFTER)
        start, stop = (step.since, sure_until) if solid else (max(step.since, sure_until), end)
        if start < stop:
            rows.append({"px": x(start), "end": x(stop), "py": top + scale.to_px(step.value)})
    rule = rows_chart(rows, "steps" if solid else "unchecked").mark_rule(
        color=theme.INK, strokeWidth=1.8, strokeDash=[1, 0] if solid else [3, 4], aria=False
    )
    return [rule.encode(x=at_px("px"), x2=alt.X2("end"), y=at_py("py"))] if rows else []


def _description(inputs: Sequence[Step], outputs: Sequence[Step]) -> str:
    parts = []
    for name, steps in (("input", inputs), ("output", outputs)):
        last = steps[-1].value if steps else None
        now = "unknown" if last is None else f"{spoken(last, 4)} USD per 1M tokens"
        parts.append(f"{name} {now}, {max(0, len(steps) - 1)} changes")
    return readable(f"List prices over time: {'; '.join(parts)}.")
