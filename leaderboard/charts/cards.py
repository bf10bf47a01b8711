"""A page's share picture, 1200 × 630: what it is about, up to four figures, and as of when."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

from leaderboard.charts import theme
from leaderboard.charts.svg import tag

WIDTH, HEIGHT, MARGIN = 1200, 630, 64
TITLE_CHARACTERS, TITLE_LINES = 30, 2
FIGURES_SHOWN = 4
WORDS_CHARACTERS = 24
INK, SOFT = "#16181d", "#545a65"


@dataclass(frozen=True, slots=True)
class CardFigure:
    """A number as the page shows it, its unit, and whose or what it is."""

    shown: str
    unit: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    title: str
    figures: Sequence[CardFigure]
    foot: str
    simulated: bool = False


def card_svg(card: Card) -> str:
    root = ElementTree.Element(
        tag("svg"),
        {
            "width": f"{WIDTH}",
            "height": f"{HEIGHT}",
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "font-family": theme.FONT,
        },
    )
    ElementTree.SubElement(root, tag("rect"), {"width": "100%", "height": "100%", "fill": theme.PAPER})
    ElementTree.SubElement(root, tag("rect"), {"width": "100%", "height": "14", "fill": INK})
    brand = "Provider Leaderboard"
    write(root, MARGIN, 96, 30, f"{brand}, simulated figures" if card.simulated else brand, fill=SOFT)
    lines = textwrap.wrap(
        card.title, TITLE_CHARACTERS, max_lines=TITLE_LINES, placeholder=" …", break_long_words=True
    )
    for number, words in enumerate(lines):
        write(root, MARGIN, 176 + 66 * number, 54, words, weight="700")
    step = (WIDTH - 2 * MARGIN) / FIGURES_SHOWN
    for number, figure in enumerate(card.figures[:FIGURES_SHOWN]):
        x = MARGIN + step * number
        write(root, x, 390, 60, figure.shown, weight="700")
        write(root, x, 432, 24, figure.unit)
        about = textwrap.wrap(figure.words, WORDS_CHARACTERS, max_lines=2, placeholder=" …")
        for place, words in enumerate(about):
            write(root, x, 468 + 26 * place, 19, words, fill=SOFT)
    write(root, MARGIN, HEIGHT - 48, 26, card.foot, fill=SOFT)
    return ElementTree.tostring(root, encoding="unicode")


def write(
    root: ElementTree.Element,
    x: float,
    y: float,
    size: float,
    words: str,
    *,
    weight: str = "400",
    fill: str = INK,
) -> None:
    places = {"x": f"{x:g}", "y": f"{y:g}", "font-size": f"{size:g}", "font-weight": weight, "fill": fill}
    text = ElementTree.SubElement(root, tag("text"), places)
    text.text = words


@lru_cache(maxsize=64)
def card_png(svg: str) -> bytes:
    """Kept in memory by what it shows: some 30 kB each, drawn anew when a figure or the as-of moved."""
    from leaderboard.charts.rendering import draw_png

    return draw_png(svg, scale=1)
