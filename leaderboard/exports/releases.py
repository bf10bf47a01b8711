"""Closing: the samples of a finished UTC day, and the month's daily rows, become files that never change.

Doing it again changes nothing. One process at a time, by an advisory lock.
"""

from __future__ import annotations

import datetime as dt
import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from leaderboard.measurements.models import Sample

from .closed_files import (
    ClosedFile,
    closed_root,
    described,
    read_manifest,
    with_files,
    write_manifest,
    written_whole,
)
from .columns import SAMPLES
from .copying import copied_csv, samples_query
from .parquet import BlockReader, write_parquet
from .sample_choice import SampleChoice
from .sample_days import days_due, midnight

ADVISORY_LOCK = 0xDA7A5E7
DAYS_AT_ONCE = 60
"""A board with years behind it catches up over some hours, each run well within its time limit."""
COMPRESSION_LEVEL = 9


@contextmanager
def only_one() -> Iterator[bool]:
    """False where another process is closing files just now."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(%s)", [ADVISORY_LOCK])
        (got,) = cursor.fetchone() or (False,)
    try:
        yield bool(got)
    finally:
        if got:
            with connection.cursor() as cursor:
                cursor.execute("select pg_advisory_unlock(%s)", [ADVISORY_LOCK])


def close_due_days(now: dt.datetime, *, root: Path | None = None) -> list[ClosedFile]:
    """Close what is due, oldest first; the files written. The manifest is saved after each day."""
    root = root or closed_root()
    written: list[ClosedFile] = []
    with only_one() as alone:
        if not alone:
            return []
        manifest = read_manifest(root)
        for day in days_due(now, manifest.closed_through)[:DAYS_AT_ONCE]:
            files = close_day(day, root=root, now=now)
            manifest = with_files(manifest, files, closed_through=day.isoformat())
            write_manifest(manifest, root)
            written += files
    return written


def day_path(day: dt.date) -> str:
    """Without its ending."""
    return f"samples/{day:%Y/%m}/samples-{day.isoformat()}"


def day_choice(day: dt.date) -> SampleChoice:
    return SampleChoice(since=midnight(day), until=midnight(day + dt.timedelta(days=1)))


def close_day(day: dt.date, *, root: Path, now: dt.datetime) -> list[ClosedFile]:
    """The day's samples as gzipped CSV and as Parquet; nothing for a day without samples."""
    choice = day_choice(day)
    if not Sample.objects.filter(scheduled_at__gte=choice.since, scheduled_at__lt=choice.until).exists():
        return []
    rows = write_gzipped(root / f"{day_path(day)}.csv.gz", copied_csv(samples_query(choice.condition())))
    with written_whole(root / f"{day_path(day)}.parquet") as unfinished:
        unguarded = copied_csv(samples_query(choice.condition(), guarded=False))
        write_parquet(SAMPLES, io.BufferedReader(BlockReader(unguarded)), unfinished)
    return [
        described(root, f"{day_path(day)}{ending}", table=SAMPLES.name, rows=rows, now=now)
        for ending in (".csv.gz", ".parquet")
    ]


def write_gzipped(path: Path, blocks: Iterable[bytes]) -> int:
    """CSV blocks into a gzip file with no time or name in its header; how many rows, the header not counted."""
    lines = 0
    with (
        written_whole(path) as unfinished,
        unfinished.open("wb") as raw,
        gzip.GzipFile("", "wb", COMPRESSION_LEVEL, raw, mtime=0) as packed,
    ):
        for block in blocks:
            packed.write(block)
            lines += block.count(b"\r\n")
    return lines - 1
