from __future__ import annotations

import datetime as dt
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.drafts import drafted
from leaderboard.ranking.models import Snapshot, Summary
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.summarise import make_snapshot
from tests.factories import make_offering, make_price, make_provider
from tests.measurements.factories import AS_OF, make_sample, make_samples

pytestmark = pytest.mark.django_db


def the_row(**fields: Any) -> LeaderboardRow:
    (row,) = leaderboard_rows(make_snapshot(as_of=AS_OF, **fields))
    return row


def rows_by_id() -> dict[str, LeaderboardRow]:
    return {row.offering_id: row for row in leaderboard_rows(make_snapshot(as_of=AS_OF))}


def official(public_id: str, *, speed: float, ttft: float, **fields: Any) -> Offering:
    offering = make_offering(public_id=public_id, **fields)
    make_samples(offering, count=24, output_speed_tps=speed, ttft_ms=ttft, ttfat_ms=ttft)
    return offering


def test_figures_of_24_samples_are_the_definitions() -> None:
    offering = make_offering()
    speeds = [float(n) for n in range(1, 25)]
    make_samples(
        offering, count=24, output_speed_tps=speeds, ttft_ms=[10.0 * s for s in speeds], ttfat_ms=9999.0
    )

    row = the_row()

    assert (row.samples_ok, row.speed_samples, row.ttft_samples, row.samples_total) == (24, 24, 24, 24)
    assert row.output_speed_tps_p50 == 12.5
    assert (row.output_speed_tps_p05, row.output_speed_tps_p25) == (2.1500000000000004, 6.75)
    assert (row.output_speed_tps_p75, row.output_speed_tps_p95) == (18.25, 22.849999999999998)
    assert (row.output_speed_tps_p50_low, row.output_speed_tps_p50_high) == (7.0, 18.0)
    assert (row.ttft_ms_p50, row.ttft_ms_p50_low, row.ttft_ms_p50_high) == (125.0, 70.0, 180.0)
    assert (row.ttfat_ms_p50, row.end_to_end_ms_p50) == (9999.0, 10_201.0)
    assert (row.success_rate, row.uptime) == (1.0, 1.0)
    assert (row.standing, row.freshness, row.last_ok_at) == ("official", "fresh", AS_OF)
    assert (row.workload_version, row.methodology_version, row.window_hours) == (1, "1.0.0", 72)


def test_the_upper_tail_is_hidden_below_20_samples() -> None:
    make_samples(make_offering(), count=19)

    row = the_row()

    assert (row.ttft_ms_p95, row.output_speed_tps_p95) == (None, None)
    assert row.ttft_ms_p75 == 200.0


def test_the_window_begins_after_its_first_instant_and_ends_at_as_of() -> None:
    offering = make_offering()
    make_sample(offering, AS_OF - dt.timedelta(hours=72), output_speed_tps=1.0)
    make_sample(offering, AS_OF - dt.timedelta(hours=72, milliseconds=-1), output_speed_tps=2.0)
    make_sample(offering, AS_OF, output_speed_tps=4.0)
    make_sample(offering, AS_OF + dt.timedelta(milliseconds=1), output_speed_tps=8.0)

    row = the_row()

    assert (row.samples_ok, row.output_speed_tps_p50) == (2, 3.0)


def test_exclusions_take_a_sample_out_of_what_they_name_and_are_counted() -> None:
    offering = make_offering()
    kinds: tuple[dict[str, Any], ...] = (
        {},
        {"excluded": True, "exclusion_reason": "too_few_tokens", "excluded_from": "speed"},
        {"excluded": True, "exclusion_reason": "cache_hit", "excluded_from": "all"},
        {"excluded": True, "exclusion_reason": "clock_fault", "excluded_from": "", "outcome": "timeout"},
        {"outcome": "timeout", "detail": "stalled"},
        {"outcome": "auth"},
        {"output_speed_tps": None},
    )
    for hours, fields in enumerate(kinds):
        make_sample(offering, AS_OF - dt.timedelta(hours=hours), **fields)

    row = the_row()

    assert (row.samples_total, row.samples_excluded) == (7, 3)
    assert (row.samples_ok, row.speed_samples, row.ttft_samples) == (3, 1, 3)
    assert row.success_rate == 0.75  # three ok of four attempts that were not our fault
    assert row.uptime == 0.75
    assert row.outcomes == {"auth": 1, "ok": 3, "timeout": 1}
    assert row.exclusions == {"cache_hit": 1, "clock_fault": 1, "too_few_tokens": 1}


def test_a_failures_ttft_is_in_no_figure() -> None:
    offering = make_offering()
    make_sample(offering, AS_OF, outcome="stream_broken", ttft_ms=5.0, ttfat_ms=5.0)

    row = the_row()

    assert (row.ttft_ms_p50, row.ttft_samples, row.success_rate, row.freshness) == (None, 0, 0.0, "no_data")


def test_cold_connections_and_older_versions_are_never_mixed_in() -> None:
    offering = make_offering()
    make_sample(offering, AS_OF, output_speed_tps=1.0, connection_kind="cold")
    make_sample(offering, AS_OF - dt.timedelta(hours=1), output_speed_tps=2.0, workload_version=9)
    make_sample(offering, AS_OF - dt.timedelta(hours=2), output_speed_tps=4.0, methodology_version="1.10.0")
    make_sample(offering, AS_OF - dt.timedelta(hours=3), output_speed_tps=8.0, methodology_version="1.9.0")

    row = the_row()

    assert (row.output_speed_tps_p50, row.methodology_version, row.workload_version) == (4.0, "1.10.0", 1)


def test_a_cold_connections_figures_are_in_no_row() -> None:
    offering = make_offering()
    make_sample(offering, AS_OF, ttft_ms=200.0)
    make_sample(offering, AS_OF, ttft_ms=900.0, ttfat_ms=900.0, connection_kind="cold")

    row = the_row()

    assert (row.ttft_ms_p50, row.samples_total) == (200.0, 1)


def test_workloads_and_locations_are_rows_of_their_own_with_ranks_of_their_own() -> None:
    fast, slow = make_offering(public_id="fast"), make_offering(public_id="slow")
    for offering, speed in ((fast, 200.0), (slow, 100.0)):
        make_samples(offering, count=24, output_speed_tps=speed)
    make_samples(slow, count=24, output_speed_tps=5.0, workload="long")

    rows = leaderboard_rows(make_snapshot(as_of=AS_OF))

    assert [(r.offering_id, r.workload, r.rank_speed) for r in rows] == [
        ("fast", "medium", 1),
        ("slow", "long", 1),
        ("slow", "medium", 2),
    ]


def test_standing_looks_back_14_days_and_only_as_far() -> None:
    young, old = make_offering(public_id="young"), make_offering(public_id="old")
    day = 86_400
    make_samples(young, count=2)
    make_samples(old, count=13, every_s=day)
    make_sample(old, AS_OF - dt.timedelta(days=15))

    rows = rows_by_id()

    assert (rows["young"].standing, rows["young"].rank_speed) == ("provisional", None)
    assert (rows["old"].standing, rows["old"].samples_ok) == ("preliminary", 3)


def test_ten_at_once_are_fresh_by_their_own_interval_of_a_day() -> None:
    offering = make_offering(interval_s=10_800)
    for workload in ("medium", "parallel-10"):
        make_samples(offering, count=3, every_s=3600, workload=workload)
    later = AS_OF + dt.timedelta(hours=30)

    rows = {row.workload: row.freshness for row in leaderboard_rows(make_snapshot(as_of=later))}

    assert rows == {"medium": "stale", "parallel-10": "fresh"}


def test_a_row_whose_last_success_is_before_the_window_is_stale_and_unranked() -> None:
    offering = official("gone", speed=100.0, ttft=100.0)
    later = AS_OF + dt.timedelta(hours=80)
    make_sample(offering, later - dt.timedelta(hours=1), outcome="server_error")

    (row,) = leaderboard_rows(make_snapshot(as_of=later))

    assert (row.freshness, row.standing, row.rank_speed) == ("stale", "official", None)
    assert (row.last_ok_at, row.samples_ok, row.output_speed_tps_p50) == (AS_OF, 0, None)


def test_ranks_bounds_and_frontier_of_ranked_rows() -> None:
    official("a", speed=100.0, ttft=100.0)
    official("b", speed=300.0, ttft=400.0)
    official("c", speed=90.0, ttft=200.0)
    official("d", speed=300.0, ttft=400.0)

    rows = rows_by_id()

    assert {k: (r.rank_speed, r.rank_speed_best, r.rank_speed_worst) for k, r in rows.items()} == {
        "a": (3, 3, 3),
        "b": (1, 1, 1),
        "c": (4, 4, 4),
        "d": (1, 1, 1),
    }
    assert {k: r.rank_ttft for k, r in rows.items()} == {"a": 1, "b": 3, "c": 2, "d": 3}
    assert {k: r.frontier_speed_ttft for k, r in rows.items()} == {
        "a": True, "b": True, "c": False, "d": True,
    }  # fmt: skip
    assert (rows["c"].dominated_by, rows["a"].dominated_by) == ("a", None)
    assert {k: r.frontier_speed_ttft_share for k, r in rows.items()} == {
        "a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0,
    }  # fmt: skip


def test_prices_in_force_at_as_of_make_the_blend_the_price_rank_and_its_frontier() -> None:
    cheap, dear = official("cheap", speed=50.0, ttft=100.0), official("dear", speed=90.0, ttft=100.0)
    official("unknown", speed=500.0, ttft=100.0)
    before, after = AS_OF - dt.timedelta(days=9), AS_OF + dt.timedelta(hours=1)
    make_price(cheap, input_usd_per_mtok="0.10", output_usd_per_mtok="0.40", valid_from=before)
    make_price(cheap, input_usd_per_mtok="9", output_usd_per_mtok="9", valid_from=after)
    make_price(dear, input_usd_per_mtok="1", output_usd_per_mtok="2", valid_from=before)

    rows = rows_by_id()

    assert rows["cheap"].blended_usd_per_mtok == Decimal("0.175")
    assert rows["cheap"].blend == "input:output=3:1"
    assert (rows["cheap"].input_usd_per_mtok, rows["cheap"].output_usd_per_mtok) == (
        Decimal("0.10"),
        Decimal("0.40"),
    )
    assert {k: r.rank_price for k, r in rows.items()} == {"cheap": 1, "dear": 2, "unknown": None}
    assert {k: r.frontier_speed_price for k, r in rows.items()} == {
        "cheap": True, "dear": True, "unknown": False,
    }  # fmt: skip
    assert rows["unknown"].blended_usd_per_mtok is None


def test_provisional_rows_have_a_frontier_only_while_nothing_is_ranked() -> None:
    young = make_offering(public_id="young")
    make_samples(young, count=3, output_speed_tps=900.0, ttft_ms=10.0, ttfat_ms=10.0)
    alone = rows_by_id()["young"]
    official("ranked", speed=100.0, ttft=100.0)

    (row, other) = leaderboard_rows(make_snapshot(as_of=AS_OF, remake=True))

    assert (alone.frontier_speed_ttft, alone.rank_speed) == (True, None)
    assert (row.offering_id, row.frontier_speed_ttft) == ("ranked", True)
    assert (other.frontier_speed_ttft, other.dominated_by, other.frontier_speed_ttft_share) == (
        False,
        None,
        None,
    )


def test_paused_and_retired_offerings_keep_their_row_and_lose_their_rank() -> None:
    official("active", speed=100.0, ttft=100.0)
    official("paused", speed=200.0, ttft=50.0, probe_state="paused")

    rows = rows_by_id()

    assert (rows["active"].rank_speed, rows["active"].frontier_speed_ttft) == (1, True)
    assert (rows["paused"].rank_speed, rows["paused"].frontier_speed_ttft) == (None, False)
    assert rows["paused"].output_speed_tps_p50 == 200.0


def test_simulated_rows_are_ranked_among_themselves() -> None:
    official("real", speed=100.0, ttft=100.0)
    official("lab", speed=900.0, ttft=10.0, provider=make_provider(simulated=True))

    rows = rows_by_id()

    assert {k: (r.simulated, r.rank_speed, r.frontier_speed_ttft) for k, r in rows.items()} == {
        "real": (False, 1, True),
        "lab": (True, 1, True),
    }


def test_the_same_samples_give_the_same_digits_and_one_snapshot() -> None:
    official("a", speed=101.0, ttft=100.0)
    official("b", speed=100.0, ttft=101.0)

    first = make_snapshot(as_of=AS_OF)
    again = make_snapshot(as_of=AS_OF + dt.timedelta(microseconds=7))
    before = [asdict(row) for row in leaderboard_rows(first)]
    remade = make_snapshot(as_of=AS_OF, remake=True)

    assert again == first
    assert remade.pk != first.pk
    assert [asdict(row) for row in leaderboard_rows(remade)] == before
    assert Snapshot.objects.count() == 1
    assert latest_snapshot() == remade


def test_no_samples_make_an_empty_snapshot() -> None:
    snapshot = make_snapshot(as_of=AS_OF)

    assert (snapshot.is_complete, snapshot.samples_read, leaderboard_rows(snapshot)) == (True, 0, [])


def test_queries_do_not_grow_with_offerings(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(15):
        make_samples(make_offering(), count=3)

    with django_assert_max_num_queries(20):
        make_snapshot(as_of=AS_OF)


def test_every_column_of_a_summary_is_written() -> None:
    fields = {f.attname for f in Summary._meta.local_fields} - {"id", "snapshot_id"}

    assert fields == set(drafted(as_of=AS_OF, window_hours=72).columns)
