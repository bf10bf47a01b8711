"""Points and bars for chart tests, and the reference page's published figures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from leaderboard.charts.frontier import with_frontier
from leaderboard.charts.marks import FIRST_TOKEN, OUTPUT_SPEED, Bar, Point

REFERENCE = Path(__file__).with_name("speed_latency.csv")


def make_point(**fields: Any) -> Point:
    defaults: dict[str, Any] = {
        "id": "a",
        "x": 200.0,
        "y": 50.0,
        "weights": "open",
        "href": "https://x.test/a",
    }
    merged = defaults | fields
    return Point(**{"name": merged["id"]} | merged)


def make_bar(**fields: Any) -> Bar:
    defaults: dict[str, Any] = {"id": "a", "creator": "Maker", "value": 50.0, "href": "https://x.test/a"}
    merged = defaults | fields
    return Bar(**{"name": merged["id"]} | merged)


def on_tradeoff(points: list[Point]) -> list[Point]:
    return with_frontier(points, x_axis=FIRST_TOKEN, y_axis=OUTPUT_SPEED)


def reference_points() -> list[Point]:
    """25 published model medians: their frontier is exactly V3 Fast and gpt-oss-120b."""
    with REFERENCE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return on_tradeoff(
        [make_point(id=r["model"], x=float(r["ttft_s"]) * 1000, y=float(r["output_speed_tps"])) for r in rows]
    )
