from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from leaderboard.operations import health
from leaderboard.operations.embedded.paths import broker_url
from leaderboard.operations.embedded.valkey import EmbeddedValkey


def test_healthz_asks_the_database_nothing(client: Client) -> None:
    """Without the django_db mark a query would fail the test."""
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.content == b"ok\n"


@pytest.mark.django_db
def test_readyz_is_200_when_every_part_is_there(
    client: Client, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(health.PARTS, "static", lambda: None)
    settings.CELERY_BROKER_URL = broker_url(tmp_path)
    broker = EmbeddedValkey(tmp_path)
    broker.start()

    answer = client.get("/readyz")

    broker.stop()
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "missing": {},
        "database": "ok",
        "migrations": "ok",
        "broker": "ok",
        "static": "ok",
    }


@pytest.mark.django_db
def test_readyz_names_what_is_missing(client: Client, tmp_path: Path, settings: Any) -> None:
    settings.CELERY_BROKER_URL = broker_url(tmp_path)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    found = json.loads(answer.content)
    assert found["ready"] is False
    assert found["missing"] == {
        "broker": "The message broker does not answer.",
        "static": "Static files are missing; run manage.py collectstatic.",
    }


@pytest.mark.django_db
def test_missing_migration_is_noticed() -> None:
    health.all_migrated.cache_clear()
    with connection.cursor() as cursor:
        cursor.execute("delete from django_migrations where app = 'operations' or app = 'ranking'")

    problem = health.missing_migrations()

    health.all_migrated.cache_clear()
    assert problem == "Migrations are missing; run manage.py migrate."
