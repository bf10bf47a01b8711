from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counts_of_its_own() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def test_sign_in_page_leads_to_the_reset(client: Client) -> None:
    assert b'href="/admin/password_reset/"' in client.get("/admin/login/").content


def test_link_by_mail_sets_a_new_password_once(client: Client, settings: Settings) -> None:
    settings.MAIL_IS_SET = True
    person = User.objects.create_superuser("ada", email="ada@example.org", password="the old word 17")

    client.post("/admin/password_reset/", {"email": "ada@example.org"})
    (message,) = mail.outbox
    link = re.search(r"http://testserver(/admin/reset/\S+)", message.body)
    assert link is not None
    form = client.get(link[1])
    client.post(form["Location"], {"new_password1": "a new word 2931", "new_password2": "a new word 2931"})

    person.refresh_from_db()
    assert person.check_password("a new word 2931")
    assert b"invalid" in Client().get(link[1], follow=True).content


def test_stranger_learns_nothing_from_the_answer(client: Client, settings: Settings) -> None:
    settings.MAIL_IS_SET = True

    answer = client.post("/admin/password_reset/", {"email": "nobody@example.org"})

    assert (answer.status_code, answer["Location"]) == (302, "/admin/password_reset/done/")
    assert mail.outbox == []


def test_without_a_mail_server_it_says_whom_to_ask(client: Client) -> None:
    for answer in (
        client.get("/admin/password_reset/"),
        client.post("/admin/password_reset/", {"email": "a@b.c"}),
    ):
        assert b"manage.py changepassword NAME" in answer.content
    assert mail.outbox == []


def ask(client: Client, email: str, *, visitor: str = "203.0.113.9") -> str:
    answer = client.post("/admin/password_reset/", {"email": email}, REMOTE_ADDR=visitor)
    assert answer.status_code == 302
    return str(answer["Location"])


def test_mailbox_is_not_filled_by_asking(client: Client, settings: Settings) -> None:
    settings.MAIL_IS_SET = True
    User.objects.create_superuser("ada", email="ada@example.org", password="the old word 17")

    answers = {
        ask(client, email, visitor=f"203.0.113.{n}")
        for n, email in enumerate(["ada@example.org", "Ada@Example.org"] * 5)
    }

    assert answers == {"/admin/password_reset/done/"}
    assert len(mail.outbox) == 3


def test_one_visitor_cannot_have_many_people_mailed(client: Client, settings: Settings) -> None:
    settings.MAIL_IS_SET = True
    for n in range(12):
        User.objects.create_superuser(f"a{n}", email=f"a{n}@example.org", password="the old word 17")

    for n in range(12):
        ask(client, f"a{n}@example.org")

    assert len(mail.outbox) == 10
    ask(client, "a11@example.org", visitor="203.0.113.10")
    assert len(mail.outbox) == 11
