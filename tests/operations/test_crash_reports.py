from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from leaderboard.operations.crash_reports import start_crash_reports, without_words

EVENT = {
    "event_id": "1",
    "level": "error",
    "request": {"headers": {"Authorization": "Bearer hunter2"}, "data": "hunter2"},
    "user": {"ip_address": "203.0.113.9"},
    "extra": {"sys.argv": ["hunter2"]},
    "breadcrumbs": {"values": [{"message": "hunter2"}]},
    "exception": {
        "values": [
            {
                "type": "OperationalError",
                "value": "no route to postgresql://board:hunter2@db/board",
                "stacktrace": {"frames": [{"function": "f", "lineno": 3, "vars": {"key": "hunter2"}}]},
            }
        ]
    },
}


def test_report_says_where_and_quotes_nobody() -> None:
    told = without_words(EVENT)

    assert "hunter2" not in repr(told)
    assert "203.0.113.9" not in repr(told)
    (value,) = told["exception"]["values"]
    assert value["type"] == "OperationalError"
    assert value["value"] == "no route to postgresql://[removed]@db/board"
    assert value["stacktrace"]["frames"][0]["lineno"] == 3


def test_start_turns_off_what_could_hold_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    package = types.ModuleType("sentry_sdk")
    package.init = lambda **options: given.update(options)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentry_sdk", package)

    start_crash_reports("https://key@sentry.example.org/1")

    assert given["send_default_pii"] is given["include_local_variables"] is False
    assert given["max_breadcrumbs"] == 0
    assert given["before_send"] is without_words
