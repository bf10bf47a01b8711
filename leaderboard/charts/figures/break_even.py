"""C15: what a token costs as the endpoint is used more, and from which use on it is cheaper than to buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from leaderboard.charts import theme
from leaderboard.charts.curves import Curve, Level, Look, Rule
from leaderboard.charts.figures.endpoint_curves import (
    Plot,
    Words,
    assemble,
    curve_layers,
    frame_of,
    ground_of,
    make_plot,
    rule_labels,
    rule_layer,
    text_layers,
)
from leaderboard.charts.figures.gpu_levels import amount
from leaderboard.charts.figures.layered import Layer, Spec, at_px, at_py, rows_chart
from leaderboard.charts.labels import Label
from leaderboard.charts.marks import readable
from leaderboard.charts.scales import Scale, log_scale
from leaderboard.charts.spots import Ground
from leaderboard.charts.theme import Width

LEAST_USE = 5
"""Per cent at which a curve begins: at 0 a token costs without bound."""
USE = Words(title="Utilisation, %", hint="linear scale: share of the hour the endpoint is busy")
COST = Words(title="USD per 1M output tokens", hint="log scale, lower is cheaper")


@dataclass(frozen=True, slots=True, kw_only=True)
class FullUse:
    """What one endpoint's output costs at full use, at the named level."""

    id: str
    name: str
    href: str
    look: Look
    usd_per_mtok: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """Above `utilisation_percent` the endpoint is cheaper than the rule."""

    endpoint: FullUse
    rule: Rule
    utilisation_percent: float


def crossings(endpoints: Sequence[FullUse], rules: Sequence[Rule]) -> list[Crossing]:
    """Where curves meet rules within the hour; an endpoint that is never cheaper crosses nothing."""
    found = [
        Crossing(endpoint=e, rule=r, utilisation_percent=100 * e.usd_per_mtok / r.height)
        for e in endpoints
        for r in rules
        if r.height > 0 and e.usd_per_mtok > 0
    ]
    return [c for c in found if c.utilisation_percent <= 100]


def crosses_late(met: Sequence[Crossing]) -> bool:
    """Whether the curves meet the rules mostly in the right half: then the rules' own words have room at the left."""
    return sum(c.utilisation_percent for c in met) > 50 * len(met)


def break_even(endpoints: Sequence[FullUse], rules: Sequence[Rule], *, width: Width) -> Spec:
    """Curves of cost over use from 5 to 100 %; rules at list prices; the crossings named."""
    drawn = [e for e in endpoints if e.usd_per_mtok > 0]
    asked = [rule for rule in rules if rule.height > 0]
    plot = make_plot([curve_of(e) for e in drawn], width=width, rules=asked, **scales_of(drawn, asked, width))
    met = [c for c in crossings(drawn, asked) if c.utilisation_percent >= LEAST_USE]
    rule_words = rule_labels(plot, at_left=crosses_late(met))
    ground = ground_of(plot, [label.box for label in rule_words])
    labels = [*curve_labels(plot, ground), *crossing_labels(plot, met, ground)]
    font = plot.frame.font
    layers = [
        *curve_layers(plot, USE, COST),
        rule_layer(plot),
        crossing_layer(plot, met),
        *text_layers(labels, name="labels", font=font - 0.5, weight=600),
        *text_layers(rule_words, name="asked", font=font - 1),
    ]
    plotted = [e.id for e in drawn]
    return assemble(layers, plot, description=summary(drawn, asked), plotted=plotted)


def scales_of(endpoints: Sequence[FullUse], rules: Sequence[Rule], width: Width) -> dict[str, Scale]:
    """The cost axis ends where the curves begin."""
    frame = frame_of(width)
    costs = [e.usd_per_mtok for e in endpoints]
    heights = [*costs, *(cost * 100 / LEAST_USE for cost in costs), *(rule.height for rule in rules)]
    return {
        "x": Scale(0, 100, frame.plot_width, False, (0, 20, 40, 60, 80, 100)),
        "y": log_scale(heights, frame.height).flipped(),
    }


def curve_of(endpoint: FullUse) -> Curve:
    """A hyperbola is straight on no axis here, so it is drawn through every per cent."""
    uses = range(LEAST_USE, 101)
    return Curve(
        id=endpoint.id,
        name=endpoint.name,
        href=endpoint.href,
        look=endpoint.look,
        levels=tuple(
            Level(concurrency=use, x=float(use), y=endpoint.usd_per_mtok * 100 / use) for use in uses
        ),
    )


def crossing_layer(plot: Plot, met: Sequence[Crossing]) -> Layer | None:
    rows: list[dict[str, Any]] = [
        {
            "px": round(plot.x.to_px(c.utilisation_percent), 1),
            "py": round(plot.y.to_px(c.rule.height), 1),
            "colour": c.endpoint.look.colour,
            "shape": c.endpoint.look.shape,
            "href": c.endpoint.href,
            "description": readable(crossing_words(c)),
        }
        for c in met
    ]
    if not rows:
        return None
    points = rows_chart(rows, "points").mark_point(opacity=1, size=50, strokeWidth=1.6, fill=theme.PAPER)
    return points.encode(
        x=at_px("px"),
        y=at_py("py"),
        stroke=alt.Stroke("colour:N", scale=None, legend=None),
        shape=alt.Shape("shape:N", scale=None, legend=None),
        href="href:N",
        description="description:N",
    )


def crossing_words(crossing: Crossing) -> str:
    share = percent(crossing.utilisation_percent)
    return f"{crossing.endpoint.name}: cheaper than {readable(crossing.rule.seller)} above {share} %"


def percent(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def curve_labels(plot: Plot, ground: Ground) -> list[Label]:
    """Each curve's name near its right end."""
    found = [
        ground.place(
            curve.id,
            [theme.shortened(readable(curve.name))],
            plot.place(curve.levels[-1]),
            font_px=plot.frame.font,
        )
        for curve in plot.curves
    ]
    return [label for label in found if label]


def crossing_labels(plot: Plot, met: Sequence[Crossing], ground: Ground) -> list[Label]:
    """“cheaper than X above 51 %” where there is room for it, else “above 51 %”."""
    places = [(plot.x.to_px(c.utilisation_percent), plot.y.to_px(c.rule.height)) for c in met]
    for place in places:
        ground.add_mark(*place)
    found = []
    for crossing, place in zip(met, places, strict=True):
        share = f"above {percent(crossing.utilisation_percent)} %"
        whole = f"cheaper than {theme.shortened(readable(crossing.rule.seller))} {share}"
        texts = [whole, share] if plot.frame.width == theme.WIDE else [share]
        key = f"{crossing.endpoint.id}>{crossing.rule.label}"
        found.append(ground.place(key, texts, place, font_px=plot.frame.font - 0.5))
    return [label for label in found if label]


def summary(endpoints: Sequence[FullUse], rules: Sequence[Rule]) -> str:
    if not endpoints:
        return "Cost of output tokens over utilisation: no endpoint with a known cost yet."
    full = "; ".join(f"{e.name}, {amount(e.usd_per_mtok)} USD at full use" for e in endpoints[:6])
    met = [crossing_words(c) for c in crossings(endpoints, rules)][:8]
    words = f"USD per 1M output tokens of {len(endpoints)} endpoints over utilisation: {full}."
    if met:
        return f"{words} {'; '.join(met)}."
    return f"{words} None is cheaper than a list price shown." if rules else words
