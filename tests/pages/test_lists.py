from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.ranking.filters import PAGE_SIZE
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import rows_of_snapshot
from tests.factories import make_model, make_provider
from tests.ranking.factories import make_saved_snapshot

from .boards import make_row, make_three_models
from .html import Node, read

pytestmark = pytest.mark.django_db


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def ids(page: Node, table: str = "leaderboard") -> list[str]:
    return [row.attributes["data-id"] for row in page.one("table", data_table=table).all("tr", data_id=None)]


def csv_ids(client: Client, address: str, column: str = "offering_id") -> list[str]:
    import csv
    import io

    response = client.get(address)
    body = b"".join(response) if response.streaming else response.content
    return [row[column] for row in csv.DictReader(io.StringIO(body.decode(), newline=""))]


def make_mixed() -> Snapshot:
    snapshot = make_saved_snapshot()
    for name, speed, price in (("a", 10.0, "1"), ("b", 300.0, "0"), ("c", 20.0, None), ("d", None, "2")):
        make_row(
            snapshot,
            provider=make_provider(slug=f"p{name}", name=f"Provider {name}"),
            model=make_model(
                slug=f"maker/{name}", name=name, weights="open" if name != "c" else "proprietary"
            ),
            output_speed_tps_p50=speed,
            ttft_ms_p50=100.0,
            blended_usd_per_mtok=price,
        )
    return snapshot


def test_offerings_start_with_the_fastest(client: Client) -> None:
    make_mixed()

    page = get(client, "/offerings/")

    assert ids(page) == ["pb~b", "pc~c", "pa~a", "pd~d"]
    head = page.one("th", aria_sort="descending")
    assert head.text == "Speed↓ tokens/s"
    assert head.one("a").attributes["href"] == "/offerings/?sort=output_speed_tps_p50"


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("output_speed_tps_p50", ["pa~a", "pc~c", "pb~b", "pd~d"]),
        ("-output_speed_tps_p50", ["pb~b", "pc~c", "pa~a", "pd~d"]),
        ("blended_usd_per_mtok", ["pb~b", "pa~a", "pd~d", "pc~c"]),
        ("-blended_usd_per_mtok", ["pd~d", "pa~a", "pb~b", "pc~c"]),
    ],
)
def test_sort_is_numeric_with_missing_last_both_ways(client: Client, sort: str, order: list[str]) -> None:
    make_mixed()

    page = get(client, f"/offerings/?sort={sort}")

    assert ids(page) == order
    assert csv_ids(client, f"/offerings.csv?sort={sort}") == order


def test_unknown_free_and_paid_look_different(client: Client) -> None:
    make_mixed()

    table = get(client, "/offerings/").one("table", data_table="leaderboard")

    column = [th.text for th in table.one("thead").all("th")].index("Blended USD per 1M, 3:1")
    cells = {
        r.attributes["data-id"]: [c for c in r.children if isinstance(c, Node)][column]
        for r in table.all("tr", data_id=None)
    }
    assert {k: (c.text, c.attributes["data-v"]) for k, c in cells.items()} == {
        "pa~a": ("1.00", "1"),
        "pb~b": ("free", "0"),
        "pc~c": ("–", ""),
        "pd~d": ("2.00", "2"),
    }


def test_filters_show_counts_chips_and_their_file(client: Client) -> None:
    make_mixed()

    page = get(client, "/offerings/?weights=open&price_max=1.5")

    assert ids(page) == ["pb~b", "pa~a"]
    form = page.one("form", data_filters=None)
    checked = [box.attributes["value"] for box in form.all("input", type="checkbox", checked=None)]
    assert checked == ["open"]
    chips = page.one("ul", class_="chips").all("a")
    assert [chip.text for chip in chips] == ["weights: open ×", "price max: 1.5 ×", "Clear all"]
    assert chips[0].attributes["href"] == "/offerings/?price_max=1.5"
    link = page.one("a", data_csv=None).attributes["href"]
    assert link == "/offerings.csv?price_max=1.5&weights=open"
    assert sorted(csv_ids(client, link)) == ["pa~a", "pb~b"]


def test_points_are_the_rows(client: Client) -> None:
    make_mixed()

    page = get(client, "/offerings/?weights=open")

    wide = page.one("figure", data_chart="tradeoff").one("div", class_="wide")
    assert [p.attributes["aria-label"] for p in wide.all("path", aria_roledescription="point")] == [
        "a, Provider a, 10 tokens/s, 100 ms",
        "b, Provider b, 300 tokens/s, 100 ms, on the frontier",
    ]


def test_highlighted_points_keep_colour_and_label(client: Client) -> None:
    make_mixed()

    wide = get(client, "/offerings/?hl=pa~a").one("figure", data_chart="tradeoff").one("div", class_="wide")

    fills = {
        p.attributes["aria-label"][0]: p.attributes["fill"]
        for p in wide.all("path", aria_roledescription="point")
    }
    assert fills == {"a": "#0072B2", "b": "#7c828c", "c": "#7c828c"}
    assert "a, Provider a" in [t.text for t in wide.all("text")]


@pytest.mark.parametrize("address", ["/offerings/?q=nothing", "/models/?q=nothing", "/providers/?q=nothing"])
def test_no_match_names_the_filter_and_the_way_out(client: Client, address: str) -> None:
    make_mixed()

    page = get(client, address)

    empty = page.one(data_empty=None)
    assert "q nothing" in empty.text
    assert empty.one("a").attributes["href"] == address.partition("?")[0]
    assert csv_ids(client, empty.one("a", data_csv=None).attributes["href"]) == []


def test_pages_hold_200_rows_and_the_file_all(client: Client) -> None:
    snapshot = make_saved_snapshot()
    provider = make_provider(slug="pp")
    for i in range(PAGE_SIZE + 5):
        make_row(
            snapshot, provider=provider, model=make_model(slug=f"maker/m{i}"), output_speed_tps_p50=1000.0 - i
        )

    first, second = get(client, "/offerings/"), get(client, "/offerings/?page=2")

    assert (len(ids(first)), len(ids(second))) == (200, 5)
    assert first.one("a", rel="next").attributes["href"] == "/offerings/?page=2"
    assert second.one("a", rel="prev").attributes["href"] == "/offerings/"
    assert len(csv_ids(client, first.one("a", data_csv=None).attributes["href"])) == 205


@pytest.mark.parametrize(("table", "column"), [("models", "model_id"), ("providers", "provider_id")])
def test_lists_hold_what_is_registered_measured_or_not(client: Client, table: str, column: str) -> None:
    make_three_models()
    make_model(slug="maker/unmeasured", name="Unmeasured")
    make_provider(slug="unmeasured", name="Unmeasured")

    page = get(client, f"/{table}/")

    assert sorted(ids(page, table)) == sorted(csv_ids(client, f"/{table}.csv", column))
    assert "unmeasured" in ids(page, table)[-1]


def test_models_are_sorted_by_what_was_measured(client: Client) -> None:
    make_three_models()

    assert ids(get(client, "/models/"), "models") == ["maker/fast", "maker/soon", "maker/beaten"]
    assert ids(get(client, "/models/?sort=ttft_ms_p50"), "models") == [
        "maker/soon",
        "maker/fast",
        "maker/beaten",
    ]
    assert ids(get(client, "/models/?sort=-name"), "models") == ["maker/soon", "maker/fast", "maker/beaten"]


def test_simulated_rows_are_marked_in_the_table(client: Client) -> None:
    snapshot = make_three_models()
    make_row(
        snapshot,
        provider=make_provider(slug="lab", simulated=True),
        output_speed_tps_p50=5000.0,
        ttft_ms_p50=10.0,
    )

    page = get(client, "/offerings/")

    rows = page.one("table", data_table="leaderboard").all("tr", data_id=None)
    assert [(r.attributes["data-id"][:3], r.cells[-1]) for r in rows] == [
        ("lab", "simulated"),
        ("acm", "no"),
        ("acm", "no"),
        ("acm", "no"),
    ]
    points = page.one("figure").one("div", class_="wide").all("path", aria_roledescription="point")
    assert len(points) == 3


@pytest.mark.parametrize(("address", "most"), [("/offerings/", 5), ("/models/", 5), ("/providers/", 5)])
def test_queries_do_not_grow_with_rows(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, address: str, most: int
) -> None:
    snapshot = make_saved_snapshot()
    for i in range(30):
        make_row(snapshot, output_speed_tps_p50=10.0 + i, ttft_ms_p50=100.0 + i)
    client.get(address)

    rows_of_snapshot.cache_clear()
    with django_assert_max_num_queries(most):
        client.get(address)


BAD = (
    "window=99h",
    "price_min=x",
    "page=0",
    "success_min=2",
    "sort=nope",
    "as_of=yesterday",
    "weights=wood",
    "yscale=cube",
)


@pytest.mark.parametrize("query", BAD)
@pytest.mark.parametrize("path", ["/", "/offerings/", "/models/", "/providers/"])
def test_bad_query_is_a_page_and_never_a_crash(client: Client, path: str, query: str) -> None:
    make_three_models()

    response = client.get(f"{path}?{query}")

    assert response.status_code == 400
    assert query.partition("=")[0] in read(response.content).one("main").text


@pytest.mark.parametrize("path", ["/", "/offerings/", "/models/", "/providers/"])
def test_unknown_names_are_ignored_and_kept_out_of_the_canonical_link(client: Client, path: str) -> None:
    make_three_models()

    page = get(client, f"{path}?utm_source=x&v=1")

    assert page.one("link", rel="canonical").attributes["href"] == f"http://testserver{path}"


@pytest.mark.parametrize("address", ["/offerings.svg", "/models.svg", "/providers.svg"])
def test_lists_have_pictures(client: Client, address: str) -> None:
    make_three_models()

    response = client.get(address)

    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
