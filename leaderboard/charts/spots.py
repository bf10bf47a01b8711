"""A free spot for a label near its mark, where lines run everywhere: over no mark, over a line only at need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from leaderboard.charts.labels import Box, Label, text_width

NEAR_PX = (7, 12, 19)
FAR_PX = (28,)
LINE_STEP_PX = 5
MARK_PX = 5
Align = Literal["left", "right", "center"]
# Where from the mark: across and down in units of the gap, and how the text hangs there.
SIDES: tuple[tuple[float, float, Align], ...] = (
    (1, -0.7, "left"), (-1, -0.7, "right"), (1, 1.0, "left"), (-1, 1.0, "right"), (1.1, 0.0, "left"),
    (-1.1, 0.0, "right"), (0, -1.2, "center"), (0, 1.4, "center"),
)  # fmt: skip


@dataclass(slots=True)
class Ground:
    """What is taken on a plot: `marks` must stay free, `lines` should. Placed labels are added to the marks."""

    width: float
    height: float
    marks: list[Box] = field(default_factory=list)
    lines: list[Box] = field(default_factory=list)

    def add_mark(self, x: float, y: float) -> None:
        self.marks.append(Box(x - MARK_PX, y - MARK_PX, x + MARK_PX, y + MARK_PX))

    def add_line(self, places: Sequence[tuple[float, float]]) -> None:
        for (x1, y1), (x2, y2) in pairwise(places):
            steps = max(1, int(max(abs(x2 - x1), abs(y2 - y1)) / LINE_STEP_PX))
            for step in range(steps + 1):
                x, y = x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps
                self.lines.append(Box(x - 2, y - 2, x + 2, y + 2))

    def place(
        self, id_: str, texts: Iterable[str], at: tuple[float, float], *, font_px: float
    ) -> Label | None:
        """The first text with a spot clear of everything, close by before far off; then over a line; else None."""
        wordings, everything = list(texts), [*self.marks, *self.lines]
        for gaps, avoided in ((NEAR_PX, everything), (FAR_PX, everything), (NEAR_PX, self.marks)):
            for text in wordings:
                for label in spots(id_, text, at, font_px=font_px, gaps=gaps):
                    if self.has(label.box) and not any(label.box.overlaps(box) for box in avoided):
                        self.marks.append(label.box)
                        return label
        return None

    def has(self, box: Box) -> bool:
        return box.left >= 0 and box.right <= self.width and box.top >= -12 and box.bottom <= self.height - 1


def spots(
    id_: str, text: str, at: tuple[float, float], *, font_px: float, gaps: Sequence[int]
) -> Iterator[Label]:
    width = text_width(text, font_px)
    for gap in gaps:
        for across, down, align in SIDES:
            x = at[0] + across * gap
            y = at[1] + down * gap + (font_px * 0.35 if down >= 0 else 0)
            left = {"left": x, "right": x - width, "center": x - width / 2}[align]
            box = Box(left, y - font_px * 0.85, left + width, y + font_px * 0.25)
            yield Label(id_, text, x, y, align, box)
