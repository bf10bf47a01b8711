from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.charts.curves import Curve, Kind, Level, Look, Rule, looks
from leaderboard.charts.figures.break_even import FullUse, break_even, crossings
from leaderboard.charts.figures.gpu_levels import gpu_cost, gpu_throughput
from leaderboard.charts.rendering import draw_svg, strict_json
from leaderboard.charts.theme import Width

WIDTHS: list[Width] = [760, 300]
RULE = Rule(seller="Alpha", price="0.30 USD", height=0.30)
# The worked example: 4 USD an hour at 7,236 tokens/s.
WORKED = 4e6 / (7236 * 3600)


def make_curve(*places: tuple[int, float, float], **fields: Any) -> Curve:
    """Concurrency, what one user sees, and the height."""
    defaults: dict[str, Any] = {
        "id": "h200-x8",
        "name": "h200-x8",
        "href": "https://x.test/self-hosted/h200-x8/",
        "look": Look("#0072B2", "circle", (1, 0)),
    }
    levels = tuple(Level(concurrency=c, x=x, y=y, on_frontier=True) for c, x, y in places)
    return Curve(levels=levels, **defaults | fields)


def make_end(usd_per_mtok: float, **fields: Any) -> FullUse:
    defaults: dict[str, Any] = {
        "id": "h200-x8",
        "name": "h200-x8 ×64",
        "href": "https://x.test/self-hosted/h200-x8/",
        "look": Look("#0072B2", "circle", (1, 0)),
    }
    return FullUse(usd_per_mtok=usd_per_mtok, **defaults | fields)


def layers_of(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for layer in spec.get("layer", []):
        yield layer
        yield from layers_of(layer)


def values_of(spec: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The inline rows of the layers whose name begins so."""
    found = [layer for layer in layers_of(spec) if str(layer.get("name", "")).startswith(name)]
    return [row for layer in found for row in layer["data"]["values"]]


def axis_scale(spec: dict[str, Any], axis: str) -> dict[str, Any]:
    scales: list[dict[str, Any]] = [
        layer["encoding"][axis]["scale"] for layer in layers_of(spec) if layer.get("name") == "corner"
    ]
    return scales[0]


@pytest.mark.parametrize("width", WIDTHS)
def test_c13_draws_every_level_in_order_of_concurrency(width: Width) -> None:
    spec = gpu_throughput([make_curve((1, 148, 18), (8, 119, 115), (64, 48, 372))], width=width)

    assert spec["usermeta"]["plotted"] == ["h200-x8@1", "h200-x8@8", "h200-x8@64"]
    assert [row["step"] for row in values_of(spec, "curve_0")] == [0, 1, 2]
    assert [(row["x"], row["y"]) for row in values_of(spec, "curve_0")] == [(148, 18), (119, 115), (48, 372)]


def test_c13_is_linear_from_zero_both_ways() -> None:
    spec = gpu_throughput([make_curve((1, 148, 18), (64, 48, 372))], width=760)

    assert axis_scale(spec, "x") == {"type": "linear", "domain": [0, 150], "nice": False, "zero": False}
    assert axis_scale(spec, "y") == {"type": "linear", "domain": [0, 400], "nice": False, "zero": False}


def test_c13_says_output_tokens_for_each_point() -> None:
    spec = gpu_throughput([make_curve((1, 148, 18), (8, 119, 115))], width=760)

    assert [row["description"] for row in values_of(spec, "points")] == [
        "h200-x8, 1 request at once, 148 tokens/s for each user, 18 output tokens/s per GPU, on the frontier",
        "h200-x8, 8 requests at once, 119 tokens/s for each user, 115 output tokens/s per GPU, on the frontier",
    ]
    assert "output tokens" in spec["description"]


@pytest.mark.parametrize("width", WIDTHS)
def test_c13_labels_name_and_concurrency(width: Width) -> None:
    spec = gpu_throughput([make_curve((1, 148, 18), (8, 119, 115), (64, 48, 372))], width=width)

    assert [row["text"] for row in values_of(spec, "labels")] == ["h200-x8 ×64"]
    assert sorted(row["text"] for row in values_of(spec, "numbers")) == ["×1", "×8"]


def test_gpu_models_differ_in_colour_and_shape_and_formats_in_dash() -> None:
    mine = looks({"a": Kind("H200", "fp8"), "b": Kind("MI300X", "fp8"), "c": Kind("H200", "int4")})

    assert mine["a"].colour == mine["c"].colour != mine["b"].colour
    assert mine["a"].shape == mine["c"].shape != mine["b"].shape
    assert mine["a"].dash == mine["b"].dash != mine["c"].dash


def test_past_five_gpu_models_the_rest_are_grey() -> None:
    mine = looks({str(n): Kind(f"GPU {n}", "fp8") for n in range(7)})

    assert mine["5"] == mine["6"]
    assert len({look.colour for look in mine.values()}) == 6


def test_c14_puts_cheap_at_the_top_on_a_log_axis_that_holds_the_rules() -> None:
    spec = gpu_cost([make_curve((1, 148, 40.0), (64, 48, 1.9))], [RULE], width=760)

    scale = axis_scale(spec, "y")
    assert scale["type"] == "log"
    assert scale["domain"] == [50, 0.2]
    assert [row["text"] for row in values_of(spec, "asked")] == ["Alpha 0.30 USD"]


def test_c14_s_other_display_turns_the_rules_into_their_reciprocals() -> None:
    spec = gpu_cost([make_curve((64, 48, 1 / 1.9))], [RULE], width=760, display="tokens_per_usd")

    assert axis_scale(spec, "y")["domain"] == [0.5, 5]
    assert [row["text"] for row in values_of(spec, "asked")] == ["Alpha 0.30 USD"]
    assert "million output tokens per USD" in spec["description"]


def test_c14_leaves_out_what_a_log_axis_has_no_place_for() -> None:
    spec = gpu_cost([make_curve((1, 148, 0.0), (8, 119, 2.0))], [], width=760)

    assert spec["usermeta"]["plotted"] == ["h200-x8@8"]


def test_c15_crosses_the_worked_example_s_price_at_51_percent() -> None:
    spec = break_even([make_end(WORKED)], [RULE], width=760)

    (point,) = values_of(spec, "points")
    assert point["description"] == "h200-x8 ×64: cheaper than Alpha above 51 %"
    assert "cheaper than Alpha above 51 %" in [row["text"] for row in values_of(spec, "labels")]
    assert "h200-x8 ×64, 0.1536 USD at full use" in spec["description"]


@pytest.mark.parametrize(("full_usd", "align"), [(0.03, "right"), (0.28, "left")])
def test_c15_says_a_rule_s_price_where_the_curve_does_not_cross_it(full_usd: float, align: str) -> None:
    """At 10 % of use the crossing is at the left, at 93 % at the right."""
    spec = break_even([make_end(full_usd)], [RULE], width=760)

    assert [row["text"] for row in values_of(spec, f"asked_{align}")] == ["Alpha 0.30 USD"]


def test_c15_doubles_at_half_the_use() -> None:
    spec = break_even([make_end(WORKED)], [], width=760)

    costs = {row["x"]: row["y"] for row in values_of(spec, "curve_0")}
    assert round(costs[100], 4) == 0.1536
    assert round(costs[50], 4) == 0.3071


def test_c15_says_when_buying_is_always_cheaper() -> None:
    assert crossings([make_end(0.5)], [RULE]) == []

    spec = break_even([make_end(0.5)], [RULE], width=760)

    assert values_of(spec, "points") == []
    assert "None is cheaper than a list price shown." in spec["description"]


def test_c15_of_free_gpus_and_free_sellers_draws_neither() -> None:
    spec = break_even([make_end(0.0)], [Rule(seller="Free", price="0 USD", height=0)], width=760)

    assert spec["usermeta"]["plotted"] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_label_covers_another(width: Width) -> None:
    rules = [RULE, Rule(seller="Beta Cloud", price="0.31 USD", height=0.31)]
    curves = [
        make_curve((1, 148, 9.0), (8, 119, 1.0), (64, 48, 0.4)),
        make_curve((1, 140, 8.0), (8, 118, 0.9), (64, 49, 0.41), id="b", name="a second endpoint"),
    ]

    spec = gpu_cost(curves, rules, width=width)

    rows = [*values_of(spec, "labels"), *values_of(spec, "numbers"), *values_of(spec, "asked")]
    places = {(row["px"], row["py"]) for row in rows}
    assert len(places) == len(rows)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["plain", "a < b & “c”", "名前" * 20, "x\x00y\ud800"])
def test_the_pictures_are_strict_and_link_to_the_endpoint(width: Width, name: str) -> None:
    specs = [
        gpu_throughput([make_curve((1, 148, 18), name=name)], width=width),
        gpu_cost([make_curve((1, 148, 18), name=name)], [RULE], width=width),
        break_even([make_end(WORKED, name=name)], [RULE], width=width),
        gpu_throughput([], width=width),
    ]

    for number, spec in enumerate(specs):
        json.loads(strict_json(spec))
        svg = draw_svg(spec, label="Own GPUs", key=f"k{number}")
        assert "vega.github.io" not in svg
        assert ('href="https://x.test/self-hosted/h200-x8/"' in svg) == (number < 3)
