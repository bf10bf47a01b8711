from __future__ import annotations

import datetime as dt
import re

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough word 71"
NOON = dt.datetime(2026, 7, 15, 12, 0, tzinfo=dt.UTC)
PAGE = "/admin/second-step/"
ADDRESS = "203.0.113.9"


@pytest.fixture
def person() -> User:
    return User.objects.create_superuser("ada", password=PASSWORD)


def sign_in(client: Client, code: str = "", *, password: str = PASSWORD) -> HttpResponse:
    words = {"username": "ada", "password": password, "code": code, "next": "/admin/"}
    return client.post("/admin/login/", words, REMOTE_ADDR=ADDRESS)


def app_code(*, steps_on: int = 0) -> str:
    """What ada's authenticator shows now, or so many half-minutes later."""
    device = TOTPDevice.objects.get(user__username="ada")
    return f"{totp(device.bin_key, drift=steps_on):06d}"


def set_up(client: Client) -> list[str]:
    """Ada signs in, scans and confirms; the paper codes she was shown."""
    sign_in(client)
    client.get(PAGE)
    text = client.post(PAGE, {"confirm": "x", "code": app_code()}).content.decode()
    return re.findall(r"<li><code>(\w{8})</code></li>", text)


def test_without_one_a_password_is_enough(client: Client, person: User) -> None:
    assert sign_in(client).status_code == 302
    assert client.get("/admin/").status_code == 200


def test_page_shows_the_secret_as_picture_and_as_text(client: Client, person: User) -> None:
    sign_in(client)
    answer = client.get(PAGE)
    text = answer.content.decode()

    assert 'src="data:image/svg+xml' in text
    device = TOTPDevice.objects.get()
    secret = device.config_url.partition("secret=")[2].partition("&")[0]
    assert secret in text.replace(" ", "")
    assert "no-store" in answer["Cache-Control"]
    assert client.get(PAGE).content.decode().count(text[text.index("<code>") : text.index("</code>")]) == 1
    assert not device.confirmed


def test_wrong_first_code_turns_nothing_on(client: Client, person: User) -> None:
    sign_in(client)
    client.get(PAGE)

    assert b"wrong or too old" in client.post(PAGE, {"confirm": "x", "code": "000000"}).content
    assert sign_in(Client()).status_code == 302


def test_once_on_the_password_alone_opens_nothing(client: Client, person: User) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        other = Client()
        sign_in(other)
        assert len(set_up(client)) == 10
        assert client.get("/admin/").status_code == 200
        assert other.get("/admin/").status_code == 302, "a session from before has shown no code"

        clock.shift(60)
        stranger = Client()
        missing = sign_in(stranger)
        assert (missing.status_code, b"has a second step" in missing.content) == (200, True)
        assert stranger.get("/admin/").status_code == 302
        wrong = sign_in(stranger, "123456" if app_code() != "123456" else "123457")
        assert b"wrong, too old or used" in wrong.content
        clock.shift(60)  # past the pause that a wrong code costs
        assert sign_in(stranger, app_code()).status_code == 302
        assert stranger.get("/admin/").status_code == 200


def test_code_is_taken_once(client: Client, person: User) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        set_up(client)
        clock.shift(60)
        code = app_code()
        assert sign_in(Client(), code).status_code == 302
        assert sign_in(Client(), code).status_code == 200


def test_paper_code_opens_once(client: Client, person: User) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        codes = set_up(client)
        assert sign_in(Client(), f" {codes[0].upper()} ").status_code == 302
        assert sign_in(Client(), codes[0]).status_code == 200
        clock.shift(60)
        assert sign_in(Client(), codes[1]).status_code == 302
        assert b"Paper codes left: 8." in client.get(PAGE).content


def test_guessing_is_slowed_and_ends_at_the_closed_door(client: Client, person: User) -> None:
    with time_machine.travel(NOON, tick=False):
        set_up(client)
        guesses = [sign_in(Client(), f"{n:06d}") for n in range(10)]

    assert b"Too many wrong codes" in guesses[1].content
    assert [guess.status_code for guess in guesses] == [200] * 9 + [429]


def test_nobody_ends_it_without_a_code(client: Client, person: User) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        set_up(client)
        client.post(PAGE, {"end": "x", "code": ""})
        assert TOTPDevice.objects.filter(confirmed=True).exists()

        clock.shift(60)
        assert client.post(PAGE, {"end": "x", "code": app_code()})["Location"] == "/admin/"
        assert sign_in(Client()).status_code == 302


def test_new_paper_codes_end_the_old(client: Client, person: User) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        (old, *_) = set_up(client)
        clock.shift(60)
        client.post(PAGE, {"renew": "x", "code": app_code()})
        assert sign_in(Client(), old).status_code == 200


def test_whoever_lost_both_is_let_in_by_a_command(
    client: Client, person: User, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(client)

    call_command("end_second_factor", "ada")
    call_command("end_second_factor", "ada")

    assert capsys.readouterr().out.splitlines() == [
        "ada signs in with name and password alone from now on.",
        "ada had no second step.",
    ]
    assert sign_in(Client()).status_code == 302
    with pytest.raises(CommandError, match="no account named 'eve'"):
        call_command("end_second_factor", "eve")


def test_secrets_are_on_no_page_of_the_admin(client: Client, person: User) -> None:
    sign_in(client)

    assert client.get("/admin/otp_totp/totpdevice/").status_code == 404
    assert client.get("/admin/otp_static/staticdevice/").status_code == 404


def test_page_is_for_who_is_inside(client: Client) -> None:
    assert client.get(PAGE).status_code == 302
