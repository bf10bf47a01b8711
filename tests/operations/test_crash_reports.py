from __future__ import annotations

import gzip
import http.server
import subprocess
import sys
import threading
import types
from typing import Any, ClassVar

import pytest

from leaderboard.operations.crash_reports import start_crash_reports, without_words
from leaderboard.operations.environment import ROOT

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


CRASH = """
import sys
import sentry_sdk
from leaderboard.operations.crash_reports import start_crash_reports

start_crash_reports(sys.argv[1])
sentry_sdk.set_user({"ip_address": "203.0.113.9"})
sentry_sdk.add_breadcrumb(message="typed hunter2")

def ask(key):
    raise RuntimeError("no route to postgresql://board:hunter2@db/board")

try:
    ask("sk-hunter2")
except RuntimeError as error:
    sentry_sdk.capture_exception(error)
sentry_sdk.flush(10)
"""


class Receiver(http.server.BaseHTTPRequestHandler):
    received: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Not on our output."""


def test_real_package_sends_the_place_and_no_word() -> None:
    """sentry-sdk itself, in a program of its own, to a receiver on loopback."""
    Receiver.received.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        dsn = f"http://public@127.0.0.1:{server.server_port}/1"
        done = subprocess.run(
            [sys.executable, "-c", CRASH, dsn], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        server.shutdown()

    assert done.returncode == 0, done.stderr
    sent = b"".join(Receiver.received).decode()
    assert '"function":"ask"' in sent
    assert "postgresql://[removed]@db/board" in sent
    assert "hunter2" not in sent
    assert "203.0.113.9" not in sent


def test_start_turns_off_what_could_hold_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    package = types.ModuleType("sentry_sdk")
    package.init = lambda **options: given.update(options)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentry_sdk", package)

    start_crash_reports("https://key@sentry.example.org/1")

    assert given["send_default_pii"] is given["include_local_variables"] is False
    assert given["max_breadcrumbs"] == 0
    assert given["before_send"] is without_words
