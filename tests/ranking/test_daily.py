from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.measurements.models import Slot
from leaderboard.ranking.daily import backfill_daily, make_day, refresh_daily
from leaderboard.ranking.models import DailySummary
from tests.factories import make_offering
from tests.measurements.factories import make_sample, make_samples

pytestmark = pytest.mark.django_db

DAY = dt.date(2026, 7, 14)
MIDNIGHT = dt.datetime(2026, 7, 14, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def test_a_days_row_counts_everything_and_takes_percentiles_of_what_is_ok() -> None:
    offering = make_offering()
    speeds = [80.0, 90.0, 100.0, 110.0, 120.0, 130.0]
    make_samples(offering, count=6, until=MIDNIGHT + 17 * HOUR, output_speed_tps=speeds)
    for n, outcome in enumerate(("timeout", "rate_limited", "server_error", "network", "auth")):
        make_sample(offering, MIDNIGHT + n * HOUR / 60, outcome=outcome)
    make_sample(
        offering,
        MIDNIGHT + 20 * HOUR,
        excluded=True,
        exclusion_reason="cache_hit",
        excluded_from="all",
        output_speed_tps=9999.0,
    )

    make_day(DAY, now=MIDNIGHT + 24 * HOUR)

    row = DailySummary.objects.get()
    assert (row.samples_total, row.samples_ok, row.samples_excluded, row.samples_scheduled) == (12, 6, 1, 12)
    assert (row.errors_timeout, row.errors_rate_limited, row.errors_server, row.errors_other) == (1, 1, 1, 2)
    assert (row.success_rate, row.uptime) == (0.6, 0.75)
    assert (row.output_speed_tps_p05, row.output_speed_tps_p50, row.output_speed_tps_p95) == (
        82.5,
        105.0,
        None,
    )
    assert (row.output_speed_tps_p50_low, row.output_speed_tps_p50_high) == (80.0, 130.0)
    assert (row.ttft_ms_p25, row.ttfat_ms_p75, row.end_to_end_ms_p50) == (200.0, 200.0, 10_201.0)
    assert (row.connection_kind, row.workload_version, row.final) == ("warm", 1, False)


def test_a_day_begins_at_midnight_utc_and_ends_before_the_next() -> None:
    offering = make_offering()
    for at in (-1, 0, 86_399_999, 86_400_000):
        make_sample(offering, MIDNIGHT + dt.timedelta(milliseconds=at))

    make_day(DAY, now=MIDNIGHT + 48 * HOUR)

    assert DailySummary.objects.get().samples_total == 2


def test_a_change_of_method_gives_the_day_two_rows() -> None:
    offering = make_offering()
    make_sample(offering, MIDNIGHT, methodology_version="1.0.0")
    make_sample(offering, MIDNIGHT + HOUR, methodology_version="2.0.0")

    assert make_day(DAY, now=MIDNIGHT + 48 * HOUR) == 2


def test_holes_are_scheduled_and_nothing_else() -> None:
    offering = make_offering()
    make_sample(offering, MIDNIGHT, workload="parallel-10")
    for at in (MIDNIGHT, MIDNIGHT + 3 * HOUR):
        Slot.objects.create(
            offering=offering,
            workload="parallel-10",
            probe_location="local",
            scheduled_at=at,
            expires_at=at + HOUR,
        )

    make_day(DAY, now=MIDNIGHT + 48 * HOUR)

    row = DailySummary.objects.get()
    assert (row.samples_total, row.samples_scheduled) == (1, 11)


def test_a_day_is_final_at_six_the_next_morning_and_then_stays_as_it_is() -> None:
    offering = make_offering()
    make_sample(offering, MIDNIGHT)
    refresh_daily(MIDNIGHT + 29.9 * HOUR)
    assert DailySummary.objects.get().final is False

    refresh_daily(MIDNIGHT + 30 * HOUR)
    make_sample(offering, MIDNIGHT + HOUR)
    refresh_daily(MIDNIGHT + 31 * HOUR)

    row = DailySummary.objects.get()
    assert (row.final, row.samples_total) == (True, 1)


def test_days_missed_while_the_board_was_down_are_closed_when_it_is_back() -> None:
    make_sample(make_offering(), MIDNIGHT + HOUR)
    refresh_daily(MIDNIGHT + 2 * HOUR)

    refresh_daily(MIDNIGHT + 24 * 9 * HOUR)

    assert DailySummary.objects.get().final is True


def test_loaded_samples_are_caught_up_day_by_day() -> None:
    offering = make_offering()
    make_sample(offering, MIDNIGHT - 24 * 3 * HOUR)
    make_sample(offering, MIDNIGHT)

    assert backfill_daily(MIDNIGHT + 48 * HOUR) == [DAY - dt.timedelta(days=3), DAY]
    assert backfill_daily(MIDNIGHT + 48 * HOUR) == []
