"""The text of a published cell → its value; the inverse of exports.cells."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO

from leaderboard.exports.cells import FORMULA_START
from leaderboard.exports.columns import Column, Table, Value

GUARDED = re.compile("'" + FORMULA_START.pattern)
LARGEST_WHOLE = 2**31 - 1
"""What a column of the database holds; no count of tokens or requests comes near it."""


class LoadProblem(Exception):
    """The file cannot be loaded; the text says where and why, and nothing of it was."""


Row = Mapping[str, Value]


def read_rows(path: Path, table: Table, *, optional: Iterable[str] = ()) -> Iterator[Row]:
    """The rows of a published CSV, gzipped or not, typed; unknown columns are ignored.

    Raises LoadProblem for a file that is not there, a column that is missing and a cell that is not of its type.
    """
    with reading(path), opened(path) as stream:
        reader = csv.DictReader(stream)
        check_header(path, table, reader.fieldnames or [], optional)
        present = [column for column in table.columns if column.name in (reader.fieldnames or [])]
        for number, cells in enumerate(reader, start=2):
            yield {c.name: value_of(c, cells[c.name] or "", f"{path.name} line {number}") for c in present}


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What goes wrong with the file itself, told as a LoadProblem."""
    try:
        yield
    except FileNotFoundError:
        raise LoadProblem(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise LoadProblem(
            f"{path} is a folder; name the file in it, such as {path / 'samples.csv'}."
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise LoadProblem(f"{path} is damaged: it does not unpack to its end.") from None
    except UnicodeDecodeError:
        raise LoadProblem(f"{path} is not text in UTF-8, as published files are.") from None
    except csv.Error as problem:
        raise LoadProblem(f"{path} is no CSV: {problem}.") from None
    except OSError as problem:
        raise LoadProblem(f"{path} cannot be read: {problem.strerror}.") from None


def opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def check_header(path: Path, table: Table, names: Iterable[str], optional: Iterable[str]) -> None:
    """Columns that must be filled must be there, but for the optional ones."""
    missing = [c.name for c in table.columns if c.required and c.name not in {*names, *optional}]
    if missing:
        raise LoadProblem(f"{path.name} is not a {table.name} file: it has no column {', '.join(missing)}.")


def value_of(column: Column, text: str, place: str) -> Value:
    """None for an empty cell; raises LoadProblem naming the place."""
    if text == "":
        if column.required:
            raise LoadProblem(f"{place}: {column.name} is empty and must not be.")
        return None
    try:
        value = parsed(column, text)
    except (ValueError, InvalidOperation):
        raise LoadProblem(f"{place}: {column.name} is {text[:60]!r}, which is no {column.type}.") from None
    check_allowed(column, value, place)
    return value


def parsed(column: Column, text: str) -> Value:
    match column.type:
        case "string":
            if "\0" in text:
                raise ValueError
            return text[1:] if GUARDED.match(text) else text
        case "integer":
            return whole(text)
        case "number":
            return number(column, text)
        case "boolean":
            return (
                {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else bad()
            )
        case "date":
            return dt.date.fromisoformat(text)
        case "datetime":
            instant = dt.datetime.fromisoformat(text)
            return instant if instant.tzinfo else bad()


def bad() -> Value:
    raise ValueError


def whole(text: str) -> int:
    value = int(text)
    if abs(value) > LARGEST_WHOLE:
        raise ValueError
    return value


def number(column: Column, text: str) -> Value:
    """Money stays a decimal; NaN and infinities are no numbers of ours."""
    value = Decimal(text)
    if not value.is_finite():
        raise ValueError
    if "usd" in column.name.split("_"):
        return value
    converted = float(text)
    if not math.isfinite(converted):
        raise ValueError
    return converted


def check_allowed(column: Column, value: Value, place: str) -> None:
    if column.one_of and value not in column.one_of:
        raise LoadProblem(f"{place}: {column.name} is {value!r}; allowed are {', '.join(column.one_of)}.")
    if column.pattern and not re.match(column.pattern, str(value)):
        raise LoadProblem(f"{place}: {column.name} is {value!r}, which does not fit {column.pattern}.")
    if isinstance(value, int | float | Decimal) and not column.bounds.allow(value):
        raise LoadProblem(f"{place}: {column.name} is {value}; allowed is {column.bounds}.")
