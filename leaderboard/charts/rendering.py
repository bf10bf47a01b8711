"""A Vega-Lite dict becomes an SVG or a PNG, drawn by vl-convert in this process: 0.5 s the first time, then 0.06 s."""

from __future__ import annotations

import json
from typing import Any

import vl_convert

from leaderboard.charts.svg import tidied

Spec = dict[str, Any]


def strict_json(spec: Spec) -> str:
    """The spec as JSON that every parser reads; NaN or an infinity in it is our bug and raises ValueError."""
    return json.dumps(spec, allow_nan=False, separators=(",", ":"))


def draw_svg(spec: Spec, *, label: str, key: str) -> str:
    """An SVG for a page: no style attribute, ids prefixed by `key`, named by `label` and described below it."""
    raw: str = vl_convert.vegalite_to_svg(strict_json(spec))
    target = float(spec.get("usermeta", {}).get("bar_target", 24))
    return tidied(raw, label=label, description=str(spec.get("description", "")), key=key, bar_target=target)


def draw_png(svg: str, *, scale: float = 2) -> bytes:
    """The picture of a standalone SVG at `scale` pixels for each of its own."""
    png: bytes = vl_convert.svg_to_png(svg, scale=scale)
    return png
