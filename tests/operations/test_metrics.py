from __future__ import annotations

import datetime as dt

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Slot
from leaderboard.ranking.models import Snapshot
from tests.factories import make_offering

pytestmark = pytest.mark.django_db


def scrape(client: Client) -> dict[str, float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    return {
        family.name: sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def make_slot(offering: Offering, minutes_ago: float, **fields: object) -> Slot:
    at = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=minutes_ago)
    return Slot.objects.create(
        offering=offering,
        workload="medium",
        probe_location="local",
        scheduled_at=at,
        expires_at=at + dt.timedelta(minutes=5),
        **{name: at + dt.timedelta(seconds=float(str(value))) for name, value in fields.items()},
    )


def test_empty_board_leaves_out_what_it_does_not_know(client: Client) -> None:
    assert scrape(client) == {
        "leaderboard_slots_planned": 0,
        "leaderboard_slots_finished": 0,
        "leaderboard_slots_missed": 0,
    }


def test_slots_of_the_last_hour_are_counted_by_fate(client: Client) -> None:
    offering = make_offering()
    make_slot(offering, 70, started_at=1, finished_at=2)
    make_slot(offering, 30, started_at=2, finished_at=9)
    make_slot(offering, 20, started_at=4, finished_at=9)
    make_slot(offering, 10)
    make_slot(offering, 1)

    found = scrape(client)

    assert found["leaderboard_slots_planned"] == 4
    assert found["leaderboard_slots_finished"] == 2
    assert found["leaderboard_slots_missed"] == 1
    assert found["leaderboard_probe_start_delay_seconds"] == 3


def test_ages_count_from_the_newest(client: Client) -> None:
    now = dt.datetime.now(dt.UTC)
    make_offering(last_ok_at=now - dt.timedelta(seconds=500))
    make_offering(last_ok_at=now - dt.timedelta(seconds=100))
    Snapshot.objects.create(
        as_of=now - dt.timedelta(seconds=40), window_hours=72, methodology_version="1", is_complete=True
    )

    found = scrape(client)

    assert found["leaderboard_last_ok_age_seconds"] == pytest.approx(100, abs=5)
    assert found["leaderboard_snapshot_age_seconds"] == pytest.approx(40, abs=5)


def test_scrape_takes_four_queries(client: Client) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get("/metrics")

    assert len(queries) == 4
