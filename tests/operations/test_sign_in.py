from __future__ import annotations

import datetime as dt

import pytest
import time_machine
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from leaderboard.exports.api.visitors import client_address

PASSWORD = "a long enough word 71"


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_superuser("ada", password=PASSWORD)


def sign_in(
    client: Client, password: str, *, address: str = "203.0.113.9", name: str = "ada"
) -> HttpResponse:
    return client.post(
        "/admin/login/", {"username": name, "password": password, "next": "/admin/"}, REMOTE_ADDR=address
    )


def test_tenth_failure_closes_the_door_for_a_quarter_of_an_hour(client: Client, person: User) -> None:
    with time_machine.travel(dt.datetime(2026, 7, 15, 12, 0, tzinfo=dt.UTC), tick=False) as clock:
        tries = [sign_in(client, "wrong", name=f"somebody-{n}").status_code for n in range(10)]
        page = sign_in(client, PASSWORD)

        assert tries == [200] * 9 + [429]
        assert page.status_code == 429
        assert page["Retry-After"] == "900"
        text = page.content.decode()
        assert "There were 10 failed sign-ins from your address. Wait 15 minutes" in text
        assert "manage.py axes_reset" in text

        clock.shift(dt.timedelta(minutes=15, seconds=1))
        assert sign_in(client, PASSWORD).status_code == 302


def test_strangers_failures_do_not_lock_an_administrator_out(client: Client, person: User) -> None:
    for _ in range(11):
        sign_in(client, "wrong", address="203.0.113.66")

    assert sign_in(client, PASSWORD, address="203.0.113.9").status_code == 302


def test_kept_attempts_hold_no_password(client: Client, person: User) -> None:
    words = {"username": "ada", "password": "typed-by-mistake-9911", "code": "n4kbj344"}
    client.post("/admin/login/", words, REMOTE_ADDR="203.0.113.9")

    kept = AccessAttempt.objects.get()

    assert kept.failures_since_start == 1
    assert "typed-by-mistake" not in repr(vars(kept))
    assert "n4kbj344" not in repr(vars(kept))


def request_from(address: str, forwarded: str | None) -> HttpRequest:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return RequestFactory().post("/admin/login/", headers=headers, REMOTE_ADDR=address)


@pytest.mark.parametrize(
    ("has_tls", "connected", "forwarded", "counted"),
    [
        (True, "127.0.0.1", "198.51.100.7", "198.51.100.7"),
        (True, "10.0.0.5", "1.2.3.4, 198.51.100.7", "198.51.100.7"),
        (True, "10.0.0.5", "2001:db8::7", "2001:db8::7"),
        (True, "10.0.0.5", None, "10.0.0.5"),
        (True, "10.0.0.5", "not an address", "10.0.0.5"),
        (True, "93.184.215.14", "198.51.100.7", "93.184.215.14"),
        (False, "10.0.0.5", "198.51.100.7", "10.0.0.5"),
    ],
)
def test_only_a_proxy_of_ours_says_who_the_visitor_is(
    settings: Settings, has_tls: bool, connected: str, forwarded: str | None, counted: str
) -> None:
    settings.HAS_TLS = has_tls

    assert client_address(request_from(connected, forwarded)) == counted
