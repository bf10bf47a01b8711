"""Crash reports to Sentry, where SENTRY_DSN names one: the kind and the place of a fault, without anybody's words.

The package is optional; environment.py refuses a DSN without it.
"""

from __future__ import annotations

import importlib
from typing import Any

from leaderboard.operations.logs import cleaned

TOLD = ("event_id", "exception", "level", "logger", "platform", "timestamp", "transaction", "contexts")


def start_crash_reports(dsn: str) -> None:
    """Local variables, requests, users and earlier log lines stay here: any of them may hold a key."""
    sentry: Any = importlib.import_module("sentry_sdk")
    sentry.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        traces_sample_rate=0.0,
        server_name="",
        before_send=without_words,
    )


def without_words(event: dict[str, Any], hint: object = None) -> dict[str, Any]:
    """Only what says where the fault is, with keys and passwords taken out of its message."""
    told = {name: cleaned(event[name]) for name in TOLD if name in event and name != "exception"}
    values = (event.get("exception") or {}).get("values") or []
    told["exception"] = {"values": [without_locals(value) for value in values]}
    return told


def without_locals(value: dict[str, Any]) -> dict[str, Any]:
    frames = (value.get("stacktrace") or {}).get("frames") or []
    kept = ("filename", "function", "lineno", "module", "abs_path", "in_app")
    return {
        "type": value.get("type"),
        "value": cleaned(value.get("value")),
        "stacktrace": {"frames": [{name: frame.get(name) for name in kept} for frame in frames]},
    }
