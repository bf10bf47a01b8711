from __future__ import annotations

import datetime as dt

import pytest
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from leaderboard.charts import tasks
from leaderboard.charts.models import Rendering
from leaderboard.charts.tasks import draw_ahead, publish_snapshot
from leaderboard.ranking.models import Snapshot
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


def test_picture_that_cannot_be_drawn_holds_back_no_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(snapshot: Snapshot) -> None:
        Rendering.objects.create(key="half", chart="half", width=1, svg="", spec={})
        raise ValueError("NaN in a spec")

    monkeypatch.setattr(tasks, "draw_ahead", broken)

    publish_snapshot()

    assert Snapshot.objects.filter(window_hours=72, is_complete=True).count() == 1
    assert not Rendering.objects.exists()


def test_second_tick_within_seconds_makes_no_second_snapshot() -> None:
    publish_snapshot()
    before = Snapshot.objects.count()
    Snapshot.objects.update(as_of=F("as_of") - dt.timedelta(seconds=5))

    publish_snapshot()

    assert Snapshot.objects.count() == before
