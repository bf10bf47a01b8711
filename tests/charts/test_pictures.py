from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.charts.figures.tradeoff import tradeoff
from leaderboard.charts.models import Rendering
from leaderboard.charts.pictures import ORIGIN, Figure, forget_old, pictures, with_origin
from leaderboard.charts.theme import Width

from .points import make_point

pytestmark = pytest.mark.django_db


def make_figure(**fields: Any) -> Figure:
    points = [make_point(href=f"{ORIGIN}/models/a/", **fields)]

    def draw(width: Width) -> dict[str, Any]:
        return tradeoff(points, width=width, noun="models")

    return Figure(chart="tradeoff", label="Trade-off", shows=tuple(points), draw=draw)


def test_picture_is_drawn_once_at_both_widths(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    first = pictures([make_figure()])["tradeoff"]

    with django_assert_num_queries(1):
        again = pictures([make_figure()])["tradeoff"]

    assert again.svgs == first.svgs
    assert sorted(Rendering.objects.values_list("width", flat=True)) == [300, 760]
    assert Rendering.objects.get(width=760).spec["usermeta"]["plotted"] == ["a"]


def test_other_values_are_another_picture() -> None:
    assert make_figure().key == make_figure().key
    assert make_figure().key != make_figure(y=51.0).key


def test_links_get_the_origin_of_the_page() -> None:
    picture = pictures([make_figure()])["tradeoff"]

    assert 'href="http://127.0.0.1:8000/models/a/"' in with_origin(picture.svgs[760], "http://127.0.0.1:8000")


def test_no_figures_cost_no_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert pictures([]) == {}


def test_old_pictures_are_forgotten_unless_a_page_shows_them() -> None:
    pictures([make_figure()])
    shown = make_figure(y=51.0)
    pictures([shown])
    made = Rendering.objects.order_by("made_at").first()
    assert made is not None
    hour = dt.timedelta(hours=1)

    assert forget_old(made.made_at + hour, hour) == 0
    assert forget_old(made.made_at + 2 * hour, hour, still_shown=[shown.key]) == 2
    assert set(Rendering.objects.values_list("key", flat=True)) == {shown.key}


def test_only_the_wide_picture_keeps_its_spec() -> None:
    pictures([make_figure()])

    assert Rendering.objects.get(width=300).spec == {}
