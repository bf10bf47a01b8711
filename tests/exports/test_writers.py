from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from types import SimpleNamespace

import pytest

from leaderboard.exports.cells import cell_text
from leaderboard.exports.columns import Column
from leaderboard.exports.writers import csv_text, in_blocks, json_text

SPEED = Column("output_speed_tps_p50", "number", "speed", unit="tokens/s")
WAIT = Column("ttft_ms_p50", "number", "wait", unit="ms")
RATE = Column("success_rate", "number", "rate", unit="0..1")
MONEY = Column("cost_usd", "number", "money", unit="USD")
RAW = Column("ttft_ms", "number", "wait", unit="ms", exact=True)
NAME = Column("name", "string", "name")
AT = Column("last_ok_at", "datetime", "at", unit="UTC")
STARTED = Column("started_at", "datetime", "at", unit="UTC, ms")


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (SPEED, 530.12345, "530.1234"),  # half-even on the digits as they stand
        (SPEED, 530.12355, "530.1236"),
        (SPEED, 52.0, "52"),
        (WAIT, 204.9996, "205"),
        (WAIT, 0.1 + 0.2, "0.3"),
        (RATE, 2 / 3, "0.666667"),
        (RAW, 123.456789, "123.456789"),
        (RAW, 1e-07, "0.0000001"),
        (MONEY, Decimal("0.10000000"), "0.1"),
        (MONEY, Decimal("1E+3"), "1000"),
        (MONEY, Decimal("0E-8"), "0"),
        (MONEY, -0.0, "0"),
        (MONEY, Decimal("NaN"), ""),
        (NAME, None, ""),
        (NAME, "−5 is a minus sign, not a formula", "−5 is a minus sign, not a formula"),
        (NAME, "＝1+1", "'＝1+1"),
        (NAME, "\n=1", "'\n=1"),
        (NAME, "nul\x00 bell\x07", "nul\ufffd bell\ufffd"),
        (NAME, True, "true"),
        (NAME, False, "false"),
        (NAME, uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (NAME, dt.date(2026, 7, 15), "2026-07-15"),
        (AT, dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC), "2026-07-15T12:00:00Z"),
        (AT, dt.datetime(2026, 7, 15, 12, 0, 0, 5999, tzinfo=dt.UTC), "2026-07-15T12:00:00.005Z"),
        (STARTED, dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC), "2026-07-15T12:00:00.000Z"),
        (
            AT,
            dt.datetime(2026, 7, 15, 14, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            "2026-07-15T12:00:00Z",
        ),
    ],
)
def test_cell_text(column: Column, value: object, text: str) -> None:
    assert cell_text(column, value) == text  # type: ignore[arg-type]


def test_an_instant_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        cell_text(AT, dt.datetime(2026, 7, 15))  # noqa: DTZ001 - the point of the test


def test_csv_lines_end_in_crlf_and_quotes_are_doubled() -> None:
    rows = [SimpleNamespace(name='a "b", c', ttft_ms=1.5), SimpleNamespace(name=" edge ", ttft_ms=None)]

    assert csv_text([NAME, RAW], rows) == 'name,ttft_ms\r\n"a ""b"", c",1.5\r\n" edge ",\r\n'


def test_json_keeps_the_digits_of_the_csv() -> None:
    row = SimpleNamespace(name="=x", cost_usd=Decimal("0.1575"), success_rate=None, last_ok_at=None)

    text = json_text([NAME, MONEY, RATE, AT], [row], about={"as_of": "2026-07-15T12:00:00Z"})

    assert '"cost_usd":0.1575,' in text
    assert json.loads(text) == {
        "as_of": "2026-07-15T12:00:00Z",
        "rows": [{"name": "=x", "cost_usd": 0.1575, "success_rate": None, "last_ok_at": None}],
    }


def test_blocks_hold_all_lines_in_order() -> None:
    blocks = list(in_blocks((f"{n}\r\n" for n in range(1000)), size=100))

    assert b"".join(blocks).decode() == "".join(f"{n}\r\n" for n in range(1000))
    assert all(len(block) >= 100 for block in blocks[:-1])
    assert len(blocks) < 60
