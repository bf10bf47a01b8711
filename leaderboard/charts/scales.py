"""Axis arithmetic: domains rounded outwards, ticks a reader can say aloud, and where a value falls in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis: the value at pixel 0, the value at pixel `length_px`, and whether it is logarithmic."""

    start: float
    end: float
    length_px: float
    is_log: bool
    ticks: tuple[float, ...]

    def to_px(self, value: float) -> float:
        if self.is_log:
            share = math.log(value / self.start) / math.log(self.end / self.start)
        else:
            share = (value - self.start) / (self.end - self.start)
        return share * self.length_px

    @property
    def domain(self) -> list[float]:
        return [self.start, self.end]

    def flipped(self) -> Scale:
        """The same axis read the other way, as the vertical one is: pixel 0 is its top."""
        return Scale(self.end, self.start, self.length_px, self.is_log, self.ticks)


def is_drawable(value: float | None, *, is_log: bool) -> bool:
    """A log axis has no place for zero: one such value would put every point on a single line."""
    if value is None or not math.isfinite(value):
        return False
    return value > 0 if is_log else value >= 0


def steps_between(low: float, high: float) -> tuple[float, ...]:
    """1, 2 and 5 times the powers of ten from `low` to `high`, both included."""
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    found = (step * 10.0**power for power in range(first, last + 1) for step in STEPS)
    return tuple(float(f"{v:.6g}") for v in found if low * 0.999999 <= v <= high * 1.000001)


def log_scale(values: Iterable[float], length_px: float, *, reversed_: bool = False) -> Scale:
    """Rounded outwards to 1-2-5 steps; an empty or single-valued set still gets an axis of some breadth."""
    drawn = [v for v in values if v > 0]
    low, high = (min(drawn), max(drawn)) if drawn else (1.0, 10.0)
    all_steps = steps_between(low / 10, high * 10)
    start = max(s for s in all_steps if s <= low * 1.000001)
    end = min(s for s in all_steps if s >= high * 0.999999)
    if start == end:
        start = max(s for s in all_steps if s < start)
        end = min(s for s in all_steps if s > end)
    ticks = thinned_steps(start, end, length_px)
    return (
        Scale(end, start, length_px, True, ticks) if reversed_ else Scale(start, end, length_px, True, ticks)
    )


def thinned_steps(low: float, high: float, length_px: float) -> tuple[float, ...]:
    """The 1-2-5 steps, or the powers of ten where those would stand closer than 44 px."""
    ticks = steps_between(low, high)
    if len(ticks) > 1 and length_px / (len(ticks) - 1) < 44:
        powers = tuple(t for t in ticks if math.isclose(math.log10(t) % 1, 0, abs_tol=1e-9))
        return powers if len(powers) > 1 else (ticks[0], ticks[-1])
    return ticks


def linear_scale(values: Iterable[float], length_px: float, *, reversed_: bool = False) -> Scale:
    """From 0 to a round number above the largest value, in at most six steps."""
    high = max((v for v in values), default=0.0) or 1.0
    raw_step = high / 5
    magnitude = 10.0 ** math.floor(math.log10(raw_step))
    step = next(s * magnitude for s in (1, 2, 2.5, 5, 10) if s * magnitude >= raw_step * 0.999999)
    count = math.ceil(high / step - 1e-9)
    ticks = tuple(float(f"{i * step:.6g}") for i in range(count + 1))
    top = ticks[-1]
    return Scale(top, 0, length_px, False, ticks) if reversed_ else Scale(0, top, length_px, False, ticks)
