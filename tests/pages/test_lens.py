from __future__ import annotations

import csv
import io
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest
from django.test import Client

from leaderboard.ranking.queries import rows_at_blend
from tests.factories import make_model, make_provider
from tests.ranking.factories import make_saved_snapshot

from .boards import make_row
from .html import Node, read

pytestmark = pytest.mark.django_db
CACHED = quote("cache_read:input:output=7:2:1")


@pytest.fixture(autouse=True)
def priced_anew() -> None:
    rows_at_blend.cache_clear()


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def make_turning() -> None:
    """Fast but late, and slow but soon: a 500-token answer turns their order, and 1:1 that of their prices."""
    snapshot = make_saved_snapshot()
    for name, speed, whole, read_usd, write_usd, blended in (
        ("fast", 900.0, 5000.0, "1", "9", "3"),
        ("soon", 100.0, 2000.0, "4", "4", "4"),
    ):
        make_row(
            snapshot,
            provider=make_provider(slug=name),
            model=make_model(slug=f"maker/{name}", name=name),
            output_speed_tps_p50=speed,
            ttft_ms_p50=100.0,
            end_to_end_ms_p50=whole,
            response_time_500_ms_p50=whole,
            input_usd_per_mtok=read_usd,
            output_usd_per_mtok=write_usd,
            blended_usd_per_mtok=blended,
        )


def column(page: Node, head: str, table: str) -> dict[str, str]:
    found = page.one("table", data_table=table)
    at = [th.text for th in found.one("thead").all("th")].index(head)
    return {row.attributes["data-id"]: row.cells[at] for row in found.all("tr", data_id=None)}


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    assert response.status_code == 200, address
    body = b"".join(response) if response.streaming else response.content
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


def test_offerings_show_the_chosen_measure_and_how_places_move(client: Client) -> None:
    make_turning()

    page = get(client, "/offerings/?display=response_time_500&sort=response_time_500_ms_p50")

    assert column(page, "500-token answer↑ ms", "leaderboard") == {"soon~soon": "2,000", "fast~fast": "5,000"}
    assert column(page, "Moves places", "leaderboard") == {"soon~soon": "↑ 1", "fast~fast": "↓ 1"}
    switch = page.one("nav", aria_label="What fast means")
    assert [a.text for a in switch.all("a", aria_current="true")] == ["500-token answer"]


def test_home_draws_and_lists_the_chosen_measure(client: Client) -> None:
    make_turning()

    page = get(client, "/?display=end_to_end")

    assert column(page, "End to end ms", "speed") == {"maker/soon": "2,000", "maker/fast": "5,000"}
    assert column(page, "Moves places", "speed") == {"maker/soon": "↑ 1", "maker/fast": "↓ 1"}
    spoken = [
        node.attributes["aria-label"] for node in page.one("figure", data_chart="speed").all(aria_label=None)
    ]
    assert any("soon" in text and "2000 ms" in text for text in spoken), spoken


def test_default_pages_carry_no_movement(client: Client) -> None:
    make_turning()

    heads = [th.text for th in get(client, "/offerings/").one("thead").all("th")]

    assert "Moves places" not in heads


@pytest.mark.parametrize("place", ["/offerings", "/frontier"])
def test_page_and_file_have_the_price_of_the_mix(client: Client, place: str) -> None:
    make_turning()
    query = f"blend={quote('input:output=1:1')}"

    page = column(get(client, f"{place}/?{query}"), "Blended USD per 1M, 1:1", "leaderboard")
    file = rows_of(client, f"{place}.csv?{query}")

    assert page == {"fast~fast": "5.00", "soon~soon": "4.00"}
    assert [(r["offering_id"], r["blended_usd_per_mtok"], r["blend"], r["rank_price"]) for r in file] == [
        ("fast~fast", "5", "input:output=1:1", "2"),
        ("soon~soon", "4", "input:output=1:1", "1"),
    ]


def test_home_prices_providers_at_the_mix_and_links_its_file(client: Client) -> None:
    make_turning()

    page = get(client, f"/?blend={quote('input:output=1:1')}")

    assert column(page, "Blended price USD per 1M, 1:1", "providers") == {"fast": "5.00", "soon": "4.00"}
    link = page.one("figure", data_chart="speed").one("a", data_csv=None).attributes["href"]
    assert link == "/leaderboard.csv?sort=-output_speed_tps_p50&blend=input%3Aoutput%3D1%3A1"


def test_mix_with_cache_says_where_the_input_price_stands_in(client: Client) -> None:
    make_turning()

    page = get(client, f"/offerings/?blend={CACHED}")

    note = page.one("p", role="note").text
    assert note.startswith("2 of 2 rows have no published price for cached input")


@pytest.mark.parametrize("path", ["/", "/offerings/", "/models/", "/frontier/"])
def test_bad_mix_is_refused_with_the_form(client: Client, path: str) -> None:
    make_turning()

    response = client.get(f"{path}?blend=3:1")

    assert response.status_code == 400
    assert "input:output=3:1" in read(response.content).one("main").text


def test_own_mix_keeps_the_rest_of_the_view(client: Client) -> None:
    make_turning()

    form = get(client, "/offerings/?weights=open&sort=ttft_ms_p50").one(
        "form", aria_label="Own mix of the blended price"
    )

    hidden = {i.attributes["name"]: i.attributes["value"] for i in form.all("input", type="hidden")}
    assert hidden == {"weights": "open", "sort": "ttft_ms_p50"}


PAGES_WITH_A_LENS = (
    "/",
    "/offerings/",
    "/models/",
    "/providers/",
    "/frontier/",
    "/compare/?o=fast~fast&o=soon~soon",
    "/choose/",
    "/models/maker/fast/",
    "/providers/fast/",
    "/offerings/fast~fast/",
)
SWITCHES = ("What is measured", "Where from", "Window", "What fast means", "Mix of the blended price")


@pytest.mark.parametrize("address", PAGES_WITH_A_LENS)
def test_every_link_of_every_switch_keeps_the_rest_of_the_view(client: Client, address: str) -> None:
    make_turning()
    asked = {"blend": "input:output=1:1", "display": "end_to_end", "window": "72h", "workload": "medium"}

    page = get(client, f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}")

    said = {name: value for name, value in asked.items() if name != "window"}
    for label, own in zip(
        SWITCHES, ("workload", "probe_location", "window", "display", "blend"), strict=True
    ):
        links = page.one("nav", aria_label=label).all("a")
        assert links
        for link in links:
            query = dict(parse_qsl(urlsplit(link.attributes["href"]).query))
            assert {n: v for n, v in said.items() if n != own}.items() <= query.items(), link.attributes[
                "href"
            ]


@pytest.mark.parametrize("address", ["/models/", "/providers/"])
def test_lists_show_and_sort_by_the_chosen_measure(client: Client, address: str) -> None:
    make_turning()
    table = address.strip("/")

    page = get(client, f"{address}?display=end_to_end&sort=end_to_end_ms_p50")

    shown = column(page, "End to end↑ ms", table)
    assert list(shown.values()) == ["2,000", "5,000"]


def test_clearing_the_filters_keeps_how_the_rows_are_looked_at(client: Client) -> None:
    make_turning()

    page = get(client, "/offerings/?blend=input:output=1:1&display=end_to_end&q=nobody")

    cleared = page.one("form", data_filters=None).one("p", class_="apply").one("a").attributes["href"]
    assert cleared == "/offerings/?blend=input%3Aoutput%3D1%3A1&display=end_to_end"
