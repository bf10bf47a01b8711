"""Samples straight from Postgres as CSV: COPY makes the lines, Python only joins them into blocks.

Memory stays flat however many rows there are. An error raises out of the iterator, so that the server breaks
the connection off: a cut file never looks whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql
from psycopg.pq import TransactionStatus

from .columns import SAMPLES, Column

Line = bytes | bytearray | memoryview
BLOCK_BYTES = 65_536
CAN_GO_ON = (TransactionStatus.IDLE, TransactionStatus.INTRANS)
FORMULA = r"^[=+\-@＝＋－＠\t\r\n]"
UNREADABLE = r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]"
FROM = sql.SQL("from measurements_sample s join catalogue_offering o on o.id = s.offering_id")
# The only text of a sample that a stranger wrote. The others are our own labels, which loading checks.
FREE_TEXT = "finish_reason"
# The rules of cells.guarded_text; Postgres stores neither NUL nor halves of surrogate pairs. Nearly every value is a
# plain word, so the replacement is only made where it is needed.
CLEAN = sql.SQL(
    "case when {value} ~ {odd} then regexp_replace({value}, {odd}, '\ufffd', 'g') else {value} end"
)
GUARDED = sql.SQL("case when {value} ~ {formula} then '''' || {clean} else nullif({clean}, '') end")
# What nearly every sample says needs no pattern.
USUAL_FIRST = sql.SQL("case when {value} in ('stop', 'length') then {value} else {otherwise} end")
# The shortest text that reads back the same; Postgres writes an exponent only outside of these bounds.
POSITIONAL = sql.SQL(
    "case when {0} >= 0.0001 and {0} < 1e14 then {0}::text when {0} = 0 then '0' "
    "else trim_scale({0}::text::numeric)::text end"
)
# MS cuts and does not round; the connection's time zone is UTC, as Django sets it, and naming it costs as much again.
INSTANT = sql.SQL("""to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""")


def expression(column: Column, *, guarded: bool) -> sql.Composable:
    """The SQL of one column, whose CSV text is what cells.cell_text would make of the value."""
    source: sql.Composable = sql.Identifier("s", column.name)
    match column.type:
        case "string" if column.name == "offering_id":
            return sql.SQL("o.public_id")
        case "string" if column.name == FREE_TEXT:
            return free_text(source, guarded=guarded)
        case "string" if not column.required:
            return sql.SQL("nullif({}, '')").format(source)
        case "boolean":
            return sql.SQL("case when {} then 'true' else 'false' end").format(source)
        case "datetime":
            return INSTANT.format(source)
        case "number" if column.name == "cost_usd":
            return sql.SQL("trim_scale({})").format(source)
        case "number":
            return POSITIONAL.format(source)
    return source


def free_text(source: sql.Composable, *, guarded: bool) -> sql.Composable:
    clean = CLEAN.format(value=source, odd=sql.Literal(UNREADABLE))
    otherwise: sql.Composable = sql.SQL("nullif({}, '')").format(clean)
    if guarded:
        otherwise = GUARDED.format(value=source, formula=sql.Literal(FORMULA), clean=clean)
    return USUAL_FIRST.format(value=source, otherwise=otherwise)


def samples_query(condition: sql.Composable, *, guarded: bool = True) -> sql.Composed:
    """Sorted by time and key, so that a row can be cited by its number; unguarded text is for Parquet."""
    return sql.SQL("select {} {} where {} order by s.scheduled_at, s.sample_id").format(
        sql.SQL(", ").join(expression(column, guarded=guarded) for column in SAMPLES.columns), FROM, condition
    )


def copied_csv(query: sql.Composed) -> Iterator[bytes]:
    """The header, then the rows of the query in blocks of 64 kB with CRLF line ends.

    The connection is this thread's, whichever thread then reads the blocks.
    """
    connection.ensure_connection()
    return copied_from(connection.connection, query)


def copied_from(raw: psycopg.Connection[Any], query: sql.Composed) -> Iterator[bytes]:
    yield (",".join(SAMPLES.column_names) + "\r\n").encode()
    command = sql.SQL("copy ({}) to stdout with (format csv)").format(query)
    with raw.cursor() as cursor, in_index_order(cursor), cursor.copy(command) as copy:
        yield from joined_with_crlf(copy)


@contextmanager
def in_index_order(cursor: psycopg.Cursor[Any]) -> Iterator[None]:
    """Rows in the order of the key's index, so that the first leaves before the last is read and nothing is sorted.

    COPY plans for the whole result and would sort a million rows first. A transaction that failed takes the setting
    back by itself.
    """
    cursor.execute("set enable_sort = off")
    try:
        yield
    finally:
        if cursor.connection.info.transaction_status in CAN_GO_ON:
            cursor.execute("reset enable_sort")


def joined_with_crlf(lines: Iterable[Line]) -> Iterator[bytes]:
    """COPY gives one line ending in LF at a time; a line break inside a cell stays as it is."""
    waiting: list[Line] = []
    length = 0
    for line in lines:
        waiting.append(line)
        length += len(line)
        if length >= BLOCK_BYTES:
            yield with_crlf(waiting)
            waiting, length = [], 0
    if waiting:
        yield with_crlf(waiting)


def with_crlf(lines: Sequence[Line]) -> bytes:
    block = b"".join(lines)
    if block.count(b"\n") == len(lines):
        return block.replace(b"\n", b"\r\n")
    return b"".join(bytes(line[:-1]) + b"\r\n" for line in lines)
