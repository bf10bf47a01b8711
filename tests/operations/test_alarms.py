from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from typing import Any

import httpx
import pytest
from django.core import mail
from django.db import connection
from pytest_django import Settings

from leaderboard.catalogue.models import Board, Offering
from leaderboard.measurements.models import Slot
from leaderboard.operations.alarms import telling
from leaderboard.operations.alarms.bell import ring
from leaderboard.operations.alarms.conditions import ringing
from leaderboard.operations.models import Alarm
from leaderboard.operations.tasks import watch
from tests.factories import make_offering, make_provider
from tests.measurements.factories import make_sample
from tests.ranking.factories import AS_OF as NOW
from tests.ranking.factories import make_saved_snapshot

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture(autouse=True)
def partitions(db: None) -> None:
    from leaderboard.measurements.partitions import make_partitions, months_wanted

    make_partitions(months_wanted(NOW))


def names(now: dt.datetime = NOW) -> list[str]:
    return [found.name for found in ringing(now)]


def make_slots(number: int, *, missed: int) -> None:
    offering = make_offering(provider=make_provider(simulated=True))
    for n in range(number):
        at = NOW - dt.timedelta(minutes=30, seconds=n)
        done = None if n < missed else at + MINUTE
        Slot.objects.create(
            offering=offering,
            workload="medium",
            probe_location="local",
            scheduled_at=at,
            expires_at=at + 5 * MINUTE,
            started_at=done,
            finished_at=done,
        )


def test_quiet_board_rings_nothing() -> None:
    assert names() == []


@pytest.mark.parametrize(("missed", "rings"), [(1, []), (2, ["overdue-probes"])])
def test_missed_probes_ring_above_one_in_twenty(missed: int, rings: list[str]) -> None:
    make_slots(20, missed=missed)

    assert names() == rings


@pytest.mark.parametrize(("month", "words"), [("2026_07", "this month"), ("2026_08", "next month")])
def test_missing_partition_rings_before_samples_are_lost(month: str, words: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"drop table measurements_sample_{month}")

    (found,) = ringing(NOW)

    assert found.name == "missing-partition"
    assert f"the samples of {words}." in found.text


def test_spent_budget_rings_with_both_caps() -> None:
    provider = make_provider(slug="acme", name="Acme", daily_cap_usd="0.5")
    Board.objects.create(daily_cap_usd="5")
    make_sample(make_offering(provider=provider), NOW - MINUTE, cost_usd="0.5")

    found = next(r for r in ringing(NOW) if r.name.startswith("budget"))

    assert found.name == "budget-reached:acme"
    assert "Probing Acme has reached today's budget (0.5000 USD, or the board's 5.0000 USD)" in found.text


@pytest.mark.parametrize("outcome", ["auth", "billing"])
def test_refused_key_rings_until_a_probe_succeeds(outcome: str) -> None:
    offering = make_offering(provider=make_provider(slug="acme"), last_ok_at=NOW - 60 * MINUTE)
    make_sample(offering, NOW - 30 * MINUTE, outcome=outcome)
    make_saved_snapshot(as_of=NOW)
    assert "key-refused:acme" in names()

    Offering.objects.filter(pk=offering.pk).update(last_ok_at=NOW - MINUTE)

    assert "key-refused:acme" not in names()


def test_fault_of_ours_rings_with_its_kind() -> None:
    make_sample(make_offering(), NOW - MINUTE, outcome="ours", detail="missing_key")
    make_sample(
        make_offering(provider=make_provider(simulated=True)), NOW - MINUTE, outcome="ours", detail="bug"
    )

    (found,) = ringing(NOW)

    assert found.name == "faults-of-ours"
    assert "our own fault: 1 × ours: missing_key." in found.text


@pytest.mark.parametrize(
    ("snapshot_minutes", "ok_minutes", "rings"),
    [
        (11, 1, ["late-snapshot"]),
        (9, 1, []),
        (30, 40, []),  # nothing new to show
        (None, 1, []),
        (None, 11, ["late-snapshot"]),
    ],
)
def test_late_snapshot_rings_where_there_is_something_new(
    snapshot_minutes: int | None, ok_minutes: int, rings: list[str]
) -> None:
    make_offering(last_ok_at=NOW - ok_minutes * MINUTE)
    if snapshot_minutes is not None:
        make_saved_snapshot(as_of=NOW - snapshot_minutes * MINUTE)

    assert names() == rings


@pytest.mark.parametrize(("hours", "rings"), [(6, []), (7, ["stale-board"])])
def test_board_without_a_good_sample_for_two_intervals_is_stale(hours: int, rings: list[str]) -> None:
    make_offering(interval_s=10_800, last_ok_at=NOW - dt.timedelta(hours=hours))
    make_saved_snapshot(as_of=NOW)

    assert names() == rings


@pytest.fixture
def person(settings: Settings) -> None:
    settings.MAIL_IS_SET, settings.ALERT_MAIL = True, ("ada@example.org",)


def test_person_is_told_once_reminded_daily_and_told_of_the_end(person: None) -> None:
    make_sample(make_offering(), NOW - MINUTE, outcome="ours", detail="missing_key")

    counts = []
    for minutes in (0, 1, 3, 4, 30, 58):
        ring(NOW + minutes * MINUTE)
        counts.append(len(mail.outbox))
    ring(NOW + 62 * MINUTE)

    assert counts == [0, 0, 1, 1, 1, 1]
    first, last = mail.outbox
    assert (first.subject, first.to) == ("[leaderboard] faults-of-ours", ["ada@example.org"])
    assert "1 × ours: missing_key" in first.body
    assert last.subject == "[leaderboard] faults-of-ours is over"
    assert [a.ended_at for a in Alarm.objects.all()] == [NOW + 62 * MINUTE]


def test_lasting_alarm_is_told_again_after_a_day(person: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("drop table measurements_sample_2026_08")

    for hours in (0, 1, 24, 26):
        ring(NOW + dt.timedelta(hours=hours))

    assert len(mail.outbox) == 2


def test_short_trouble_is_told_to_nobody(person: None) -> None:
    make_slots(20, missed=20)
    ring(NOW)
    Slot.objects.all().delete()
    ring(NOW + 5 * MINUTE)

    assert mail.outbox == []


def test_webhook_is_signed_over_its_time_and_body(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ALERT_WEBHOOK, settings.ALERT_SECRET = "https://chat.example/hook", "s" * 16
    posted: list[dict[str, Any]] = []

    def post(url: str, **given: Any) -> httpx.Response:
        posted.append({"url": url} | given)
        return httpx.Response(200)

    monkeypatch.setattr(httpx, "post", post)

    assert telling.tell([("key-refused:acme", "Renew it.")], ["stale-board"], now=NOW)

    (sent,) = posted
    stated = dict(part.split("=") for part in sent["headers"][telling.SIGNATURE].split(","))
    assert int(stated["t"]) == int(NOW.timestamp())
    right = hmac.new(b"s" * 16, f"{stated['t']}.{sent['content']}".encode(), hashlib.sha256).hexdigest()
    assert stated["v1"] == right
    assert json.loads(sent["content"]) == {
        "board": "",
        "at": "2026-07-15T12:00:00+00:00",
        "ringing": [{"name": "key-refused:acme", "text": "Renew it."}],
        "over": ["stale-board"],
    }


def test_failed_telling_is_tried_again_and_stops_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ALERT_WEBHOOK, settings.ALERT_SECRET = "https://chat.example/hook-with-a-word", "s" * 16
    answers = iter([httpx.ConnectError("no"), httpx.Response(500), httpx.Response(204)])

    def post(url: str, **_: Any) -> httpx.Response:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(httpx, "post", post)
    make_sample(make_offering(), NOW - MINUTE, outcome="ours", detail="missing_key")

    ring(NOW)
    told = [bool(ring(NOW + minutes * MINUTE)) for minutes in (4, 5, 6, 7)]

    assert told == [True, True, True, False]
    assert Alarm.objects.get().told_at == NOW + 6 * MINUTE
    assert "hook-with-a-word" not in caplog.text


def test_watch_asks_the_deadman_url_each_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEADMAN_URL = "https://ping.example/id"
    asked: list[str] = []

    def get(url: str, **_: Any) -> httpx.Response:
        asked.append(url)
        return httpx.Response(200)

    monkeypatch.setattr(httpx, "get", get)

    watch()

    assert asked == ["https://ping.example/id"]
