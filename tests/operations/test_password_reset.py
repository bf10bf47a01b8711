from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db


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
