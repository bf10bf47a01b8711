from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from tests.factories import make_model, make_provider
from tests.ranking.factories import make_saved_snapshot

from .boards import make_row
from .html import Node, read

pytestmark = pytest.mark.django_db


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def make_offers() -> None:
    snapshot = make_saved_snapshot()
    for name, speed, usd in (("quick", 500.0, "10"), ("thrifty", 100.0, "1"), ("silent", 300.0, None)):
        make_row(
            snapshot,
            provider=make_provider(slug=name),
            model=make_model(slug=f"maker/{name}", name=name),
            output_speed_tps_p50=speed,
            ttfat_ms_p50=1000.0,
            input_usd_per_mtok=usd,
            output_usd_per_mtok=usd,
        )


def test_cheapest_that_keeps_the_limit_is_first_and_unknown_prices_are_apart(client: Client) -> None:
    make_offers()

    page = get(client, "/choose/?input=1000&output=1000&requests=1000")
    quick_only = get(client, "/choose/?input=1000&output=1000&requests=1000&limit_ms=5000")

    rows = page.one("table", data_table="choose").all("tr", data_id=None)
    assert [row.cells[:4] for row in rows] == [
        ["1", "thrifty " + rows[0].one("span").text, "2.00", "11,000"],
        ["2", "quick " + rows[1].one("span").text, "20.00", "3,000"],
    ]
    assert [li.attributes["data-unpriced"] for li in page.all("li", data_unpriced=None)] == ["silent~silent"]
    left = quick_only.one("table", data_table="choose").all("tr", data_id=None)
    assert [row.attributes["data-id"] for row in left] == ["quick~quick"]
    assert "1 takes longer than 5,000 ms and is left out" in quick_only.one("main").text


def test_one_model_can_be_asked_for_and_the_form_keeps_it(client: Client) -> None:
    make_offers()

    page = get(client, "/choose/?model=maker/quick&requests=7")

    rows = page.one("table", data_table="choose").all("tr", data_id=None)
    assert [row.attributes["data-id"] for row in rows] == ["quick~quick"]
    form = page.one("form", aria_label="Your requests")
    assert form.one("option", selected=None).text == "quick"
    assert form.one("input", name="requests").attributes["value"] == "7"


def test_nothing_measured_is_a_page(client: Client) -> None:
    assert get(client, "/choose/").one("section", data_empty=None).one("a").text == "clear"


@pytest.mark.parametrize(
    "query", ["input=x", "output=0", "requests=-1", "limit_ms=1e9", "input=10&cached=11"]
)
def test_bad_number_names_its_field(client: Client, query: str) -> None:
    response = client.get(f"/choose/?{query}")

    assert response.status_code == 400
    assert query.rpartition("&")[2].partition("=")[0] in read(response.content).one("main").text


def test_model_page_leads_here_and_its_code_can_be_scrolled_by_keyboard(client: Client) -> None:
    make_offers()

    page = get(client, "/models/maker/quick/")

    assert [a.text for a in page.all("a", href="/choose/?model=maker%2Fquick")] == [
        "Which should I take for my own requests?"
    ]
    blocks = page.all("pre")
    assert [(b.attributes["tabindex"], b.attributes["aria-label"]) for b in blocks] == [
        ("0", "Code for Python"),
        ("0", "Code for R"),
        ("0", "Command for a shell"),
    ]


@pytest.mark.parametrize(
    "query", ["", "?input=1000&output=1000&limit_ms=5000", "?model=maker/quick&requests=7"]
)
def test_files_hold_the_rows_of_the_page_in_its_order(client: Client, query: str) -> None:
    make_offers()

    page = get(client, f"/choose/{query}")
    table = list(csv.DictReader(io.StringIO(client.get(f"/choose.csv{query}").content.decode())))
    answer = client.get(f"/choose.json{query}").json()

    placed = page.one("table", data_table="choose").all("tr", data_id=None)
    unpriced = page.all("li", data_unpriced=None)
    ids = [row.attributes["data-id"] for row in placed] + [li.attributes["data-unpriced"] for li in unpriced]
    assert [row["offering_id"] for row in table] == [row["offering_id"] for row in answer["rows"]] == ids
    assert [row["place"] for row in table if row["place"]] == [row.cells[0] for row in placed]
    costs = [row.all("td")[1].attributes["data-v"] for row in placed]
    assert [row["usd_per_day"] for row in table if row["place"]] == costs
    assert page.one("a", data_csv=None).attributes["href"].partition("?")[0] == "/choose.csv"


def test_file_link_and_form_keep_the_question(client: Client) -> None:
    make_offers()

    page = get(client, "/choose/?blend=input:output=1:1&limit_ms=5000&model=maker/quick&window=72h")

    assert page.one("a", data_csv=None).attributes["href"] == (
        "/choose.csv?blend=input%3Aoutput%3D1%3A1&model=maker%2Fquick&limit_ms=5000"
    )
    window = page.one("nav", aria_label="Window").all("a")[-1].attributes["href"]
    assert window == "/choose/?blend=input%3Aoutput%3D1%3A1&limit_ms=5000&model=maker%2Fquick&window=14d"
    hidden = page.one("form", aria_label="Your requests").all("input", type="hidden")
    assert [field.attributes["name"] for field in hidden] == ["blend"]


def test_bad_need_of_a_file_is_named(client: Client) -> None:
    refusal = client.get("/choose.json?cached=9&input=5")

    assert refusal.status_code == 400
    assert refusal.json()["error"]["parameter"] == "cached"


def test_empty_board_does_not_blame_the_limit(client: Client) -> None:
    page = get(client, "/choose/")

    assert page.one("section", data_empty=None).one("h2").text == "Nothing has been measured here yet"
