"""The files of the pages: rows, headers, conditional requests, refusals."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from leaderboard.exports.columns import LEADERBOARD, MODELS, PROVIDERS
from leaderboard.ranking.models import Snapshot, Summary
from tests.exports.rows import make_snapshot, make_summary
from tests.factories import make_model, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def board() -> None:
    """Two offerings of one model, measured; a third of another model, listed only."""
    alfa, bravo = make_provider(slug="alfa", name="=Alfa"), make_provider(slug="bravo", name="Bravo")
    qwen = make_model(slug="qwen/qwen3-0.6b", name="Qwen3 0.6B", creator="Qwen", weights="open")
    closed = make_model(slug="maker/closed", name="Closed", weights="proprietary")
    first = make_offering(public_id="alfa~qwen3-0.6b", provider=alfa, model=qwen)
    second = make_offering(public_id="bravo~qwen3-0.6b", provider=bravo, model=qwen)
    make_offering(public_id="bravo~closed", provider=bravo, model=closed)
    snapshot = make_snapshot()
    make_summary(
        snapshot,
        first,
        output_speed_tps_p50=530.12345,
        ttft_ms_p50=204.9996,
        input_usd_per_mtok=Decimal("0.1575"),
        success_rate=2 / 3,
        rank_speed=1,
        frontier_speed_ttft=True,
    )
    make_summary(snapshot, second, output_speed_tps_p50=120.0, dominated_by="alfa~qwen3-0.6b", rank_speed=2)


def read_csv(client: Client, path: str) -> list[dict[str, str]]:
    response = client.get(path)
    assert response.status_code == 200, response.content
    body = b"".join(response) if response.streaming else response.content
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


def read_json(client: Client, path: str) -> Any:
    response = client.get(path)
    assert response.status_code == 200, response.content
    return json.loads(b"".join(response) if response.streaming else response.content)


@pytest.mark.usefixtures("board")
def test_leaderboard_csv_holds_every_row_with_published_roundings(client: Client) -> None:
    first, second = read_csv(client, "/leaderboard.csv")

    assert list(first) == list(LEADERBOARD.column_names)
    assert first["provider_name"] == "'=Alfa"
    assert first["output_speed_tps_p50"] == "530.1234"
    assert first["ttft_ms_p50"] == "205"
    assert first["input_usd_per_mtok"] == "0.1575"
    assert first["success_rate"] == "0.666667"
    assert first["output_usd_per_mtok"] == ""
    assert first["frontier_speed_ttft"] == "true"
    assert first["as_of"] == "2026-07-15T12:00:00Z"
    assert second["dominated_by"] == "alfa~qwen3-0.6b"


@pytest.mark.usefixtures("board")
def test_json_has_the_same_values_in_the_same_order(client: Client) -> None:
    table = read_csv(client, "/leaderboard.csv")
    document = read_json(client, "/leaderboard.json")

    assert document["as_of"] == "2026-07-15T12:00:00Z"
    assert [list(row) for row in document["rows"]] == [list(row) for row in table]
    for row, cells in zip(document["rows"], table, strict=True):
        for name, value in row.items():
            cell = cells[name].removeprefix("'")
            assert cell == ("" if value is None else value if isinstance(value, str) else json.dumps(value))


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize(
    ("path", "offerings"),
    [
        ("/offerings.csv", ["alfa~qwen3-0.6b", "bravo~qwen3-0.6b"]),
        ("/frontier.csv?x=ttft_ms_p50&y=output_speed_tps_p50", ["alfa~qwen3-0.6b", "bravo~qwen3-0.6b"]),
        ("/offerings.csv?provider=bravo&page=7&utm_source=x", ["bravo~qwen3-0.6b"]),
        ("/offerings.csv?provider=bravo&full=1", ["alfa~qwen3-0.6b", "bravo~qwen3-0.6b"]),
        ("/offerings.csv?sort=output_speed_tps_p50", ["bravo~qwen3-0.6b", "alfa~qwen3-0.6b"]),
        ("/offerings.csv?q=nothing+like+it", []),
        ("/compare.csv?o=bravo~qwen3-0.6b", ["bravo~qwen3-0.6b"]),
        ("/compare.csv", []),
        ("/models/qwen/qwen3-0.6b.csv", ["alfa~qwen3-0.6b", "bravo~qwen3-0.6b"]),
        ("/models/maker/closed.csv", []),
        ("/providers/alfa.csv", ["alfa~qwen3-0.6b"]),
    ],
)
def test_each_view_gives_its_own_rows(client: Client, path: str, offerings: list[str]) -> None:
    assert [row["offering_id"] for row in read_csv(client, path)] == offerings


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("/models.csv", ["maker/closed", "qwen/qwen3-0.6b"]),
        ("/models.csv?weights=open", ["qwen/qwen3-0.6b"]),
        ("/models.csv?provider=alfa", ["qwen/qwen3-0.6b"]),
        ("/models.csv?q=closed", ["maker/closed"]),
        ("/models.csv?workload=medium", ["qwen/qwen3-0.6b"]),
        ("/models.csv?sort=-model_id", ["qwen/qwen3-0.6b", "maker/closed"]),
        ("/providers.csv", ["alfa", "bravo"]),
        ("/providers.csv?model=maker/closed", ["bravo"]),
        ("/providers.csv?sort=-models_served", ["bravo", "alfa"]),
    ],
)
def test_lists_of_the_catalogue_give_its_rows(client: Client, path: str, ids: list[str]) -> None:
    rows = read_csv(client, path)

    table = MODELS if "models" in path.split("?", maxsplit=1)[0] else PROVIDERS
    assert [row[table.key[0]] for row in rows] == ids
    assert all(list(row) == list(table.column_names) for row in rows)


@pytest.mark.usefixtures("board")
def test_a_pages_file_has_the_order_of_the_page_and_the_rows_that_stand_together(client: Client) -> None:
    snapshot = Snapshot.objects.get()
    fast = make_offering(public_id="zulu~fast")
    make_summary(snapshot, fast, output_speed_tps_p50=900.0, samples_ok=9, samples_total=9)
    make_summary(snapshot, fast, workload="short", output_speed_tps_p50=5.0, samples_ok=9, samples_total=9)
    Summary.objects.update(samples_total=9)

    listed = [(r["offering_id"], r["workload"]) for r in read_csv(client, "/offerings.csv")]
    together = [r["offering_id"] for r in read_csv(client, "/frontier.csv")]
    everything = read_csv(client, "/frontier.csv?full=1")

    assert listed == [
        ("zulu~fast", "medium"),
        ("alfa~qwen3-0.6b", "medium"),
        ("bravo~qwen3-0.6b", "medium"),
        ("zulu~fast", "short"),
    ]
    assert together == ["zulu~fast", "alfa~qwen3-0.6b", "bravo~qwen3-0.6b"]
    assert len(everything) == 4
    assert len(read_csv(client, "/compare.csv?o=zulu~fast")) == 1


def test_an_empty_board_gives_headers_only(client: Client) -> None:
    assert client.get("/leaderboard.csv").content.decode() == ",".join(LEADERBOARD.column_names) + "\r\n"
    assert read_json(client, "/leaderboard.json")["rows"] == []


@pytest.mark.usefixtures("board")
def test_headers_say_type_name_freshness_and_licence(client: Client) -> None:
    response = client.get("/offerings.csv?weights=open&provider=alfa")

    assert response["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert response["Content-Disposition"] == 'attachment; filename="offerings-2026-07-15T12Z-alfa-open.csv"'
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Cache-Control"] == "public, max-age=60, stale-while-revalidate=300"
    assert response["Last-Modified"] == "Wed, 15 Jul 2026 12:00:00 GMT"
    assert response["X-Robots-Tag"] == "noindex"
    described = '<http://testserver/data/v1/datapackage.json>; rel="describedby"; type="{}"'
    assert described.format("application/vnd.datapackage+json") in response["Link"]
    assert 'rel="license"' in response["Link"]
    assert 'rel="cite-as"' in response["Link"]
    assert '<http://testserver/offerings.csv>; rel="canonical"' in response["Link"]
    assert not response.cookies
    assert "Cookie" not in response["Vary"]


@pytest.mark.usefixtures("board")
def test_a_reader_who_has_it_gets_304_and_no_body(client: Client) -> None:
    first = client.get("/leaderboard.csv")

    again = client.get("/leaderboard.csv", headers={"If-None-Match": first["ETag"]})
    dated = client.get("/leaderboard.csv", headers={"If-Modified-Since": first["Last-Modified"]})

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert dated.status_code == 304
    assert again["Access-Control-Allow-Origin"] == "*"


@pytest.mark.usefixtures("board")
def test_etag_is_of_file_instant_and_query(client: Client) -> None:
    tags = [
        client.get(path)["ETag"]
        for path in ("/leaderboard.csv", "/leaderboard.json", "/leaderboard.csv?weights=open")
    ]
    same = client.get("/leaderboard.csv?page=2&utm_source=x&weights=")["ETag"]
    make_snapshot(as_of=dt.datetime(2026, 7, 15, 13, tzinfo=dt.UTC))
    later = client.get("/leaderboard.csv")["ETag"]

    assert len({*tags, later}) == 4
    assert same == tags[0]


@pytest.mark.usefixtures("board")
def test_gzip_is_weakly_tagged_and_unpacks_to_the_same_file(client: Client) -> None:
    plain = client.get("/leaderboard.csv")
    packed = client.get("/leaderboard.csv", headers={"Accept-Encoding": "br, gzip;q=0.8"})
    refused = client.get("/leaderboard.csv", headers={"Accept-Encoding": "gzip;q=0"})

    assert packed["Content-Encoding"] == "gzip"
    assert packed["ETag"] == f"W/{plain['ETag']}"
    assert gzip.decompress(packed.content) == plain.content
    assert "Accept-Encoding" in packed["Vary"]
    assert "Content-Encoding" not in refused


@pytest.mark.usefixtures("board")
def test_head_gives_the_headers(client: Client) -> None:
    got, head = client.get("/leaderboard.csv"), client.head("/leaderboard.csv")

    assert head.status_code == 200
    assert head["ETag"] == got["ETag"]
    assert head["Content-Type"] == got["Content-Type"]


@pytest.mark.usefixtures("board")
def test_the_plain_view_is_the_one_to_index(client: Client) -> None:
    assert "X-Robots-Tag" not in client.get("/offerings.csv")
    assert (
        client.get("/leaderboard.csv?sort=-output_speed_tps_p50")["ETag"]
        != client.get("/leaderboard.csv")["ETag"]
    )


@pytest.mark.usefixtures("board")
def test_metadata_describes_the_view(client: Client) -> None:
    document = read_json(client, "/models/qwen/qwen3-0.6b.metadata.json")

    assert [column["name"] for column in document["columns"]] == list(LEADERBOARD.column_names)
    assert document["query"] == "model=qwen%2Fqwen3-0.6b"
    assert document["citation_short"] == "Provider leaderboard (2026), v1.0.0, as of 15 July 2026"


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_bad_value_is_refused_with_its_name_and_what_is_allowed(client: Client, ending: str) -> None:
    response = client.get(f"/leaderboard.{ending}?weights=secret")

    error = response.json()["error"]
    assert response.status_code == 400
    assert error["code"] == "bad_parameter"
    assert error["parameter"] == "weights"
    assert error["allowed"] == "open, proprietary"
    assert "secret" in error["message"]
    assert error["docs"] == "/api/"


@pytest.mark.parametrize(
    "path", ["/no/such.json", "/models/a/b.json", "/providers/zulu.csv", "/offerings/zulu.json"]
)
def test_what_is_not_there_is_404_in_json(client: Client, path: str) -> None:
    response = client.get(path)

    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/leaderboard.csv").status_code == 405
