"""Badges say the figure with its date, or why there is none."""

from __future__ import annotations

import json
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from django.test import Client

from leaderboard.catalogue.models import Offering
from tests.exports.rows import make_snapshot, make_summary
from tests.factories import make_offering

pytestmark = pytest.mark.django_db


@pytest.fixture
def offering() -> Offering:
    offering = make_offering(public_id="alfa~qwen3-0.6b")
    snapshot = make_snapshot()
    make_summary(
        snapshot,
        offering,
        output_speed_tps_p50=530.6,
        ttft_ms_p50=204.9,
        blended_usd_per_mtok=Decimal("0.1575"),
        rank_speed=2,
        uptime=0.9991,
        samples_ok=24,
    )
    make_summary(snapshot, offering, workload="short", output_speed_tps_p50=99.0, samples_ok=90)
    return offering


def message(client: Client, address: str) -> str:
    response = client.get(f"/badge/{address}")
    assert response.status_code == 200
    badge = json.loads(response.content)
    assert badge["schemaVersion"] == 1
    assert badge["isError"] is False
    return str(badge["message"])


@pytest.mark.usefixtures("offering")
@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("alfa~qwen3-0.6b/speed.json", "531 tokens/s · 15 Jul 2026"),
        ("alfa~qwen3-0.6b/ttft.json", "205 ms · 15 Jul 2026"),
        ("alfa~qwen3-0.6b/price.json", "$0.158 per 1M · 15 Jul 2026"),
        ("alfa~qwen3-0.6b/rank.json", "#2 by speed · 15 Jul 2026"),
        ("alfa~qwen3-0.6b/uptime.json", "99.9 % · 15 Jul 2026"),
        ("alfa~qwen3-0.6b/speed.json?workload=short", "99 tokens/s · 15 Jul 2026"),
        ("alfa~qwen3-0.6b/speed.json?workload=long", "no data"),
    ],
)
def test_each_metric(client: Client, address: str, says: str) -> None:
    assert message(client, address) == says


def test_stale_and_retired_are_said_with_status_200(client: Client, offering: Offering) -> None:
    make_summary(make_snapshot(window_hours=24), offering, output_speed_tps_p50=1.0, freshness="stale")

    stale = message(client, "alfa~qwen3-0.6b/speed.json?window=24h")
    Offering.objects.update(probe_state="retired", retired_on="2026-07-01")

    assert stale == "stale"
    assert message(client, "alfa~qwen3-0.6b/speed.json") == "retired"


@pytest.mark.usefixtures("offering")
def test_the_picture_carries_its_words(client: Client) -> None:
    response = client.get("/badge/alfa~qwen3-0.6b/speed.svg")

    root = ElementTree.fromstring(response.content)
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert root.get("aria-label") == "output speed: 531 tokens/s · 15 Jul 2026"
    assert root.get("role") == "img"


def test_an_unknown_offering_has_no_badge(client: Client) -> None:
    assert client.get("/badge/zulu~x/speed.svg").status_code == 404
