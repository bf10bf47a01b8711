"""Tables as CSV (UTF-8 without BOM, CRLF, RFC 4180) and JSON: the same values in the same order."""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .cells import bare_text, cell_text, plain_text
from .columns import Column, Value

NEEDS_QUOTES = re.compile(r'[",\r\n]|^ | $')


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if NEEDS_QUOTES.search(text) else text


def csv_line(cells: Iterable[str]) -> str:
    return ",".join(map(quoted, cells)) + "\r\n"


def csv_header(columns: Sequence[Column]) -> str:
    return csv_line(column.name for column in columns)


def csv_lines(columns: Sequence[Column], rows: Iterable[Any], *, guarded: bool = True) -> Iterator[str]:
    """Header and rows; rows of any type the columns' getters take."""
    yield csv_header(columns)
    for row in rows:
        yield csv_line(cell_text(c, c.value(row), guarded=guarded) for c in columns)


def csv_text(columns: Sequence[Column], rows: Iterable[Any], *, guarded: bool = True) -> str:
    """The whole file."""
    return "".join(csv_lines(columns, rows, guarded=guarded))


def json_value(column: Column, value: Value) -> str:
    """The JSON form of one value: numbers with exactly the digits of the CSV, null where unknown."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return json.dumps(plain_text(value), ensure_ascii=False)
    text = bare_text(column, value)
    if text is None:
        return "null"
    return json.dumps(text) if isinstance(value, dt.date | uuid.UUID) else text


def json_row(columns: Sequence[Column], row: Any) -> str:
    return "{" + ",".join(f'"{c.name}":{json_value(c, c.value(row))}' for c in columns) + "}"


def json_text(columns: Sequence[Column], rows: Iterable[Any], *, about: dict[str, object]) -> str:
    """`about` first (as_of, versions, licence …), then `rows`, one object a line."""
    head = json.dumps(about, ensure_ascii=False)[:-1]
    body = ",\n".join(json_row(columns, row) for row in rows)
    return f'{head}{", " if about else ""}"rows": [\n{body}\n]}}\n'


def in_blocks(lines: Iterable[str], size: int = 65_536) -> Iterator[bytes]:
    """Lines joined into blocks of about `size` bytes: one network write a line would cost ten times as much."""
    waiting: list[str] = []
    length = 0
    for line in lines:
        waiting.append(line)
        length += len(line)
        if length >= size:
            yield "".join(waiting).encode()
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting).encode()


def plain_json(document: object) -> bytes:
    """A small document that is no table."""
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
