"""Plain static addresses (the hashed ones exist only after collectstatic) and no rows kept from another test."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from leaderboard.ranking.queries import rows_of_snapshot


@pytest.fixture(autouse=True)
def _plain_static_files(settings: Settings) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}


@pytest.fixture(autouse=True)
def _fresh_rows() -> None:
    rows_of_snapshot.cache_clear()
