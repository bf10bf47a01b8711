from __future__ import annotations

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from leaderboard.measurements.locations import announce, own_location, planned_locations, probes_queue
from leaderboard.measurements.models import ProbeLocation, Slot
from leaderboard.measurements.planning import claim_due, plan_now
from tests.factories import make_offering

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


def test_board_without_workers_yet_plans_for_its_own_machine(settings: Settings) -> None:
    settings.PROBE_LOCATION = "eu-west"

    assert planned_locations() == ["eu-west"]
    assert own_location() == "eu-west"


def test_location_is_planned_for_from_its_first_worker_on() -> None:
    for location in ("eu-west", "us-east", "eu-west"):
        announce(location)
    make_offering(interval_s=60)
    make_offering(interval_s=60)

    claimed = [
        slot for seconds in range(0, 120, 5) for slot in claim_due(NOON + dt.timedelta(seconds=seconds))
    ]

    by_location = {
        name: sorted(s.scheduled_at for s in claimed if s.probe_location == name)
        for name in planned_locations()
    }
    assert sorted(by_location) == ["eu-west", "us-east"]
    assert by_location["eu-west"] == by_location["us-east"]
    assert len(by_location["eu-west"]) >= 2


def test_ended_location_is_planned_for_no_more() -> None:
    announce("eu-west")
    announce("us-east")
    ProbeLocation.objects.filter(name="eu-west").update(is_used=False)
    make_offering(interval_s=1)

    claim_due(NOON)

    assert set(Slot.objects.values_list("probe_location", flat=True)) == {"us-east"}


def test_machine_that_is_alone_and_was_renamed_leaves_its_old_name() -> None:
    announce("local", is_the_only_one=True)

    announce("eu-west", is_the_only_one=True)

    assert planned_locations() == ["eu-west"]


def test_probe_by_hand_starts_where_workers_are(settings: Settings) -> None:
    settings.PROBE_LOCATION = "web-machine"
    announce("eu-west")

    (slot,) = plan_now([make_offering()], now=NOON)

    assert slot.probe_location == "eu-west"


def test_queue_of_a_location_is_bound_by_its_own_name() -> None:
    queue = probes_queue("eu-west")

    assert (queue.name, queue.exchange.name, queue.routing_key) == (
        "probes.eu-west",
        "probes",
        "probes.eu-west",
    )


def test_second_location_costs_four_queries_a_tick() -> None:
    make_offering(interval_s=1)
    counts = []
    for location in ("eu-west", "us-east"):
        announce(location)
        with CaptureQueriesContext(connection) as queries:
            claim_due(NOON + dt.timedelta(minutes=10 * len(counts)))
        counts.append(len(queries))

    assert counts[1] - counts[0] == 4
