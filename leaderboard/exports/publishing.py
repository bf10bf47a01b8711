"""The dataset as a folder: every table, its descriptions, and checksums of all of it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from leaderboard.ranking.daily import backfill_daily
from leaderboard.ranking.queries import latest_snapshot
from leaderboard.ranking.summarise import make_snapshot

from . import prose
from .closed_files import CHECKSUMS, Manifest, closed_root, read_manifest, written_whole
from .columns import DAILY, LEADERBOARD, TABLE_BY_NAME, TABLES, Table
from .copying import copied_csv, samples_query
from .daily_rows import daily_rows
from .dataset_files import latest, site_address
from .descriptions.croissant import croissant
from .descriptions.csvw import csv_metadata
from .descriptions.datapackage import DescribedFile, datapackage
from .live_tables import REFERENCE_ROWS, leaderboard_table
from .metadata import about
from .parquet import parquet_bytes
from .releases import close_due_days
from .responses import refuse_withheld
from .sample_choice import SampleChoice
from .sample_days import open_since
from .writers import csv_lines, in_blocks, json_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """How much goes into the folder: everything, or one month."""

    as_of: dt.datetime | None = None
    samples: SampleChoice = field(default_factory=SampleChoice)
    first_day: dt.date | None = None
    last_day: dt.date | None = None


def export_dataset(target: Path, *, now: dt.datetime) -> list[str]:
    """Write the whole dataset into a folder, as /data/v1/ serves it; the paths written.

    Everything is read at one instant, after the ranking and the open days were made anew: figures and samples agree.
    """
    while close_due_days(now):
        continue
    manifest = read_manifest()
    with at_one_instant():
        refresh_aggregates(now)
        return write_dataset(target, manifest=manifest, now=now)


@contextmanager
def at_one_instant() -> Iterator[None]:
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("set transaction isolation level repeatable read")
        yield


def refresh_aggregates(now: dt.datetime) -> None:
    """The snapshot of the newest instant with every sample that has arrived since, and the rows of open days."""
    latest_one = latest_snapshot()
    if latest_one is not None:
        make_snapshot(as_of=latest_one.as_of, remake=True, is_pinned=latest_one.is_pinned)
    backfill_daily(now)


def write_dataset(target: Path, *, manifest: Manifest, now: dt.datetime) -> list[str]:
    as_of = write_tables(target, Scope())
    for file in manifest.files:
        copy_to(target / file.path, closed_root() / file.path)
    today = SampleChoice(since=open_since(now, manifest.closed_through))
    write_blocks(target / "samples" / "today.csv", sample_blocks(today))
    return describe(target, as_of=as_of, manifest=manifest)


def write_tables(target: Path, scope: Scope) -> dt.datetime | None:
    """Every table as CSV, the small ones as JSON too; the leaderboard's instant."""
    for table in TABLES:
        refuse_withheld(table)
    as_of, rows = leaderboard_table(scope.as_of)
    write_small(target, LEADERBOARD, rows, as_of)
    write_whole(target / "leaderboard.parquet", parquet_bytes(LEADERBOARD, rows))
    for name, read in REFERENCE_ROWS.items():
        write_small(target, TABLE_BY_NAME[name], list(read()), as_of)
    days = daily_rows(since=scope.first_day, until=scope.last_day)
    write_blocks(target / "daily.csv", in_blocks(csv_lines(DAILY.columns, days)))
    write_blocks(target / "samples.csv", sample_blocks(scope.samples))
    return as_of


def write_small(target: Path, table: Table, rows: list[Any], as_of: dt.datetime | None) -> None:
    write_blocks(target / f"{table.name}.csv", in_blocks(csv_lines(table.columns, rows)))
    text = json_text(table.columns, rows, about=about(table, as_of))
    write_whole(target / f"{table.name}.json", text.encode())


def sample_blocks(choice: SampleChoice) -> Iterator[bytes]:
    return copied_csv(samples_query(choice.condition()))


def write_blocks(path: Path, blocks: Iterable[bytes]) -> None:
    with written_whole(path) as unfinished, unfinished.open("wb") as stream:
        stream.writelines(blocks)


def write_whole(path: Path, content: bytes) -> None:
    write_blocks(path, [content])


def copy_to(path: Path, source: Path) -> None:
    with written_whole(path) as unfinished:
        shutil.copyfile(source, unfinished)


def describe(target: Path, *, as_of: dt.datetime | None, manifest: Manifest) -> list[str]:
    """The descriptions of what lies in the folder, texts for people, and checksums of every file."""
    files = [described_file(target, path) for path in sorted(target.rglob("*.csv*")) if is_table(path)]
    homepage = site_address() + "/data/"
    documents: dict[str, object] = {
        "latest.json": latest(manifest, as_of=as_of, rows={}),
        "datapackage.json": datapackage(files, as_of=as_of, homepage=homepage),
        "croissant.json": croissant(files, as_of=as_of, homepage=homepage, root=""),
        "leaderboard.csv-metadata.json": csv_metadata(LEADERBOARD),
    }
    for name, document in documents.items():
        write_whole(target / name, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())
    for name in prose.NAMES:
        text = prose.prose(name, as_of=as_of or dt.datetime.now(dt.UTC), homepage=homepage)
        write_whole(target / name, text.encode())
    return write_checksums(target)


def is_table(path: Path) -> bool:
    return path.name.endswith((".csv", ".csv.gz"))


def described_file(target: Path, path: Path) -> DescribedFile:
    """A file that will not change here, so with its size and hash."""
    relative = path.relative_to(target).as_posix()
    top = relative.split("/")[0].removesuffix(".csv")
    return DescribedFile(
        path=relative, table=TABLE_BY_NAME[top], bytes=path.stat().st_size, sha256=sha256_of(path)
    )


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_checksums(target: Path) -> list[str]:
    """SHA256SUMS over everything else in the folder; all paths, itself included."""
    paths = sorted(p for p in target.rglob("*") if p.is_file() and p.name != CHECKSUMS)
    lines = [f"{sha256_of(path)}  {path.relative_to(target).as_posix()}\n" for path in paths]
    write_whole(target / CHECKSUMS, "".join(lines).encode())
    return [*(path.relative_to(target).as_posix() for path in paths), CHECKSUMS]
