"""Pages are tested with plain static addresses: the hashed ones exist only after collectstatic."""

from __future__ import annotations

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}


@pytest.fixture(autouse=True)
def fresh_rows() -> None:
    """Rows of a snapshot are kept in memory by its number, and test databases count anew."""
    from leaderboard.ranking.queries import rows_of_snapshot

    rows_of_snapshot.cache_clear()
