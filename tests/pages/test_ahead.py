from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.celery import BEAT_SCHEDULE
from leaderboard.charts import pictures
from leaderboard.charts.models import Rendering
from leaderboard.charts.pictures import Figure
from leaderboard.charts.theme import Width
from leaderboard.measurements.models import Slot
from leaderboard.pages import ahead
from leaderboard.pages.ahead import Memory, draw_ahead
from leaderboard.pages.tasks import draw_ahead as task
from leaderboard.ranking.models import Snapshot, Summary
from tests.factories import make_model, make_price
from tests.ranking.factories import AS_OF, make_saved_snapshot
from tests.ranking.test_watching import make_slot

from .test_self_hosted import serve
from .test_subjects import make_days, make_profile, make_shared_model

pytestmark = pytest.mark.django_db

NOW = dt.datetime.now(dt.UTC)
ALPHA = "/offerings/alpha~gpt-oss-20b/"
PAGES = (
    *("/", "/offerings/", "/models/", "/providers/", "/frontier/", "/status/"),
    *("/self-hosted/", "/self-hosted/box/"),
    *("/models/openai/gpt-oss-20b/", "/providers/alpha/", "/providers/gamma/"),
    *(ALPHA, "/offerings/gamma~gpt-oss-20b/"),
)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The charts drawn so far; what they look like does not matter here."""
    charts: list[str] = []

    def draw(figure: Figure, width: Width) -> Rendering:
        charts.append(figure.chart)
        return Rendering(key=figure.key, chart=figure.chart, width=width, svg="<svg></svg>", spec={})

    monkeypatch.setattr(pictures, "_drawn", draw)
    return charts


def make_whole_board() -> None:
    """Three offerings of one model, one of them with days, hours and prices, and an endpoint of our own."""
    alpha = make_shared_model()
    make_days(alpha)
    make_profile(alpha)
    make_price(alpha)
    serve(make_model(slug="openai/gpt-oss-120b"), "box")


def make_next_snapshot(**changes: float) -> None:
    """The same rows again, but for the changes to those of Gamma."""
    old, new = Snapshot.objects.latest("as_of"), make_saved_snapshot(as_of=AS_OF + dt.timedelta(minutes=1))
    for summary in Summary.objects.filter(snapshot=old).select_related("offering__provider"):
        if summary.offering.provider.slug == "gamma":
            for name, value in changes.items():
                setattr(summary, name, value)
        summary.pk, summary.snapshot = None, new
        summary.save()


def test_no_page_of_the_site_map_draws_in_the_request(client: Client, drawn: list[str]) -> None:
    make_whole_board()
    make_slot(NOW - dt.timedelta(hours=1), done=True)
    make_slot(NOW - dt.timedelta(minutes=1), done=False)
    assert draw_ahead(NOW, seconds=60, done=Memory())
    assert {"history-speed", "hours", "price-history", "gpu-cost", "reliability-0", "freshness"} <= set(drawn)
    drawn.clear()
    Slot.objects.filter(finished_at=None).update(finished_at=dt.datetime.now(dt.UTC))

    for path in PAGES:
        assert client.get(path).status_code == 200, path
        assert drawn == [], path


def test_nothing_new_costs_two_queries(
    drawn: list[str], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_whole_board()
    done = Memory()
    draw_ahead(NOW, seconds=60, done=done)

    with django_assert_num_queries(2):
        assert draw_ahead(NOW, seconds=60, done=done)


def test_pair_whose_row_did_not_change_is_not_looked_at_again(
    drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_whole_board()
    done = Memory()
    draw_ahead(NOW, seconds=60, done=done)
    looked_at: list[str] = []
    monkeypatch.setattr(ahead, "offering_page", lambda public_id, today: looked_at.append(public_id) or [])

    make_next_snapshot(output_speed_tps_p50=120.0)
    drawn.clear()
    draw_ahead(NOW, seconds=60, done=done)

    assert looked_at == ["gamma~gpt-oss-20b"]
    assert {"speed", "tradeoff", "spread-speed", "ratios"} <= set(drawn)
    assert not {"ttft", "catalogue", "spread-ttft", "hours"} & set(drawn)


def test_next_turn_goes_on_where_the_seconds_ended(drawn: list[str]) -> None:
    make_whole_board()
    done = Memory()

    assert not draw_ahead(NOW, seconds=0, done=done)
    assert drawn == []

    assert draw_ahead(NOW, seconds=60, done=done)
    assert ALPHA in done.keys


def test_page_that_cannot_be_drawn_holds_up_no_other(
    drawn: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(slug: str) -> list[Figure]:
        raise ValueError("NaN in a spec")

    make_whole_board()
    monkeypatch.setattr(ahead, "model_page", broken)

    assert draw_ahead(NOW, seconds=60, done=Memory())

    assert "history-speed" in drawn
    assert "The pictures of /models/openai/gpt-oss-20b/ could not be drawn." in caplog.text


def test_picture_is_kept_as_long_as_a_page_shows_it(drawn: list[str]) -> None:
    make_whole_board()
    done = Memory()
    draw_ahead(NOW, seconds=60, done=done)
    shown = set(Rendering.objects.values_list("key", flat=True))
    Rendering.objects.create(key="a view of somebody's", chart="speed", width=760, svg="", spec={})

    make_next_snapshot(output_speed_tps_p50=120.0)
    draw_ahead(NOW + ahead.KEPT_UNSHOWN_FOR * 2, seconds=60, done=done)

    kept = set(Rendering.objects.values_list("key", flat=True))
    assert {key for keys in done.keys.values() for key in keys} <= kept
    assert "a view of somebody's" not in kept
    assert shown - kept  # those with Gamma's old speed


def test_empty_board_draws_nothing(drawn: list[str]) -> None:
    assert draw_ahead(NOW, seconds=60, done=Memory())
    make_saved_snapshot()
    assert draw_ahead(NOW, seconds=60, done=Memory())

    assert drawn == []


def test_task_gives_way_to_the_next_turn() -> None:
    entry = BEAT_SCHEDULE["draw-ahead"]

    assert (entry["task"], entry["schedule"]) == (task.name, 5.0)
    assert (task.soft_time_limit, task.time_limit, task.expires) == (60, 90, 5)
    assert task.acks_late
    assert task.ignore_result
