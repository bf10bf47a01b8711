"""Local time stands beside UTC only when asked for, and goes again."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.ranking.queries import rows_of_snapshot
from tests.pages.boards import make_three_models

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, available_apps=django_settings.INSTALLED_APPS),
]


def test_local_time_stands_beside_utc_on_demand(
    chromium: Browser, live_server: LiveServer, settings: Settings
) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    rows_of_snapshot.cache_clear()
    make_three_models()
    page = chromium.new_page(timezone_id="Asia/Tokyo", locale="en-GB")
    page.goto(live_server.url)
    asof = page.locator(".lead time").first
    before = asof.inner_text()

    page.get_by_role("button", name="Local time beside UTC (Asia/Tokyo)").click()
    beside = asof.inner_text()
    page.get_by_role("button", name="UTC only").click()

    assert before == asof.inner_text() == "15 Jul 2026, 12:00 UTC"
    assert beside == "15 Jul 2026, 12:00 UTC (15 Jul 2026, 21:00 local)"
