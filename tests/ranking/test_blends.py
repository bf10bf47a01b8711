from __future__ import annotations

from decimal import Decimal

import pytest
from django.http import QueryDict

from leaderboard.ranking.filters import BadFilter, Filters, parse_filters
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import leaderboard_rows, rows_at_blend, rows_of_snapshot
from tests.factories import make_model, make_offering, make_provider

from .factories import make_saved_snapshot, make_summary


@pytest.fixture(autouse=True)
def fresh_rows() -> None:
    rows_of_snapshot.cache_clear()
    rows_at_blend.cache_clear()


def make_two_prices() -> Snapshot:
    """Cheap to read and dear to write, and the other way round: the mix decides which is cheaper."""
    snapshot = make_saved_snapshot()
    model = make_model()
    for name, read, write, cached, blended, rank in (
        ("reader", "1", "9", "0.5", "3", 1),
        ("writer", "4", "4", None, "4", 2),
        ("unknown", None, None, None, None, None),
    ):
        provider = make_provider(slug=name)
        make_summary(
            snapshot,
            make_offering(provider=provider, model=model, public_id=f"{name}~m"),
            input_usd_per_mtok=read,
            output_usd_per_mtok=write,
            cache_read_usd_per_mtok=cached,
            blended_usd_per_mtok=blended,
            rank_price=rank,
            output_speed_tps_p50=100.0,
            ttft_ms_p50=100.0,
            frontier_speed_price=rank == 1,
        )
    return snapshot


def seen(snapshot: Snapshot, blend: str) -> dict[str, tuple[Decimal | None, int | None, bool, bool]]:
    rows = leaderboard_rows(snapshot, Filters(blend=blend))
    return {
        row.provider_id: (
            row.blended_usd_per_mtok,
            row.rank_price,
            row.frontier_speed_price,
            row.blend_fell_back,
        )
        for row in rows
    }


@pytest.mark.django_db
def test_price_rank_and_frontier_follow_the_mix() -> None:
    snapshot = make_two_prices()

    assert seen(snapshot, "") == {
        "reader": (Decimal(3), 1, True, False),
        "writer": (Decimal(4), 2, False, False),
        "unknown": (None, None, False, False),
    }
    assert seen(snapshot, "input:output=1:1") == {
        "reader": (Decimal(5), 2, False, False),
        "writer": (Decimal(4), 1, True, False),
        "unknown": (None, None, False, False),
    }


@pytest.mark.django_db
def test_missing_cache_rate_falls_back_to_input_and_is_flagged() -> None:
    snapshot = make_two_prices()

    assert seen(snapshot, "cache_read:input:output=7:2:1") == {
        "reader": (Decimal("1.45"), 1, True, False),
        "writer": (Decimal(4), 2, False, True),
        "unknown": (None, None, False, True),
    }


@pytest.mark.django_db
def test_price_filter_is_of_the_mix_and_the_row_names_it() -> None:
    snapshot = make_two_prices()

    rows = leaderboard_rows(snapshot, Filters(blend="input:output=1:1", price_max=Decimal("4.5")))

    assert [(row.provider_id, row.blend) for row in rows] == [("writer", "input:output=1:1")]


@pytest.mark.parametrize(
    ("text", "canonical", "unit"),
    [
        ("input:output=3:1", "", "USD per 1M, 3:1"),
        ("input:output=1:1", "input:output=1:1", "USD per 1M, 1:1"),
        (
            "cache_read:input:output=7:2:1",
            "cache_read:input:output=7:2:1",
            "USD per 1M, 7:2:1 cache read:input:output",
        ),
        ("output=1", "output=1", "USD per 1M, 1 output"),
    ],
)
def test_mix_is_read_once_and_said_in_the_unit(text: str, canonical: str, unit: str) -> None:
    filters = parse_filters(query(text))

    assert (filters.blend, filters.blended_unit) == (canonical, unit)


@pytest.mark.parametrize(
    "text", ["3:1", "input:output=3", "input=0", "gold=1", "input=1.2.3", "cache_write=1", "input=NaN"]
)
def test_bad_mix_names_the_form(text: str) -> None:
    with pytest.raises(BadFilter, match="as in input:output=3:1 or cache_read:input:output=7:2:1") as raised:
        parse_filters(query(text))

    assert raised.value.parameter == "blend"


def query(blend: str) -> QueryDict:
    asked = QueryDict(mutable=True)
    asked["blend"] = blend
    return asked
