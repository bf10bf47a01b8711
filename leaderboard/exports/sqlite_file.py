"""Everything of today in one SQLite file: all live tables, the daily rows, and the samples of the days not closed yet.

Made by a job, whole and then put in place; typed by the columns, with the dictionary inside.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from . import dataset
from .cells import instant_text
from .closed_files import closed_root, read_manifest, written_whole
from .columns import DAILY, LEADERBOARD, SAMPLES, TABLE_BY_NAME, Column, Table
from .copying import copied_csv, samples_query
from .daily_rows import daily_rows, last_days
from .live_tables import REFERENCE_ROWS, leaderboard_table
from .parquet import BlockReader
from .publishing import at_one_instant
from .sample_choice import SampleChoice
from .sample_days import open_since
from .views import answering_in_json
from .writers import csv_lines, in_blocks

NAME = "today.sqlite"
# Dates and instants stay the text of the CSV, which sorts by time.
STORED_AS = {"integer": "INTEGER", "boolean": "INTEGER", "number": "REAL"}
TRUTH = {"true": 1, "false": 0, "": None}
INDEX = 'create index "samples_by_offering" on "samples" ("offering_id", "started_at")'


def write_today(now: dt.datetime, path: Path | None = None) -> Path:
    path = path or closed_root() / NAME
    with (
        at_one_instant(),
        written_whole(path) as unfinished,
        closing(sqlite3.connect(unfinished, isolation_level=None)) as target,
    ):
        target.execute("pragma journal_mode = off")
        target.execute("pragma synchronous = off")
        target.execute("begin")
        fill(target, now)
        target.execute("commit")
    return path


def fill(target: sqlite3.Connection, now: dt.datetime) -> None:
    as_of, rows = leaderboard_table()
    add_table(target, LEADERBOARD, in_blocks(csv_lines(LEADERBOARD.columns, rows, guarded=False)))
    for name, read in REFERENCE_ROWS.items():
        table = TABLE_BY_NAME[name]
        add_table(target, table, in_blocks(csv_lines(table.columns, read(), guarded=False)))
    days = daily_rows(since=last_days(now)[0])
    add_table(target, DAILY, in_blocks(csv_lines(DAILY.columns, days, guarded=False)))
    today = SampleChoice(since=open_since(now, read_manifest().closed_through))
    add_table(target, SAMPLES, copied_csv(samples_query(today.condition(), guarded=False)))
    target.execute(INDEX)
    describe(target, as_of, now)


def add_table(target: sqlite3.Connection, table: Table, blocks: Iterator[bytes]) -> None:
    """The table's own CSV text, read by its columns' types."""
    fields = ", ".join(f'"{c.name}" {stored_as(c)}{" not null" if c.required else ""}' for c in table.columns)
    target.execute(f'create table "{table.name}" ({fields})')
    cells = csv.reader(io.TextIOWrapper(io.BufferedReader(BlockReader(blocks)), encoding="utf-8", newline=""))
    next(cells)
    marks = ", ".join("?" * len(table.columns))
    values = ([value(c, text) for c, text in zip(table.columns, row, strict=True)] for row in cells)
    target.executemany(f'insert into "{table.name}" values ({marks})', values)  # noqa: S608 our own names


def stored_as(column: Column) -> str:
    return STORED_AS.get(column.type, "TEXT")


def value(column: Column, text: str) -> str | int | None:
    """SQLite itself makes numbers of number columns' text; empty is unknown."""
    return TRUTH[text] if column.type == "boolean" else text or None


def describe(target: sqlite3.Connection, as_of: dt.datetime | None, now: dt.datetime) -> None:
    target.execute('create table "columns" ("table", "name", "type", "unit", "meaning")')
    tables = (LEADERBOARD, *(TABLE_BY_NAME[name] for name in REFERENCE_ROWS), DAILY, SAMPLES)
    told = [(t.name, c.name, c.type, c.unit, c.meaning) for t in tables for c in t.columns]
    target.executemany('insert into "columns" values (?, ?, ?, ?, ?)', told)
    facts = {
        "title": dataset.TITLE,
        "as_of": instant_text(as_of, always_milliseconds=False) if as_of else None,
        "made_at": instant_text(now.replace(microsecond=0), always_milliseconds=False),
        "version": dataset.dataset_version(),
        "schema_version": dataset.SCHEMA_VERSION,
        "methodology_version": dataset.METHOD_VERSION,
        "license": dataset.LICENCE,
        "citation": dataset.short_citation(as_of) if as_of else None,
    }
    target.execute('create table "about" ("name", "value")')
    target.executemany('insert into "about" values (?, ?)', facts.items())


@answering_in_json
def today(request: HttpRequest) -> HttpResponseBase:
    """404 until it was first made, some minutes after the start."""
    try:
        stream = (closed_root() / NAME).open("rb")
    except FileNotFoundError:
        raise Http404 from None
    made = Path(stream.name).stat()
    tag, modified = f'"{made.st_mtime_ns:x}-{made.st_size:x}"', int(made.st_mtime)
    response: HttpResponseBase | None = get_conditional_response(request, tag, modified)
    if response is None:
        response = FileResponse(stream, as_attachment=True, content_type="application/vnd.sqlite3")
    else:
        stream.close()
    response["ETag"] = tag
    response["Last-Modified"] = http_date(modified)
    response["Cache-Control"] = "public, max-age=60"
    response["Access-Control-Allow-Origin"] = "*"
    return response
