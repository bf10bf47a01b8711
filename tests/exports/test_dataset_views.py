"""/data/v1/: live tables, descriptions that agree with the columns, closed files with ranges."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pytest
import time_machine
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.exports.closed_files import closed_root, read_manifest
from leaderboard.exports.columns import LEADERBOARD, OFFERINGS, PRICES, PROVIDERS, SAMPLES, TABLE_BY_NAME
from leaderboard.exports.releases import close_due_days
from tests.exports.rows import AS_OF, any_partition, make_sample, make_snapshot, make_summary
from tests.factories import make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path
    any_partition()
    with time_machine.travel(AS_OF, tick=False):
        yield


def make_board() -> None:
    offering = make_offering(public_id="alfa~x", provider=make_provider(slug="alfa"))
    make_price(offering, valid_from=AS_OF - 3 * DAY, input_usd_per_mtok="0.1575")
    make_price(offering, valid_from=AS_OF - DAY, input_usd_per_mtok="0.1")
    make_summary(make_snapshot(), offering, output_speed_tps_p50=530.12345)
    make_sample(offering, scheduled_at=AS_OF - 2 * DAY, ttft_ms=205.5, finish_reason="=stop")
    make_sample(offering, scheduled_at=AS_OF - DAY)
    make_sample(offering, scheduled_at=AS_OF - dt.timedelta(hours=1))


def body(client: Client, path: str) -> bytes:
    response = client.get(path)
    assert response.status_code == 200, (path, response.content)
    return b"".join(response) if response.streaming else response.content


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_live_leaderboard_is_the_home_pages_file(client: Client) -> None:
    make_board()

    assert body(client, "/data/v1/leaderboard.csv") == body(client, "/leaderboard.csv")


def test_every_reference_table_has_its_columns_as_csv_and_json(client: Client) -> None:
    make_board()

    for name in ("providers", "models", "offerings", "prices", "gpu_endpoints", "gpu_levels", "gpu_samples"):
        header = body(client, f"/data/v1/{name}.csv").decode().splitlines()[0]
        assert header.split(",") == list(TABLE_BY_NAME[name].column_names)
        assert json.loads(body(client, f"/data/v1/{name}.json"))["table"] == name


def test_a_price_ends_where_the_next_begins(client: Client) -> None:
    make_board()

    first, second = rows(body(client, "/data/v1/prices.csv"))

    assert (first["input_usd_per_mtok"], first["valid_to"]) == ("0.1575", "2026-07-14T12:00:00Z")
    assert (second["input_usd_per_mtok"], second["valid_to"]) == ("0.1", "")


def test_parquet_has_the_csvs_rows_with_types(client: Client) -> None:
    make_board()

    table = pyarrow.parquet.read_table(io.BytesIO(body(client, "/data/v1/leaderboard.parquet")))

    assert table.column_names == list(LEADERBOARD.column_names)
    assert table.column("output_speed_tps_p50").to_pylist() == [530.1234]
    assert table.column("as_of").to_pylist() == [AS_OF]
    assert table.schema.field("ttft_ms_p50").metadata[b"unit"] == b"ms"


def test_closed_days_and_today_hold_every_sample_once(client: Client) -> None:
    make_board()
    before = rows(body(client, "/data/v1/samples/today.csv"))

    written = close_due_days(AS_OF)

    today = rows(body(client, "/data/v1/samples/today.csv"))
    closed = [r for f in written if f.path.endswith(".gz") for r in rows(gunzipped(f.path))]
    assert len(before) == 3
    assert [f.path for f in written] == [
        "samples/2026/07/samples-2026-07-13.csv.gz",
        "samples/2026/07/samples-2026-07-13.parquet",
        "samples/2026/07/samples-2026-07-14.csv.gz",
        "samples/2026/07/samples-2026-07-14.parquet",
    ]
    assert sorted(r["sample_id"] for r in closed + today) == sorted(r["sample_id"] for r in before)


def gunzipped(path: str) -> bytes:
    return gzip.decompress((closed_root() / path).read_bytes())


def test_closing_again_changes_nothing() -> None:
    make_board()
    close_due_days(AS_OF)
    before = {p: p.read_bytes() for p in closed_root().rglob("*") if p.is_file()}

    assert close_due_days(AS_OF) == []
    assert {p: p.read_bytes() for p in closed_root().rglob("*") if p.is_file()} == before


def test_a_day_closes_at_six_the_next_morning() -> None:
    make_board()
    morning = dt.datetime(2026, 7, 15, 5, 59, tzinfo=dt.UTC)

    close_due_days(morning)
    early = read_manifest().closed_through
    close_due_days(morning + dt.timedelta(minutes=1))

    assert early == "2026-07-13"
    assert read_manifest().closed_through == "2026-07-14"


def test_parquet_of_a_day_carries_text_without_the_apostrophe() -> None:
    make_board()
    close_due_days(AS_OF)

    path = "samples/2026/07/samples-2026-07-13"
    table = pyarrow.parquet.read_table(closed_root() / f"{path}.parquet")

    assert rows(gunzipped(f"{path}.csv.gz"))[0]["finish_reason"] == "'=stop"
    assert table.column("finish_reason").to_pylist() == ["=stop"]
    assert table.column_names == list(SAMPLES.column_names)


def test_checksums_are_those_of_the_bytes_served(client: Client) -> None:
    make_board()
    close_due_days(AS_OF)

    lines = body(client, "/data/v1/SHA256SUMS").decode().splitlines()

    assert len(lines) == 4
    for line in lines:
        digest, path = line.split("  ")
        assert hashlib.sha256(body(client, f"/data/v1/{path}")).hexdigest() == digest


@pytest.mark.parametrize(
    ("asked", "status", "expected"),
    [
        ("bytes=0-9", 206, slice(0, 10)),
        ("bytes=10-", 206, slice(10, None)),
        ("bytes=-5", 206, slice(-5, None)),
        ("bytes=0-999999", 206, slice(0, None)),
        ("bytes=0-1,4-5", 200, slice(0, None)),
        ("lines=0-1", 200, slice(0, None)),
        ("bytes=999999-", 416, None),
    ],
)
def test_ranges_of_closed_files(client: Client, asked: str, status: int, expected: slice | None) -> None:
    make_board()
    file = close_due_days(AS_OF)[0]
    whole = body(client, f"/data/v1/{file.path}")

    response = client.get(f"/data/v1/{file.path}", headers={"Range": asked})

    assert response.status_code == status
    if expected is None:
        assert response["Content-Range"] == f"bytes */{file.bytes}"
    else:
        assert b"".join(response) == whole[expected]


def test_closed_files_are_cached_for_ever_by_their_hash(client: Client) -> None:
    make_board()
    file = close_due_days(AS_OF)[0]
    path = f"/data/v1/{file.path}"

    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    stale = client.get(path, headers={"Range": "bytes=0-1", "If-Range": '"other"'})

    assert first["ETag"] == f'"{file.sha256[:32]}"'
    assert first["Cache-Control"] == "public, max-age=31536000, immutable"
    assert first["Accept-Ranges"] == "bytes"
    assert first["Content-Type"] == "application/gzip"
    assert "Content-Encoding" not in first
    assert again.status_code == 304
    assert stale.status_code == 200


def test_only_what_the_manifest_names_is_served(client: Client) -> None:
    (closed_root() / "samples").mkdir(parents=True)
    (closed_root() / "samples" / "unfinished.csv.gz").write_bytes(b"half")

    for path in ("samples/unfinished.csv.gz", "samples/../../secret_key", "samples/x/../closed.json"):
        assert client.get(f"/data/v1/{path}").status_code == 404


def test_latest_lists_every_file_with_hashes_of_closed_ones(client: Client) -> None:
    make_board()
    close_due_days(AS_OF)

    document = json.loads(body(client, "/data/v1/latest.json"))

    by_path = {file["path"]: file for file in document["files"]}
    assert document["as_of"] == "2026-07-15T12:00:00Z"
    assert document["daily_workloads"] == ["parallel-10"]
    assert by_path["leaderboard.csv"] == {
        "path": "leaderboard.csv",
        "kind": "live",
        "table": "leaderboard",
        "rows": 1,
    }
    closed = by_path["samples/2026/07/samples-2026-07-13.csv.gz"]
    assert (closed["kind"], closed["rows"], len(closed["sha256"])) == ("closed", 1, 64)


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("README.md", "text/markdown; charset=utf-8", "An empty cell means unknown"),
        ("LICENSE.txt", "text/plain; charset=utf-8", "Creative Commons Attribution 4.0"),
        ("CITATION.cff", "text/yaml; charset=utf-8", "type: dataset"),
        ("DATASHEET.md", "text/markdown; charset=utf-8", "Known faults"),
        ("CHANGELOG.md", "text/markdown; charset=utf-8", "## 1.0.0"),
    ],
)
def test_texts_for_people(client: Client, name: str, kind: str, says: str) -> None:
    response = client.get(f"/data/v1/{name}")

    assert response["Content-Type"] == kind
    assert says in response.content.decode()
    assert "$" not in response.content.decode()


def test_offering_and_provider_columns_read_the_catalogue(client: Client) -> None:
    make_board()

    (offering,) = rows(body(client, "/data/v1/offerings.csv"))
    (provider,) = rows(body(client, "/data/v1/providers.csv"))

    assert list(offering) == list(OFFERINGS.column_names)
    assert (offering["provider_id"], offering["api_style"]) == ("alfa", "openai-chat")
    assert list(provider) == list(PROVIDERS.column_names)
    assert (provider["provider_id"], provider["models_served"]) == ("alfa", "1")
    assert PRICES.key[0] == "offering_id"


@pytest.mark.parametrize(("path", "is_first"), [("leaderboard.csv", True), ("leaderboard.json", False)])
def test_the_leaderboard_names_its_description_for_csv_on_the_web_first(
    client: Client, path: str, is_first: bool
) -> None:
    link = client.get(f"/data/v1/{path}")["Link"]

    first = '<http://testserver/data/v1/leaderboard.csv-metadata.json>; rel="describedby"; type="application/csvm+json"'
    assert link.startswith(first) is is_first
