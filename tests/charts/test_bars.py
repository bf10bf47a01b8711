from __future__ import annotations

from typing import Any

from leaderboard.charts.figures.bars import bars
from leaderboard.charts.figures.catalogue import catalogue

from .points import make_bar


def rows_of(spec: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = next(i for i in spec["layer"] if i.get("name") == name)["data"]["values"]
    return found


def test_twelve_bars_in_the_order_given() -> None:
    spec = bars(
        [make_bar(id=f"m{i}", value=100.0 - i) for i in range(14)], width=760, unit="tokens/s", title="Speed"
    )

    assert spec["usermeta"]["plotted"] == [f"m{i}" for i in range(12)]
    assert spec["description"] == "Speed, tokens/s, higher is better. 12 bars, the first is m0, 100 tokens/s."


def test_bars_are_linear_from_zero() -> None:
    spec = bars([make_bar(value=3502.0)], width=760, unit="tokens/s", title="Speed")

    layer = next(i for i in spec["layer"] if i.get("name") == "bars")
    assert layer["encoding"]["x"]["scale"] == {
        "type": "linear",
        "domain": [0, 3502.0],
        "nice": False,
        "zero": True,
    }
    assert layer["encoding"]["x2"] == {"datum": 0}


def test_spread_runs_from_slowest_to_fastest_offering() -> None:
    spec = bars([make_bar(low=40.0, high=60.0)], width=760, unit="tokens/s", title="Speed")

    (row,) = rows_of(spec, "bars")
    assert (row["low"], row["high"], row["cut"]) == (40, 60, "")
    assert row["description"] == "a, 50 tokens/s, from 40 to 60 between offerings"


def test_one_outlier_offering_does_not_flatten_the_bars() -> None:
    spec = bars([make_bar(low=40.0, high=6000.0)], width=760, unit="tokens/s", title="Speed")

    (row,) = rows_of(spec, "bars")
    assert (row["high"], row["cut"]) == (100, "→")
    assert rows_of(spec, "fastest") == []


def test_unknown_values_have_no_bar() -> None:
    spec = bars([make_bar(id="a", value=None), make_bar(id="b")], width=300, unit="ms", title="First token")

    assert spec["usermeta"]["plotted"] == ["b"]


def test_no_rows_is_said() -> None:
    spec = bars([], width=760, unit="ms", title="First token")

    assert spec["description"] == "First token: nothing to draw yet."


def test_no_name_is_ever_empty_and_long_ones_are_cut_at_28() -> None:
    name = "Nano Banana 2 Lite (Gemini 3.1 Flash Lite Image)"
    spec = bars([make_bar(name=name, weights="open")], width=760, unit="ms", title="First token")

    assert rows_of(spec, "names")[0]["name"] == "● Nano Banana 2 Lite (Gemini…"
    assert name in rows_of(spec, "bars")[0]["description"]


def test_catalogue_draws_providers_of_three_models_and_more() -> None:
    rows = [make_bar(id=f"p{n}", creator="", value=float(n)) for n in (1, 2, 3, 9, 4)]

    assert catalogue(rows, width=760)["usermeta"]["plotted"] == ["p9", "p4", "p3"]


def test_small_catalogue_is_drawn_whole() -> None:
    rows = [make_bar(id=f"p{n}", creator="", value=float(n)) for n in (1, 2)]

    assert catalogue(rows, width=760)["usermeta"]["plotted"] == ["p2", "p1"]
