"""/status.json says how late each table is, in numbers and in one word."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
import time_machine
from django.test import Client

from leaderboard.exports.status import state_of, table_state, worst
from tests.exports.rows import AS_OF, any_partition, make_sample, make_snapshot
from tests.factories import make_offering


@pytest.fixture(autouse=True)
def _now() -> Iterator[None]:
    with time_machine.travel(AS_OF, tick=False):
        yield


@pytest.mark.django_db
def test_an_empty_board_is_not_broken(client: Client) -> None:
    document = client.get("/status.json").json()

    assert document["state"] == "operational"
    assert document["tables"][0] == {
        "table": "samples",
        "newest_row_at": None,
        "expected_next_at": None,
        "lag_s": None,
        "state": "operational",
    }


@pytest.mark.django_db
def test_each_table_tells_its_newest_row_and_its_lag(client: Client) -> None:
    any_partition()
    offering = make_offering(interval_s=3600)
    make_sample(
        offering, scheduled_at=AS_OF - dt.timedelta(hours=3), started_at=AS_OF - dt.timedelta(hours=3)
    )
    make_snapshot(as_of=AS_OF - dt.timedelta(seconds=30))

    response = client.get("/status.json")

    document = response.json()
    samples, leaderboard, _ = document["tables"]
    assert (samples["newest_row_at"], samples["expected_next_at"]) == (
        "2026-07-15T09:00:00Z",
        "2026-07-15T10:00:00Z",
    )
    assert (samples["lag_s"], samples["state"]) == (7200, "degraded")
    assert (leaderboard["lag_s"], leaderboard["state"]) == (0, "operational")
    assert document["state"] == "degraded"
    assert response["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    ("age_s", "state"),
    [
        (120, "operational"),
        (121, "degraded"),
        (361, "partial outage"),
        (1441, "major outage"),
        (None, "operational"),
    ],
)
def test_states_by_age(age_s: float | None, state: str) -> None:
    assert state_of(age_s, 60) == state


def test_the_worst_state_stands_for_all() -> None:
    assert worst(["operational", "partial outage", "degraded"]) == "partial outage"
    assert table_state("daily", AS_OF, age_s=1, every_s=10, at_best="degraded").state == "degraded"
