"""The list of the dataset's files: what is live, what is closed, and where each hangs."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.http import HttpRequest

from leaderboard.measurements.models import Sample
from leaderboard.ranking.queries import latest_snapshot
from probes.workloads import DAILY_WORKLOADS

from . import dataset
from .catalogue_rows import DEFAULT_INTERVAL_S, intervals_s
from .cells import instant_text
from .closed_files import Manifest
from .columns import (
    DAILY,
    LEADERBOARD,
    SAMPLES,
    TABLE_BY_NAME,
)
from .descriptions.datapackage import DescribedFile
from .live_tables import REFERENCE_TABLES

LIVE_FILES = (
    *(
        DescribedFile(path=f"{table.name}.csv", table=table)
        for table in (LEADERBOARD, *REFERENCE_TABLES, DAILY)
    ),
    DescribedFile(path="samples/today.csv", table=SAMPLES),
)


def closed_csv_files(manifest: Manifest) -> list[DescribedFile]:
    return [
        DescribedFile(path=f.path, table=TABLE_BY_NAME[f.table], bytes=f.bytes, sha256=f.sha256)
        for f in sorted(manifest.files, key=lambda f: f.path)
        if f.path.endswith(".csv.gz")
    ]


def all_csv_files(manifest: Manifest) -> list[DescribedFile]:
    return [*LIVE_FILES, *closed_csv_files(manifest)]


def latest(manifest: Manifest, *, as_of: dt.datetime | None, rows: dict[str, int]) -> dict[str, object]:
    """latest.json; `rows` counts those of live files, by path, where known."""
    live = [
        {"path": file.path, "kind": "live", "table": file.table.name}
        | ({"rows": rows[file.path]} if file.path in rows else {})
        for file in LIVE_FILES
    ]
    closed = [
        {
            "path": file.path,
            "kind": "closed",
            "table": file.table,
            "rows": file.rows,
            "bytes": file.bytes,
            "sha256": file.sha256,
            "closed_at": file.closed_at,
        }
        for file in sorted(manifest.files, key=lambda f: f.path)
    ]
    return {
        "version": dataset.dataset_version(),
        "schema_version": dataset.SCHEMA_VERSION,
        "methodology_version": dataset.METHOD_VERSION,
        "as_of": instant_text(as_of, always_milliseconds=False) if as_of else None,
        "license": dataset.LICENCE,
        "samples_closed_through": manifest.closed_through or None,
        # The schedule is no column, and freshness is judged by it.
        "late_samples": late_samples(as_of),
        "default_interval_s": DEFAULT_INTERVAL_S,
        "intervals_s": intervals_s(),
        "daily_workloads": list(DAILY_WORKLOADS),
        "files": [*live, *closed],
    }


LATEST_ARRIVAL = dt.timedelta(hours=4)
"""A probe's sample is stored at most so long after its slot."""


def late_samples(as_of: dt.datetime | None) -> list[str]:
    """Ids of samples of slots up to `as_of` that were stored after its snapshot was made: probes then in flight.

    With them left out, the published samples give the published snapshot; the next snapshot has them.
    """
    snapshot = latest_snapshot(as_of=as_of) if as_of else None
    if snapshot is None:
        return []
    late = Sample.objects.filter(
        scheduled_at__gt=snapshot.as_of - LATEST_ARRIVAL,
        scheduled_at__lte=snapshot.as_of,
        recorded_at__gt=snapshot.made_at,
    )
    return [str(sample_id) for sample_id in late.order_by("sample_id").values_list("sample_id", flat=True)]


def site_address(request: HttpRequest | None = None) -> str:
    """The site's origin without a last slash: as configured, else as asked for, else where it runs by default."""
    if settings.BASE_URL:
        return str(settings.BASE_URL)
    return request.build_absolute_uri("/").rstrip("/") if request else "http://127.0.0.1:8000"
