"""A scatter in braille dots: two columns and four rows of dots to a character."""

from __future__ import annotations

from collections.abc import Sequence

BLANK = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def draw_dots(xs: Sequence[float], ys: Sequence[float], *, width: int = 44, height: int = 6) -> list[str]:
    """Lines of the plot, y growing upwards, its smallest and largest y at the left."""
    if not xs:
        return []
    low, high = min(ys), max(ys)
    cells = [[BLANK] * width for _ in range(height)]
    for x, y in zip(xs, ys, strict=True):
        column = _place(x, min(xs), max(xs), width * 2)
        row = height * 4 - 1 - _place(y, low, high, height * 4)
        cells[row // 4][column // 2] |= DOTS[row % 4][column % 2]
    labels = [f"{high:,.0f}"] + [""] * (height - 2) + [f"{low:,.0f}"]
    margin = max(map(len, labels))
    return [
        f"{label:>{margin}} ┤{''.join(map(chr, line))}" for label, line in zip(labels, cells, strict=True)
    ]


def _place(value: float, low: float, high: float, steps: int) -> int:
    if high <= low:
        return steps // 2
    return min(steps - 1, int((value - low) / (high - low) * (steps - 1) + 0.5))
