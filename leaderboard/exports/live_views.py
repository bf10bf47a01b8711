"""/data/v1/: live tables, today's samples, and the descriptions of everything."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase

from leaderboard.measurements.models import Sample
from leaderboard.ranking.endpoint_view import endpoints_version

from . import prose
from .catalogue_rows import catalogue_version
from .closed_files import Manifest, read_manifest
from .columns import DAILY, LEADERBOARD, SAMPLES, TABLE_BY_NAME, TOMBSTONES
from .copying import copied_csv, samples_query
from .daily_rows import daily_rows, last_days
from .dataset import dataset_version
from .dataset_files import all_csv_files, latest, site_address
from .descriptions.croissant import croissant
from .descriptions.csvw import csv_metadata
from .descriptions.datapackage import datapackage
from .live_tables import OF_SWEEPS, REFERENCE_ROWS, leaderboard_table
from .parquet import parquet_bytes
from .responses import LIVE_S, REFERENCE_S, File, answer
from .sample_choice import SampleChoice
from .sample_days import open_since
from .tables import table_answer
from .tombstones import tombstones_version
from .views import answering_in_json


@answering_in_json
def leaderboard(request: HttpRequest, ending: str) -> HttpResponseBase:
    as_of, rows = leaderboard_table()
    version, _ = catalogue_version()
    file = File(name="leaderboard", ending=ending, as_of=as_of, version=version, table=LEADERBOARD)
    if ending == "parquet":
        return answer(request, file, lambda: parquet_bytes(LEADERBOARD, rows))
    return table_answer(request, LEADERBOARD, file, lambda: rows)


@answering_in_json
def reference_table(request: HttpRequest, table: str, ending: str) -> HttpResponseBase:
    version, changed_at = table_version(table)
    file = File(name=table, ending=ending, as_of=changed_at, version=version, max_age_s=REFERENCE_S)
    return table_answer(request, TABLE_BY_NAME[table], file, REFERENCE_ROWS[table])


def table_version(table: str) -> tuple[str, dt.datetime | None]:
    """What changes with any row of the table, and when one last did."""
    version, changed_at = catalogue_version()
    if table == TOMBSTONES.name:
        return tombstones_version(), changed_at
    if TABLE_BY_NAME[table] not in OF_SWEEPS:
        return version, changed_at
    of_sweeps, swept_at = endpoints_version()
    return f"{version} {of_sweeps}", max(filter(None, (changed_at, swept_at)), default=None)


@answering_in_json
def daily(request: HttpRequest, ending: str) -> HttpResponseBase:
    """The last 35 days; older ones are in the closed months."""
    as_of, _ = leaderboard_table()
    since, version = last_days(dt.datetime.now(dt.UTC))
    file = File(name="daily", ending=ending, as_of=as_of, version=version, max_age_s=REFERENCE_S)
    return table_answer(request, DAILY, file, lambda: daily_rows(since=since))


@answering_in_json
def todays_samples(request: HttpRequest) -> HttpResponseBase:
    """The samples of the days that are not closed yet: with the closed files, every sample once."""
    choice = SampleChoice(since=open_since(dt.datetime.now(dt.UTC), read_manifest().closed_through))
    newest = Sample.objects.order_by("-scheduled_at", "-sample_id").only("started_at", "sample_id").first()
    file = File(
        name="samples-today",
        table=SAMPLES,
        ending="csv",
        as_of=newest.started_at if newest else None,
        version=f"{newest.sample_id if newest else ''} {choice.since}",
    )
    return answer(request, file, lambda: copied_csv(samples_query(choice.condition())))


@answering_in_json
def description(request: HttpRequest, name: str) -> HttpResponseBase:
    """One of the machine-readable descriptions; made from the columns and the manifest."""
    make = DESCRIPTIONS.get(name)
    if make is None:
        raise Http404
    manifest = read_manifest()
    as_of, rows = leaderboard_table()
    document = make(request, manifest, as_of, len(rows))
    late = len(document.get("late_samples", ()))
    version = (
        f"{dataset_version(manifest)} {manifest.closed_through} {len(manifest.files)} {len(rows)} {late}"
    )
    file = File(name=name.partition(".")[0], ending="json", as_of=as_of, version=version)
    return answer(request, file, lambda: as_json(document))


def as_json(document: object) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


Describe = Callable[[HttpRequest, Manifest, dt.datetime | None, int], dict[str, Any]]


def described_latest(
    request: HttpRequest, manifest: Manifest, as_of: dt.datetime | None, rows: int
) -> dict[str, Any]:
    return latest(manifest, as_of=as_of, rows={"leaderboard.csv": rows})


def described_package(
    request: HttpRequest, manifest: Manifest, as_of: dt.datetime | None, rows: int
) -> dict[str, Any]:
    return datapackage(all_csv_files(manifest), as_of=as_of, homepage=site_address(request) + "/data/")


def described_croissant(
    request: HttpRequest, manifest: Manifest, as_of: dt.datetime | None, rows: int
) -> dict[str, Any]:
    site = site_address(request)
    return croissant(all_csv_files(manifest), as_of=as_of, homepage=site + "/data/", root=site + "/data/v1/")


def described_leaderboard(
    request: HttpRequest, manifest: Manifest, as_of: dt.datetime | None, rows: int
) -> dict[str, Any]:
    return csv_metadata(LEADERBOARD)


DESCRIPTIONS: dict[str, Describe] = {
    "latest.json": described_latest,
    "datapackage.json": described_package,
    "croissant.json": described_croissant,
    "leaderboard.csv-metadata.json": described_leaderboard,
}


@answering_in_json
def text(request: HttpRequest, name: str) -> HttpResponseBase:
    as_of, _ = leaderboard_table()
    written = prose.prose(
        name, as_of=as_of or dt.datetime.now(dt.UTC), homepage=site_address(request) + "/data/"
    )
    ending = name.rpartition(".")[2]
    file = File(
        name=name.partition(".")[0],
        ending=ending,
        as_of=as_of,
        version=dataset_version(),
        max_age_s=LIVE_S,
    )
    return answer(request, file, written.encode)
