"""C13 and C14: what a user gets against what the endpoint does, or costs, through its levels of concurrency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from leaderboard.charts.curves import Curve, Level, Rule
from leaderboard.charts.figures.endpoint_curves import (
    Plot,
    Words,
    assemble,
    better_corner,
    curve_layers,
    frame_of,
    ground_of,
    level_labels,
    make_plot,
    point_layer,
    rule_labels,
    rule_layer,
    text_layers,
)
from leaderboard.charts.figures.layered import Spec
from leaderboard.charts.marks import spoken
from leaderboard.charts.scales import is_drawable, linear_scale, log_scale
from leaderboard.charts.theme import Width

Describe = Callable[[Curve, Level], str]
Display = Literal["usd_per_mtok", "tokens_per_usd"]
USER_SPEED = Words(
    title="Output speed one user sees, median, tokens/s",
    hint="linear scale, higher is better, to the right →",
)
THROUGHPUT = Words(title="Output tokens/s per GPU", hint="linear scale, higher is better")
COST = Words(title="USD per 1M output tokens", hint="log scale, up is cheaper")
YIELD = Words(title="Million output tokens per USD", hint="log scale, higher is better")


def gpu_throughput(curves: Sequence[Curve], *, width: Width) -> Spec:
    """C13. x is what one user sees, y output tokens/s per GPU; points in order of concurrency."""
    drawn = [drawable(curve, is_log=False) for curve in curves]
    frame, levels = frame_of(width), [level for curve in drawn for level in curve.levels]
    plot = make_plot(
        drawn,
        width=width,
        x=linear_scale([level.x for level in levels], frame.plot_width),
        y=linear_scale([level.y for level in levels], frame.height).flipped(),
    )

    def describe(curve: Curve, level: Level) -> str:
        return level_words(curve, level, f"{spoken(level.y)} output tokens/s per GPU")

    return levels_figure(
        plot,
        THROUGHPUT,
        describe,
        about="output tokens per second of each GPU against the speed one user sees",
    )


def gpu_cost(
    curves: Sequence[Curve], rules: Sequence[Rule], *, width: Width, display: Display = "usd_per_mtok"
) -> Spec:
    """C14. y is USD per 1M output tokens, cheap at the top; or its reciprocal, of the same numbers."""
    is_cost = display == "usd_per_mtok"
    drawn = [drawable(curve, is_log=True) for curve in curves]
    frame, levels = frame_of(width), [level for curve in drawn for level in curve.levels]
    lines = [rule if is_cost else reciprocal(rule) for rule in rules if rule.height > 0]
    heights = [*(level.y for level in levels), *(rule.height for rule in lines)]
    plot = make_plot(
        drawn,
        width=width,
        x=linear_scale([level.x for level in levels], frame.plot_width),
        y=log_scale(heights, frame.height, reversed_=is_cost).flipped(),
        rules=lines,
    )
    unit = "USD per 1M output tokens" if is_cost else "million output tokens per USD"

    def describe(curve: Curve, level: Level) -> str:
        return level_words(curve, level, f"{amount(level.y)} {unit}")

    return levels_figure(
        plot, COST if is_cost else YIELD, describe, about=f"{unit} against the speed one user sees"
    )


def levels_figure(plot: Plot, y_words: Words, describe: Describe, *, about: str) -> Spec:
    corner, corner_box = better_corner(plot)
    asked = rule_labels(plot, [corner_box])
    ground = ground_of(plot, [corner_box, *(label.box for label in asked)])
    names, numbers = level_labels(plot, ground)
    font = plot.frame.font
    layers = [
        *curve_layers(plot, USER_SPEED, y_words),
        rule_layer(plot),
        point_layer(plot, describe, USER_SPEED, y_words),
        *text_layers(names, name="labels", font=font, weight=600),
        *text_layers(numbers, name="numbers", font=font - 1),
        *text_layers(asked, name="asked", font=font - 1),
        corner,
    ]
    plotted = [f"{curve.id}@{level.concurrency}" for curve, level in plot.levels]
    return assemble(layers, plot, description=summary(plot, describe, about), plotted=plotted)


def summary(plot: Plot, describe: Describe, about: str) -> str:
    if not plot.levels:
        return f"Own GPUs: {about}. Nothing to draw yet."
    best = [describe(curve, level) for curve, level in plot.levels if level.on_frontier][:6]
    asked = "; ".join(rule.label for rule in plot.rules)
    words = f"{len(plot.curves)} endpoints of own GPUs, {len(plot.levels)} levels of concurrency: {about}."
    if best:
        words += f" On the frontier: {'; '.join(best)}."
    return f"{words} Rules: {asked}." if asked else words


def level_words(curve: Curve, level: Level, height: str) -> str:
    requests = "1 request" if level.concurrency == 1 else f"{level.concurrency} requests"
    words = f"{curve.name}, {requests} at once, {spoken(level.x)} tokens/s for each user, {height}"
    return f"{words}, on the frontier" if level.on_frontier else words


def drawable(curve: Curve, *, is_log: bool) -> Curve:
    """The curve with the levels that have a place: a log axis has none for 0."""
    levels = tuple(level for level in curve.levels if is_drawable(level.y, is_log=is_log))
    return replace(curve, levels=levels)


def reciprocal(rule: Rule) -> Rule:
    return replace(rule, height=1 / rule.height)


def amount(value: float) -> str:
    """Three significant digits, positional."""
    digits = max(0, 3 - len(f"{value:.0f}")) if value >= 1 else 4
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
