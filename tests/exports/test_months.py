"""A month closes on the 3rd of the next, once, and its ZIP stands on its own."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import zipfile
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.exports.closed_files import closed_root, read_manifest
from leaderboard.exports.months import close_due_months
from leaderboard.exports.recompute.running import run
from leaderboard.exports.releases import close_due_days
from leaderboard.ranking.daily import backfill_daily
from tests.exports.boards import make_history

pytestmark = pytest.mark.django_db
# The invented history ends on 15 July at noon; here the month is over.
THIRD = dt.datetime(2026, 8, 3, 0, 1, tzinfo=dt.UTC)


@pytest.fixture
def _july(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    make_history(hours=60)
    with time_machine.travel(THIRD, tick=False):
        backfill_daily(THIRD)
        close_due_days(THIRD)


@pytest.mark.usefixtures("_july")
def test_a_month_is_closed_on_the_third_and_once() -> None:
    assert close_due_months(THIRD - dt.timedelta(minutes=2)) == []

    written = close_due_months(THIRD)

    assert [file.path for file in written] == [
        "daily/2026-07.csv.gz",
        "daily/2026-07.parquet",
        "snapshots/2026-07.zip",
    ]
    assert read_manifest().closed_month == "2026-07-01"
    assert close_due_months(THIRD) == []


@pytest.mark.usefixtures("_july")
def test_the_months_daily_rows_are_all_there() -> None:
    (daily, *_) = close_due_months(THIRD)

    lines = gzip.decompress((closed_root() / daily.path).read_bytes()).decode().splitlines()
    assert len(lines) - 1 == daily.rows
    assert {line.split(",")[0] for line in lines[1:]} == {"2026-07-13", "2026-07-14", "2026-07-15"}


@pytest.mark.usefixtures("_july")
def test_the_zip_holds_every_table_and_recomputes_by_itself(tmp_path: Path) -> None:
    *_, snapshot = close_due_months(THIRD)

    with zipfile.ZipFile(closed_root() / snapshot.path) as packed:
        packed.extractall(tmp_path / "month")
    names = {path.name for path in (tmp_path / "month").rglob("*")}
    assert {
        "samples.csv",
        "daily.csv",
        "leaderboard.csv",
        "prices.csv",
        "LICENSE.txt",
        "CITATION.cff",
    } <= names
    assert {"datapackage.json", "SHA256SUMS", "DATASHEET.md", "CHANGELOG.md"} <= names
    said: list[str] = []
    assert run(str(tmp_path / "month"), said.append) == 0, said


@pytest.mark.usefixtures("_july")
def test_the_index_lists_the_frozen_months(client: Client) -> None:
    *_, snapshot = close_due_months(THIRD)

    (month,) = json.loads(client.get("/data/v1/snapshots/index.json").content)["snapshots"]

    assert (month["month"], month["sha256"]) == ("2026-07", snapshot.sha256)
    assert client.get(f"/data/v1/{month['path']}")["Content-Type"] == "application/zip"
    assert month["path"] in client.get("/data/snapshots/").content.decode()
