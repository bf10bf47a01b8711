from __future__ import annotations

import datetime as dt

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.measurements.models import Slot
from leaderboard.measurements.partitions import make_partitions, months_wanted
from leaderboard.ranking.summarise import make_snapshot
from leaderboard.ranking.watching import hours_of_work, watch
from tests.factories import make_offering, make_provider
from tests.measurements.factories import AS_OF, make_sample, make_samples

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)


def make_slot(at: dt.datetime, *, done: bool, late_s: float = 0) -> None:
    offering = make_offering(probe_state="draft")
    Slot.objects.create(
        offering=offering,
        workload="medium",
        probe_location="local",
        scheduled_at=at,
        queued_at=at,
        expires_at=at + HOUR,
        started_at=at + dt.timedelta(seconds=late_s) if done else None,
        finished_at=at + HOUR / 2 if done else None,
    )


def test_planned_done_missed_and_waiting_add_up() -> None:
    make_slot(AS_OF - 5 * HOUR, done=True, late_s=2)
    make_slot(AS_OF - 4 * HOUR, done=True, late_s=4)
    make_slot(AS_OF - 3 * HOUR, done=False)
    make_slot(AS_OF - HOUR / 2, done=False)
    make_slot(AS_OF - 25 * HOUR, done=False)

    seen = watch(AS_OF)

    assert (seen.planned, seen.done, seen.missed, seen.waiting) == (4, 2, 1, 1)
    assert (seen.start_delay_p50_s, seen.planner_age_s) == (3.0, 1800.0)
    busy = [h for h in seen.hours if h.planned]
    assert len(seen.hours) == 48
    assert [(h.starts_at, h.done, h.missed) for h in busy] == [
        (AS_OF - 25 * HOUR, 0, 1),
        (AS_OF - 5 * HOUR, 1, 0),
        (AS_OF - 4 * HOUR, 1, 0),
        (AS_OF - 3 * HOUR, 0, 1),
        (AS_OF - HOUR, 0, 0),
    ]


def test_hours_of_an_instant_are_the_same_when_asked_for_later() -> None:
    make_slot(AS_OF - 2 * HOUR, done=False)
    as_it_stood = hours_of_work(AS_OF)

    Slot.objects.update(finished_at=AS_OF + HOUR)

    assert hours_of_work(AS_OF) == as_it_stood
    assert [(h.done, h.missed) for h in as_it_stood if h.planned] == [(0, 1)]


def test_a_planner_that_stands_still_shows_in_the_coverage() -> None:
    make_offering(interval_s=10_800, workloads=["medium", "short"])

    seen = watch(AS_OF)

    assert (seen.wanted, seen.planned, seen.coverage, seen.planner_age_s) == (16, 0, 0.0, None)


def test_a_young_board_is_not_blamed_for_the_time_before_its_first_slot() -> None:
    make_offering(interval_s=3600)
    make_slot(AS_OF - 2 * HOUR, done=True)
    make_slot(AS_OF - HOUR, done=True)

    seen = watch(AS_OF)

    assert (seen.wanted, seen.coverage) == (2, 1.0)


def test_silent_offerings_are_named_with_their_last_outcome() -> None:
    make_offering(public_id="well", last_ok_at=AS_OF - HOUR)
    failing = make_offering(public_id="failing", last_ok_at=AS_OF - 40 * HOUR)
    make_sample(failing, AS_OF - HOUR, outcome="auth")
    make_offering(public_id="never")
    make_offering(public_id="draft", probe_state="draft")
    make_offering(public_id="forbidden", provider=make_provider(benchmarks_forbidden=True))

    seen = watch(AS_OF)

    assert [(s.offering_id, s.last_ok_at, s.last_outcome) for s in seen.silent] == [
        ("failing", AS_OF - 40 * HOUR, "auth"),
        ("never", None, None),
    ]
    assert seen.our_failures == {"auth": 1}


def test_a_board_that_loses_rows_is_seen_to() -> None:
    kept, lost = make_offering(), make_offering()
    make_samples(kept, count=24)
    make_samples(lost, count=24, until=AS_OF - 24 * HOUR)
    make_samples(kept, count=24, until=AS_OF - 24 * HOUR)
    make_snapshot(as_of=AS_OF - 25 * HOUR)
    make_snapshot(as_of=AS_OF)

    told = [(d.as_of, d.rows, d.ranked) for d in watch(AS_OF).denominators]

    assert told == [(AS_OF, 2, 1), (AS_OF - 25 * HOUR, 2, 2)]


def test_missing_partitions_are_reported() -> None:
    now = dt.datetime(2033, 5, 1, tzinfo=dt.UTC)
    make_partitions(months_wanted(now, ahead=0))

    assert watch(now).missing_partitions == ["2033-06"]


def test_watching_costs_the_same_queries_for_any_number(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(10):
        make_samples(make_offering(), count=2)

    with django_assert_max_num_queries(18):
        watch(AS_OF)


def test_an_empty_board_has_no_ages_and_no_coverage() -> None:
    seen = watch(AS_OF)

    assert (seen.coverage, seen.newest_sample_age_s, seen.snapshot_age_s, seen.silent) == (
        None,
        None,
        None,
        [],
    )
