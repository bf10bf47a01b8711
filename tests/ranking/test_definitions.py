from __future__ import annotations

import pytest

from leaderboard.ranking.definitions import DEFINITIONS, Move, definition_of, moves
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.groups import model_rows
from leaderboard.ranking.queries import leaderboard_rows, rows_of_snapshot
from tests.factories import make_model, make_offering, make_provider

from .factories import make_saved_snapshot, make_summary

pytestmark = pytest.mark.django_db


def test_places_move_with_the_definition_and_the_unranked_have_none() -> None:
    rows_of_snapshot.cache_clear()
    snapshot, provider = make_saved_snapshot(), make_provider(slug="pro")
    for name, speed, whole_ms, standing in (
        ("fast-late", 900.0, 5000.0, "official"),
        ("slow-soon", 100.0, 2000.0, "official"),
        ("middle", 500.0, None, "official"),
        ("new", 999.0, 1.0, "provisional"),
    ):
        sold = make_offering(provider=provider, model=make_model(slug=f"m/{name}"), public_id=f"pro~{name}")
        make_summary(
            snapshot, sold, output_speed_tps_p50=speed, response_time_500_ms_p50=whole_ms, standing=standing
        )
    rows = leaderboard_rows(snapshot, Filters())

    by_offering = moves(rows, definition_of("response_time_500"))
    by_model = moves(model_rows(rows), definition_of("response_time_500"))

    assert {key[0]: move for key, move in by_offering.items()} == {
        "pro~fast-late": Move(2, 1),
        "pro~slow-soon": Move(1, 3),
        "pro~middle": Move(None, 2),
    }
    assert [by_offering[f"pro~{n}", "local", "medium", False].places for n in ("fast-late", "slow-soon")] == [
        -1,
        2,
    ]
    assert by_model["m/slow-soon", "local", "medium", False] == Move(1, 3)


def test_unasked_and_foreign_displays_are_the_default() -> None:
    assert {definition_of(text).name for text in ("", "usd_per_mtok")} == {"after_first_token"}
    assert [d.sort for d in DEFINITIONS.values()] == [
        "-output_speed_tps_p50",
        "end_to_end_ms_p50",
        "response_time_500_ms_p50",
    ]
