from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.schedule import natural_as_of, prune_snapshots, refresh_snapshots
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, make_sample
from tests.ranking.factories import make_saved_snapshot

pytestmark = pytest.mark.django_db


def test_as_of_is_now_or_the_newest_samples_time_where_all_are_older_than_the_window() -> None:
    assert natural_as_of(AS_OF) == AS_OF
    make_sample(make_offering(), AS_OF - dt.timedelta(hours=71))
    assert natural_as_of(AS_OF) == AS_OF
    later = AS_OF + dt.timedelta(days=30)
    assert natural_as_of(later) == AS_OF - dt.timedelta(hours=71)
    make_sample(make_offering(), AS_OF + dt.timedelta(milliseconds=250))
    assert natural_as_of(later) == AS_OF + dt.timedelta(seconds=1)


def test_a_sample_from_the_future_does_not_move_as_of() -> None:
    make_sample(make_offering(), AS_OF + dt.timedelta(days=400))

    assert natural_as_of(AS_OF) == AS_OF


def test_a_snapshot_is_made_for_news_or_after_a_minute() -> None:
    now = dt.datetime.now(dt.UTC)
    offering = make_offering()
    make_sample(offering, now - dt.timedelta(hours=1))
    first = refresh_snapshots(now)
    assert first is not None
    Snapshot.objects.update(made_at=now)  # inside a test all statements have the transaction's time

    assert refresh_snapshots(now) is None
    quiet = refresh_snapshots(now + dt.timedelta(seconds=61))

    assert quiet is not None
    assert quiet.as_of > first.as_of
    assert sorted(Snapshot.objects.values_list("window_hours", flat=True)) == [24, 72, 72, 336]


def test_an_old_board_is_not_made_again_and_again() -> None:
    make_sample(make_offering(), AS_OF)
    later = AS_OF + dt.timedelta(days=99)

    first = refresh_snapshots(later)

    assert first is not None
    assert first.as_of == AS_OF
    Snapshot.objects.update(made_at=later)
    assert refresh_snapshots(later + dt.timedelta(minutes=5)) is None
    again = refresh_snapshots(later + dt.timedelta(minutes=10))
    assert again is not None
    assert (again.as_of, again.pk == first.pk) == (AS_OF, False)
    assert Snapshot.objects.filter(window_hours=72).count() == 1


def test_old_snapshots_thin_out_to_one_an_hour_and_one_a_day() -> None:
    ages_min = [1, 9, 20, 30, 45, 70, 60 * 47, 60 * 72, 60 * 73, 60 * 96]
    for minutes in ages_min:
        make_saved_snapshot(as_of=AS_OF + dt.timedelta(minutes=59) - dt.timedelta(minutes=minutes))
    make_saved_snapshot(as_of=AS_OF - dt.timedelta(hours=72, minutes=30), is_pinned=True)

    pruned = prune_snapshots(AS_OF + dt.timedelta(minutes=59))

    kept = sorted(
        (AS_OF + dt.timedelta(minutes=59) - s.as_of) // dt.timedelta(minutes=1)
        for s in Snapshot.objects.all()
    )
    assert pruned == 3
    assert kept == [1, 9, 20, 70, 60 * 47, 60 * 72, 60 * 73 + 29, 60 * 96]


def test_windows_are_pruned_apart() -> None:
    for window_hours in (24, 72):
        make_saved_snapshot(as_of=AS_OF - dt.timedelta(minutes=30), window_hours=window_hours)

    assert prune_snapshots(AS_OF) == 0
