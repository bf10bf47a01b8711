from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import kombu
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Slot
from leaderboard.operations import watching
from leaderboard.operations.embedded.paths import broker_url
from leaderboard.operations.embedded.valkey import EmbeddedValkey
from leaderboard.ranking.models import Snapshot
from tests.factories import make_offering, make_provider
from tests.measurements.factories import make_sample

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
        "leaderboard_slots_waiting": 0,
        "leaderboard_partitions_ahead": -1,
        "leaderboard_providers_over_budget": 0,
        "leaderboard_providers_refusing_key": 0,
        "leaderboard_alarms_ringing": 0,
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
    assert found["leaderboard_slots_waiting"] == 1
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


def test_providers_in_trouble_are_counted_and_not_named(client: Client) -> None:
    now = dt.datetime.now(dt.UTC)
    make_sample(make_offering(provider=make_provider(slug="acme")), now, outcome="auth")
    costly = make_offering(provider=make_provider(slug="dear", daily_cap_usd="0.1"))
    make_sample(costly, now, cost_usd="0.2")

    found = scrape(client)

    assert found["leaderboard_providers_refusing_key"] == 1
    assert found["leaderboard_providers_over_budget"] == 1
    assert not {"acme", "dear"} & set(re.findall(r"\w+", client.get("/metrics").content.decode()))


def test_broker_says_how_many_messages_wait(client: Client, tmp_path: Path, settings: Any) -> None:
    settings.CELERY_BROKER_URL = broker_url(tmp_path)
    broker = EmbeddedValkey(tmp_path)
    broker.start()
    with kombu.Connection(settings.CELERY_BROKER_URL) as sending:
        queue = sending.SimpleQueue("probes.local")
        for number in range(3):
            queue.put(number)
        queue.close()

    found = watching.queue_lengths(["board", "probes.local"])

    broker.stop()
    assert found == {"probes.local": 3}


def test_metric_names_follow_the_convention(client: Client) -> None:
    for name in scrape(client):
        assert name.startswith("leaderboard_")
        assert not name.endswith(("_total", "_ms", "_minutes", "_count"))


def test_scrape_takes_nine_queries(client: Client) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get("/metrics")

    assert len(queries) == 9
