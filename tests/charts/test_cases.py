"""Bug reports about charts elsewhere, as cases: what is plotted, dropped and labelled, and what the spec may hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.utils.html import json_script

from leaderboard.charts.figures.bars import bars
from leaderboard.charts.figures.tradeoff import tradeoff
from leaderboard.charts.rendering import draw_svg, strict_json

from .points import make_bar, make_point, on_tradeoff

CASES = sorted((Path(__file__).parents[1] / "cases" / "chart").glob("*.json"))


def spec_of(given: dict[str, Any]) -> dict[str, Any]:
    rows = [{k: float(v) if k != "id" else v for k, v in row.items()} for row in given["rows"]]
    if given["chart"] == "bars":
        drawn = [make_bar(id=r["id"], value=r["speed_tps"]) for r in rows]
        return bars(drawn, width=760, unit="tokens/s", title="Output speed")
    points = [make_point(id=r["id"], x=r["latency_ms"], y=r["speed_tps"]) for r in rows]
    return tradeoff(on_tradeoff(points), width=760, noun="models")


def fields_in(node: object) -> list[str]:
    if isinstance(node, dict):
        own = [node["field"]] if isinstance(node.get("field"), str) else []
        return own + [f for value in node.values() for f in fields_in(value)]
    if isinstance(node, list):
        return [f for value in node for f in fields_in(value)]
    return []


def point_rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    layers = [layer for layer in spec["layer"] if layer.get("name") == "points"]
    return [row for layer in layers for row in layer["data"]["values"]]


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_case_holds(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    given, expect = case["input"], case["expect"]

    spec = spec_of(given)
    svg = draw_svg(spec, label=case["title"], key="case")

    assert svg.startswith("<svg")
    plotted = spec["usermeta"]["plotted"]
    dropped = sorted(row["id"] for row in given["rows"] if row["id"] not in plotted)
    got: dict[str, object] = {
        "plotted": sorted(plotted),
        "dropped": dropped,
        "labelled": sorted(spec["usermeta"].get("labelled", [])),
        "spec_is_strict_json": json.loads(strict_json(spec)) == spec,
        "scale_type": "linear",
        "zero": True,
    }
    for key, value in expect.items():
        if key == "field_names_match":
            assert all(re.match(value, name) for name in fields_in(spec))
        elif key == "html_not_contains":
            assert value not in str(json_script(spec, "spec"))
            assert value not in svg
        elif key == "distinct_x_positions":
            assert len({row["x"] for row in point_rows(spec)}) == value
        elif key in ("scale_type", "zero"):
            assert value_scale(spec)[key] == value
        elif key in got:
            assert got[key] == (sorted(value) if isinstance(value, list) else value)
        else:
            pytest.fail(f"nothing here answers {key}")


def value_scale(spec: dict[str, Any]) -> dict[str, object]:
    layer = next(layer for layer in spec["layer"] if layer.get("name") in ("bars", "points"))
    scale = layer["encoding"]["x"]["scale"]
    return {"scale_type": scale["type"], "zero": scale["zero"] and 0 in scale["domain"]}
