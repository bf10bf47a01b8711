"""Labels that never overlap: above left of the point, else below it, else a number explained under the chart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

# Average advance of system-ui's letters in ems, on the generous side; bold is wider.
LETTER_EM = 0.6
WIDE_LETTERS = frozenset("MWmw@%—…")


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Anchor:
    """A point that wants a label, in pixels from the plot's top left."""

    id: str
    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Label:
    """A placed label: `text` is the name, or a number where the name did not fit."""

    id: str
    text: str
    x: float
    y: float
    align: Literal["left", "right", "center"]
    box: Box
    number: int | None = None


def text_width(text: str, font_px: float) -> float:
    return sum(1.0 if c in WIDE_LETTERS or ord(c) > 0x2E80 else LETTER_EM for c in text) * font_px


def _label(
    anchor: Anchor, text: str, *, font_px: float, below: bool, plot_width: float, number: int | None
) -> Label:
    width = text_width(text, font_px)
    x, align, left = anchor.x - 8, "right", anchor.x - 8 - width
    if left < 0:
        x, align, left = anchor.x + 8, "left", anchor.x + 8
    if align == "left" and left + width > plot_width and anchor.x > width:
        x, align, left = plot_width, "right", plot_width - width
    y = anchor.y + 8 + font_px * 0.9 if below else anchor.y - 8
    box = Box(left, y - font_px * 0.85, left + width, y + font_px * 0.3)
    return Label(anchor.id, text, x, y, "right" if align == "right" else "left", box, number)


def place_labels(
    anchors: Sequence[Anchor],
    *,
    font_px: float,
    plot_width: float,
    plot_height: float,
    taken: Iterable[Box] = (),
) -> list[Label]:
    """One label each, in the order given; the numbers count from 1 and are explained by the caller."""
    boxes = list(taken)
    placed: list[Label] = []
    for anchor in anchors:
        options = [
            _label(anchor, anchor.text, font_px=font_px, below=below, plot_width=plot_width, number=None)
            for below in (False, True)
        ]
        label = next((o for o in options if _fits(o.box, boxes, plot_width, plot_height)), None)
        if label is None:
            label = _numbered(anchor, placed, boxes, font_px=font_px, plot_width=plot_width)
        placed.append(label)
        boxes.append(label.box)
    return placed


def _fits(box: Box, boxes: Iterable[Box], plot_width: float, plot_height: float) -> bool:
    inside = (
        box.left >= 0 and box.right <= plot_width + 1 and box.top >= -14 and box.bottom <= plot_height + 2
    )
    return inside and not any(box.overlaps(other) for other in boxes)


def _numbered(
    anchor: Anchor, placed: Sequence[Label], boxes: Sequence[Box], *, font_px: float, plot_width: float
) -> Label:
    """The number climbs away from the point until it is free: a handful of digits always finds room."""
    number = 1 + sum(1 for label in placed if label.number is not None)
    width = text_width(str(number), font_px)
    for step in range(200):
        side = -1 if step % 2 == 0 else 1
        x = min(max(anchor.x + side * (9 + width / 2), width / 2), plot_width - width / 2)
        y = anchor.y + font_px * 0.35 - (step // 2) * font_px * 0.6
        box = Box(x - width / 2, y - font_px * 0.85, x + width / 2, y + font_px * 0.3)
        if not any(box.overlaps(other) for other in boxes):
            break
    return Label(anchor.id, str(number), x, y, "center", box, number)
