from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.http import QueryDict
from pytest_django import DjangoAssertNumQueries

from leaderboard.ranking.facets import facets
from leaderboard.ranking.filters import parse_filters
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows, model_rows, provider_rows
from tests.factories import make_model, make_offering, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot, make_summary

pytestmark = pytest.mark.django_db


def view(snapshot: Snapshot, query: str) -> list[str]:
    return [row.offering_id for row in leaderboard_rows(snapshot, parse_filters(QueryDict(query)))]


def test_latest_snapshot_is_the_newest_complete_one_of_its_window() -> None:
    older = make_saved_snapshot(as_of=AS_OF - dt.timedelta(hours=2))
    newest = make_saved_snapshot()
    make_saved_snapshot(as_of=AS_OF + dt.timedelta(hours=1), is_complete=False)
    make_saved_snapshot(as_of=AS_OF + dt.timedelta(hours=1), window_hours=24)

    assert latest_snapshot() == newest
    assert latest_snapshot(as_of=AS_OF - dt.timedelta(minutes=1)) == older
    assert latest_snapshot(as_of=AS_OF - dt.timedelta(days=9)) is None
    assert leaderboard_rows(None) == []


def test_rows_carry_the_catalogues_names_and_cost_one_query_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    snapshot = make_saved_snapshot()
    offering = make_offering(
        public_id="acme~m", provider=make_provider(slug="acme", name="Acme"), model=make_model(slug="lab/m")
    )
    make_summary(snapshot, offering, output_speed_tps_p50=120.5, blended_usd_per_mtok="0.175")

    with django_assert_num_queries(1):
        (row,) = leaderboard_rows(snapshot)
    with django_assert_num_queries(0):
        leaderboard_rows(snapshot)

    assert (row.offering_id, row.provider_id, row.provider_name, row.model_id) == (
        "acme~m",
        "acme",
        "Acme",
        "lab/m",
    )
    assert (row.as_of, row.window_hours, row.output_speed_tps_p50) == (AS_OF, 72, 120.5)
    assert row.blended_usd_per_mtok == Decimal("0.175")
    assert row.dominated_by is None
    assert row.is_ranked


def test_a_snapshot_remade_while_it_is_read_shows_its_successors_rows() -> None:
    held = make_saved_snapshot(samples_read=24)
    held_pk = held.pk
    Snapshot.objects.all().delete()
    make_summary(make_saved_snapshot(samples_read=24), make_offering(public_id="a"))
    held.pk = held_pk

    assert [row.offering_id for row in leaderboard_rows(held)] == ["a"]


def test_sorting_is_by_value_with_missing_last_both_ways_and_ties_by_id() -> None:
    snapshot = make_saved_snapshot()
    for public_id, ttft in (("d", 9.0), ("a", None), ("c", 100.0), ("b", 100.0)):
        make_summary(snapshot, make_offering(public_id=public_id), ttft_ms_p50=ttft)

    assert view(snapshot, "sort=ttft_ms_p50") == ["d", "b", "c", "a"]
    assert view(snapshot, "sort=-ttft_ms_p50") == ["b", "c", "d", "a"]
    assert view(snapshot, "") == ["a", "b", "c", "d"]


def test_each_filter_leaves_only_its_rows() -> None:
    snapshot = make_saved_snapshot()
    acme = make_provider(slug="acme", name="Acme Cloud")
    qwen = make_model(slug="lab/qwen3", name="Qwen3", creator="Lab", weights="proprietary")
    make_summary(
        snapshot,
        make_offering(public_id="a", provider=acme, model=qwen, hosting="dedicated", quantization="fp8"),
        blended_usd_per_mtok="0",
        success_rate=0.9,
        workload="short",
    )
    make_summary(snapshot, make_offering(public_id="b"), blended_usd_per_mtok="2.5", freshness="late")
    make_summary(snapshot, make_offering(public_id="c"), success_rate=None, probe_location="eu")

    assert view(snapshot, "q=ACME+qwen") == ["a"]
    assert view(snapshot, "provider=acme") == ["a"]
    assert view(snapshot, "model=lab/qwen3") == ["a"]
    assert view(snapshot, "creator=Lab") == ["a"]
    assert view(snapshot, "weights=proprietary") == ["a"]
    assert view(snapshot, "hosting=dedicated") == ["a"]
    assert view(snapshot, "quantization=fp8&quantization=fp4") == ["a"]
    assert view(snapshot, "workload=short") == ["a"]
    assert view(snapshot, "probe_location=eu") == ["c"]
    assert view(snapshot, "freshness=late") == ["b"]
    assert view(snapshot, "price_max=1") == ["a"]
    assert view(snapshot, "price_min=1") == ["b"]
    assert view(snapshot, "success_min=0.9") == ["a", "b"]
    assert view(snapshot, "success_min=0.95") == ["b"]
    assert view(snapshot, "provider=nobody") == []
    assert view(snapshot, "provider=nobody&full=1") == ["a", "b", "c"]


def test_a_filtered_view_takes_its_frontier_over_its_own_rows() -> None:
    snapshot = make_saved_snapshot()
    fast = make_offering(public_id="fast", quantization="fp4")
    slow = make_offering(public_id="slow", quantization="bf16")
    make_summary(snapshot, fast, output_speed_tps_p50=200.0, ttft_ms_p50=100.0, frontier_speed_ttft=True)
    make_summary(snapshot, slow, output_speed_tps_p50=100.0, ttft_ms_p50=200.0, dominated_by="fast")

    (row,) = leaderboard_rows(snapshot, parse_filters(QueryDict("quantization=bf16")))

    assert (row.offering_id, row.frontier_speed_ttft, row.dominated_by) == ("slow", True, None)


def test_facet_counts_ignore_their_own_filter_and_obey_the_others() -> None:
    snapshot = make_saved_snapshot()
    for public_id, quantization, hosting in (
        ("a", "fp8", "serverless"),
        ("b", "fp8", "dedicated"),
        ("c", "bf16", "dedicated"),
    ):
        make_summary(snapshot, make_offering(public_id=public_id, quantization=quantization, hosting=hosting))
    filters = parse_filters(QueryDict("quantization=fp8&hosting=dedicated&page=3"))

    values = facets(leaderboard_rows(snapshot), filters)["quantization"]

    assert [(v.value, v.count, v.is_selected, v.query) for v in values] == [
        ("bf16", 1, False, "hosting=dedicated&quantization=bf16&quantization=fp8"),
        ("fp8", 1, True, "hosting=dedicated"),
    ]


def test_a_models_median_is_the_median_of_its_ranked_offerings_medians() -> None:
    snapshot = make_saved_snapshot()
    model = make_model(slug="lab/m")
    for public_id, speed, fields in (
        ("a", 100.0, {}),
        ("b", 300.0, {"samples_ok": 400}),
        ("c", 900.0, {"freshness": "stale"}),
        ("d", 800.0, {"standing": "provisional"}),
    ):
        make_summary(
            snapshot,
            make_offering(public_id=public_id, model=model),
            output_speed_tps_p50=speed,
            ttft_ms_p50=speed,
            **fields,
        )

    (row,) = model_rows(leaderboard_rows(snapshot))

    assert (row.output_speed_tps_p50, row.votes, row.offerings, row.is_provisional) == (200.0, 2, 4, False)
    assert (row.slowest_tps, row.slowest_offering) == (100.0, "a")
    assert (row.fastest_tps, row.fastest_offering) == (300.0, "b")
    assert (row.soonest_ms, row.latest_offering) == (100.0, "b")
    assert row.samples == 424
    assert row.frontier_speed_ttft


def test_a_model_with_provisional_offerings_only_is_shown_as_such_and_off_the_frontier_of_others() -> None:
    snapshot = make_saved_snapshot()
    ranked, young = make_model(slug="lab/ranked"), make_model(slug="lab/young")
    make_summary(snapshot, make_offering(model=ranked), output_speed_tps_p50=50.0, ttft_ms_p50=500.0)
    make_summary(
        snapshot,
        make_offering(model=young),
        output_speed_tps_p50=90.0,
        ttft_ms_p50=100.0,
        standing="provisional",
    )

    rows = model_rows(leaderboard_rows(snapshot))

    assert [(r.model_id, r.is_provisional, r.frontier_speed_ttft) for r in rows] == [
        ("lab/ranked", False, True),
        ("lab/young", True, False),
    ]


def test_a_provider_is_compared_like_for_like_over_models_that_two_others_serve() -> None:
    snapshot = make_saved_snapshot()
    shared, alone = make_model(slug="lab/shared"), make_model(slug="lab/alone")
    providers = {slug: make_provider(slug=slug) for slug in ("quick", "middle", "slow")}
    for slug, speed in (("quick", 300.0), ("middle", 100.0), ("slow", 50.0)):
        make_summary(
            snapshot, make_offering(model=shared, provider=providers[slug]), output_speed_tps_p50=speed
        )
    make_summary(snapshot, make_offering(model=alone, provider=providers["quick"]), output_speed_tps_p50=20.0)

    rows = {row.provider_id: row for row in provider_rows(leaderboard_rows(snapshot))}

    assert (rows["quick"].output_speed_tps_p50, rows["quick"].models_served) == (160.0, 2)
    assert (rows["quick"].like_for_like_speed, rows["quick"].shared_models) == (3.0, 1)
    assert rows["slow"].like_for_like_speed == 0.5


def test_simulated_and_real_rows_are_never_in_one_group() -> None:
    snapshot = make_saved_snapshot()
    model = make_model()
    make_summary(snapshot, make_offering(model=model), output_speed_tps_p50=10.0)
    make_summary(snapshot, make_offering(model=model), output_speed_tps_p50=1000.0, simulated=True)

    rows = model_rows(leaderboard_rows(snapshot))

    assert sorted((r.simulated, r.output_speed_tps_p50) for r in rows) == [(False, 10.0), (True, 1000.0)]
