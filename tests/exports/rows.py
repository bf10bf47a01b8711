"""Samples and snapshots as these tests need them."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from typing import Any

from django.db import connection

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Sample
from leaderboard.ranking.models import Snapshot, Summary

AS_OF = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
numbers = itertools.count(1)


def any_partition() -> None:
    """A partition for every month, so that a test can place a sample where it likes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "create table if not exists measurements_sample_default partition of measurements_sample default"
        )


def make_sample(offering: Offering, **given: Any) -> Sample:
    number = next(numbers)
    scheduled_at = given.get("scheduled_at", AS_OF - dt.timedelta(hours=1, milliseconds=number))
    defaults: dict[str, Any] = {
        "sample_id": uuid.UUID(int=number),
        "scheduled_at": scheduled_at,
        "started_at": scheduled_at + dt.timedelta(milliseconds=20),
        "probe_location": "local",
        "workload": "medium",
        "workload_version": 1,
        "methodology_version": "1.0.0",
        "outcome": "ok",
    }
    return Sample.objects.create(offering=offering, **defaults | given)


def make_snapshot(**given: Any) -> Snapshot:
    defaults: dict[str, Any] = {
        "as_of": AS_OF,
        "window_hours": 72,
        "methodology_version": "1.0.0",
        "is_complete": True,
    }
    return Snapshot.objects.create(**defaults | given)


def make_summary(snapshot: Snapshot, offering: Offering, **given: Any) -> Summary:
    defaults: dict[str, Any] = {
        "probe_location": "local",
        "workload": "medium",
        "workload_version": 1,
        "methodology_version": "1.0.0",
        "standing": "official",
        "freshness": "fresh",
    }
    return Summary.objects.create(snapshot=snapshot, offering=offering, **defaults | given)
