"""Small scripted servers for what the lab does not do: broken HTTP, TLS, floods and the stream-form cases."""

from __future__ import annotations

import base64
import socket
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

Handler = Callable[[socket.socket, bytes], None]


class ScriptedServer:
    """Reads one request a connection, hands it to `handler`, closes. `requests` holds what came, heads and bodies."""

    def __init__(
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        reads: bool = True,
    ) -> None:
        self._handler = handler
        self._tls = tls
        self._reads = reads
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family, backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[bytes] = []
        self.connections = 0
        self._is_stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_stopping.set()
        # A thread blocked in accept keeps the socket alive: shutting it down wakes it.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while not self._is_stopping.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        with suppress(OSError, ssl.SSLError), sock:
            sock.settimeout(20)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                self._answer(sock)
                return
            with self._tls.wrap_socket(sock, server_side=True) as wrapped:
                self._answer(wrapped)

    def _answer(self, sock: socket.socket) -> None:
        request = read_request(sock) if self._reads else b""
        self.requests.append(request)
        self._handler(sock, request)


TLS_HELLO = b"\x16"


def read_request(sock: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        data = sock.recv(65_536)
        if not data:
            return received
        received += data
        if received.startswith(TLS_HELLO):
            return received
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += sock.recv(65_536)
    return head + b"\r\n\r\n" + body


def reset(sock: socket.socket) -> None:
    """Close with RST instead of FIN."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def wait_for_close(sock: socket.socket) -> None:
    """Keep the connection open until the client leaves."""
    with suppress(OSError):
        sock.recv(1)


def answer_with(*parts: bytes, head: str = "", status: int = 200) -> Handler:
    """A handler that sends a close-delimited answer."""

    def handle(sock: socket.socket, request: bytes) -> None:
        sock.sendall(f"HTTP/1.1 {status} X\r\n{head}connection: close\r\n\r\n".encode())
        for part in parts:
            sock.sendall(part)

    return handle


def event(text: str) -> bytes:
    """One chat completion chunk with this text."""
    return b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n' % text.encode()


ENDING = (
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\ndata: [DONE]\n\n'
)
GOOD_STREAM = event("Hello") + event(" there") + ENDING


class CaseServer:
    """Plays stream-form cases in real time under /case/<id>/…; `hits` holds each case's Authorization values."""

    def __init__(self, cases: dict[str, dict[str, Any]]) -> None:
        self._cases = cases
        self._bodies = {
            case_id: [_chunk_bytes(chunk) for chunk in case["chunks"]] for case_id, case in cases.items()
        }
        self.hits: dict[str, list[str]] = {}
        self.server = ScriptedServer(self._play)

    def _play(self, sock: socket.socket, request: bytes) -> None:
        start = time.perf_counter()
        if request.startswith(TLS_HELLO):
            sock.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return
        head = request.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        case_id = head[0].split("/")[2]
        case = self._cases[case_id]
        keys = [line.partition(":")[2].strip() for line in head if line.lower().startswith("authorization:")]
        self.hits.setdefault(case_id, []).append(keys[0] if keys else "")
        transport = case.get("transport", {})
        if not transport.get("no_response"):
            is_chunked = transport.get("chunked", True)
            sock.sendall(_case_head(case, transport, is_chunked=is_chunked))
            self._send_body(sock, case, start, is_chunked=is_chunked)
        if case["end"] == "hang":
            wait_for_close(sock)
        elif case["end"] == "reset":
            _sleep_until(start + _last_at_s(case) + 0.02)  # let the last bytes leave first
            reset(sock)
        elif transport.get("chunked", True) and transport.get("final_chunk", True):
            sock.sendall(b"0\r\n\r\n")

    def _send_body(
        self, sock: socket.socket, case: dict[str, Any], start: float, *, is_chunked: bool
    ) -> None:
        for chunk, body in zip(case["chunks"], self._bodies[case["id"]], strict=True):
            _sleep_until(start + chunk["at_ms"] / 1000)
            if body:
                sock.sendall(b"%x\r\n%b\r\n" % (len(body), body) if is_chunked else body)
        repeat = case.get("tail_repeat")
        if repeat:
            body = repeat["data"].encode()
            for at_ms in range(repeat["from_ms"], repeat["max_ms"] + 1, repeat["every_ms"]):
                _sleep_until(start + at_ms / 1000)
                sock.sendall(b"%x\r\n%b\r\n" % (len(body), body))


def _case_head(case: dict[str, Any], transport: dict[str, Any], *, is_chunked: bool) -> bytes:
    lines = [
        f"HTTP/1.1 {case['status']} Played",
        *(f"{name}: {value}" for name, value in case["headers"].items()),
    ]
    if is_chunked:
        lines.append("transfer-encoding: chunked")
    elif "content_length" in transport:
        lines.append(f"content-length: {transport['content_length']}")
    return ("\r\n".join([*lines, "connection: close"]) + "\r\n\r\n").encode()


def _last_at_s(case: dict[str, Any]) -> float:
    return float(max((chunk["at_ms"] for chunk in case["chunks"]), default=0)) / 1000


def _chunk_bytes(chunk: dict[str, Any]) -> bytes:
    if "data_b64" in chunk:
        return base64.b64decode(chunk["data_b64"])
    if "data_repeat" in chunk:
        repeat = chunk["data_repeat"]
        return str(repeat["head"] + repeat["unit"] * repeat["count"] + repeat["tail"]).encode()
    if "gzip_bomb" in chunk:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        block = chunk["gzip_bomb"]["unit"].encode() * 4096
        packed = [packer.compress(block) for _ in range(chunk["gzip_bomb"]["count"] // 4096)]
        return b"".join(packed) + packer.flush()
    return str(chunk["data"]).encode("utf-8", "surrogatepass")


def _sleep_until(due: float) -> None:
    delay = due - time.perf_counter()
    if delay > 0:
        time.sleep(delay)
