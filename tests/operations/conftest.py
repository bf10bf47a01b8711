from __future__ import annotations

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    """Pages name static files as they are: no collected manifest is needed to render one."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
