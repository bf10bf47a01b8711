from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboard.celery import BEAT_SCHEDULE
from leaderboard.operations import webhooks
from leaderboard.operations.models import Webhook
from leaderboard.operations.tasks import tell_webhooks_of_changes
from leaderboard.ranking.models import Event
from tests.factories import make_offering

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)
SECRET = "a-secret-of-the-receiver"


def make_hook(**fields: Any) -> Webhook:
    hook = Webhook(name="friend", url="https://friend.example/hook", **fields)
    webhooks.keep_secret(hook, SECRET)
    hook.save()
    return hook


def make_event(key: str, **fields: Any) -> Event:
    return Event.objects.create(key=key, kind="added", at=NOW, **fields)


@pytest.fixture
def posted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, dict[str, str]]]:
    sent: list[tuple[str, str, dict[str, str]]] = []

    def post(url: str, *, content: str, headers: dict[str, str], **_: Any) -> httpx.Response:
        sent.append((url, content, headers))
        return httpx.Response(answers.pop(0) if answers else 204)

    answers: list[int] = []
    monkeypatch.setattr(httpx, "post", post)
    posted_answers[:] = [answers]
    return sent


posted_answers: list[list[int]] = []


def answer_with(*statuses: int) -> None:
    posted_answers[0].extend(statuses)


def test_events_are_posted_in_order_once_and_signed(posted: list[Any]) -> None:
    hook = make_hook()
    first, second = make_event("a", offering=make_offering(public_id="acme~x")), make_event("b")

    assert (webhooks.tell_webhooks(NOW), webhooks.tell_webhooks(NOW + MINUTE)) == (1, 0)

    ((url, content, headers),) = posted
    assert url == "https://friend.example/hook"
    assert [row["event_id"] for row in json.loads(content)["rows"]] == ["a", "b"]
    assert json.loads(content)["rows"][0]["offering_id"] == "acme~x"
    seconds = str(int(NOW.timestamp()))
    signed = hmac.new(SECRET.encode(), f"{seconds}.{content}".encode(), hashlib.sha256).hexdigest()
    assert headers["X-Leaderboard-Signature"] == f"t={seconds},v1={signed}"
    assert headers["X-Leaderboard-Delivery"] == f"{hook.pk}-{first.pk}-{second.pk}"


def test_failed_post_is_tried_again_later_each_time_and_loses_nothing(posted: list[Any]) -> None:
    hook = make_hook()
    make_event("a")
    answer_with(500, 302)

    webhooks.tell_webhooks(NOW)
    hook.refresh_from_db()
    assert (hook.failures, hook.next_try_at, hook.last_error) == (1, NOW + MINUTE, "status 500")
    assert webhooks.tell_webhooks(NOW + MINUTE / 2) == 0
    webhooks.tell_webhooks(NOW + MINUTE)
    hook.refresh_from_db()
    assert (hook.failures, hook.next_try_at) == (2, NOW + 3 * MINUTE)
    assert webhooks.tell_webhooks(NOW + 3 * MINUTE) == 1

    hook.refresh_from_db()
    assert (hook.failures, hook.next_try_at, hook.last_error) == (0, None, "")
    assert (
        len(
            {
                (content.split('"rows"')[1], headers["X-Leaderboard-Delivery"])
                for _, content, headers in posted
            }
        )
        == 1
    )


def test_address_that_does_not_answer_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    make_hook()
    other = Webhook(name="other", url="https://other.example/")
    webhooks.keep_secret(other, SECRET)
    other.save()
    make_event("a")

    def post(url: str, **_: Any) -> httpx.Response:
        if "friend" in url:
            raise httpx.ConnectTimeout("https://friend.example/hook?token=canary")
        return httpx.Response(200)

    monkeypatch.setattr(httpx, "post", post)

    assert webhooks.tell_webhooks(NOW) == 1
    assert Webhook.objects.get(name="friend").last_error == "ConnectTimeout"


def test_simulated_events_and_paused_hooks_are_left_out(posted: list[Any]) -> None:
    make_hook()
    make_event("demo", simulated=True)

    assert webhooks.tell_webhooks(NOW) == 0
    Webhook.objects.update(with_simulated=True, is_active=False)
    assert webhooks.tell_webhooks(NOW) == 0
    Webhook.objects.update(is_active=True)
    assert webhooks.tell_webhooks(NOW) == 1


def test_second_run_at_once_does_not_tell_it_again() -> None:
    hook = make_hook()

    assert (webhooks.claim(hook, NOW), webhooks.claim(hook, NOW)) == (True, False)


def test_admin_makes_one_that_hears_from_now_on_and_shows_no_secret(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ada", password="x" * 12))
    old = make_event("old")
    form = {"name": "friend", "url": "https://friend.example/hook", "is_active": "on"}

    refused = client.post("/admin/operations/webhook/add/", form | {"secret": ""})
    made = client.post("/admin/operations/webhook/add/", form | {"secret": SECRET})

    hook = Webhook.objects.get()
    assert (refused.status_code, made.status_code) == (200, 302)
    assert hook.last_event == old.pk
    page = client.get(f"/admin/operations/webhook/{hook.pk}/change/").content.decode()
    assert SECRET not in page + hook.encrypted_secret
    assert hook.encrypted_secret not in page
    client.post(f"/admin/operations/webhook/{hook.pk}/change/", form | {"name": "renamed", "secret": ""})
    assert Webhook.objects.get().encrypted_secret == hook.encrypted_secret


def test_they_are_told_every_minute() -> None:
    assert BEAT_SCHEDULE["tell-webhooks"]["task"] == tell_webhooks_of_changes.name
