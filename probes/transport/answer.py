"""Raw reads → status, headers and body chunks: HTTP/1.1 framing by h11, content coding undone within a byte limit."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from types import MappingProxyType

import h11

from probes.exchange import Chunk, Ending

INFLATE_STEP_BYTES = 262_144
_GZIP_OR_ZLIB = 47  # zlib's window bits for "either header"
_RAW_DEFLATE = -15


class BodyTooLargeError(Exception):
    """The decoded body went over its limit."""


class Inflater:
    """Undoes gzip and deflate piece by piece; raises zlib.error for what is neither."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._has_output = False

    def feed(self, data: bytes, allowed_bytes: int) -> bytes:
        """Raises BodyTooLargeError before more than `allowed_bytes` (and one step) were made."""
        try:
            return self._inflate(data, allowed_bytes)
        except zlib.error:
            if self._coding != "deflate" or self._has_output:
                raise
        # Some servers send raw deflate under the name of zlib's form.
        self._decoder = zlib.decompressobj(_RAW_DEFLATE)
        return self._inflate(data, allowed_bytes)

    def _inflate(self, data: bytes, allowed_bytes: int) -> bytes:
        parts: list[bytes] = []
        total, is_full = 0, False
        while data or is_full:
            part = self._decoder.decompress(data, INFLATE_STEP_BYTES)
            is_full = len(part) == INFLATE_STEP_BYTES
            self._has_output = True
            total += len(part)
            if total > allowed_bytes:
                raise BodyTooLargeError
            parts.append(part)
            data = self._decoder.unconsumed_tail or self._next_member()
        return b"".join(parts)

    def _next_member(self) -> bytes:
        """Bytes after a gzip member's end: another member, or padding that ends the body."""
        rest = self._decoder.unused_data
        if not rest.startswith(b"\x1f\x8b"):
            return b""
        self._decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
        return rest


class Answer:
    """One HTTP answer as it grows. `ending` stays None until the body is whole or broken."""

    def __init__(self, connection: h11.Connection, max_bytes: int) -> None:
        self._connection = connection
        self._max_bytes = max_bytes
        self._inflater: Inflater | None = None
        self.status: int | None = None
        self.headers: Mapping[str, str] = MappingProxyType({})
        self.headers_ns: int | None = None
        self.chunks: list[Chunk] = []
        self.body_bytes = 0
        self.ending: Ending | None = None
        self.ended_ns = 0
        self.error: str | None = None

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_streamed(self) -> bool:
        """A success of unknown length: worth leaving alone until something happens."""
        return self.is_success and "content-length" not in self.headers

    def feed(self, at_ns: int, data: bytes) -> None:
        """Take one read; empty `data` is the end of the connection."""
        if self.ending is not None:
            return
        parts: list[bytes] = []
        try:
            self._connection.receive_data(data)
            self._take_events(at_ns, parts)
        except h11.RemoteProtocolError as error:
            self._append(at_ns, b"".join(parts))
            self._end(at_ns, Ending.RESET, self._explain(error, is_end=not data))
            return
        self._append(at_ns, b"".join(parts))

    def _take_events(self, at_ns: int, parts: list[bytes]) -> None:
        while True:
            event = self._connection.next_event()
            if isinstance(event, h11.Data):
                parts.append(bytes(event.data))
            elif isinstance(event, h11.Response):
                self._begin(at_ns, event)
            elif isinstance(event, h11.EndOfMessage):
                self._append(at_ns, b"".join(parts))
                parts.clear()
                self._end(at_ns, Ending.CLOSED, None)
                return
            elif event is h11.NEED_DATA or not isinstance(event, h11.InformationalResponse):
                return

    def _begin(self, at_ns: int, response: h11.Response) -> None:
        self.status = response.status_code
        self.headers_ns = at_ns
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
        coding = self.headers.get("content-encoding", "").strip().lower()
        if coding in {"gzip", "x-gzip", "deflate"}:
            self._inflater = Inflater(coding)
        elif coding not in {"", "identity"}:
            self._end(
                at_ns, Ending.BAD_BODY, f"the body came in the coding {coding[:20]!r}, asked was identity"
            )

    def _append(self, at_ns: int, body: bytes) -> None:
        if not body or self.ending is not None:
            return
        try:
            if self._inflater is not None:
                body = self._inflater.feed(body, self._max_bytes - self.body_bytes)
        except zlib.error:
            self._end(at_ns, Ending.BAD_BODY, "the body is not in the coding that its header names")
            return
        except BodyTooLargeError:
            self._end(at_ns, Ending.TOO_LARGE, "the decoded body is over the byte limit")
            return
        self.body_bytes += len(body)
        if body:
            self.chunks.append(Chunk(at_ns, body))
        if self.body_bytes > self._max_bytes:
            self._end(at_ns, Ending.TOO_LARGE, "the body is over the byte limit")

    def _end(self, at_ns: int, ending: Ending, error: str | None) -> None:
        if self.ending is None:
            self.ending, self.ended_ns, self.error = ending, at_ns, error

    def _explain(self, error: h11.RemoteProtocolError, *, is_end: bool) -> str:
        if self.status is None:
            return "the server hung up without an answer" if is_end else "the answer is not HTTP"
        if is_end:
            return "the connection closed before the body was whole"
        return f"the answer breaks HTTP: {error}"[:200]
