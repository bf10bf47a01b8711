from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from leaderboard.celery import BEAT_SCHEDULE
from leaderboard.ranking import tasks
from leaderboard.ranking.history import catch_up_history, refresh_history
from leaderboard.ranking.models import DailySummary, SeriesProfile
from tests.factories import make_offering
from tests.measurements.factories import make_samples


def test_the_task_is_on_the_schedule_and_ends_before_its_next_turn() -> None:
    task: Any = tasks.refresh_history
    entry = BEAT_SCHEDULE["refresh-history"]

    assert entry["task"] == task.name == "ranking.refresh_history"
    assert (task.acks_late, task.ignore_result) == (True, True)
    assert task.soft_time_limit < task.time_limit <= entry["schedule"]


@pytest.mark.django_db
def test_old_samples_have_their_days_and_their_shapes() -> None:
    newest = dt.datetime(2020, 3, 5, 12, tzinfo=dt.UTC)
    make_samples(make_offering(), count=24, until=newest)

    catch_up_history(dt.datetime(2026, 7, 15, tzinfo=dt.UTC))

    assert DailySummary.objects.filter(final=True).count() == 4
    assert SeriesProfile.objects.get().as_of == newest


@pytest.mark.django_db
def test_a_board_without_samples_has_no_history() -> None:
    refresh_history(dt.datetime(2026, 7, 15, tzinfo=dt.UTC))

    assert not DailySummary.objects.exists()
