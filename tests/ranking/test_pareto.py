from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest

from leaderboard.ranking.pareto import (
    SPEED_PRICE,
    SPEED_TTFT,
    Axis,
    Point,
    beaten_on_two,
    first_dominating,
    frontier,
    sweep,
)
from tests.ranking.cases import load_cases, number

REFERENCE = Path(__file__).parent / "reference"
SETTLED = {"dominance", "min_n"}
MIN_SAMPLES = 8


def axis(name: str) -> Axis:
    return Axis(name, higher_is_better=name == "speed", zero_is_usable=name == "price")


def taken(points: Any, names: list[str]) -> tuple[list[str], list[str]]:
    """The frontier's ids and the excluded ones, among points with enough samples."""
    enough = [p for p in points if p.get("n", MIN_SAMPLES) >= MIN_SAMPLES]
    few = [p["id"] for p in points if p not in enough]
    found = frontier(
        [Point(p["id"], tuple(number(p[n]) for n in names)) for p in enough], [axis(n) for n in names]
    )
    return list(found.ids), sorted([*found.unusable, *few])


@pytest.mark.parametrize("case", load_cases("pareto"), ids=lambda case: case["id"])
def test_pareto_case(case: Any) -> None:
    given = case["input"]

    if "pairs" in given:
        got = {"/".join(pair): taken(given["points"], pair)[0] for pair in given["pairs"]}
    else:
        ids, excluded = taken(given["points"], [given["maximize"], given["minimize"]])
        got = {"frontier": ids, "excluded": excluded}

    assert got == case["expect"]


def test_dominated_by_is_the_smallest_id_of_those_that_beat_it() -> None:
    points = [Point("c", (1.0, 9.0)), Point("b", (3.0, 5.0)), Point("a", (2.0, 6.0)), Point("d", (0.5, 4.0))]

    found = frontier(points, SPEED_TTFT)

    assert found.ids == ("d", "b")
    assert found.dominated_by == {"a": "b", "c": "a"}


def test_three_axes_keep_what_two_would_drop() -> None:
    axes = (*SPEED_TTFT, Axis("success_rate", higher_is_better=True, zero_is_usable=True))
    points = [
        Point("fast", (100.0, 200.0, 0.5)),
        Point("steady", (90.0, 250.0, 1.0)),
        Point("neither", (80.0, 260.0, 0.9)),
    ]

    found = frontier(points, axes)

    assert found.ids == ("steady", "fast")
    assert found.dominated_by == {"neither": "steady"}


def reference_rows(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_published_speed_and_latency_table_has_two_on_the_frontier() -> None:
    rows = reference_rows("speed_latency.csv")
    points = [Point(r["model"], (float(r["output_speed_tps"]), float(r["ttft_s"]) * 1000)) for r in rows]

    found = frontier(points, SPEED_TTFT)

    assert len(points) == 25
    assert found.ids == ("gpt-oss-120b", "V3 Fast")
    assert found.dominated_by["Qwen3 32B"] == "gpt-oss-120b"


def test_published_speed_and_price_table_has_two_on_the_frontier() -> None:
    rows = reference_rows("gpt_oss_120b_providers.csv")
    points = [
        Point(r["provider"], (float(r["output_speed_tps"]), float(r["blended_price_usd_per_mtok"])))
        for r in rows
    ]

    assert frontier(points, SPEED_PRICE).ids == ("CompactifAI", "Clarifai")


def test_witnesses_on_two_axes_are_those_of_the_definition() -> None:
    source = random.Random(23)
    for _ in range(200):
        vectors = {
            f"{n:02}": (float(source.randint(1, 7)), float(-source.randint(1, 7)))
            for n in range(source.randint(0, 25))
        }

        beaten = beaten_on_two(vectors)

        assert beaten == {
            id_: witness
            for id_, vector in vectors.items()
            if (witness := first_dominating(vector, vectors)) is not None
        }
        assert set(sweep(vectors)) == vectors.keys() - beaten.keys()
