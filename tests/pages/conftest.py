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


@pytest.fixture(autouse=True)
def pages_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that changes a row and looks again wants to see it; the shelf has its own tests."""
    from leaderboard.pages import shelf

    monkeypatch.setattr(shelf, "KEPT_FOR_S", 0.0)
    monkeypatch.setattr(shelf, "NEWEST_FOR_S", 0.0)
