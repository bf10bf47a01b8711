"""Retry-After in every form seen."""

from __future__ import annotations

import datetime as dt

import pytest

from probes.retry_after import parse_retry_after

NOW = dt.datetime(2026, 10, 21, 7, 27, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("17", 17.0),
        (" 0 ", 0.0),
        ("0.503", 1.0),
        ("48.94", 49.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 30.0),
        ("Wednesday, 21-Oct-26 07:28:00 GMT", 30.0),
        ("Wed Oct 21 07:29:30 2026", 120.0),
        ("Wed, 21 Oct 2026 09:28:00 +0200", 30.0),
        ("Wed, 21 Oct 2026 07:20:00 GMT", 0.0),
        ("999999999", 86_400.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        (None, None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("-5", None),
        ("soon", None),
        ("Wed, 99 Oct 2026 07:28:00 GMT", None),
        ("1e400", None),
    ],
)
def test_retry_after_is_whole_seconds_or_unknown(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, now=NOW) == seconds


def test_retry_after_rounds_a_dates_rest_up() -> None:
    now = NOW + dt.timedelta(milliseconds=400)

    assert parse_retry_after("Wed, 21 Oct 2026 07:28:00 GMT", now=now) == 30.0
