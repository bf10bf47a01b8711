from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.charts.models import Rendering
from leaderboard.charts.tasks import draw_ahead, publish_snapshot
from tests.pages.boards import make_three_models
from tests.ranking.factories import make_saved_snapshot

pytestmark = pytest.mark.django_db


def test_pictures_drawn_ahead_are_those_the_home_page_shows(client: Client, settings: Settings) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    draw_ahead(make_three_models())
    before = set(Rendering.objects.values_list("key", "width"))

    client.get("/")

    assert len(before) == 8
    assert set(Rendering.objects.values_list("key", "width")) == before


def test_empty_snapshot_draws_nothing() -> None:
    draw_ahead(make_saved_snapshot())

    assert not Rendering.objects.exists()


def test_task_has_limits_and_expires() -> None:
    assert publish_snapshot.name == "charts.publish_snapshot"
    assert (publish_snapshot.soft_time_limit, publish_snapshot.time_limit) == (240, 300)
    assert publish_snapshot.acks_late
    assert publish_snapshot.ignore_result
