"""Colours, sizes and type of every chart. Marks carry plain colours that the site's style sheet swaps in the dark.

Contrast was worked out for these: at opacity 1 each mark colour has at least 3:1 on its own paper,
and text is `currentColor`, so it always has the page's.
"""

from __future__ import annotations

from typing import Any, Literal

OPEN = "#0072B2"
PROPRIETARY = "#D55E00"
NEUTRAL = "#6b7280"
PAPER = "#fcfbf8"
INK = "currentColor"
GRID = "#8884"

WEIGHTS_COLOURS = {"open": OPEN, "proprietary": PROPRIETARY}
WEIGHTS_SHAPES = {"open": "circle", "proprietary": "triangle-up"}
WEIGHTS_WORDS = {"open": "open weights", "proprietary": "proprietary"}
# Okabe and Ito's colours that reach 3:1 on white, then dashes for those after them: at most 8 named series.
SERIES_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#1a1a1a", "#CC79A7")
SERIES_DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (6, 3), (2, 2))
REST = "#7c828c"

Spec = dict[str, Any]
Width = Literal[760, 300]
WIDE: Width = 760
NARROW: Width = 300
WIDTHS: tuple[Width, ...] = (WIDE, NARROW)

NAME_CHARACTERS = 28
FONT = "system-ui, sans-serif"


def shortened(name: str) -> str:
    """The name as a chart shows it; the description and the table beside it keep all of it."""
    return name if len(name) <= NAME_CHARACTERS else name[: NAME_CHARACTERS - 1].rstrip() + "…"


def config(font_size: float) -> dict[str, Any]:
    """Vega-Lite's `config` for charts whose axis text is `font_size` px."""
    axis_text = {"labelColor": INK, "titleColor": INK, "labelFont": FONT, "titleFont": FONT}
    return {
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            **axis_text,
            "gridColor": GRID,
            "domain": False,
            "ticks": False,
            "labelFontSize": font_size,
            "titleFontSize": font_size,
            "titleFontWeight": "normal",
            "labelPadding": 6,
            "labelLimit": 0,
            "titleLimit": 0,
        },
        "text": {"color": INK, "font": FONT, "fontSize": font_size},
        "header": {"labelColor": INK, "titleColor": INK, "labelFont": FONT, "titleFont": FONT},
    }
