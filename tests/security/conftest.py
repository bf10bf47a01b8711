from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from leaderboard.ranking.queries import rows_of_snapshot
from tests.ranking.factories import AS_OF
from tests.security.board import HostileBoard, make_hostile_board


@pytest.fixture(autouse=True)
def plain_board(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Static files by their plain names, a data directory of its own, and the clock at the snapshot's instant."""
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.DATA_DIR = tmp_path
    rows_of_snapshot.cache_clear()
    with time_machine.travel(AS_OF, tick=False):
        yield


@pytest.fixture
def board(db: None) -> HostileBoard:
    return make_hostile_board()


@pytest.fixture
def admin(db: None) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(
        User.objects.create_superuser("ada"), backend="django.contrib.auth.backends.ModelBackend"
    )
    return client


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)
