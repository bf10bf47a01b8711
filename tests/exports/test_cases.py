"""The csv cases: what a CSV reader gives back for each cell."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leaderboard.exports.columns import Column
from leaderboard.exports.columns.column import ColumnType
from leaderboard.exports.writers import csv_text, json_text

CASES = sorted((Path(__file__).resolve().parent.parent / "cases" / "csv").glob("*.json"))
NUMBERS = ("speed_tps", "price")


def case_column(name: str, index: int) -> Column:
    kind: ColumnType = "number" if name in NUMBERS else "string"
    unit = "tokens/s" if name == "speed_tps" else ""
    return Column(name, kind, "of the case", unit=unit, get=lambda row: case_value(row[index]))


def case_value(value: Any) -> Any:
    """A value of the case's notation as the product would hold it."""
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    readers: dict[str, Any] = {
        "float": float,
        "decimal": Decimal,
        "int": int,
        "bool": lambda v: v if isinstance(v, bool) else v == "true",
        "datetime": dt.datetime.fromisoformat,
        "time": dt.datetime.fromisoformat,
        "date": dt.date.fromisoformat,
    }
    return readers[kind](text)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_csv_case(path: Path) -> None:
    case = json.loads(path.read_text())
    columns = [case_column(name, i) for i, name in enumerate(case["input"]["columns"])]

    encoded = csv_text(columns, case["input"]["rows"]).encode()

    header, *cells = csv.reader(io.StringIO(encoded.decode(), newline=""))
    assert header == case["input"]["columns"]
    assert cells == case["expect"]["cells"]
    assert not encoded.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_json_says_the_same_without_the_spreadsheet_guard(path: Path) -> None:
    case = json.loads(path.read_text())
    columns = [case_column(name, i) for i, name in enumerate(case["input"]["columns"])]

    rows = json.loads(json_text(columns, case["input"]["rows"], about={}), parse_float=str, parse_int=str)[
        "rows"
    ]

    expected = [[cell.removeprefix("'") or None for cell in row] for row in case["expect"]["cells"]]
    assert [list(row.values()) for row in rows] == expected
