"""Replacing closed files after a correction: rare, with a reason, and told thrice: a PATCH of the dataset's version, a
line in the change log with both checksums, and a tombstone for each row that is no longer what it was.

A month's frozen ZIP is left as it was: it is what people cite.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .closed_files import (
    ClosedFile,
    Manifest,
    Rewriting,
    closed_root,
    read_manifest,
    with_files,
    write_manifest,
)
from .dataset import dataset_version, next_patch
from .months import close_daily
from .releases import close_day, day_path, only_one
from .tombstones import Cells, Tombstone, add_tombstones, change_of, published_samples


class FilesBusy(Exception):
    """Another process is writing closed files; asking again a little later works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What stands in every record of one correction."""

    reason: str
    now: dt.datetime
    version_before: str
    version: str


def rewrite_days(
    days: Iterable[dt.date], *, reason: str, now: dt.datetime, root: Path | None = None
) -> list[ClosedFile]:
    """Write the closed files that hold these UTC days anew, as one correction; open days have none.

    Raises FilesBusy.
    """
    root = root or closed_root()
    closed_through = read_manifest(root).closed_through
    closed = [day for day in sorted(set(days)) if day.isoformat() <= closed_through]
    if not closed:
        return []
    with only_one() as alone:
        if not alone:
            raise FilesBusy("The files of finished days are being written just now; try again in a minute.")
        return rewrite_alone(closed, reason=" ".join(reason.split()), now=now, root=root)


def rewrite_alone(days: list[dt.date], *, reason: str, now: dt.datetime, root: Path) -> list[ClosedFile]:
    before = read_manifest(root)
    version = dataset_version(before)
    correction = Correction(reason=reason, now=now, version_before=version, version=next_patch(version))
    files: list[ClosedFile] = []
    tombstones: list[Tombstone] = []
    for day in days:
        packed = root / f"{day_path(day)}.csv.gz"
        rows = published_samples(packed)
        files += close_day(day, root=root, now=now)
        tombstones += buried(rows, published_samples(packed), day, correction)
    for month in sorted({day.replace(day=1) for day in days}):
        if before.file(f"daily/{month:%Y-%m}.csv.gz"):
            files += close_daily(month, root, now)
    add_tombstones(tombstones, root)
    records = [record for file in files if (record := recorded(before, file, correction))]
    write_manifest(replace(with_files(before, files), rewritten=(*before.rewritten, *records)), root)
    return files


def buried(
    before: dict[str, Cells], after: dict[str, Cells], day: dt.date, correction: Correction
) -> list[Tombstone]:
    """Rows that were added are none: they are new, not corrected."""
    changes = [(cells, change_of(cells, after.get(sample_id))) for sample_id, cells in before.items()]
    return [
        Tombstone(
            sample_id=cells["sample_id"],
            offering_id=cells["offering_id"],
            day=day,
            change=change,
            corrected_at=correction.now,
            reason=correction.reason,
            version_before=correction.version_before,
            version=correction.version,
            simulated=cells["simulated"] == "true",
        )
        for cells, change in changes
        if change is not None
    ]


def recorded(before: Manifest, file: ClosedFile, correction: Correction) -> Rewriting | None:
    """None where the bytes are as before, and for a day that had no file: its rows are new."""
    old = before.file(file.path)
    if old is None or old.sha256 == file.sha256:
        return None
    return Rewriting(
        path=file.path,
        at=file.closed_at,
        reason=correction.reason,
        sha256_before=old.sha256,
        sha256_after=file.sha256,
        version_before=correction.version_before,
        version=correction.version,
    )
