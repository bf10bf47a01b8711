from __future__ import annotations

import datetime as dt

import pytest
from django.db import connection

from leaderboard.measurements.partitions import (
    make_partitions,
    make_partitions_for,
    missing_partitions,
    months_wanted,
)
from tests.factories import make_offering
from tests.measurements.factories import make_sample

NEW_YEARS_EVE = dt.datetime(2031, 12, 31, 23, 59, tzinfo=dt.UTC)


def test_months_wanted_pass_the_year_and_are_utc_months() -> None:
    berlin = dt.timezone(dt.timedelta(hours=1))

    assert months_wanted(NEW_YEARS_EVE, ahead=2) == [
        dt.date(2031, 12, 1),
        dt.date(2032, 1, 1),
        dt.date(2032, 2, 1),
    ]
    assert months_wanted(dt.datetime(2032, 1, 1, 0, 30, tzinfo=berlin), ahead=0) == [dt.date(2031, 12, 1)]


@pytest.mark.django_db
def test_missing_partitions_are_made_once() -> None:
    months = months_wanted(NEW_YEARS_EVE, ahead=1)

    assert missing_partitions(months) == months
    assert make_partitions(months) == months
    assert make_partitions(months) == []
    assert missing_partitions(months) == []


@pytest.mark.django_db
def test_an_old_sample_makes_its_own_partition() -> None:
    make_sample(make_offering(), dt.datetime(2019, 2, 28, 23, 59, 59, tzinfo=dt.UTC))

    assert missing_partitions([dt.date(2019, 2, 1), dt.date(2019, 3, 1)]) == [dt.date(2019, 3, 1)]


@pytest.mark.django_db
def test_reading_a_window_touches_only_its_partitions() -> None:
    make_partitions_for(dt.datetime(2026, month, 1, tzinfo=dt.UTC) for month in range(1, 9))
    with connection.cursor() as cursor:
        cursor.execute(
            "explain select count(*) from measurements_sample where scheduled_at > %s and scheduled_at <= %s",
            [dt.datetime(2026, 7, 12, tzinfo=dt.UTC), dt.datetime(2026, 7, 15, tzinfo=dt.UTC)],
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "measurements_sample_2026_07" in plan
    assert "measurements_sample_2026_06" not in plan
