"""One file of today, what came since the last call, and what changed between two instants."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.celery import BEAT_SCHEDULE
from leaderboard.exports.api.paging import encode
from leaderboard.exports.columns import SAMPLES
from leaderboard.exports.columns.differences import DIFFERENCES
from leaderboard.exports.sqlite_file import write_today
from leaderboard.exports.tasks import write_today_file
from leaderboard.measurements.models import Sample
from leaderboard.ranking.queries import rows_of_snapshot
from tests.exports.rows import AS_OF, any_partition, make_sample, make_snapshot, make_summary
from tests.factories import make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path
    any_partition()
    rows_of_snapshot.cache_clear()
    with time_machine.travel(AS_OF, tick=False):
        yield


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    assert response.status_code == 200, response.content
    body = b"".join(response) if response.streaming else response.content
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


def test_sqlite_file_holds_every_live_table_with_the_figures_of_the_csv(
    client: Client, tmp_path: Path
) -> None:
    offering = make_offering(public_id="alfa~x", provider=make_provider(slug="alfa", name="=Alfa"))
    make_price(offering, valid_from=AS_OF - DAY, input_usd_per_mtok="0.1575")
    make_summary(make_snapshot(), offering, output_speed_tps_p50=530.12345)
    sample = make_sample(offering, finish_reason='stop, "quoted"', ttft_ms=None, connection_reused=True)

    write_today_file()

    response = client.get("/data/v1/today.sqlite")
    body = b"".join(response)
    response.close()
    assert response["Content-Type"] == "application/vnd.sqlite3"
    (tmp_path / "got.sqlite").write_bytes(body)
    with closing(sqlite3.connect(tmp_path / "got.sqlite")) as got:
        tables = {name for (name,) in got.execute("select name from sqlite_master where type = 'table'")}
        assert tables == {
            *(
                "leaderboard",
                "providers",
                "models",
                "offerings",
                "prices",
                "gpu_endpoints",
                "gpu_levels",
                "gpu_samples",
                "daily",
                "samples",
                "tombstones",
            ),
            *("columns", "about"),
        }
        assert got.execute(
            "select output_speed_tps_p50, typeof(output_speed_tps_p50) from leaderboard"
        ).fetchone() == (
            530.1234,
            "real",
        )
        assert got.execute("select name from providers").fetchone() == ("=Alfa",)
        assert got.execute("select input_usd_per_mtok from prices").fetchone() == (0.1575,)
        assert got.execute(
            "select sample_id, finish_reason, ttft_ms, connection_reused, excluded from samples"
        ).fetchone() == (str(sample.sample_id), 'stop, "quoted"', None, 1, 0)
        assert dict(got.execute("select name, value from about"))["as_of"] == "2026-07-15T12:00:00Z"
        names = [n for (n,) in got.execute("""select name from columns where "table" = 'samples'""")]
        assert names == list(SAMPLES.column_names)


def test_sqlite_file_answers_304_and_404_before_the_first(client: Client) -> None:
    assert client.get("/data/v1/today.sqlite").status_code == 404
    write_today(AS_OF)

    response = client.get("/data/v1/today.sqlite")
    response.close()

    assert client.get("/data/v1/today.sqlite", headers={"If-None-Match": response["ETag"]}).status_code == 304


def test_sqlite_file_is_made_every_five_minutes() -> None:
    assert BEAT_SCHEDULE["write-today"]["schedule"] == 300.0
    assert write_today_file.name == BEAT_SCHEDULE["write-today"]["task"]
    assert (write_today_file.time_limit or 300) < 300


def stored_at(sample: Sample, at: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"update measurements_sample set recorded_at = now() {at} where sample_id = %s",
            [sample.sample_id],
        )


def follow(client: Client, address: str) -> tuple[list[str], str]:
    """The ids, and the next address."""
    response = client.get(address)
    assert response.status_code == 200, response.content
    body = b"".join(response) if response.streaming else response.content
    ids = [row["sample_id"] for row in csv.DictReader(io.StringIO(body.decode(), newline=""))]
    (following,) = re.findall(r'<http://testserver([^>]+)>; rel="next"', response["Link"])
    return ids, following


def test_followed_samples_come_once_each_in_the_order_they_were_stored(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("select now(), now() - interval '90 seconds', now() - interval '3 minutes'")
        now, between, before = cursor.fetchone() or (AS_OF, AS_OF, AS_OF)
    offering = make_offering()
    first, late = (make_sample(offering, scheduled_at=now - dt.timedelta(minutes=m)) for m in (1, 200))
    stored_at(first, "- interval '2 minutes'")
    stored_at(late, "- interval '1 minute'")

    address = "/data/v1/samples/since.csv?after="
    all_of_them, _ = follow(client, address + encode((before.isoformat(),)))
    newest, following = follow(client, address + encode((between.isoformat(),)))
    none, _ = follow(client, following)
    start, _ = follow(client, "/data/v1/samples/since.csv")

    assert set(all_of_them) == {str(first.sample_id), str(late.sample_id)}
    assert newest == [str(late.sample_id)]
    assert (none, start) == ([], [])


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ("nonsense", 400),
        (encode(("soon",)), 400),
        (encode(("2026-07-15T12:00:00",)), 400),
        (encode(("1999-01-01T00:00:00+00:00",)), 410),
    ],
)
def test_cursor_that_is_none_of_ours_or_too_old_is_refused(client: Client, after: str, status: int) -> None:
    response = client.get("/data/v1/samples/since.csv", {"after": after})

    assert response.status_code == status
    assert "cursor" in response.json()["error"]["code"]


def make_two_snapshots() -> None:
    """Yesterday kept, same and gone; today kept at twice the speed, same, and come."""
    provider = make_provider(slug="alfa")
    kept, same, gone, come = (
        make_offering(public_id=f"alfa~{name}", provider=provider)
        for name in ("kept", "same", "gone", "come")
    )
    yesterday = make_snapshot(as_of=AS_OF - DAY)
    today = make_snapshot(as_of=AS_OF)
    for offering, snapshots in ((kept, (yesterday, today)), (same, (yesterday, today))):
        for snapshot in snapshots:
            speed = 200.0 if offering is kept and snapshot is today else 100.00001
            make_summary(snapshot, offering, output_speed_tps_p50=speed, samples_ok=snapshot.as_of.day)
    make_summary(yesterday, gone)
    make_summary(today, come)


def test_difference_lists_what_came_went_and_changed_and_nothing_else(client: Client) -> None:
    make_two_snapshots()

    found = {row["offering_id"]: row for row in rows_of(client, "/data/v1/leaderboard-diff.csv")}

    assert {name: row["kind"] for name, row in found.items()} == {
        "alfa~come": "added",
        "alfa~gone": "removed",
        "alfa~kept": "changed",
    }
    kept = found["alfa~kept"]
    assert (kept["output_speed_tps_p50_from"], kept["output_speed_tps_p50_to"]) == ("100", "200")
    assert float(kept["output_speed_tps_p50_change"]) == pytest.approx(0.9999998)
    assert (kept["as_of_from"], kept["as_of_to"]) == ("2026-07-14T12:00:00Z", "2026-07-15T12:00:00Z")
    assert found["alfa~come"]["as_of_from"] == ""


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ({"from": "2026-07-15T12:00:00Z"}, []),
        ({"from": "2026-07-14T12:00:00Z", "to": "2026-07-14T13:00:00Z"}, []),
        ({"from": "2026-07-15T12:00:00Z", "to": "2026-07-14T12:00:00Z"}, ["removed", "added", "changed"]),
        ({"from": "2026-07-01T00:00:00Z"}, ["added", "added", "added"]),
    ],
)
def test_difference_takes_any_two_instants(client: Client, query: dict[str, str], kinds: list[str]) -> None:
    make_two_snapshots()

    answer = client.get("/data/v1/leaderboard-diff.json", query).json()

    assert [row["kind"] for row in answer["rows"]] == kinds


def test_difference_refuses_what_is_no_instant_and_describes_its_columns(client: Client) -> None:
    refused: Any = client.get("/data/v1/leaderboard-diff.csv", {"from": "yesterday"})
    described = client.get("/data/v1/leaderboard-diff.metadata.json").json()

    assert refused.status_code == 400
    assert refused.json()["error"]["parameter"] == "from"
    assert [column["name"] for column in described["columns"]] == list(DIFFERENCES.column_names)
    assert all(column["meaning"] for column in described["columns"])
