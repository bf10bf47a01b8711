"""A snapshot's rows by one COPY in binary, column by column: no number is turned into text, no row becomes an object.

The form is PostgreSQL's own (COPY, "Binary Format"): each cell is its length and its bytes, a null the length −1.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg import sql
from psycopg.types.numeric import DecimalBinaryDumper

from leaderboard.ranking.window import NEVER, microseconds

Cells = Sequence[bytes]
Column = Sequence[Any] | NDArray[Any]

HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
TRAILER = struct.pack(">h", -1)
NULL = struct.pack(">i", -1)
JSONB_VERSION = b"\x01"


def copy_summaries(snapshot_id: int, columns: Mapping[str, Column]) -> None:
    """Write every row; each of `columns` is a column of the table, and has one element for each row."""
    names = list(columns)
    listed = sql.SQL(", ").join(map(sql.Identifier, ("snapshot_id", *names)))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("select {} from ranking_summary limit 0").format(listed))
        types = [column.type_code for column in cursor.description]
        cells = [CELLS[type_](columns[name]) for name, type_ in zip(names, types[1:], strict=True)]
        start = struct.pack(">h", len(types)) + cell(struct.pack(">q", snapshot_id))
        starts = [start] * len(cells[0])
        with cursor.copy(
            sql.SQL("copy ranking_summary ({}) from stdin (format binary)").format(listed)
        ) as copy:
            copy.write(HEADER + b"".join(chain.from_iterable(zip(starts, *cells, strict=True))) + TRAILER)


def cell(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def fixed(values: NDArray[Any], is_null: NDArray[np.bool_]) -> list[bytes]:
    """Cells of one width, made for the whole column at once."""
    whole = np.empty(len(values), dtype=[("length", ">i4"), ("value", values.dtype)])
    whole["length"], whole["value"] = values.dtype.itemsize, values
    cells: list[bytes] = whole.view(f"V{whole.itemsize}").tolist()
    for n in np.flatnonzero(is_null).tolist():
        cells[n] = NULL
    return cells


def floats(column: Column) -> Cells:
    """NaN and None are null."""
    values = np.array(column, dtype=">f8")
    return fixed(values, np.isnan(values))


def whole(width: str) -> Callable[[Column], Cells]:
    def cells(column: Column) -> Cells:
        if isinstance(column, np.ndarray):
            return fixed(column.astype(width), np.zeros(len(column), dtype=bool))
        is_null = np.array([value is None for value in column], dtype=bool)
        return fixed(np.array([value or 0 for value in column], dtype=width), is_null)

    return cells


def instants(column: Column) -> Cells:
    """Microseconds of Postgres with NEVER as null, or moments with None."""
    if not isinstance(column, np.ndarray):
        column = np.array([NEVER if m is None else microseconds(m) for m in column], dtype=np.int64)
    return fixed(column.astype(">i8"), column == NEVER)


def each_once(dump: Callable[[Any], bytes]) -> Callable[[Column], Cells]:
    """Few values of a column differ, so each is turned into bytes once."""

    def cells(column: Column) -> Cells:
        made = {value: NULL if value is None else cell(dump(value)) for value in set(column)}
        return [made[value] for value in column]

    return cells


def decimal_bytes(amount: Decimal) -> bytes:
    return bytes(DecimalBinaryDumper(Decimal).dump(amount) or b"")


def jsonb_bytes(text: str) -> bytes:
    return JSONB_VERSION + text.encode()


BOOL, BIGINT, SMALLINT, INTEGER, DOUBLE, VARCHAR, TIMESTAMPTZ, NUMERIC, JSONB = (
    16, 20, 21, 23, 701, 1043, 1184, 1700, 3802,
)  # fmt: skip
CELLS: Mapping[int, Callable[[Column], Cells]] = {
    BOOL: whole("?"),
    BIGINT: whole(">i8"),
    SMALLINT: whole(">i2"),
    INTEGER: whole(">i4"),
    DOUBLE: floats,
    VARCHAR: each_once(str.encode),
    TIMESTAMPTZ: instants,
    NUMERIC: each_once(decimal_bytes),
    JSONB: each_once(jsonb_bytes),
}
"""By the type's number, which PostgreSQL never changes."""
