"""Planted keys, and every place a key could leak into: none may hold any part of one."""

from __future__ import annotations

import datetime as dt
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.conf import settings as django_settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.views.debug import ExceptionReporter
from pytest_django import Settings

from leaderboard.catalogue.credentials import key_for, store_key
from leaderboard.catalogue.models import Offering, Provider
from leaderboard.measurements import tasks
from leaderboard.measurements.partitions import make_partitions_for
from leaderboard.measurements.planning import plan_now
from leaderboard.measurements.probing import endpoint_of, measure, take_up
from probes.lab.server import Lab
from tests.factories import make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

STORED = "sk-canary-stored-4c1f09b7e2"
NAMED = "sk-canary-named-d37a58e6b1"
PARTS = (STORED, NAMED, STORED[-10:], NAMED[-10:])
NOW = dt.datetime(2026, 7, 15, 9, 0, tzinfo=dt.UTC)


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


@pytest.fixture
def offerings(lab: Lab, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[Offering]:
    """One provider with a stored key and one with a key in a variable; the lab refuses both keys' models."""
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    monkeypatch.setenv("CANARY_KEY", NAMED)
    stored = make_provider(slug="stored", name="Stored", kind="self_hosted", base_url=lab.url)
    store_key(stored, STORED, now=NOW)
    stored.save()
    named = make_provider(
        slug="named", name="Named", kind="self_hosted", base_url=lab.url, api_key_env="CANARY_KEY"
    )
    made = [
        make_offering(
            provider=stored, public_id="stored~m", provider_model_name="http401-plain", edited_by=None
        ),
        make_offering(provider=named, public_id="named~m", provider_model_name="miderror-tps2000"),
    ]
    for offering in made:
        make_price(offering)
    return made


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def assert_clean(text: str, where: str) -> None:
    for part in PARTS:
        assert part not in text, where


def body(response: Any) -> str:
    content = response.getvalue() if isinstance(response, StreamingHttpResponse) else response.content
    return str(content.decode(errors="replace"))


def test_planted_keys_are_readable_where_they_must_be(offerings: list[Offering]) -> None:
    assert [key_for(offering.provider) for offering in offerings] == [STORED, NAMED]


def test_no_admin_page_holds_a_key(client: Client, offerings: list[Offering]) -> None:
    pages = [reverse("admin:index"), "/admin/add-provider/"]
    for provider in Provider.objects.all():
        pages += [
            reverse("admin:catalogue_provider_change", args=[provider.pk]),
            reverse("admin:catalogue_provider_history", args=[provider.pk]),
            *(reverse(f"onboarding:{name}", args=[provider.slug]) for name in ("models", "finish", "test")),
        ]
        client.post(pages[-5], {"name": "", "api_key": STORED})
    for model in admin.site._registry:
        pages.append(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))

    for page in pages:
        response = client.get(page)
        assert response.status_code == 200, page
        assert_clean(body(response), page)


def test_no_connection_test_and_no_form_that_failed_shows_a_key(
    client: Client, offerings: list[Offering]
) -> None:
    for slug in ("stored", "named"):
        answer = body(client.post(reverse("onboarding:test", args=[slug]), {"test": "Test connection"}))
        assert "The server answered over HTTP" in answer
        assert_clean(answer, slug)
    wrong = client.post(
        "/admin/add-provider/", {"preset": "openai", "name": "", "base_url": "x", "api_key": STORED}
    )
    assert_clean(body(wrong), "a form that failed")


def test_no_row_of_any_table_holds_a_key(
    client: Client,
    offerings: list[Offering],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    now = dt.datetime.now(dt.UTC)
    make_partitions_for([now])
    messages: list[Any] = []
    monkeypatch.setattr(tasks.probe, "apply_async", lambda *args, **options: messages.append((args, options)))
    slots = plan_now(offerings)
    tasks.send(slots)
    for slot in slots:
        taken = take_up(slot.pk, now)
        assert taken is not None
        measure(taken)

    assert_clean(json.dumps(messages, default=str), "the messages to the workers")
    assert_clean(caplog.text, "the log")
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"select coalesce(string_agg(t::text, e'\\n'), '') from \"{table}\" t")
            assert_clean(cursor.fetchone()[0], table)


def test_no_repr_and_no_traceback_holds_a_key(offerings: list[Offering]) -> None:
    for offering in offerings:
        endpoint = endpoint_of(offering)
        assert endpoint.api_key in (STORED, NAMED)
        assert_clean(repr(endpoint) + repr(offering.provider) + repr(vars(offering.provider)), "a repr")
    try:
        raise RuntimeError(repr(endpoint_of(offerings[0])))
    except RuntimeError as error:
        report = ExceptionReporter(None, type(error), error, error.__traceback__).get_traceback_text()
        assert_clean(report, "an error mail")


def test_no_public_page_or_file_holds_a_key(offerings: list[Offering]) -> None:
    visitor = Client()
    for path in (
        "/",
        "/providers/",
        "/providers.csv",
        "/providers.json",
        "/data/v1/providers.csv",
        "/data/v1/offerings.json",
        "/data/v1/prices.csv",
        "/status.json",
        "/metrics",
    ):
        response = visitor.get(path)
        assert response.status_code < 500, path
        assert_clean(body(response), path)


def test_every_text_column_of_the_catalogue_is_swept() -> None:
    assert {model._meta.db_table for model in apps.get_app_config("catalogue").get_models()} <= set(
        connection.introspection.table_names()
    )
    assert "leaderboard.catalogue" in django_settings.INSTALLED_APPS
