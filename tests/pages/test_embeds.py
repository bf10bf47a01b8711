from __future__ import annotations

import datetime as dt
import json
import struct
from typing import Any

import pytest
from django.test import Client

from leaderboard.charts.cards import card_svg
from leaderboard.pages.views.cards import card_of
from tests.factories import make_model, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot, make_summary

from .boards import make_row, make_three_models
from .html import Node, read

pytestmark = pytest.mark.django_db
FRAMED = "frame-ancestors *"


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def oembed(client: Client, **query: str) -> Any:
    return client.get("/oembed", query)


def policy(response: Any) -> list[str]:
    return [part.strip() for part in response["Content-Security-Policy"].split(";")]


def make_two_days() -> None:
    """The same offering at 300 tokens/s yesterday, 900 today."""
    model, provider = make_model(slug="maker/fast", name="Fast"), make_provider(slug="acme", name="Acme")
    yesterday = make_saved_snapshot(as_of=AS_OF - dt.timedelta(days=1))
    sold = make_row(yesterday, model=model, provider=provider, output_speed_tps_p50=300.0).offering
    today = make_saved_snapshot(as_of=AS_OF)
    make_summary(today, sold, output_speed_tps_p50=900.0)


@pytest.mark.parametrize(
    "place", ["speed", "ttft", "tradeoff", "catalogue", "frontier", "offerings", "models", "providers"]
)
def test_embedded_chart_may_be_framed_by_anyone_and_names_its_source(client: Client, place: str) -> None:
    make_three_models()

    response = client.get(f"/embed/{place}/")

    assert response.status_code == 200
    assert FRAMED in policy(response)
    assert "script-src 'self'" in policy(response)
    assert "X-Frame-Options" not in response
    page = read(response.content)
    assert page.one("figure", **{"data-chart": None}).all("svg")
    assert page.one("figcaption").text.startswith("Provider Leaderboard, as of")
    assert page.all("script") == []


@pytest.mark.parametrize(
    "address", ["/", "/embed/?of=speed", "/embed/nothing/", "/oembed?url=x", "/og/index.png"]
)
def test_nothing_else_may_be_framed(client: Client, address: str) -> None:
    make_three_models()

    response = client.get(address)

    assert response["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in policy(response)


def test_frozen_chart_keeps_its_instant_while_the_live_one_follows(client: Client) -> None:
    make_two_days()
    frozen = f"{AS_OF - dt.timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"

    live, kept = (get(client, address) for address in ("/embed/speed/", f"/embed/speed/?as_of={frozen}"))

    assert live.one("time").attributes["datetime"] == f"{AS_OF:%Y-%m-%dT%H:%M:%SZ}"
    assert kept.one("time").attributes["datetime"] == frozen
    assert "frozen as of" in kept.one("figcaption").text
    assert "900" in live.one("svg").text
    assert "300" in kept.one("svg").text


def test_simulated_chart_says_so(client: Client) -> None:
    make_three_models(simulated=True)

    assert "Simulated" in get(client, "/embed/speed/").one("figcaption").text


def test_code_page_offers_a_live_frame_and_one_of_the_last_finished_day(client: Client) -> None:
    make_two_days()

    codes = [code.text for code in get(client, "/embed/?of=speed&workload=medium").all("code")]

    end_of_day = f"{AS_OF:%Y-%m-%d}T00:00:00Z"
    before = dt.datetime.fromisoformat(end_of_day) - dt.timedelta(seconds=1)
    assert codes[0] == "http://testserver/?workload=medium"
    assert codes[1].startswith(
        '<iframe src="http://testserver/embed/speed/?workload=medium" title="Output speed'
    )
    assert f"as_of={before:%Y-%m-%dT%H}%3A59%3A59Z" in codes[2]
    assert 'loading="lazy"' in codes[1]


def test_code_page_of_a_board_of_one_day_promises_no_frozen_chart(client: Client) -> None:
    make_three_models()

    assert "From tomorrow on" in get(client, "/embed/?of=speed").one("main").text


def test_chart_footers_lead_to_the_code(client: Client) -> None:
    make_three_models()

    links = [a.attributes["href"] for a in get(client, "/").all("a") if a.text == "Link and embed"]

    assert links == [f"/embed/?of={name}" for name in ("speed", "ttft", "tradeoff", "catalogue")]
    for link in links:
        get(client, link)


def test_oembed_answers_rich_with_the_frame_of_the_page(client: Client) -> None:
    make_three_models()

    response = oembed(client, url="http://testserver/frontier/?workload=medium")

    told = response.json()
    assert response["Access-Control-Allow-Origin"] == "*"
    assert (told["version"], told["type"], told["width"]) == ("1.0", "rich", 792)
    frame = read(told["html"].encode()).one("iframe").attributes
    assert frame["src"] == "http://testserver/embed/frontier/?workload=medium"
    assert (frame["width"], frame["height"]) == (str(told["width"]), str(told["height"]))
    assert told["thumbnail_url"] == "http://testserver/og/index.png"


@pytest.mark.parametrize("path", ["/", "/models/maker/fast/", "/providers/", "/embed/speed/"])
def test_oembed_knows_pages_and_embedded_charts(client: Client, path: str) -> None:
    make_three_models()

    told = oembed(client, url=f"http://testserver{path}").json()

    source = read(told["html"].encode()).one("iframe").attributes["src"]
    assert client.get(source.removeprefix("http://testserver")).status_code == 200


@pytest.mark.parametrize(("asked", "given"), [("400", 400), ("150", 150), ("5000", 792)])
def test_oembed_honours_the_largest_width(client: Client, asked: str, given: int) -> None:
    make_three_models()

    told = oembed(client, url="http://testserver/", maxwidth=asked, maxheight="300").json()

    assert told["width"] == given
    assert told["height"] <= 300
    assert "thumbnail_url" not in told


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "http://testserver/", "format": "xml"}, 501),
        ({"url": "x", "format": "xml"}, 501),
        ({}, 400),
        ({"url": "http://testserver/", "maxwidth": "wide"}, 400),
        ({"url": "http://testserver/", "maxwidth": "0"}, 400),
        ({"url": "x"}, 404),
        ({"url": "http://elsewhere.example/"}, 404),
        ({"url": "http://testserver@elsewhere.example/"}, 404),
        ({"url": "javascript://testserver/"}, 404),
        ({"url": "http://[testserver/"}, 404),
        ({"url": "http://testserver/about/"}, 404),
        ({"url": "http://testserver/models/no/such/"}, 404),
        ({"url": "http://testserver/?window=nonsense"}, 404),
    ],
)
def test_oembed_refuses_what_it_cannot_answer(client: Client, query: dict[str, str], status: int) -> None:
    make_three_models()

    response = oembed(client, **query)

    assert response.status_code == status
    assert json.loads(response.content)["error"]["message"]


def test_pages_with_a_chart_tell_their_oembed_answer_and_others_do_not(client: Client) -> None:
    make_three_models()

    link = get(client, "/models/maker/fast/").one("link", type="application/json+oembed").attributes["href"]

    assert client.get(link.removeprefix("http://testserver")).status_code == 200
    assert get(client, "/about/").all("link", type="application/json+oembed") == []


def test_hostile_name_stays_text_in_the_frame_and_in_the_head(client: Client) -> None:
    name = 'x" onload="alert(1)"><script>'
    make_row(
        make_saved_snapshot(), model=make_model(slug="maker/odd", name=name), provider=make_provider(name="A")
    )

    page = get(client, "/models/maker/odd/")
    told = oembed(client, url="http://testserver/models/maker/odd/").json()

    assert page.one("meta", property="og:title").attributes["content"].startswith(name)
    frame = read(told["html"].encode()).one("iframe").attributes
    assert frame["title"].startswith(name)
    assert "onload" not in frame


@pytest.mark.parametrize(
    ("path", "picture"),
    [
        ("/", "/og/index.png"),
        ("/about/", "/og/index.png"),
        ("/models/maker/fast/", "/og/models/maker/fast.png"),
        ("/providers/acme/", "/og/providers/acme.png"),
        ("/offerings/acme~fast/", "/og/offerings/acme~fast.png"),
    ],
)
def test_page_names_its_share_picture_of_1200_by_630_under_300_kb(
    client: Client, path: str, picture: str
) -> None:
    make_three_models()

    page = get(client, path)
    response = client.get(picture)

    assert page.one("meta", property="og:image").attributes["content"] == f"http://testserver{picture}"
    assert page.one("meta", property="og:title").attributes["content"] == page.one("title").text
    assert page.one("meta", property="og:image:alt").attributes["content"]
    assert response["Content-Type"] == "image/png"
    assert struct.unpack(">II", response.content[16:24]) == (1200, 630)
    assert 5_000 < len(response.content) < 300_000
    assert client.get(picture, headers={"If-None-Match": response["ETag"]}).status_code == 304


def test_share_picture_says_the_figures_and_their_instant() -> None:
    make_three_models(simulated=True)
    card = card_of("models/maker/fast")

    assert card is not None
    svg = card_svg(card)
    assert [figure.shown for figure in card.figures][:2] == ["900", "400"]
    assert card.foot.startswith(f"As of {AS_OF.day} {AS_OF:%b %Y, %H:%M} UTC")
    assert "simulated figures" in svg
    assert card.foot in svg


@pytest.mark.parametrize("place", ["models/no/such", "providers/no", "offerings/no", "nothing", "models"])
def test_no_share_picture_of_what_is_not_there(client: Client, place: str) -> None:
    assert client.get(f"/og/{place}.png").status_code == 404


def test_empty_board_has_a_share_picture_and_no_embedded_chart(client: Client) -> None:
    assert client.get("/og/index.png").status_code == 200
    assert client.get("/embed/speed/").status_code == 404
