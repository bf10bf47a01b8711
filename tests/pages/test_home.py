from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.ranking.models import Summary
from tests.factories import make_offering, make_price, make_provider
from tests.ranking.factories import make_saved_snapshot

from .boards import AS_OF, make_row, make_three_models
from .html import Node, read

pytestmark = pytest.mark.django_db


def home(client: Client, query: str = "") -> Node:
    response = client.get(f"/{query}")
    assert response.status_code == 200
    return read(response.content)


def test_tiles_say_number_unit_who_and_one_link(client: Client) -> None:
    make_three_models()

    page = home(client)

    tiles = {t.attributes["data-tile"]: t for t in page.all("li", data_tile=None)}
    assert {name: (t.attributes["data-value"], t.attributes["data-unit"]) for name, t in tiles.items()} == {
        "providers": ("1", "provider"),
        "offerings": ("3", "offerings"),
        "fastest": ("900", "tokens/s"),
        "soonest": ("100", "ms"),
    }
    assert [len(t.all("a")) for t in tiles.values()] == [1, 1, 1, 1]
    assert tiles["fastest"].one("a").text == "Fast, Acme"
    assert tiles["soonest"].one("a").attributes["href"] == "/offerings/acme~soon/"


def test_four_charts_with_points_that_say_what_the_table_says(client: Client) -> None:
    make_three_models()

    page = home(client)

    figures = {f.attributes["data-chart"]: f for f in page.all("figure", data_chart=None)}
    assert list(figures) == ["speed", "ttft", "tradeoff", "catalogue"]
    wide = figures["tradeoff"].one("div", class_="wide")
    assert [p.attributes["aria-label"] for p in wide.all("path", aria_roledescription="point")] == [
        "Beaten, 200 tokens/s, 500 ms",
        "Soon, 300 tokens/s, 100 ms, on the frontier",
        "Fast, 900 tokens/s, 400 ms, on the frontier",
    ]
    assert all(
        f.one("svg", role="group").has(aria_label=None, aria_describedby=None) for f in figures.values()
    )
    assert all(f.one("a", data_csv=None).attributes["href"].count(".csv") for f in figures.values())
    assert [a.attributes["href"] for a in wide.all("a")][-1] == "http://testserver/models/maker/fast/"


def test_ids_are_unique_although_eight_pictures_stand_on_the_page(client: Client) -> None:
    make_three_models()

    ids = [node.attributes["id"] for node in home(client).all(id=None)]

    assert len(ids) == len(set(ids))


def test_table_rows_carry_ids_and_exact_values(client: Client) -> None:
    make_three_models()
    Summary.objects.filter(offering__public_id="acme~fast").update(output_speed_tps_p50=900.123456)

    table = home(client).one("table", data_table="models")

    rows = {
        r.attributes["data-id"]: [c.attributes.get("data-v") for c in r.all("td")]
        for r in table.all("tr", data_id=None)
    }
    assert rows["maker/fast"] == [None, "900.1235", "400", "24", "true"]
    assert rows["maker/beaten"][-1] == "false"
    assert table.all("tr")[-1].cells == ["Beaten", "open", "200", "500", "24", "beaten by maker/fast"]


def test_frontier_sentence_is_made_from_the_rows(client: Client) -> None:
    make_three_models()

    assert (
        "Two of 3 models are on the frontier: nothing measured is at least as soon and as fast, and better "
        "at one of them."
    ) in home(client).text


def test_simulated_rows_say_so_everywhere(client: Client) -> None:
    make_three_models(simulated=True)

    page = home(client)

    assert page.one("div", class_="notice simulated").text.startswith("Simulated.")
    assert [h.text for h in page.all("h2")][:4] == [
        "Output speed Simulated medium prompts, local",
        "Time to first token Simulated medium prompts, local",
        "Fast to start, or fast to finish Simulated medium prompts, local",
        "Who carries what Simulated medium prompts, local",
    ]
    assert all("simulated" in p.text for p in page.all("p", class_="caption"))
    assert all(s.attributes["aria-label"].endswith("(simulated)") for s in page.all("svg", role="group"))


def test_one_measured_row_sends_the_simulated_ones_away(client: Client) -> None:
    snapshot = make_three_models(simulated=True)
    make_row(snapshot, output_speed_tps_p50=10.0, ttft_ms_p50=900.0)

    page = home(client)

    assert "Simulated" not in page.text
    assert page.one("li", data_tile="offerings").attributes["data-value"] == "1"


def test_nothing_ranked_yet_is_said_and_drawn_hollow(client: Client) -> None:
    make_three_models(standing="provisional", samples_ok=3)

    page = home(client)

    assert "Nothing is ranked yet." in page.text
    assert "on the provisional frontier" in page.text
    wide = page.one("figure", data_chart="tradeoff").one("div", class_="wide")
    assert {p.attributes["fill"] for p in wide.all("path", aria_roledescription="point")} == {"none"}
    assert page.one("li", data_tile="fastest").attributes["data-value"] == "900"


def test_stale_rows_are_off_tiles_frontier_and_bars(client: Client) -> None:
    make_three_models()
    Summary.objects.filter(offering__public_id="acme~fast").update(
        freshness="stale", frontier_speed_ttft=False
    )

    page = home(client)

    assert page.one("li", data_tile="fastest").attributes["data-value"] == "300"
    assert "Fast, 900" not in str([p.attributes for p in page.all("path", aria_roledescription="point")])


def test_workload_is_chosen_in_the_address(client: Client) -> None:
    snapshot = make_three_models()
    make_row(snapshot, workload="long", output_speed_tps_p50=50.0, ttft_ms_p50=3000.0)

    page = home(client, "?workload=long")

    assert page.one("li", data_tile="fastest").attributes["data-value"] == "50"
    lens = page.one("details", class_="lens")
    assert lens.one("summary").text.startswith("Long prompts from local, last 72 hours, after first token")
    assert lens.one("nav", aria_label="What is measured").one("a", aria_current="true").text == "Long"
    assert page.one("title").text.endswith(", long prompts")


def test_first_day_shows_who_is_registered_and_their_list_prices(client: Client) -> None:
    provider = make_provider(slug="acme", name="Acme")
    make_price(make_offering(provider=provider), input_usd_per_mtok="0", output_usd_per_mtok=None)
    make_provider(slug="lab", name="Lab", simulated=True)

    page = home(client)

    (row,) = page.one("table", data_table="registered").all("tr", data_id=None)
    assert row.cells == ["Acme", "host", "1", "free", "–"]
    assert [c.attributes.get("data-v") for c in row.all("td")] == [None, "1", "0", ""]
    assert "Nothing has been measured yet" in page.text


def test_page_says_when_by_what_method_and_under_what_licence(client: Client) -> None:
    make_three_models()

    foot = home(client).one("footer")

    assert foot.one("p", class_="facts").text == (
        "As of 15 Jul 2026, 12:00 UTC Method 1.0.0 CC BY 4.0 Changes feed Report a wrong number"
    )
    assert foot.one("time").attributes["datetime"] == "2026-07-15T12:00:00Z"


def test_our_own_silence_is_said(client: Client) -> None:
    make_three_models(last_sample_at=AS_OF - dt.timedelta(days=400))

    assert "Our probes are late." in home(client).text


def test_header_has_five_links_and_a_search(client: Client) -> None:
    header = home(client).one("header")

    assert [a.text for a in header.one("nav").all("a")] == [
        "Models",
        "Providers",
        "Self-hosted",
        "Data",
        "Methodology",
    ]
    assert header.one("form", role="search").attributes["action"] == "/search"
    assert header.one("input", name="q").attributes["type"] == "search"


def test_page_has_no_inline_style_or_script(client: Client) -> None:
    make_three_models()

    page = home(client)

    assert page.all(style=None) == []
    assert page.all("style") == []
    assert [s.text for s in page.all("script")] == [""]


@pytest.mark.parametrize("rows", [3, 30])
def test_queries_do_not_grow_with_rows(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, rows: int
) -> None:
    snapshot = make_saved_snapshot()
    for i in range(rows):
        make_row(snapshot, output_speed_tps_p50=10.0 + i, ttft_ms_p50=100.0 + i)
    client.get("/")

    from leaderboard.ranking.queries import rows_of_snapshot

    rows_of_snapshot.cache_clear()
    with django_assert_num_queries(5):
        client.get("/")


def test_bad_query_names_the_parameter_and_what_is_allowed(client: Client) -> None:
    response = client.get("/?window=99h")

    assert response.status_code == 400
    text = read(response.content).text
    assert "window cannot be “99h”." in text
    assert "Allowed:" in text


@pytest.mark.parametrize(("ending", "kind"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_chart_is_a_file_with_its_imprint(client: Client, ending: str, kind: bytes) -> None:
    make_three_models()

    response = client.get(f"/charts/tradeoff.{ending}")

    assert response.status_code == 200
    assert response.content.startswith(kind)
    if ending == "svg":
        assert (
            "Provider Leaderboard, as of 15 Jul 2026, 12:00 UTC, method 1.0.0, CC BY 4.0"
            in response.content.decode()
        )


def test_unknown_chart_and_page_have_a_way_home(client: Client) -> None:
    make_three_models()

    for address in ("/charts/nope.svg", "/nothing-here/"):
        response = client.get(address)
        assert response.status_code == 404
        assert '<a href="/">home</a>' in response.content.decode()


def test_hostile_names_stay_text(client: Client, settings: Settings) -> None:
    snapshot = make_saved_snapshot()
    provider = make_provider(name="</script><script>alert(1)</script>")
    make_row(snapshot, provider=provider, output_speed_tps_p50=10.0, ttft_ms_p50=100.0)

    assert "<script>alert" not in client.get("/").content.decode()


def test_after_a_long_silence_the_last_good_sample_is_named_and_the_way_back_to_it(client: Client) -> None:
    make_saved_snapshot()
    make_offering(last_ok_at=AS_OF)

    page = home(client)

    assert "Nothing was measured in the last 72 hours" in page.text
    assert "The newest good sample is from 15 Jul 2026, 12:00 UTC" in page.text
    assert page.one("section", data_empty=None).one("a").attributes["href"] == "/?window=14d"
