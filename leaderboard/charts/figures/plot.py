"""Where a scatter's points fall, in pixels: worked out once, shared by its layers, and tested without drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.charts import theme
from leaderboard.charts.marks import Axis, Point, readable, spoken
from leaderboard.charts.scales import Scale, is_drawable, linear_scale, log_scale
from leaderboard.charts.theme import Width

STRIP_PX = 46


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


WIDE_FRAME = Frame(theme.WIDE, left=52, right=14, top=36, bottom=50, height=380, font=12.5)
NARROW_FRAME = Frame(theme.NARROW, left=40, right=10, top=34, bottom=62, height=270, font=11)


@dataclass(frozen=True, slots=True)
class Plot:
    """Where values fall, worked out once and shared by all layers."""

    frame: Frame
    x: Scale
    y: Scale
    x_axis: Axis
    y_axis: Axis
    points: tuple[Point, ...]
    free: tuple[Point, ...]
    unknown: tuple[Point, ...]

    def x_px(self, point: Point) -> float:
        inner = self.x.to_px(point.x) if point.x else self.x.length_px + STRIP_PX / 2
        return self.strip_left + inner

    def y_px(self, point: Point) -> float:
        return self.y.to_px(point.y or 0)

    @property
    def strip_left(self) -> float:
        return STRIP_PX if self.unknown else 0

    @property
    def frontier(self) -> list[Point]:
        """Best x first, so that the staircase can be walked from the right edge to the left."""
        found = [p for p in (*self.points, *self.free) if p.on_frontier]
        return sorted(found, key=self.x_px, reverse=True)


def make_plot(points: Sequence[Point], x_axis: Axis, y_axis: Axis, width: Width, price_strips: bool) -> Plot:
    frame = WIDE_FRAME if width == theme.WIDE else NARROW_FRAME
    usable = [p for p in points if is_drawable(p.y, is_log=y_axis.is_log)]
    inside = tuple(p for p in usable if is_drawable(p.x, is_log=x_axis.is_log))
    free = tuple(p for p in usable if price_strips and x_axis.is_log and p.x == 0)
    unknown = tuple(p for p in usable if price_strips and p.x is None)
    inner_width = frame.plot_width - STRIP_PX * (bool(free) + bool(unknown))
    return Plot(
        frame=frame,
        x=_scale(x_axis, [p.x for p in inside], inner_width),
        y=_scale(y_axis, [p.y for p in (*inside, *free, *unknown)], frame.height).flipped(),
        x_axis=x_axis,
        y_axis=y_axis,
        points=inside,
        free=free,
        unknown=unknown,
    )


def _scale(axis: Axis, values: Sequence[float | None], length_px: float) -> Scale:
    """Better is always at the far end: right of the horizontal axis, top of the vertical one."""
    known = [v for v in values if v is not None]
    make = log_scale if axis.is_log else linear_scale
    return make(known, length_px, reversed_=axis.lower_is_better)


def staircase_path(plot: Plot) -> list[tuple[float, float]]:
    """Corners in pixels: up from the bottom edge at the best x, then step by step to the left edge."""
    frontier = plot.frontier
    if not frontier:
        return []
    corners = [(plot.x_px(frontier[0]), float(plot.frame.height))]
    corners += [(plot.x_px(p), plot.y_px(p)) for p in frontier]
    return [*corners, (0.0, plot.y_px(frontier[-1]))]


def drawn(plot: Plot) -> list[Point]:
    """Every point with a place: frontier points last, so that nothing covers them."""
    everyone = [*plot.points, *plot.free, *plot.unknown]
    return sorted(everyone, key=lambda p: (p.on_frontier, p.y or 0, p.id))


def description(plot: Plot, noun: str) -> str:
    """What, how many, who leads: the sentence a reader who cannot see the chart gets."""
    count = len(drawn(plot))
    words = f"{count} {noun} by {plot.y_axis.title.lower()} and {plot.x_axis.title.lower()}."
    leaders = [point_description(p, plot, with_standing=False) for p in plot.frontier[:6]]
    if not leaders:
        return f"{words} None is on the frontier."
    return readable(
        f"{words} {len(plot.frontier)} on the frontier: {'; '.join(leaders)}. "
        "The tinted corner is better than both medians."
    )


def point_description(point: Point, plot: Plot, *, with_standing: bool = True) -> str:
    """ "<name>, 773 tokens/s, 205 ms, on the frontier"."""
    parts = [point.name]
    for value, axis in ((point.y, plot.y_axis), (point.x, plot.x_axis)):
        if value is None:
            parts.append("price unknown")
        else:
            parts.append(f"{spoken(value, axis.decimals)} {axis.unit}")
    if with_standing and point.on_frontier:
        parts.append("on the frontier")
    return readable(", ".join(parts))
