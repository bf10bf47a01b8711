"""Saved snapshots with summaries, for tests of everything that reads them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.models import Snapshot, Summary
from tests.factories import make_offering

AS_OF = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


def make_saved_snapshot(**fields: Any) -> Snapshot:
    defaults: dict[str, Any] = {
        "as_of": AS_OF,
        "window_hours": 72,
        "methodology_version": "1.0.0",
        "is_complete": True,
    }
    return Snapshot.objects.create(**defaults | fields)


def make_summary(snapshot: Snapshot, offering: Offering | None = None, **fields: Any) -> Summary:
    """An official, fresh row unless told otherwise."""
    defaults: dict[str, Any] = {
        "probe_location": "local",
        "workload": "medium",
        "workload_version": 1,
        "methodology_version": "1.0.0",
        "samples_total": 24,
        "samples_ok": 24,
        "speed_samples": 24,
        "ttft_samples": 24,
        "success_rate": 1.0,
        "uptime": 1.0,
        "freshness": "fresh",
        "standing": "official",
        "last_ok_at": AS_OF,
        "last_sample_at": AS_OF,
    }
    return Summary.objects.create(
        snapshot=snapshot, offering=offering or make_offering(), **defaults | fields
    )
