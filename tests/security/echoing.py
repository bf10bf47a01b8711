"""A provider that gives every caller its own secrets back, in as many ways as HTTP has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

WAYS = (
    *("error", "error-header", "redirect", "html", "stream-error", "answer", "model", "finish", "reason"),
    *("broken-json", "status-line", "split"),
)


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        way = json.loads(body)["model"]
        key = self.headers["Authorization"].removeprefix("Bearer ")
        status, headers, text = answer(way, key)
        phrase = key if way == "status-line" else None
        self.send_response(status, phrase)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


def chunk(**fields: object) -> str:
    return f"data: {json.dumps(fields)}\n\n"


def stream(*, words: str = "hello there", model: str = "m", finish: str = "stop") -> bytes:
    pieces = [chunk(model=model, choices=[{"delta": {"content": f"{words} "}}]) for _ in range(40)]
    end = chunk(
        model=model, choices=[{"delta": {}, "finish_reason": finish}], usage={"completion_tokens": 80}
    )
    return ("".join(pieces) + end + "data: [DONE]\n\n").encode()


def answer(way: str, key: str) -> tuple[int, dict[str, str], bytes]:
    json_type, sse = {"Content-Type": "application/json"}, {"Content-Type": "text/event-stream"}
    said = f"Incorrect API key provided: {key}. Header was Bearer {key}"
    match way:
        case "error":
            return 401, json_type, json.dumps({"error": {"message": said, "code": key}}).encode()
        case "error-header":
            headers = {"Retry-After": key, "X-Request-Id": key, "Server": key, "Set-Cookie": f"k={key}"}
            return 429, json_type | headers, b"{}"
        case "redirect":
            return 302, {"Location": f"https://elsewhere.example/{key}?key={key}"}, b""
        case "html":
            return 502, {"Content-Type": "text/html"}, f"<html><title>{said}</title></html>".encode()
        case "stream-error":
            return 200, sse, (chunk(error={"message": said, "type": key})).encode()
        case "answer":
            return 200, sse, stream(words=key)
        case "model":
            return 200, sse, stream(model=key)
        case "finish":
            return 200, sse, stream(finish=key)
        case "reason":
            return 400, json_type, json.dumps({"detail": [{"msg": said}], key: key}).encode()
        case "broken-json":
            return 200, sse, f"data: {{{said}\n\n".encode()
        case "status-line":
            return 403, json_type, b""
        case _:
            half = len(key) // 2
            parts = f"the key {key[:half]} {key[half:]} and {key[:-3]}*** are wrong"
            return 401, json_type, json.dumps({"error": {"message": parts}}).encode()


@contextmanager
def echoing_provider() -> Iterator[str]:
    """Its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()
