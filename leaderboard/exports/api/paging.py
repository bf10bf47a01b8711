"""Pages by opaque cursor: the key of the last row seen, so that new rows never shift a page."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from leaderboard.exports.cells import bare_text
from leaderboard.exports.columns import Table
from leaderboard.exports.errors import Refusal

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows, and the cursor of the next ones; None at the end."""

    rows: Sequence[Any]
    next: str | None


def key_of(table: Table) -> Callable[[Any], Key]:
    """The row's key as published text; unknown parts are empty."""
    columns = [column for name in table.key for column in table.columns if column.name == name]

    def read(row: Any) -> Key:
        values = [(column, column.value(row)) for column in columns]
        return tuple(v if isinstance(v, str) else bare_text(c, v) or "" for c, v in values)

    return read


def encode(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


LONGEST_CURSOR = 1000


def decode(cursor: str, parts: int) -> Key:
    """Raises Refusal for anything that is no cursor of ours."""
    try:
        if len(cursor) > LONGEST_CURSOR:
            raise ValueError
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if isinstance(key, list) and len(key) == parts and all(isinstance(p, str) for p in key):
            return tuple(key)
    except (ValueError, binascii.Error, RecursionError):
        pass
    raise Refusal(
        400,
        "bad_cursor",
        "cursor is not one that this API gave out. Leave it out to begin anew.",
        parameter="cursor",
    )


def sliced(rows: Iterable[Any], table: Table, *, limit: int, cursor: str | None) -> Slice:
    """The rows after the cursor in order of key; rows of a few thousand at most are sorted here."""
    read = key_of(table)
    after = decode(cursor, len(table.key)) if cursor else None
    keyed = sorted(((read(row), row) for row in rows), key=lambda pair: pair[0])
    left = [row for key, row in keyed if after is None or key > after]
    return first_of(left, read, limit)


def first_of(rows: Iterable[Any], read: Callable[[Any], Key], limit: int) -> Slice:
    """The first rows of those left, which are already in order."""
    found = list(islice(rows, limit + 1))
    shown = found[:limit]
    return Slice(shown, encode(read(shown[-1])) if len(found) > limit else None)
