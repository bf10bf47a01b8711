from __future__ import annotations

import datetime as dt

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.ranking.models import SeriesProfile
from leaderboard.ranking.profiles import refresh_profiles
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, make_sample, make_samples

pytestmark = pytest.mark.django_db


def test_hours_and_weekdays_are_utc_and_complete() -> None:
    offering = make_offering()
    for days, speed in ((0, 100.0), (1, 120.0), (2, 500.0)):
        make_sample(offering, AS_OF - dt.timedelta(days=days, hours=9), output_speed_tps=speed)

    assert refresh_profiles(AS_OF) == 1

    profile = SeriesProfile.objects.get()
    assert [h["bucket"] for h in profile.hours] == list(range(24))
    assert (profile.hours[3]["samples"], profile.hours[3]["output_speed_tps_p50"]) == (3, 120.0)
    assert profile.hours[4] == {"bucket": 4, "samples": 0} | dict.fromkeys(
        [k for k in profile.hours[4] if k not in ("bucket", "samples")]
    )
    assert [d["samples"] for d in profile.weekdays] == [1, 1, 1, 0, 0, 0, 0]  # 15 July 2026 is a Wednesday


def test_curves_run_from_the_smallest_to_the_largest_value() -> None:
    make_samples(make_offering(), count=5, output_speed_tps=[10.0, 20.0, 30.0, 40.0, 50.0])

    refresh_profiles(AS_OF)

    curve = SeriesProfile.objects.get().speed_curve_tps
    assert (len(curve), curve[0], curve[50], curve[100]) == (101, 10.0, 30.0, 50.0)


def test_the_last_50_samples_are_kept_newest_first_with_failures() -> None:
    offering = make_offering()
    make_samples(offering, count=55)
    make_sample(offering, AS_OF - dt.timedelta(minutes=1), outcome="timeout")

    refresh_profiles(AS_OF)

    recent = SeriesProfile.objects.get().recent
    assert len(recent) == 50
    assert [r["started_at"] for r in recent[:2]] == ["2026-07-15T12:00:00.000Z", "2026-07-15T11:59:00.000Z"]
    assert (recent[1]["outcome"], recent[1]["ttft_ms"]) == ("timeout", None)


def test_refreshing_replaces_and_costs_the_same_queries_for_any_number(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(12):
        make_samples(make_offering(), count=2)
    refresh_profiles(AS_OF)

    with django_assert_max_num_queries(12):
        refresh_profiles(AS_OF)

    assert SeriesProfile.objects.count() == 12
