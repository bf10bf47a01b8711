"""Closing a month: its daily rows as one file, and everything of it as one frozen ZIP, the thing to cite."""

from __future__ import annotations

import datetime as dt
import io
import tempfile
import zipfile
from pathlib import Path

from leaderboard.ranking.summarise import make_snapshot

from .closed_files import (
    ClosedFile,
    Manifest,
    closed_root,
    described,
    read_manifest,
    with_files,
    write_manifest,
    written_whole,
)
from .columns import DAILY, SAMPLES
from .daily_rows import daily_rows
from .parquet import BlockReader, write_parquet
from .publishing import Scope, describe, write_tables
from .releases import only_one, write_gzipped
from .sample_choice import SampleChoice
from .sample_days import midnight, months_due, next_month
from .writers import csv_lines, in_blocks

ONE_DAY = dt.timedelta(days=1)


def close_due_months(now: dt.datetime, *, root: Path | None = None) -> list[ClosedFile]:
    """Close what is due, oldest first; the files written."""
    root = root or closed_root()
    written: list[ClosedFile] = []
    with only_one() as alone:
        if not alone:
            return []
        manifest = read_manifest(root)
        for month in months_due(now, manifest.closed_through, manifest.closed_month):
            files = [*close_daily(month, root, now), close_snapshot(month, root, now, manifest)]
            manifest = with_files(manifest, files, closed_month=month.isoformat())
            write_manifest(manifest, root)
            written += files
    return written


def last_day(month: dt.date) -> dt.date:
    return next_month(month) - ONE_DAY


def close_daily(month: dt.date, root: Path, now: dt.datetime) -> list[ClosedFile]:
    """Nothing for a month without daily rows."""
    rows = daily_rows(since=month, until=last_day(month))
    if not rows.exists():
        return []
    path = f"daily/{month:%Y-%m}"
    count = write_gzipped(root / f"{path}.csv.gz", in_blocks(csv_lines(DAILY.columns, rows)))
    with written_whole(root / f"{path}.parquet") as unfinished:
        unguarded = in_blocks(csv_lines(DAILY.columns, rows, guarded=False))
        write_parquet(DAILY, io.BufferedReader(BlockReader(unguarded)), unfinished)
    return [
        described(root, f"{path}{ending}", table=DAILY.name, rows=count, now=now)
        for ending in (".csv.gz", ".parquet")
    ]


def close_snapshot(month: dt.date, root: Path, now: dt.datetime, manifest: Manifest) -> ClosedFile:
    """All tables as they stood at the month's end, its samples and days, with their descriptions, in one file."""
    end = midnight(next_month(month))
    make_snapshot(as_of=end, is_pinned=True)
    scope = Scope(
        as_of=end,
        samples=SampleChoice(since=midnight(month), until=end),
        first_day=month,
        last_day=last_day(month),
    )
    path = f"snapshots/{month:%Y-%m}.zip"
    with tempfile.TemporaryDirectory(prefix="month-") as folder:
        target = Path(folder)
        as_of = write_tables(target, scope)
        paths = describe(target, as_of=as_of, manifest=Manifest())
        with written_whole(root / path) as unfinished:
            pack(unfinished, target, paths, at=end)
        rows = count_rows(target / f"{SAMPLES.name}.csv")
    return described(root, path, table="snapshot", rows=rows, now=now)


def pack(archive: Path, folder: Path, paths: list[str], *, at: dt.datetime) -> None:
    """The same content gives the same bytes: names in order, one time for all."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(paths):
            entry = zipfile.ZipInfo(path, date_time=at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with (folder / path).open("rb") as source, packed.open(entry, "w") as target:
                while block := source.read(1 << 20):
                    target.write(block)


def count_rows(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(block.count(b"\r\n") for block in iter(lambda: stream.read(1 << 20), b"")) - 1
