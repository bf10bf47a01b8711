from __future__ import annotations

import json
from typing import Any

from leaderboard.charts.figures.plot import make_plot, staircase_path
from leaderboard.charts.figures.scatter import scatter
from leaderboard.charts.figures.tradeoff import tradeoff
from leaderboard.charts.marks import BLENDED_PRICE, FIRST_TOKEN, OUTPUT_SPEED

from .points import make_point, on_tradeoff, reference_points


def layer(spec: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in spec["layer"] if item.get("name") == name)
    return found


def texts(spec: dict[str, Any], name: str) -> list[str]:
    """The strings of a text layer, whose alignments are layers of their own."""
    strings = []
    for item in spec["layer"]:
        for part in item.get("layer", []):
            if part.get("name", "").startswith(f"{name}_"):
                strings += [row["text"] for row in part.get("data", item.get("data"))["values"]]
    return sorted(strings)


def test_reference_points_have_exactly_two_labels() -> None:
    spec = tradeoff(reference_points(), width=760, noun="models")

    assert spec["usermeta"]["labelled"] == ["gpt-oss-120b", "V3 Fast"]
    assert texts(spec, "labels") == ["V3 Fast", "gpt-oss-120b"]
    assert len(spec["usermeta"]["plotted"]) == 25


def test_axes_put_better_in_the_top_right() -> None:
    spec = tradeoff(reference_points(), width=760, noun="models")

    encoding = layer(spec, "points")["encoding"]
    assert encoding["x"]["scale"] | {"range": None} == {
        "type": "log",
        "domain": [10_000, 200],
        "range": None,
        "nice": False,
    }
    assert encoding["y"]["scale"]["domain"] == [0, 4000]
    assert encoding["x"]["axis"]["values"] == [200, 500, 1000, 2000, 5000, 10_000]
    assert texts(spec, "words") == ["better ↗"]


def test_log_speed_axis_is_rounded_to_steps() -> None:
    spec = tradeoff(reference_points(), width=760, noun="models", log_speed=True)

    assert layer(spec, "points")["encoding"]["y"]["scale"]["domain"] == [100, 5000]


def test_nothing_lies_beyond_the_staircase() -> None:
    plot = make_plot(reference_points(), FIRST_TOKEN, OUTPUT_SPEED, 760, False)

    path = staircase_path(plot)

    assert path[0][1] == plot.frame.height
    assert path[-1][0] == 0
    for point in plot.points:
        x, y = plot.x_px(point), plot.y_px(point)
        # The line's height over x is that of the last corner at or right of x.
        heights = [corner_y for corner_x, corner_y in path[1:] if corner_x >= x - 0.01]
        assert heights, point.name
        assert y >= heights[-1] - 0.01


def test_staircase_runs_flat_before_it_climbs() -> None:
    spec = tradeoff(reference_points(), width=760, noun="models")

    mark = layer(spec, "frontier")["mark"]
    assert mark["interpolate"] == "step-after"
    assert mark["strokeDash"] == [4, 4]


def test_point_says_its_name_values_and_standing() -> None:
    spec = tradeoff(reference_points(), width=760, noun="models")

    rows = {row["name"]: row for row in layer(spec, "points")["data"]["values"]}
    assert rows["gpt-oss-120b"]["description"] == "gpt-oss-120b, 773 tokens/s, 205 ms, on the frontier"
    assert rows["Qwen3 32B"]["description"] == "Qwen3 32B, 423 tokens/s, 205 ms"


def test_chart_description_names_the_leaders() -> None:
    spec = tradeoff(reference_points(), width=760, noun="models")

    assert spec["description"].startswith(
        "25 models by output speed, median and time to first token, median. 2 on the frontier: "
        "gpt-oss-120b, 773 tokens/s, 205 ms; V3 Fast, 3502 tokens/s, 448 ms."
    )


def test_hollow_and_dashed_have_their_meanings() -> None:
    spec = tradeoff(
        [make_point(id="own", self_hosted=True), make_point(id="new", provisional=True)],
        width=760,
        noun="offerings",
    )

    assert layer(spec, "points")["data"]["values"][0]["fill"] == "none"
    assert layer(spec, "provisional")["data"]["values"][0]["fill"] == "none"
    assert layer(spec, "provisional")["mark"]["strokeDash"] == [2.5, 2]
    assert "strokeDash" not in layer(spec, "points")["mark"]


def test_every_mark_is_opaque_and_shape_repeats_colour() -> None:
    spec = tradeoff(on_tradeoff([make_point(weights="proprietary")]), width=300, noun="models")

    points = layer(spec, "points")
    assert points["mark"]["opacity"] == 1
    assert points["data"]["values"][0]["fill"] == "#D55E00"
    assert points["encoding"]["shape"]["scale"] == {
        "domain": ["open", "proprietary"],
        "range": ["circle", "triangle-up"],
    }


def test_empty_view_still_draws_axes() -> None:
    spec = tradeoff([], width=760, noun="models")

    assert spec["usermeta"]["plotted"] == []
    assert spec["description"] == (
        "0 models by output speed, median and time to first token, median. None is on the frontier."
    )


def test_above_300_points_descriptions_are_off() -> None:
    many = on_tradeoff([make_point(id=f"m{i}", x=100.0 + i, y=10.0 + i) for i in range(301)])

    spec = tradeoff(many, width=760, noun="offerings")

    assert "description" not in layer(spec, "points")["encoding"]
    assert layer(spec, "points")["mark"]["aria"] is False


def test_free_and_unknown_prices_stand_in_strips() -> None:
    spec = scatter(
        [make_point(id="paid", x=0.5), make_point(id="free", x=0.0), make_point(id="unknown", x=None)],
        x_axis=BLENDED_PRICE,
        y_axis=OUTPUT_SPEED,
        width=760,
        noun="offerings",
        price_strips=True,
    )

    strips = [item for item in spec["layer"] if item.get("name", "").startswith("strip_")]
    assert [s["encoding"]["x"]["value"] for s in strips] == [23, 760 - 52 - 14 - 23]
    assert [s["data"]["values"][0]["id"] for s in strips] == ["unknown", "free"]
    assert strips[0]["data"]["values"][0]["description"] == "unknown, 50 tokens/s, price unknown"
    assert texts(spec, "words") == ["better ↗", "free", "price ?"]


def test_spec_is_the_same_every_time() -> None:
    first = tradeoff(reference_points(), width=300, noun="models")

    assert json.dumps(first) == json.dumps(tradeoff(reference_points(), width=300, noun="models"))
