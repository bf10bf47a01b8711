"""C4: how many models each provider serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.charts.figures.bars import bars
from leaderboard.charts.marks import Bar
from leaderboard.charts.theme import Width

AT_LEAST = 3


def catalogue(rows: Sequence[Bar], *, width: Width) -> dict[str, Any]:
    """Providers with at least 3 active models, most first; with fewer than 3 such providers, all of them."""
    ordered = sorted(rows, key=lambda b: (-(b.value or 0), b.name))
    large = [b for b in ordered if (b.value or 0) >= AT_LEAST]
    return bars(
        large if len(large) >= AT_LEAST else ordered,
        width=width,
        unit="models",
        title="Models served by each provider",
        half_page=False,
    )
