"""A loopback server that answers given paths with given replies, and counts what it was asked."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ScriptedEngine:
    def __init__(self, replies: Mapping[str, Any]) -> None:
        self.replies = dict(replies)
        self.asked: list[str] = []
        self.authorizations: list[str | None] = []
        self.url = ""
        self.port = 0


@contextlib.contextmanager
def scripted_engine(replies: Mapping[str, Any]) -> Iterator[ScriptedEngine]:
    """Text is sent as it is, anything else as JSON, an int as that status; other paths are 404."""
    engine = ScriptedEngine(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            engine.asked.append(self.path)
            engine.authorizations.append(self.headers.get("Authorization"))
            reply = engine.replies.get(self.path, 404)
            status = reply if isinstance(reply, int) else 200
            text = reply if isinstance(reply, str) else json.dumps(reply)
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "http://127.0.0.2:9/elsewhere")
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    engine.port = server.server_port
    engine.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield engine
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
